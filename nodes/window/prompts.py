"""What the model is told when it writes notes: one instruction behind its own last request, or a chunk of turns."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from nodes.window.log import Log, handle
from nodes.window.tokens import content_text, message_text

RULES = """Write notes about the turns listed below and about nothing else, in the user's language, as plain text.
A heading line, then lines of the form "- T<number of the turn> <one short sentence>". Headings, in this order, \
without the empty ones:
## facts
what the user has, what was done, what was decided
## questions
a question → its conclusion, with the citation [id] that it rests on
## open
what was promised or is unanswered
## preferences
wishes and complaints
## refuted
what was believed and why it is wrong; a newer statement wins: "- T9 replaces T3 …"
## abandoned
what was tried and given up, and why
## handles
a result's handle and what it holds
At most {chars} characters in all. Copy every number, id, date and amount exactly as it stands in the turn that the \
line names: code checks it and drops the line otherwise. A ledger keeps the bare values; write what they mean. Quote \
tool results, do not reword them. No background knowledge and no guesses; mark what is uncertain 未确认 unconfirmed. \
Leave out small talk, repetition and corrected errors; if nothing else was said, write only: none. Notes so far stay \
as they are; do not repeat them.
Turns: {turns}
"""
WRITE_NOW = "Write the notes about these turns now, beginning with a heading such as ## facts."

ASIDE = (
    "[系统 system] Do not answer the user now and call no tool. Some turns are about to leave this window.\n"
)
CHUNK = "You keep the notes of a long support conversation.\n"
SO_FAR = "\n\n# notes so far\n{notes}\n\n# turns\n{transcript}"
OPENING_CHARS = 24


def aside(log: Log, first: int, last: int, chars: int) -> HumanMessage:
    """Return the instruction that follows the agent's own last request, so that its prefix is cached.

    Args:
        log: the thread, from a turn on that is not newer than the first.
        first: the first turn to fold.
        last: the last turn to fold.
        chars: characters of the answer.
    """
    turns = "; ".join(f"T{turn} “{opening(log, turn)}”" for turn in range(first, last + 1))
    return HumanMessage(ASIDE + RULES.format(chars=chars, turns=turns) + WRITE_NOW)


def chunk(notes: str, transcript: str, turns: str, chars: int) -> list[BaseMessage]:
    """Return the request about turns that the last request did not show, or that did not fit behind it."""
    text = CHUNK + RULES.format(chars=chars, turns=turns) + WRITE_NOW
    return [HumanMessage(text + SO_FAR.format(notes=notes or "none", transcript=transcript))]


def opening(log: Log, turn: int) -> str:
    """Return the first characters of a turn, by which a model finds it."""
    return " ".join(content_text(log.messages[log.start(turn)].content).split())[:OPENING_CHARS]


def transcript(log: Log, turn: int) -> str:
    """Return a whole turn as text, with the handles of its results."""
    begin = log.start(turn)
    lines = [
        f"{_speaker(message, position)}: {message_text(message)}"
        for position, message in enumerate(log.messages[begin : log.start(turn + 1)], start=begin)
    ]
    return "\n".join([f"T{turn}", *lines])


def pieces(texts: Sequence[tuple[int, str]], chars: int) -> list[tuple[list[int], str]]:
    """Return the transcripts of turns in chunks of at most ``chars``, cutting inside a turn only if it is longer."""
    cut = [(turn, text[i : i + chars]) for turn, text in texts for i in range(0, len(text), chars)]
    chunks: list[tuple[list[int], str]] = []
    for turn, text in cut:
        if chunks and len(chunks[-1][1]) + len(text) < chars:
            turns, earlier = chunks.pop()
            chunks.append(([*turns, turn], f"{earlier}\n{text}"))
        else:
            chunks.append(([turn], text))
    return chunks


def _speaker(message: BaseMessage, position: int) -> str:
    if isinstance(message, ToolMessage):
        return f"{handle(position)} ({message.name or 'tool'})"
    return "assistant" if isinstance(message, AIMessage) else "user"
