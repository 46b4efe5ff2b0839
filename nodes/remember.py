"""What a message does to the memory in its own turn, without a model: wishes hold at once, commands are obeyed."""

from collections.abc import Mapping
from uuid import NAMESPACE_OID, uuid5

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.runtime import Runtime

from nodes.identity import owner
from nodes.language import Language, language
from nodes.log import current_turn, dialogue
from nodes.memory import phrases
from nodes.memory.commands import Command, concerned, hidden_words, memory_command, private_kinds
from nodes.memory.extraction import Extraction, Said, redacted
from nodes.memory.reading import said_at
from nodes.memory.signals import explicit_signals
from nodes.memory.writing import Stretch, write
from nodes.memory.zone import ZONE_TOKENS, disagreeing, line, user_zone, within
from nodes.state import Context, Decision, State
from nodes.window import WindowPlan, hide
from store.business import subscription_of
from store.erasure import forget, remove
from store.memories import MemoryStore
from store.memory import KINDS, Memory
from store.privacy import private_values
from store.resources import Resources, resources
from store.threads import Owner
from store.transfer import mark_conflicting, topic_counts


async def remember(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Obey what the message asks of the memory, or write what it wishes for good; then say what is known.

    Without a user nothing is read or written.
    """
    who, question = owner(runtime), current_turn(state["messages"])[0]
    earlier = dialogue(state["messages"])
    command = memory_command(question.text, earlier[-1].text if earlier else "")
    if not (who.user_id and who.tenant):
        return {
            "user_zone": "",
            **(_answer(state, phrases.NOBODY[language(question.text)]) if command else {}),
        }
    opened = await resources()
    if command:
        obeyed = await _obey(command, state, opened, who)
        return {**obeyed, "user_zone": await known_of(opened, who, language(question.text))}
    info = runtime.execution_info
    await _write_signals(opened, who, str(info.thread_id if info else ""), question)
    return {"user_zone": await known_of(opened, who, language(question.text))}


async def known_of(opened: Resources, who: Owner, written_in: Language) -> str:
    """Return the user zone; a memory that the business system contradicts is marked for correction."""
    memories = await opened.memories.of(who)
    business = await _business(opened, who)
    if wrong := disagreeing(memories, business):
        await mark_conflicting(opened.memories, who, wrong)
    return user_zone(memories, business, written_in, said_at(None, opened.settings).date().isoformat())


async def _business(opened: Resources, who: Owner) -> Mapping[str, str]:
    booked = await subscription_of(opened.pool, who.tenant, who.user_id)
    return {"profile.plan": booked.plan, "profile.billing_cycle": booked.billing_cycle} if booked else {}


async def _write_signals(opened: Resources, who: Owner, thread: str, question: BaseMessage) -> None:
    (said,) = redacted([Said(str(question.id), said_at(question, opened.settings), question.text)])
    signals = explicit_signals(said.text)
    if signals:
        stretch = Stretch(thread, await opened.memories.epoch(who))
        await write(opened.memories, who, stretch, Extraction(found=[(one, said) for one in signals]))


async def _obey(command: Command, state: State, opened: Resources, who: Owner) -> dict[str, object]:
    written_in, memories = language(current_turn(state["messages"])[0].text), opened.memories
    if command.name == "ask forget all":
        return _answer(state, phrases.CONFIRM[written_in])
    if command.name == "show":
        known = sorted(await memories.of(who), key=lambda memory: KINDS.index(memory.kind))
        lines = within([line(memory, written_in) for memory in known], 2 * ZONE_TOKENS)
        return _answer(state, phrases.told(known, lines, written_in))
    everything = await memories.of(who, closed=True)
    if command.name == "forget all":
        counts = phrases.counted(everything, len(await topic_counts(memories, who)), written_in)
        await forget(memories, who)
        answer = phrases.FORGOT_ALL[written_in].format(counts=counts)
        return _answer(state, answer) | _hidden(state, hidden_words(everything))
    return await _forget_some(command.about, state, memories, who, everything)


async def _forget_some(
    about: str, state: State, memories: MemoryStore, who: Owner, everything: list[Memory]
) -> dict[str, object]:
    written_in = language(current_turn(state["messages"])[0].text)
    gone = concerned(about, everything)
    await remove(memories, who, gone)
    kinds = private_kinds(about)
    said = [message.text for message in state["messages"] if isinstance(message, HumanMessage)]
    hidden = [*hidden_words(gone), *(value for value, kind in private_values(said) if kind in kinds)]
    if gone:
        answer = phrases.FORGOT[written_in].format(count=len(gone), listed=phrases.listed(gone))
    else:
        answer = (phrases.HIDDEN if hidden else phrases.NOT_KNOWN)[written_in].format(about=about)
    return _answer(state, answer) | _hidden(state, hidden)


def _hidden(state: State, words: list[str]) -> dict[str, object]:
    return {"plan": hide(WindowPlan.from_dict(state.get("plan")), words).to_dict()} if words else {}


def _answer(state: State, text: str) -> dict[str, object]:
    question = current_turn(state["messages"])[0]
    decision = Decision(
        route="direct", reason="about the memory", question="", confidence=None, answerable=True
    )
    reply = AIMessage(text, id=str(uuid5(NAMESPACE_OID, f"{question.id} memory")))
    return {"messages": [reply], "decision": decision}
