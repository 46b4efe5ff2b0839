"""What a signed-in user may ask of a LangGraph server; what no rule names is refused."""

from collections.abc import Awaitable, Callable
from typing import Any

from graph.server.runs import check_run, decides
from graph.server.tokens import Principal
from store.approvals import check_decider, list_approvals
from store.errors import AccessDeniedError
from store.limits import admit
from store.memory import namespace
from store.resources import resources
from store.threads import claim

Filter = dict[str, str]
"""Metadata that a thread or run must have to be seen; empty: nothing is filtered."""
Rule = Callable[[Principal, dict[str, Any]], Awaitable[Filter]]


async def permit(principal: Principal, request: str, value: dict[str, Any]) -> Filter:
    """Allow, narrow down or refuse a request.

    Args:
        principal: who asks.
        request: resource and action, such as ``threads.read``.
        value: what is asked; who it belongs to is written into it.

    Returns:
        The metadata of what the user may see.

    Raises:
        AccessDeniedError: it is not theirs, or nobody's.
        LimitError: a message is too long, or turns come too fast.
    """
    if principal.developer:
        if request == "threads.create_run":
            check_run(principal, value, (await resources()).settings)
        return {}
    rule = RULES.get(request)
    if rule is None:
        raise AccessDeniedError(f"{request!r} is allowed to nobody here.")
    return await rule(principal, value)


async def _own(principal: Principal, _: dict[str, Any]) -> Filter:
    return _mark(principal)


async def _create(principal: Principal, value: dict[str, Any]) -> Filter:
    """A thread that is known in the database belongs to whoever began it, whatever this server remembers."""
    if isinstance(value.get("metadata"), dict):
        value["metadata"].update(_mark(principal))
    if value.get("thread_id"):
        await claim((await resources()).pool, str(value["thread_id"]), principal.owner, "")
    return _mark(principal)


async def _run(principal: Principal, value: dict[str, Any]) -> Filter:
    opened = await resources()
    check_run(principal, value, opened.settings)
    if decides(principal, value):
        return await _decision(principal, value)
    if value.get("thread_id") is not None:
        await claim(opened.pool, str(value["thread_id"]), principal.owner, "")
    await admit(opened.pool, principal.owner, opened.settings)
    value["metadata"].update(_mark(principal))
    return _mark(principal)


async def _decision(principal: Principal, value: dict[str, Any]) -> Filter:
    """A thread that waits is let go on by the staff of its tenant, but for who asked; the turn stays its owner's."""
    pool, thread = (await resources()).pool, str(value.get("thread_id"))
    waiting = await list_approvals(pool, principal.tenant, thread=thread, pending=True)
    if not waiting:
        raise AccessDeniedError(f"Nothing waits for a decision on thread {thread!r}.")
    check_decider(principal.owner, waiting[0], staff=principal.staff)
    theirs = {"tenant": waiting[0].tenant, "owner": waiting[0].user_id}
    value["metadata"].update(theirs)
    return theirs


async def _update(principal: Principal, value: dict[str, Any]) -> Filter:
    """A run may be cancelled; the state and the metadata of a thread are written by its turns alone."""
    if not value.get("action"):
        raise AccessDeniedError("A thread is written by its turns alone. Send a message.")
    return _mark(principal)


async def _anybody(_: Principal, __: dict[str, Any]) -> Filter:
    return {}


async def _read_store(principal: Principal, value: dict[str, Any]) -> Filter:
    """Whatever namespace is asked for, the one of this user's memories is read; its last label may be a kind."""
    asked = tuple(value.get("namespace") or ())
    if asked[:1] not in ((), ("memories",)):
        raise AccessDeniedError("The store is read below the namespace `memories` alone.")
    own = namespace(principal.owner)
    rest = asked[len(own) :] if asked[: len(own)] == own else asked[1:]
    value["namespace"] = (*own, *rest)
    return {}


def _mark(principal: Principal) -> Filter:
    return {"tenant": principal.tenant, "owner": principal.user_id}


RULES: dict[str, Rule] = {
    "threads.create": _create,
    "threads.read": _own,
    "threads.search": _own,
    "threads.update": _update,
    "threads.delete": _own,
    "threads.create_run": _run,
    "assistants.read": _anybody,
    "assistants.search": _anybody,
    "store.get": _read_store,
    "store.search": _read_store,
    "store.list_namespaces": _read_store,
}
