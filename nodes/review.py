"""The check of an answer before the turn ends: what it cites was given, and something is left to say."""

from collections.abc import Container

from nodes.citations import cited_ids, keep_known
from nodes.direct import say
from nodes.log import current_turn
from nodes.passages import passages_in
from nodes.phrases import NOT_FOUND
from nodes.state import Review, State


async def review(state: State) -> dict[str, object]:
    """Remove citations that were not given in this thread; an answer without any becomes "not found"."""
    answer = current_turn(state["messages"])[-1]
    text, found = checked(answer.text, passages_in(state["messages"]))
    if not found["answered"]:
        text = say(state, NOT_FOUND).text
    if text == answer.text:
        return {"review": found}
    return {"messages": [answer.model_copy(update={"content": text})], "review": found}


def checked(answer: str, given: Container[str]) -> tuple[str, Review]:
    """Return an answer with the citations of given passages alone, and what was found.

    Args:
        answer: the model's text.
        given: ids of the passages that the thread holds.
    """
    cited = cited_ids(answer)
    known = [one for one in cited if one in given]
    found = Review(
        sentences=len(cited),
        supported=len(known),
        repaired=0,
        dropped=len(cited) - len(known),
        answered=bool(known),
    )
    return keep_known(answer, given), found
