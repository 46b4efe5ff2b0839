"""What a message does to the memory in its own turn, without a model: wishes hold at once, commands are obeyed."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.runtime import Runtime

from nodes.identity import is_known, owner
from nodes.language import ANSWER_IN, Language, answer_language, language
from nodes.log import current_turn, dialogue
from nodes.memory import phrases
from nodes.memory.commands import Command, concerned, hidden_words, memory_command, private_kinds
from nodes.memory.extraction import Extraction, Said, redacted
from nodes.memory.languages import wished_language
from nodes.memory.named import named
from nodes.memory.reading import said_at
from nodes.memory.signals import Candidate, asks_to_remember, explicit_signals
from nodes.memory.statements import read_message
from nodes.memory.writing import Stretch, write
from nodes.memory.zone import ZONE_TOKENS, disagreeing, line, user_zone, within
from nodes.state import Context, Decision, State
from nodes.window import WindowPlan, hide
from nodes.window.redact import redacted as redacted_message
from store.business import subscription_of
from store.erasure import forget, remove
from store.memory import KINDS, Memory
from store.privacy import MASK, private_values
from store.resources import Resources, resources
from store.settings import Settings
from store.threads import Owner
from store.transfer import mark_conflicting, topic_counts


async def remember(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Obey what the message asks of the memory, or write what it wishes for good; then say what is known.

    A message that only asks to be remembered is answered here. The message keeps in which language the user wishes to be answered. Without a user nothing is read or written.
    """
    who, question = owner(runtime), current_turn(state["messages"])[0]
    command = _command(state["messages"])
    if not is_known(who):
        return {"user_zone": "", **_answer(question, phrases.NOBODY[language(question.text)])}
    opened = await resources()
    info = runtime.execution_info
    thread = str(info.thread_id if info else "")
    wishes, private = ([], False) if command else await _write_signals(opened, who, thread, question)
    epoch, known = await opened.memories.epoch(who), await opened.memories.of(who)
    if wished := wished_language(known):
        question = _answered_in(question, wished)
    obeyed = {} if command else _noted(question, wishes, private=private)
    if command:
        obeyed = await _obey(command, state, question, opened, who)
        epoch, known = await opened.memories.epoch(who), await opened.memories.of(who)
    messages = [*([question] if wished else []), *obeyed.get("messages", [])]
    return {
        **obeyed,
        **({"messages": messages} if messages else {}),
        "user_zone": await _zone(opened, who, known, epoch, answer_language(question)),
    }


def concerns_memory(log: Sequence[BaseMessage]) -> bool:
    """Tell whether the newest message wants something of the memory, so that it is answered here whoever asks.

    Args:
        log: the thread's.
    """
    return _command(log) is not None or asks_to_remember(current_turn(log)[0].text)


def _command(log: Sequence[BaseMessage]) -> Command | None:
    earlier = dialogue(log)
    return memory_command(current_turn(log)[0].text, earlier[-1].text if earlier else "")


def _answered_in(question: BaseMessage, wished: Language) -> BaseMessage:
    """Return the message with the language of its answer."""
    return question.model_copy(
        update={"additional_kwargs": {**question.additional_kwargs, ANSWER_IN: wished}}
    )


async def _zone(
    opened: Resources, who: Owner, memories: Sequence[Memory], epoch: int, written_in: Language
) -> str:
    """Return the user zone; a memory that the business system contradicts is marked for correction."""
    business = await _business(opened, who)
    if wrong := disagreeing(memories, business):
        await mark_conflicting(opened.memories, who, wrong, epoch)
    return user_zone(memories, business, written_in, said_at(None, opened.settings).date().isoformat())


async def _business(opened: Resources, who: Owner) -> Mapping[str, str]:
    booked = await subscription_of(opened.pool, who.tenant, who.user_id)
    return {"profile.plan": booked.plan, "profile.billing_cycle": booked.billing_cycle} if booked else {}


