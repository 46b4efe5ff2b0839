"""What the offline model reads out of the messages of a call."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from nodes.current import split_current
from nodes.language import Language, language
from nodes.phrases import ANSWER_IN_LANGUAGE
from nodes.window.tokens import content_text

_PRODUCT = re.compile(
    r"你是(?!本产品)(?P<zh>[^，。\n]{1,40}?)的[^，。\n]*(?:客服|助手)|\bassistant of (?!this product)(?P<en>[^\n]{1,40}?)\.(?:\s|$)"
)
_LIMIT = re.compile(r"最多 (?P<zh>\d+) 个字|\bat most (?P<en>\d+) characters", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """A passage as a tool result shows it: its id, its chain of headings and its Markdown."""

    id: str
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class Lookup:
    """One finished tool call of this turn that was asked for passages.

    Attributes:
        tool: name of the tool.
        query: what was searched for, or the id of the article that was read.
        sources: the passages that came back, best first.
        match: how well the search itself says that they match.
        record: the result where it is no list of passages.
    """

    tool: str
    query: str
    sources: tuple[Source, ...]
    match: str = "good"
    record: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """A call, read: the newest question and what this turn has found for it so far.

    Attributes:
        question: the newest user message without its current zone.
        current: the current zone in front of it.
        history: (role, text) of the turns before, oldest first.
        lookups: this turn's calls that have a result, in their order.
        product: the product's name where the system prompt gives it, else empty.
        most_chars: characters of the answer, where the system prompt sets a limit; else 0.
    """

    question: str
    current: str
    history: tuple[tuple[str, str], ...]
    lookups: tuple[Lookup, ...]
    product: str
    most_chars: int = 0

    @property
    def language(self) -> Language:
        """The language to answer in: the one that the current zone names, else the question's."""
        said = self.current.splitlines()
        named = (lang for lang, line in ANSWER_IN_LANGUAGE.items() if line in said)
        return next(named, language(self.question))


def read_request(messages: Sequence[BaseMessage]) -> Request:
    """Read the messages of a call.

    Args:
        messages: as a provider would be sent them; the newest user message begins the newest turn.
    """
    newest = max((n for n, m in enumerate(messages) if isinstance(m, HumanMessage)), default=-1)
    current, question = split_current(messages[newest].text) if newest >= 0 else ("", "")
    system = "\n".join(content_text(m.content) for m in messages if isinstance(m, SystemMessage))
    product, limit = _PRODUCT.search(system), _LIMIT.search(system)
    return Request(
        question=question.strip(),
        current=current,
        history=tuple(spoken(messages[: max(newest, 0)])),
        lookups=tuple(_lookups(messages[newest + 1 :])),
        product=(product["zh"] or product["en"]) if product else "",
        most_chars=int(limit["zh"] or limit["en"]) if limit else 0,
    )


def spoken(messages: Sequence[BaseMessage]) -> Iterator[tuple[str, str]]:
    """Yield (role, text) of what user and assistant said, without current zones and bare tool calls."""
    for message in messages:
        text = message.text.strip()  # it sees no pictures
        if isinstance(message, HumanMessage):
            yield "user", split_current(text)[1].strip()
        elif isinstance(message, AIMessage) and text:
            yield "assistant", text


def _lookups(turn: Sequence[BaseMessage]) -> Iterator[Lookup]:
    results = {m.tool_call_id: m for m in turn if isinstance(m, ToolMessage)}
    for message in turn:
        for call in message.tool_calls if isinstance(message, AIMessage) else ():
            if result := results.get(call["id"] or ""):
                asked = next((str(v) for v in call["args"].values()), "")
                record = _record(content_text(result.content))
                match = str(record.get("match", "good"))
                yield Lookup(call["name"], asked, _sources(record), match, record)


def _record(content: str) -> Mapping[str, Any]:
    try:
        record = json.loads(content)
    except ValueError:  # an error text or another tool's result
        return {}
    return record if isinstance(record, dict) else {}


def _sources(record: Mapping[str, Any]) -> tuple[Source, ...]:
    try:
        rows = record["passages"]
        return tuple(Source(str(r["id"]), str(r.get("section", "")), str(r["text"])) for r in rows)
    except (KeyError, TypeError, AttributeError):
        return ()
