"""What a memory of a user is, and where it lies in the store."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from store.errors import AccessDeniedError, MalformedError
from store.storable import storable
from store.threads import Owner

Kind = Literal["preference", "profile", "event", "fact", "reflection"]
Source = Literal["business", "user", "inferred"]
Status = Literal["active", "superseded", "conflicting"]
KINDS: tuple[Kind, ...] = get_args(Kind)

ROOT = "memories"
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_FRAME = re.compile(
    rf"\d{{4}}-\d\d-\d\d[：:]?|\d{{1,2}}月\d{{1,2}}[日号]|^用户的?|^the user(?:'s)? |^(?:on )?(?:{_MONTH}) \d{{1,2}},? ",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words that a memory rests on: a span of a message, or of a passage for a fact."""

    thread_id: str
    message_id: str
    span: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Something known of a user.

    Attributes:
        id: unique within the user.
        kind: what it is.
        slot: what it is about, ``kind.attribute``; two active memories of one slot cannot both be.
        text: what is shown and embedded; one sentence.
        value: the value alone.
        evidence: what it rests on.
        event_time: ISO date, month or year of what it tells; empty: not said.
        written: ISO time at which it was said.
        source: who says so.
        status: ``superseded`` is hidden and kept for "what was it before".
        valid_to: ISO time at which it ceased to hold; empty while it holds.
    """

    id: str
    kind: Kind
    slot: str
    text: str
    value: str
    evidence: tuple[Evidence, ...]
    event_time: str
    written: str
    source: Source
    status: Status = "active"
    valid_to: str = ""


def namespace(owner: Owner, kind: str = "") -> tuple[str, ...]:
    """Return the namespace of a user's memories, of one kind or of all.

    Tenant and user are digests of a fixed form: whatever characters an id holds, no namespace is the prefix
    of another, and no two ids meet.

    Raises:
        AccessDeniedError: tenant or user is missing; without both nothing is read or written.
    """
    if not owner.tenant or not owner.user_id:
        raise AccessDeniedError(
            f"Memories need a tenant and a user, got tenant {owner.tenant!r} and user {owner.user_id!r}. "
            "Give them in the run's context (--user)."
        )
    labels = (ROOT, _digest(owner.tenant), _digest(f"{owner.tenant}\0{owner.user_id}"))
    return (*labels, kind) if kind else labels


def owner_key(owner: Owner) -> str:
    """Return the digest that stands for a user where the id itself must not be kept."""
    return namespace(owner)[-1]


def embedded_text(text: str) -> str:
    """Return what is embedded of a memory: without its date and its subject, which all memories share."""
    return _FRAME.sub("", text).strip() or text


def to_value(memory: Memory) -> dict[str, Any]:
    """Return a memory as the store keeps it; what Postgres cannot store is removed."""
    return storable(asdict(memory))


def from_value(value: Mapping[str, Any]) -> Memory:
    """Return the memory that the store keeps.

    Raises:
        MalformedError: it is none; the message names what is wrong.
    """
    try:
        fields = {**value, "evidence": tuple(Evidence(**one) for one in value["evidence"])}
        memory = Memory(**fields)
    except (KeyError, TypeError) as error:
        raise MalformedError(
            f"Not a memory ({error}): {str(value)[:200]!r}. See docs/memory.md for its fields."
        ) from error
    if memory.kind not in KINDS or not memory.slot.startswith(f"{memory.kind}."):
        raise MalformedError(
            f"Memory {memory.id!r} has kind {memory.kind!r} and slot {memory.slot!r}; kinds: {KINDS}."
        )
    return memory


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]
