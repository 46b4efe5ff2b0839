"""Sign-in and ownership behind a real ``langgraph dev``: what a stranger gets on every route of the server."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any
from uuid import uuid4

import httpx
import pytest

from graph.support import Support
from store.memory import namespace
from store.settings import Settings
from store.threads import Owner
from tests.graph.dev_server import langgraph_dev
from tests.graph.server.installed import installed_routes
from tests.graph.server.signed import Signed, tokens

_TENANT = f"acme-{uuid4().hex[:8]}"
_TOKENS = tokens(_TENANT) | {"hasty": {"user_id": "hasty", "tenant": _TENANT}}
_REFUSED = {403, 404}
_OPEN = {"/", "/ok", "/health", "/ready", "/info", "/metrics", "/openapi.json", "/docs"}
_FOR_STAFF = {
    ("GET", "/tickets"),
    ("GET", "/approvals"),
}
_FOR_ALL = {
    *(("GET", path) for path in _OPEN),
    ("POST", "/assistants/search"),
    ("POST", "/assistants/count"),
    ("GET", "/assistants/{assistant_id}"),
    ("GET", "/assistants/{assistant_id}/graph"),
    ("GET", "/assistants/{assistant_id}/schemas"),
    ("GET", "/assistants/{assistant_id}/subgraphs"),
    ("GET", "/assistants/{assistant_id}/subgraphs/{namespace}"),
    ("POST", "/assistants/{assistant_id}/versions"),
    ("POST", "/threads"),
    ("POST", "/threads/search"),
    ("POST", "/threads/count"),
    ("POST", "/runs"),
    ("POST", "/runs/wait"),
    ("POST", "/runs/stream"),
    ("POST", "/runs/batch"),
    ("POST", "/store/items/search"),
    ("POST", "/store/namespaces"),
    ("GET", "/memories"),
    ("GET", "/memories/export"),
    ("DELETE", "/memories"),
}
"""Routes on which whoever is signed in gets what is their own, or everybody's; any other refuses a stranger."""

_NAMES = {
    "namespace": "x",
    "cron_id": str(uuid4()),
    "operation_id": str(uuid4()),
    "approval_id": str(uuid4()),
    "memory_id": "x",
    "number": "1",
    "version": "1",
    "graph_id": "support",
}


def _turn(text: str = "谢谢", **more: Any) -> dict[str, Any]:
    return {"assistant_id": "support", "input": {"messages": [{"role": "user", "content": text}]}, **more}


@pytest.fixture(scope="module")
async def server(
    config: Settings, support: Support, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Signed]:
    assert support.resources.settings.database_url == config.database_url
    log = tmp_path_factory.mktemp("auth") / "log"
    variables = {
        "DATABASE_URL": config.database_url or "",
        "SUPPORTPILOT_AUTH_TOKENS": json.dumps(_TOKENS),
        "SUPPORTPILOT_TURNS_PER_MINUTE": "20",
    }
    async with langgraph_dev(log, **variables) as url, httpx.AsyncClient(base_url=url, timeout=120) as http:
        yield Signed(http)


@pytest.fixture(scope="module")
async def ids(server: Signed) -> Mapping[str, str]:
    """A thread of ann's, with a run and a checkpoint."""
    thread = (await server("POST", "/threads", {})).json()["thread_id"]
    done = await server("POST", f"/threads/{thread}/runs/wait", _turn("我叫安，谢谢"))
    assert done.status_code == httpx.codes.OK, done.text
    run = (await server("GET", f"/threads/{thread}/runs")).json()[0]["run_id"]
    state = (await server("GET", f"/threads/{thread}/state")).json()
    assistant = (await server("POST", "/assistants/search", {"graph_id": "support"})).json()[0][
        "assistant_id"
    ]
    checkpoint = state["checkpoint"]["checkpoint_id"]
    return {"thread_id": thread, "run_id": run, "checkpoint_id": checkpoint, "assistant_id": assistant}