async def _write_signals(
    opened: Resources, who: Owner, thread: str, question: BaseMessage
) -> tuple[list[Candidate], bool]:
    """Write what the message wishes for good; return it, and whether private values were left out."""
    (said,) = redacted([Said(str(question.id), said_at(question, opened.settings), question.text)])
    signals = explicit_signals(said.text)
    if signals:
        stretch = Stretch(thread, await opened.memories.epoch(who))
        await write(opened.memories, who, stretch, Extraction(found=[(one, said) for one in signals]))
    return signals, MASK in said.text


def _noted(question: BaseMessage, wishes: Sequence[Candidate], *, private: bool) -> dict[str, Any]:
    """Answer a message that only asks to be remembered."""
    if not asks_to_remember(question.text):
        return {}
    said = phrases.noted([one.text for one in wishes], answer_language(question), private=private)
    return _answer(question, said) if said else {}


async def _obey(
    command: Command, state: State, question: BaseMessage, opened: Resources, who: Owner
) -> dict[str, Any]:
    written_in, memories = answer_language(question), opened.memories
    if command.name == "ask forget all":
        return _answer(question, phrases.CONFIRM[written_in])
    if command.name == "keep all":
        return _answer(question, phrases.KEPT[written_in])
    if command.name == "show":
        asked_for = named(command.about)
        held = [m for m in await memories.of(who) if not command.about or m.slot in asked_for]
        known = sorted(held, key=lambda memory: KINDS.index(memory.kind))
        lines = within([line(memory, written_in) for memory in known], 2 * ZONE_TOKENS)
        unread = bool(dialogue(state["messages"]))
        here = [] if known else _said_here(state, asked_for, opened.settings)
        told = phrases.told(known, lines, written_in, about=command.about, unread=unread, here=here)
        return _answer(question, told)
    everything = await memories.of(who, closed=True)
    if command.name == "forget all":
        counts = phrases.counted(everything, len(await topic_counts(memories, who)), written_in)
        await forget(memories, who)
        answer = phrases.FORGOT_ALL[written_in].format(counts=counts)
        return _answer(question, answer) | _hidden(state, hidden_words(everything))
    gone = concerned(command.about, everything)
    await remove(memories, who, gone)
    hidden = [*hidden_words(gone), *_private_words(state, command.about)]
    answer = phrases.forgotten(command.about, gone, written_in, hidden=bool(hidden))
    return _answer(question, answer) | _hidden(state, hidden)


def _said_here(state: State, slots: frozenset[str], configured: Settings) -> list[str]:
    """Return what the user said of some slots in this thread, the newest of each; nothing that is hidden there."""
    hidden = WindowPlan.from_dict(state.get("plan")).hidden
    shown = [m for m in state["messages"] if isinstance(m, HumanMessage) and redacted_message(m, hidden) is m]
    said = redacted([Said(str(m.id), said_at(m, configured), m.text) for m in shown])
    found = [one for message in said for one in read_message(message.text, message.at) if one.slot in slots]
    return list({one.slot: one.text for one in found}.values())


def _private_words(state: State, about: str) -> list[str]:
    """Return the private values of the named kinds that the user wrote in this thread."""
    kinds = private_kinds(about)
    said = [message.text for message in state["messages"] if isinstance(message, HumanMessage)]
    return [value for value, kind in private_values(said) if kind in kinds]


def _hidden(state: State, words: list[str]) -> dict[str, Any]:
    return {"plan": hide(WindowPlan.from_dict(state.get("plan")), words).to_dict()} if words else {}


def _answer(question: BaseMessage, text: str) -> dict[str, Any]:
    decision = Decision(
        route="direct", reason="about the memory", question="", confidence=None, answerable=True
    )
    reply = AIMessage(text, id=str(uuid5(NAMESPACE_OID, f"{question.id} memory")))
    return {"messages": [reply], "decision": decision}
