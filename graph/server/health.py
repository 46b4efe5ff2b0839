"""Health and readiness, for whoever starts and watches the processes."""

import asyncio
import logging
from collections.abc import Awaitable
from typing import Literal

import openai
import psycopg
from fastapi import APIRouter, Response
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from nodes.models import chat_model
from store.errors import SupportPilotError
from store.resources import Resources, resources

router = APIRouter(tags=["health"])
_log = logging.getLogger(__name__)
_SECONDS = 5.0
"""How long one part may take to answer."""

_FAILURES = (SupportPilotError, psycopg.Error, openai.OpenAIError, OSError, TimeoutError)

State = Literal["ok", "failed"]


class Health(BaseModel):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Readiness(BaseModel):
    """Whether each part that a turn needs answers; why not stands in the log, for this is told to anybody."""

    database: State
    embedder: State
    model: State


@router.get("/health")
async def health() -> Health:
    """Say that the process is up."""
    return Health()


@router.get("/ready", responses={503: {"model": Readiness, "description": "A part does not answer."}})
async def ready(response: Response) -> Readiness:
    """Say whether database, embedder and model answer."""
    try:
        opened = await asyncio.wait_for(resources(), _SECONDS)
    except _FAILURES:
        _log.exception("not ready: the database cannot be opened")
        response.status_code = 503
        return Readiness(database="failed", embedder="failed", model="failed")
    names = ("database", "embedder", "model")
    found = await asyncio.gather(
        *(
            _answers(name, part(opened))
            for name, part in zip(names, (_database, _embedder, _model), strict=True)
        )
    )
    if "failed" in found:
        response.status_code = 503
    return Readiness(**dict(zip(names, found, strict=True)))


async def _answers(name: str, asked: Awaitable[object]) -> State:
    try:
        await asyncio.wait_for(asked, _SECONDS)
    except _FAILURES:
        _log.exception("not ready: %s", name)
        return "failed"
    return "ok"


async def _database(opened: Resources) -> None:
    async with opened.pool.connection() as connection:
        await connection.execute("SELECT 1")


async def _embedder(opened: Resources) -> None:
    await opened.knowledge.embedder.embed_query("ready")


async def _model(opened: Resources) -> None:
    """Ask the endpoint for its list of models, which costs nothing; one that keeps no list answers that."""
    model = chat_model(opened.settings)
    if isinstance(model, ChatOpenAI):
        try:
            await model.root_async_client.models.list()
        except (openai.NotFoundError, openai.UnprocessableEntityError):
            return
