"""Conversations on several days, each played by a user of its own: what is written, what holds, comes back and is left."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from nodes.memory.evidence import rests_on
from nodes.memory.extraction import Said, extract
from nodes.memory.writing import Stretch, write
from nodes.models import chat_model
from nodes.recall import relevant
from store.erasure import forget
from store.leftovers import rows_left
from store.memories import MemoryStore
from store.memory import Memory, from_value, namespace
from store.postgres import Pool
from store.privacy import is_private, redact
from store.refined_memories import refine_memories
from store.resources import Resources
from store.threads import Owner

FORM = {
    "id": str,
    "sessions": [{"date": str, "messages": [{"role": str, "content": str}]}],
    "checks": [
        {"query": str, "must_recall": [str], "must_not_recall": [str], "slot?": str, "active?": str},
    ],
}
"""What a row of the data holds."""

Scenario = Mapping[str, Any]


async def play(opened: Resources, scenario: Scenario) -> dict[str, Any]:
    """Play a scenario with the configured model, then ask, probe and forget.

    Returns:
        One row, as `evals.memory.figures` counts it.
    """
    owner, store = Owner("evals", f"{scenario['id']}-{uuid4().hex}"), opened.memories
    for number, session in enumerate(scenario["sessions"]):
        stretch = Stretch(f"{owner.user_id}-{number}", await store.epoch(owner))
        await write(
            store, owner, stretch, await extract(said_in(session, number), chat_model(opened.settings))
        )
    if store.refiner:
        await refine_memories(store.pool, store.refiner, owner)
    holding, everything = await store.of(owner), await store.of(owner, closed=True)
    checks = [await _check(store, owner, check, holding) for check in scenario["checks"]]
    said = [redact(one.text).text for n, each in enumerate(scenario["sessions"]) for one in said_in(each, n)]
    stranger = Owner("evals", f"{owner.user_id}x")
    probed = [one for check in scenario["checks"] for one in await relevant(store, stranger, check["query"])]
    row = {
        "id": scenario["id"],
        "memories": [memory.text for memory in holding],
        "wanted": sum(len(check["wanted"]) for check in checks),
        "found": sum(len(check["wanted"]) - len(check["missing"]) for check in checks),
        "right": [_cited(one, said) and _asked_for(one, scenario["checks"]) for one in holding],
        "uncited": sum(not _cited(one, said) for one in everything),
        "slots": [check["one_active"] for check in checks if check["one_active"] is not None],
        "stale": [bool(check["stale"]) for check in checks],
        "recalled": [check["recalled"] for check in checks],
        "cross_user": len(probed) + len(await store.of(stranger, closed=True)),
        "leaks": await leaks(opened.pool, owner),
    }
    await forget(store, owner, threads=True)
    row["rows_left"] = sum((await rows_left(opened.pool, owner)).values())
    wrong = any(row[name] for name in ("uncited", "cross_user", "leaks", "rows_left")) or any(row["stale"])
    failed = wrong or row["found"] < row["wanted"] or not all(row["slots"])
    return row | ({"failed": True} if failed else {})


async def _check(
    store: MemoryStore, owner: Owner, check: Mapping[str, Any], holding: Sequence[Memory]
) -> dict[str, Any]:
    whole = [memory for memory in holding if memory.kind in {"preference", "profile"}]
    shown = [*whole, *await relevant(store, owner, check["query"])]
    text = "\n".join(memory.text for memory in shown)
    active = [m for m in holding if m.slot == check.get("slot") and m.status == "active"]
    right = len(active) == 1 and (check.get("active") or "") in active[0].value
    return {
        "wanted": check["must_recall"],
        "missing": [word for word in check["must_recall"] if word not in "\n".join(m.text for m in holding)],
        "recalled": all(word in text for word in check["must_recall"]),
        "stale": [word for word in check["must_not_recall"] if word in text],
        "one_active": right if check.get("active") else None,
    }


async def leaks(pool: Pool, owner: Owner) -> int:
    """Return how many of a user's memories hold a private value as they lie in the database; reading them hides it."""
    async with pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT value FROM store WHERE starts_with(prefix, %s)", (".".join(namespace(owner)) + ".",)
        )
        kept = [from_value(row["value"]) for row in await cursor.fetchall()]
    texts = [(memory.text, memory.value, *(one.span for one in memory.evidence)) for memory in kept]
    return sum(any(map(is_private, each)) for each in texts)


def _cited(memory: Memory, said: Sequence[str]) -> bool:
    """Tell whether all that a memory rests on is words of the user."""
    return all(any(rests_on(one.span, text) for text in said) for one in memory.evidence)


def _asked_for(memory: Memory, checks: Sequence[Mapping[str, Any]]) -> bool:
    named = {check.get("slot") for check in checks}
    return memory.slot in named or any(word in memory.text for c in checks for word in c["must_recall"])


def said_in(session: Mapping[str, Any], number: int) -> list[Said]:
    """Return what the user said in a session; its number is part of the messages' ids."""
    begun = datetime.fromisoformat(f"{session['date']}T09:00:00+00:00")
    return [
        Said(f"m{number}-{n}", begun + timedelta(minutes=n), message["content"])
        for n, message in enumerate(session["messages"])
        if message["role"] == "user"
    ]