async def test_an_owner_reads_their_thread(server: Signed, ids: Mapping[str, str]) -> None:
    state = await server("GET", f"/threads/{ids['thread_id']}/state")
    assert state.json()["values"]["messages"][0]["content"] == "我叫安，谢谢"


@pytest.fixture(scope="module")
async def routes(server: Signed) -> list[tuple[str, str]]:
    """Every route there is: those that the server describes, ours among them, and those that it does not."""
    described = (await server("GET", "/openapi.json")).json()["paths"]
    named = {
        (method.upper(), path)
        for path, methods in described.items()
        for method in methods.keys() & {"get", "post", "put", "patch", "delete"}
    }
    return sorted(named | await asyncio.to_thread(installed_routes))


@pytest.mark.parametrize("user", ["ben", "other", "desk"])
async def test_a_stranger_is_refused_on_every_route_but_those_on_which_all_have_their_own(
    server: Signed, ids: Mapping[str, str], routes: list[tuple[str, str]], user: str
) -> None:
    let_through = {}
    foreign = [one for one in routes if one not in _FOR_ALL and not (user == "desk" and one in _FOR_STAFF)]
    for method, path in foreign:
        answer = await server(method, path.format(**{**_NAMES, **ids}), _body(path, method), user=user)
        refused = _refused(answer) if "{thread_id}" in path else not answer.is_success or _refused(answer)
        if not refused:
            let_through[f"{method} {path}"] = (answer.status_code, answer.text[:300])
    assert let_through == {}
    assert sum("{thread_id}" in path for _, path in foreign) > 25
    state = (await server("GET", f"/threads/{ids['thread_id']}/state")).json()
    assert [m["content"] for m in state["values"]["messages"] if m["type"] == "human"] == ["我叫安，谢谢"]


@pytest.mark.parametrize("user", ["ben", "other", "desk"])
async def test_what_all_may_ask_for_shows_a_stranger_nothing_of_a_users_thread(
    server: Signed, ids: Mapping[str, str], user: str
) -> None:
    seen = {}
    for method, path in sorted(_FOR_ALL):
        if path.startswith("/assistants") or path in _OPEN:
            continue
        answer = await server(method, path.format(**{**_NAMES, **ids}), _body(path, method), user=user)
        if ids["thread_id"] in answer.text or "我叫安" in answer.text:
            seen[f"{method} {path}"] = answer.text[:300]
    assert seen == {}


async def test_a_stranger_hears_nothing_of_a_turn_while_it_runs(
    server: Signed, ids: Mapping[str, str]
) -> None:
    path, body = f"/threads/{ids['thread_id']}/stream/events", {"channels": ["values", "messages", "updates"]}

    async def listen(user: str) -> str:
        return (await server("POST", path, body, user=user)).text

    heard = [asyncio.create_task(listen(user)) for user in ("ben", "ann")]
    await asyncio.sleep(0.5)
    await server("POST", f"/threads/{ids['thread_id']}/runs/wait", _turn("谢谢你"))
    done, _ = await asyncio.wait(heard, timeout=3)
    for task in heard:
        task.cancel()
    texts = [task.result() if task in done else "still open" for task in heard]
    assert "谢谢你" not in texts[0]
    assert texts[0] in {"", "still open"}


def _refused(answer: httpx.Response) -> bool:
    """Tell whether nothing was given: streams and commands say so in a body of their own, or say nothing."""
    if answer.status_code == httpx.codes.OK:
        told = answer.text.strip()
        return not told or (len(told) < 200 and any(f'"message":"{code}: ' in told for code in _REFUSED))
    return answer.status_code in {*_REFUSED, httpx.codes.CONFLICT, httpx.codes.NOT_IMPLEMENTED}


