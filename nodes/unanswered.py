"""Which of a message's questions an answer leaves out."""

from collections.abc import Sequence

from nodes.citations.near import Similarity

_NEAREST = 0.1
"""Similarity from which a sentence that is nearest to a question speaks of it."""
_NEAR = 0.3
"""Similarity from which it does so whatever else it is near to.

With both, of 309 pairs of questions to three help centres 2 % of those answered by sentences of their sections
count as left out, and 16 % of those without such a sentence do not.
"""


def unanswered(questions: Sequence[str], said: Sequence[str], similarity: Similarity) -> list[str]:
    """Return the questions of which no sentence speaks, be it to answer or to say that nothing is known.

    Args:
        questions: of one message.
        said: the sentences of the answer.
        similarity: how near two texts are in meaning.
    """
    if len(questions) < 2:  # noqa: PLR2004 - a single question is what the whole answer speaks of
        return []
    near = {question: [similarity(question, sentence) for sentence in said] for question in questions}
    best = [max(column) for column in zip(*near.values(), strict=True)]  # of each sentence
    return [
        question
        for question, row in near.items()
        if not any(
            value >= _NEAR or (value >= _NEAREST and value == top)
            for value, top in zip(row, best, strict=True)
        )
    ]
