"""The model call: let the model answer or call tools, and send it back, once, if it answers without having looked."""

from collections.abc import Sequence
from functools import reduce
from itertools import islice

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import BaseTool
from langgraph.constants import TAG_NOSTREAM
from langgraph.runtime import Runtime

from nodes.estimators import keep
from nodes.language import language
from nodes.log import current_turn, dialogue, used_ids
from nodes.loop import MAX_STEPS, MOST_AT_ONCE, calls_tools, looked_up, skipped_search
from nodes.models import usage_of
from nodes.parts import points, standalone_parts
from nodes.passages import search_call
from nodes.phrases import SEARCH_FIRST
from nodes.request import Assembled, accounted, accounted_beside, answer, changes
from nodes.rewrite import turns
from nodes.scene import model_of, plan_of, scene_of
from nodes.state import Context, State, add_usage
from nodes.tools.bound import tools
from nodes.tools.turn import tier_of
from nodes.tools.written import with_calls
from nodes.window import CallRecord, Scene
from store.resources import resources


async def call(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Let the model answer, or call tools where the turn's route allows it.

    Raises:
        ConfigError: what may never be cut does not fit the budget.
        ModelError: the model fails; the user's message stays in the log.
    """
    bound = await tools(state, runtime)
    scene = await scene_of(state, runtime, bound)
    replies, asked, again = await ask(state, runtime, scene, bound)
    message = with_calls(replies[-1], [tool.name for tool in bound], used_ids(state["messages"]))
    if state["decision"]["route"] != "agentic":
        message = without_actions(message, bound)
    record, scene = accounted(state, asked, replies[0])
    if replies[0].usage_metadata is not None:
        await keep((await resources()).pool, scene.meter.estimator)
    return {
        "messages": [message],
        "usage": reduce(add_usage, map(usage_of, replies)),
        "steps": state.get("steps", 0) + len(replies),
        "calls": [one.to_dict() for one in (record, *again)],
        **changes(state, asked, scene.meter),
    }


async def ask(
    state: State, runtime: Runtime[Context], scene: Scene, bound: Sequence[BaseTool]
) -> tuple[list[AIMessage], Assembled, list[CallRecord]]:
    """Call the model; send it back, once, if it answers a question about the product without having looked.

    What it does not look up then either is searched for in its place.

    Returns:
        What the model said, the answer that stands last; the request; the record of the call that sent it back.
    """
    log, steps, names = state["messages"], state.get("steps", 0), [tool.name for tool in bound]
    may_call = state["decision"]["route"] == "agentic" and steps < MAX_STEPS - 1
    model = await model_of(runtime, bound, may_call=may_call)
    may_send_back = may_call and not looked_up(log)
    if may_send_back:  # not streamed, for it may not stand; if it does, it is streamed whole
        model = model.with_config(tags=[TAG_NOSTREAM])
    reply, asked = await answer(model, plan_of(state), log, scene)
    lacks = may_send_back and skipped_search(log, reply.text)
    if not lacks or calls_tools(with_calls(reply, names)):
        return [reply], asked, []
    beside = [reply, HumanMessage(SEARCH_FIRST[language(current_turn(log)[0].text)])]
    second, again = await answer(model, asked.plan, [*log, *beside], asked.scene)
    record = accounted_beside(log, beside, again, second, (asked.plan, len(log)))
    stands = second if calls_tools(with_calls(second, names)) else searching(second, log)
    return [reply, stands], asked, [record]


def without_actions(reply: AIMessage, bound: Sequence[BaseTool]) -> AIMessage:
    """Return a model's message without its calls of write-tier tools.

    Where the agent was not asked for, that no tool is to be called is a request to the endpoint, which not every
    model keeps to.

    Args:
        reply: what the model said.
        bound: the tools of the turn.
    """
    writing = {tool.name for tool in bound if tier_of(tool) == "write"}
    kept = [call for call in reply.tool_calls if call["name"] not in writing]
    return reply if kept == reply.tool_calls else reply.model_copy(update={"tool_calls": kept})


def searching(reply: AIMessage, log: Sequence[BaseMessage]) -> AIMessage:
    """Return a model's message with what it said replaced by a search for each question, or point, of the turn.

    Args:
        reply: what the model said.
        log: the thread's, the newest question included.
    """
    question = current_turn(log)[0]
    parts = standalone_parts(question.text, turns(dialogue(log)))
    queries = dict.fromkeys(query for part in parts for query in points(part))
    calls = [search_call(query, str(question.id)) for query in islice(queries, MOST_AT_ONCE)]
    return reply.model_copy(update={"content": "", "tool_calls": calls})