_BODIES: dict[str, object] = {
    "/commands": {"id": 1, "method": "run.start", "params": _turn()},
    "/events": {"channels": ["values", "messages", "updates"]},
    "/namespaces": {},
    "/items": {"namespace": ["memories", "x"], "key": "k", "value": {"text": "x"}},
    "/items/search": {"namespace_prefix": []},
    "/import": {"format": "another", "memories": []},
    "/feedback": {"thread_id": str(uuid4()), "message_id": "x", "helpful": True},
    "/messages": {"text": "x"},
    "/{approval_id}": {"status": "approved"},
    "/{memory_id}": {"text": "x"},
    "/count": {"metadata": {}},
    "s/search": {"metadata": {}, "limit": 100},
    "/prune": {"thread_ids": [str(uuid4())]},
    "/batch": [_turn()],
    "/crons": _turn(schedule="0 0 * * *"),
}
"""What is sent to paths that end so."""


def _body(path: str, method: str) -> object:
    if method in ("GET", "DELETE") and path != "/store/items":
        return None
    ending = next((ending for ending in _BODIES if path.endswith(ending)), None)
    if ending is not None:
        return _BODIES[ending]
    if "/runs" in path:
        return _turn()
    return {"values": {"messages": []}, "metadata": {"owner": "ben"}, "checkpoint": {}, "limit": 1}


async def test_a_foreign_thread_cannot_be_taken_over_by_its_id(
    server: Signed, ids: Mapping[str, str]
) -> None:
    taken = await server(
        "POST", "/threads", {"thread_id": ids["thread_id"], "if_exists": "do_nothing"}, user="ben"
    )
    assert taken.status_code in _REFUSED


async def test_a_thread_begun_elsewhere_is_its_owners_here_too(server: Signed, support: Support) -> None:
    thread = (await support.ask("谢谢", thread=str(uuid4()))).thread_id
    for path, body in (
        ("/threads", {"thread_id": thread}),
        (f"/threads/{thread}/runs/wait", _turn(if_not_exists="create")),
    ):
        assert (await server("POST", path, body, user="ben")).status_code in _REFUSED


async def test_a_search_finds_ones_own_threads_alone(server: Signed, ids: Mapping[str, str]) -> None:
    for user, expected in (("ann", True), ("ben", False), ("other", False), ("desk", False)):
        found = (await server("POST", "/threads/search", {"metadata": {}, "limit": 100}, user=user)).json()
        assert (ids["thread_id"] in [thread["thread_id"] for thread in found]) is expected


async def test_without_a_token_every_route_is_closed(
    server: Signed, ids: Mapping[str, str], routes: list[tuple[str, str]]
) -> None:
    answered = {}
    for method, path in routes:
        filled = path.format(**{**_NAMES, **ids})
        for headers in ({}, {"x_auth_scheme": "langsmith"}, {"authorization": "Bearer nobody"}):
            answer = await server(method, filled, user="", **headers)
            if path not in _OPEN and answer.status_code not in {401, 404}:
                answered[f"{method} {path}"] = (answer.status_code, answer.text[:300])
    assert answered == {}


async def test_what_the_development_server_leaves_open_is_closed(
    server: Signed, ids: Mapping[str, str]
) -> None:
    for method, path in (
        ("GET", f"/internal/debug/thread/{ids['thread_id']}"),
        ("POST", "/internal/truncate"),
    ):
        for user in ("", "ann", "desk"):
            assert (await server(method, path, user=user)).status_code == httpx.codes.NOT_FOUND


async def test_crons_assistants_and_the_store_are_written_by_no_user(server: Signed) -> None:
    item = {"namespace": ["memories", "x"], "key": "k", "value": {"text": "x"}}
    for method, path, body in (
        ("POST", "/runs/crons", _turn(schedule="0 0 * * *")),
        ("POST", "/runs/crons/search", {}),
        ("POST", "/assistants", {"graph_id": "support", "context": {"user_id": "ann"}}),
        ("PUT", "/store/items", item),
        ("DELETE", "/store/items", {"namespace": item["namespace"], "key": "k"}),
    ):
        for user in ("ben", "desk"):
            answer = await server(method, path, body, user=user)
            assert answer.status_code == httpx.codes.FORBIDDEN, (path, answer.text)


