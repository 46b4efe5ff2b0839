"""The check of an answer before the turn ends: every fact in it is said by a passage that it cites."""

from collections.abc import Mapping, Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.constants import TAG_NOSTREAM
from langgraph.runtime import Runtime

from nodes.call import answer as answer_again
from nodes.citations import Verified, bracket_ids, cited_ids, drop_unsupported, repaired_prompt, verify
from nodes.citations.embedded import by_embedding
from nodes.direct import say
from nodes.identity import run_context
from nodes.language import language
from nodes.log import current_turn
from nodes.models import OFFLINE, usage_of
from nodes.passages import passages_in
from nodes.phrases import NOT_FOUND
from nodes.scene import model_of, plan_of, scene_of
from nodes.state import Context, Review, State
from store.errors import ModelError
from store.resources import resources


async def review(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Correct citations, have unsupported sentences repaired once, drop what stays unsupported.

    An answer of which nothing supported is left becomes "not found".
    """
    answer = current_turn(state["messages"])[-1]
    first = await checked(state["messages"], answer.text)
    second, update = first, dict[str, object]()
    if prompt := repaired_prompt(first):
        reply = await _repair(state, runtime, prompt)
        if reply:
            update["usage"] = usage_of(reply)
            second = await checked(state["messages"], reply.text)
    verified = second if second.counts["supported"] >= first.counts["supported"] else first
    found = outcome(first, verified)
    text = drop_unsupported(verified) if found["answered"] else say(state, NOT_FOUND).text
    if text != answer.text:
        update["messages"] = [answer.model_copy(update={"content": text})]
    return {**update, "review": found}


async def checked(log: Sequence[AnyMessage], answer: str) -> Verified:
    """Check an answer against the passages of this turn and those of earlier ones that it cites.

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
    return await by_embedding(
        lambda similarity: verify(
            answer, passages, question=question, language=language(question), similarity=similarity
        ),
        (await resources()).knowledge.embedder,
    )


def outcome(first: Verified, final: Verified) -> Review:
    """Count what the check found.

    Args:
        first: the answer as the model gave it.
        final: the same, or the repaired one, before anything is dropped; it is what is counted, and the
            supported sentences that it has more than `first` are the repaired ones.
    """
    supported = final.counts["supported"]
    return Review(
        sentences=final.counts["factual"],
        supported=supported,
        repaired=supported - first.counts["supported"],
        dropped=final.counts["unsupported"],
        answered=supported > 0,
    )


async def _repair(state: State, runtime: Runtime[Context], prompt: str) -> AIMessage | None:
    """Let the model write its answer again; not the offline one, which only quotes, nor one that fails."""
    settings = (await resources()).settings
    if (run_context(runtime).model or settings.chat_model) == OFFLINE:
        return None
    model = (await model_of(state, runtime)).with_config(tags=[TAG_NOSTREAM])
    log, scene = [*state["messages"], HumanMessage(prompt)], await scene_of(state, runtime)
    try:
        reply, _ = await answer_again(model, plan_of(state), log, scene)
    except ModelError:
        return None
    return reply


def _with_heading(passage: Mapping[str, str]) -> str:
    return f"{passage['section']}\n{passage['text']}"
