"""The questions of a message, each so that it is understood without the others."""

from collections.abc import Sequence

from nodes.followups import needs_history
from nodes.questions import split_questions
from nodes.standalone import Turn, complete
from nodes.words import content_words


def standalone_parts(message: str, history: Sequence[Turn] = ()) -> list[str]:
    """Return the questions of a message: the first completed from the conversation, a later one from its predecessor.

    Args:
        message: what the user wrote; it may hold one question.
        history: the turns before it, oldest first; none if the message is known to stand alone.
    """
    first, *others = split_questions(message)
    found = [complete(first, history).text]
    for part in others:
        points_back = needs_history(part) in {"ellipsis", "reference"} or not content_words(part)
        found.append(complete(part, [("user", found[-1])]).text if points_back else part)
    return found
