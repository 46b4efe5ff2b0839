"""The check of an answer before the turn ends: every fact in it is said by a passage that it cites."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage
from langgraph.constants import TAG_NOSTREAM
from langgraph.runtime import Runtime

from nodes.approvals import wordings
from nodes.citations import (
    Similarity,
    Verified,
    bracket_ids,
    cited_ids,
    drop_unsupported,
    repaired_prompt,
    strip_citations,
    verify,
)
from nodes.citations.embedded import by_embedding
from nodes.direct import say
from nodes.language import answer_language
from nodes.log import current_turn
from nodes.models import usage_of
from nodes.orders import without_orders
from nodes.passages import passages_in, records_in
from nodes.phrases import NOT_FOUND, OPEN_POINT
from nodes.questions import split_questions
from nodes.request import accounted_beside
from nodes.request import answer as answer_again
from nodes.scene import model_of, plan_of, scene_of
from nodes.smalltalk import talk
from nodes.state import Context, Review, State
from nodes.tools.bound import tools
from nodes.unanswered import unanswered
from nodes.window import CallRecord
from store.errors import ModelError
from store.resources import resources


async def review(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Correct citations, have what is unsupported or left out repaired once, drop what stays unsupported.

    An answer of which nothing supported is left becomes "not found"; a question of the message that is still
    left out is named as open. Small talk that comes here only loses what is unsupported.
    """
    answer = current_turn(state["messages"])[-1]
    first = final = await checked(state["messages"], answer.text)
    if state["decision"]["route"] == "direct":
        text = drop_unsupported(first.verified).strip() or await _small_talk(state)
        return _changed(answer, text) | {"review": outcome(first, final)}
    update: dict[str, object] = {}
    acted = wordings(state["messages"])
    prompt = repaired_prompt(first.verified, first.left_out)
    if prompt and not acted and (repaired := await _repair(state, runtime, prompt)):
        reply, record = repaired
        update |= {"usage": usage_of(reply), "calls": [record.to_dict()]}
        final = better(first, await checked(state["messages"], reply.text))
    found = outcome(first, final)
    if acted:
        found["answered"] = True
    text = worded(final, acted) if found["answered"] else say(state, NOT_FOUND).text
    return update | _changed(answer, text) | {"review": found}


def _changed(answer: BaseMessage, text: str) -> dict[str, object]:
    """Return the answer with the text that stands, if that is another one."""
    return {"messages": [answer.model_copy(update={"content": text})]} if text != answer.text else {}


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer, checked sentence by sentence, and the questions of the message that it leaves out."""

    verified: Verified
    left_out: tuple[str, ...]


async def checked(log: Sequence[AnyMessage], answer: str) -> Checked:
    """Check an answer against this turn's passages and records, and the passages of earlier turns that it cites.

    Args:
        log: the thread's, this turn's question and passages in it.
        answer: a model's text.
    """
    turn = current_turn(log)
    given = passages_in(log)
    answer = bracket_ids(answer, given)
    may_cite = passages_in(turn) | {id_: given[id_] for id_ in cited_ids(answer) if id_ in given}
    question = turn[0].text
    passages = {id_: _with_heading(passage) for id_, passage in may_cite.items()}

    records = [without_orders(text) for text in records_in(turn)]

    def check(similarity: Similarity | None) -> Checked:
        verified = verify(
            answer,
            passages,
            question=question,
            language=answer_language(turn[0]),
            similarity=similarity,
            records=records,
        )
        said = [strip_citations(s.text).strip() for s in verified.sentences if not s.fails]
        asked = split_questions(question) if similarity else ()
        return Checked(verified, tuple(unanswered(asked, said, similarity)) if similarity else ())

    return await by_embedding(check, (await resources()).knowledge.embedder)


def better(first: Checked, second: Checked) -> Checked:
    """Return the repaired answer if it says more that is supported, or leaves less unsupported or out."""

    def worth(checked: Checked) -> tuple[int, int, int]:
        counts = checked.verified.counts
        return counts["supported"], -counts["unsupported"], -len(checked.left_out)

    one, other = worth(first), worth(second)
    kept_support = other[0] >= one[0] > 0 and other[1:] > one[1:]
    return second if other[0] > one[0] or kept_support else first


def worded(final: Checked, acted: Sequence[str] = ()) -> str:
    """Return an answer as it is given: without what is unsupported, with what it leaves out named as open.

    Args:
        final: the answer, checked.
        acted: what became of the turn's requests; it stands first.
    """
    lang = final.verified.language
    named = [OPEN_POINT[lang].format(question=question) for question in final.left_out]
    parts = [*acted, drop_unsupported(final.verified), *named]
    return "\n\n".join(part for part in parts if part.strip())


def outcome(first: Checked, final: Checked) -> Review:
    """Count what the check found.

    Args:
        first: the answer as the model gave it.
        final: the same, or the repaired one, before anything is dropped; it is what is counted, and the
            supported sentences that it has more than `first` are the repaired ones.
    """
    counts = final.verified.counts
    return Review(
        sentences=counts["factual"],
        supported=counts["supported"],
        repaired=counts["supported"] - first.verified.counts["supported"],
        dropped=counts["unsupported"],
        open=list(final.left_out),
        answered=counts["supported"] > 0,
    )


async def _small_talk(state: State) -> str:
    """Return what the product itself says to small talk."""
    question = current_turn(state["messages"])[0]
    return talk(question.text, answer_language(question), (await resources()).settings.product_name)


async def _repair(
    state: State, runtime: Runtime[Context], prompt: str
) -> tuple[AIMessage, CallRecord] | None:
    """Let the model write its answer again; one that fails leaves the first answer as it is."""
    bound = await tools(state, runtime)
    model = (await model_of(runtime, bound)).with_config(tags=[TAG_NOSTREAM])
    log, beside, plan = state["messages"], [HumanMessage(prompt)], plan_of(state)
    try:
        reply, asked = await answer_again(model, plan, [*log, *beside], await scene_of(state, runtime, bound))
    except ModelError:
        return None
    return reply, accounted_beside(log, beside, asked, reply, (plan, state["sent"]))


def _with_heading(passage: Mapping[str, str]) -> str:
    return f"{passage['section']}\n{without_orders(passage['text'])}"