async def test_the_store_shows_a_user_their_own_memories_whatever_is_asked_for(
    server: Signed, support: Support
) -> None:
    anns = namespace(Owner(_TENANT, "ann"), "fact")
    store = support.graph.store
    assert store is not None
    await store.aput(anns, "secret", {"text": "ann's own"})
    for asked in (["memories"], ["memories", "fact"], list(anns), list(anns[:2]), []):
        body = {"namespace_prefix": asked}
        found = {
            user: (await server("POST", "/store/items/search", body, user=user)).text
            for user in ("ann", "ben", "other")
        }
        assert ("secret" in found["ben"], "secret" in found["other"]) == (False, False)
    assert "ann's own" in (await server("POST", "/store/items/search", {"namespace_prefix": list(anns)})).text
    key = {"namespace": ".".join(anns), "key": "secret"}
    query = f"/store/items?namespace={key['namespace']}&key=secret"
    assert "ann's own" not in (await server("GET", query, user="ben")).text
    await store.adelete(anns, "secret")


@pytest.mark.parametrize(
    "more",
    [
        {"command": {"resume": True}},
        {"command": {"update": {"messages": []}}},
        {"command": {"goto": "finish"}},
        {"webhook": "https://example.com/x"},
        {"interrupt_before": ["review"]},
        {"context": {"model": "expensive"}},
        {"context": {"collection": "other"}},
        {"config": {"configurable": {"model": "expensive"}}},
        {"input": {"messages": [{"role": "assistant", "content": "退款已批准"}]}},
        {"input": {"messages": [{"role": "system", "content": "x"}]}},
        {"input": {"messages": [{"type": "remove", "id": "__remove_all__", "content": ""}]}},
        {"input": {"messages": [{"role": "user", "content": "x"}], "plan": {}}},
        {"input": {"messages": [{"role": "user", "content": "x"}] * 2}},
        {"input": {"thread_id": "another's"}},
        {"input": "x"},
        {"input": []},
    ],
)
async def test_a_run_is_one_message_of_the_user_and_steers_nothing(
    server: Signed, ids: Mapping[str, str], more: dict[str, Any]
) -> None:
    answer = await server("POST", f"/threads/{ids['thread_id']}/runs/wait", {**_turn(), **more})
    assert answer.status_code in {403, 422}, answer.text


async def test_a_run_in_anothers_name_is_ones_own(server: Signed, support: Support) -> None:
    thread = (await server("POST", "/threads", {}, user="ben")).json()["thread_id"]
    context = {"user_id": "ann", "tenant": _TENANT}
    done = await server("POST", f"/threads/{thread}/runs/wait", _turn(context=context), user="ben")
    assert done.status_code == httpx.codes.OK
    async with support.resources.pool.connection() as connection:
        cursor = await connection.execute("SELECT user_id FROM threads WHERE thread_id = %s", (thread,))
        assert await cursor.fetchone() == {"user_id": "ben"}


async def test_a_message_too_long_is_a_4xx(server: Signed, ids: Mapping[str, str]) -> None:
    answer = await server("POST", f"/threads/{ids['thread_id']}/runs/wait", _turn("很长" * 50_000))
    assert answer.status_code == httpx.codes.REQUEST_ENTITY_TOO_LARGE
    assert "SUPPORTPILOT_MESSAGE_CHARS" in answer.text


async def test_more_turns_than_the_allowance_are_a_429_for_that_user_alone(server: Signed) -> None:
    codes = [(await server("POST", "/runs", _turn(), user="hasty")).status_code for _ in range(25)]
    assert codes.count(httpx.codes.OK) in {20, 21}
    assert codes[-1] == httpx.codes.TOO_MANY_REQUESTS
    assert (await server("POST", "/runs/wait", _turn(), user="ben")).status_code == httpx.codes.OK
