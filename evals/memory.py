"""The suite `memory`: over several conversations, what is written, what holds, what comes back, what another user sees."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from evals import jsonl
from evals.intervals import Metric, metric, share
from evals.results import result, versioned
from evals.suite import Options, Result
from graph.support import open_knowledge_only
from nodes.memory.evidence import rests_on
from nodes.memory.extraction import Said, extract
from nodes.memory.writing import Stretch, write
from nodes.models import chat_model
from nodes.recall import relevant
from store.erasure import forget
from store.leftovers import rows_left
from store.memories import MemoryStore
from store.memory import Memory, embedded_text, from_value, namespace
from store.postgres import Pool
from store.privacy import is_private, redact
from store.refined_memories import refine_memories
from store.resources import Resources
from store.threads import Owner

DATA = Path(__file__).parent / "data" / "memory" / "scenarios.jsonl"
ABOUT = "conversations on several days: what is kept, replaced, recalled and forgotten, beside a similarity threshold"
BOUNDS = {
    "one_active_value": (">=", 1.0),
    "staleness": ("<=", 0.0),
    "cross_user": ("<=", 0.0),
    "leaks": ("<=", 0.0),
    "forget_rows_left": ("<=", 0.0),
}
FORM = {
    "id": str,
    "sessions": [{"date": str, "messages": [{"role": str, "content": str}]}],
    "checks": [
        {"query": str, "must_recall": [str], "must_not_recall": [str], "slot?": str, "active?": str},
    ],
}
_SAME = 0.9

Scenario = Mapping[str, Any]


async def measure(options: Options) -> Result:
    """Play the scenarios, each by a user of its own, with the model of the run, then ask, probe and forget."""
    data = options.data or DATA
    scenarios = options.some(jsonl.rows(data, form=FORM))
    async with open_knowledge_only(options.settings) as opened:
        rows = [await _play(opened, scenario) for scenario in options.track(scenarios)]
        baseline = await _by_threshold(opened, scenarios)
    return result(
        "memory",
        n=len(rows),
        dataset=versioned(data),
        model=options.settings.chat_model,
        embedding=opened.memories.embedder.name,
        metrics=figures(rows),
        bounds=BOUNDS,
        baselines={"similarity threshold": baseline},
        rows=rows,
        how=[
            "extraction_recall: words that a check wants and that a memory which holds has.",
            "extraction_precision: memories that rest on the user's own words and that a check asks for.",
            "staleness: checks for which something comes back that no longer holds.",
            f"The baseline keeps every message and replaces what has a cosine from {_SAME} on.",
        ],
    )


async def _play(opened: Resources, scenario: Scenario) -> dict[str, Any]:
    owner, store = Owner("evals", f"{scenario['id']}-{uuid4().hex}"), opened.memories
    for number, session in enumerate(scenario["sessions"]):
        stretch = Stretch(f"{owner.user_id}-{number}", await store.epoch(owner))
        await write(store, owner, stretch, await extract(_said(session, number), chat_model(opened.settings)))
    if store.refiner:
        await refine_memories(store.pool, store.refiner, owner)
    holding, everything = await store.of(owner), await store.of(owner, closed=True)
    checks = [await _check(store, owner, check, holding) for check in scenario["checks"]]
    said = [redact(one.text).text for n, each in enumerate(scenario["sessions"]) for one in _said(each, n)]
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


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Metric]:
    """Return the figures of played scenarios; one without a case is left out.

    Args:
        rows: one a scenario: words ``wanted`` and ``found``, lists of flags (a memory: ``right``; a check: ``recalled``,
            ``slots``, ``stale``), and counts of what must not be (``uncited``, ``cross_user``, ``leaks``, ``rows_left``).
    """
    wanted, found = sum(row["wanted"] for row in rows), sum(row["found"] for row in rows)
    flags = {
        name: [flag for row in rows for flag in row[key]]
        for name, key in (
            ("extraction_precision", "right"),
            ("recalled", "recalled"),
            ("one_active_value", "slots"),
            ("staleness", "stale"),
        )
    }
    counts = {
        name: sum(row[key] for row in rows)
        for name, key in (
            ("uncited", "uncited"),
            ("cross_user", "cross_user"),
            ("leaks", "leaks"),
            ("forget_rows_left", "rows_left"),
        )
    }
    recall = {"extraction_recall": metric(found / wanted, wanted, rate=True)} if wanted else {}
    rates = {name: share(each) for name, each in flags.items() if each}
    return recall | rates | {name: metric(value, len(rows)) for name, value in counts.items()}


def _cited(memory: Memory, said: Sequence[str]) -> bool:
    """Tell whether all that a memory rests on is words of the user."""
    return all(any(rests_on(one.span, text) for text in said) for one in memory.evidence)


def _asked_for(memory: Memory, checks: Sequence[Mapping[str, Any]]) -> bool:
    named = {check.get("slot") for check in checks}
    return memory.slot in named or any(word in memory.text for c in checks for word in c["must_recall"])


def _said(session: Mapping[str, Any], number: int) -> list[Said]:
    begun = datetime.fromisoformat(f"{session['date']}T09:00:00+00:00")
    return [
        Said(f"m{number}-{n}", begun + timedelta(minutes=n), message["content"])
        for n, message in enumerate(session["messages"])
        if message["role"] == "user"
    ]


async def _by_threshold(opened: Resources, scenarios: Sequence[Scenario]) -> dict[str, float]:
    """Keep every message, and replace what is alike: what a threshold alone makes of the same conversations."""
    stale, found = [], []
    for scenario in scenarios:
        texts = [said.text for n, one in enumerate(scenario["sessions"]) for said in _said(one, n)]
        vectors = np.asarray(
            await opened.memories.embedder.embed_documents([embedded_text(t) for t in texts])
        )
        kept: list[int] = []
        for place in range(len(texts)):
            kept = [one for one in kept if float(vectors[one] @ vectors[place]) < _SAME] + [place]
        for check in scenario["checks"]:
            query = np.asarray(await opened.memories.embedder.embed_query(check["query"]))
            best = sorted(kept, key=lambda one: -float(vectors[one] @ query))[:5]
            text = "\n".join(texts[one] for one in best)
            stale.append(any(word in text for word in check["must_not_recall"]))
            found.append(all(word in text for word in check["must_recall"]))
    count = max(1, len(stale))
    return {"staleness": round(sum(stale) / count, 4), "recalled": round(sum(found) / count, 4)}
