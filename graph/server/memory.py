"""Routes for a user's rights to what is remembered: see it, take it along, correct it, have it forgotten."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, StringConstraints

from graph.server.desk import Asker, Desk, Text
from store.erasure import forget, remove
from store.transfer import Exported, correct_memory, export_memories, import_memories, one_memory

router = APIRouter(prefix="/memories", tags=["memories"])

MemoryId = Annotated[str, Path(min_length=1, max_length=200, pattern=r"^[^\x00]+$")]


class Correction(BaseModel):
    """What holds instead."""

    text: Annotated[Text, StringConstraints(min_length=1, max_length=2000, strip_whitespace=True)]


class Receipt(BaseModel):
    """What was removed: rows by table, without content."""

    rows: dict[str, int]


@router.get("")
async def list_memories(asker: Asker, desk: Desk, *, closed: bool = False) -> list[dict[str, Any]]:
    """List what is remembered, newest first; with ``closed`` also what no longer holds."""
    return [asdict(memory) for memory in await desk.resources.memories.of(asker.owner, closed=closed)]


@router.get("/export")
async def export(asker: Asker, desk: Desk) -> Mapping[str, Any]:
    """Give everything that is known: what no longer holds, evidence and counters included."""
    return await export_memories(desk.resources.memories, asker.owner)


@router.post("/import")
async def import_(exported: Exported, asker: Asker, desk: Desk) -> dict[str, int]:
    """Bring exported memories back, under their ids."""
    written = await import_memories(desk.resources.memories, asker.owner, exported.model_dump())
    return {"imported": written}


@router.get("/{memory_id}")
async def show(memory_id: MemoryId, asker: Asker, desk: Desk) -> dict[str, Any]:
    """Show one memory with the words that it rests on."""
    return asdict(await one_memory(desk.resources.memories, asker.owner, memory_id))


@router.patch("/{memory_id}")
async def correct(memory_id: MemoryId, correction: Correction, asker: Asker, desk: Desk) -> dict[str, Any]:
    """Correct a memory; the old wording is kept as history."""
    return asdict(await correct_memory(desk.resources.memories, asker.owner, memory_id, correction.text))


@router.delete("/{memory_id}", status_code=204)
async def forget_one(memory_id: MemoryId, asker: Asker, desk: Desk) -> None:
    """Forget one memory."""
    memory = await one_memory(desk.resources.memories, asker.owner, memory_id)
    await remove(desk.resources.memories, asker.owner, [memory])


@router.delete("")
async def forget_all(asker: Asker, desk: Desk, *, threads: bool = False) -> Receipt:
    """Forget everything about this user; with ``threads`` the conversations as well."""
    receipt = await forget(desk.resources.memories, asker.owner, threads=threads)
    return Receipt(rows=receipt.rows)
