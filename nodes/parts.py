"""The questions of a message, each so that it is understood without the others."""

from collections.abc import Sequence

from nodes.comparison import comparison
from nodes.followups import needs_history
from nodes.questions import split_questions
from nodes.standalone import Turn, complete
from nodes.words import content_words


def parts_in_context(message: str) -> list[str]:
    """Return the questions of a message for a search that knows the whole message as well.

    Only one with no words of its own is completed: another drifts to what the one before it was about.

    Args:
        message: what the user wrote, standing alone; it may hold one question.
    """
    first, *others = split_questions(message)
    found = [first]
    for part in others:
        empty = needs_history(part) == "ellipsis" or not content_words(part)
        found.append(complete(part, [("user", found[-1])]).text if empty else part)
    return found


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


def points(task: str) -> list[str]:
    """Return what to search for to carry out a task: each point of a comparison, each question, or all of it.

    Args:
        task: a message, or a part of one, that stands alone.
    """
    found = comparison(task)
    if found and found.points:
        return [f"{' '.join(found.subjects)} {point}" for point in found.points]
    return split_questions(task)
