"""Our own routes, on a plain worker in this process: what they give, and to whom."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest

from graph.server.service import app
from graph.support import Support
from store.memory import Memory
from store.settings import Settings, settings
from store.threads import Owner
from store.transfer import write_memories
from tests.graph.server.signed import Signed, tokens

_TENANT = f"routes-{uuid4().hex[:8]}"
_TOKENS = tokens(_TENANT) | {"foreign": {"user_id": "desk", "tenant": f"not-{_TENANT}", "staff": True}}


@pytest.fixture(scope="module")
def signing_in(config: Settings) -> Iterator[Settings]:
    """Settings of the environment under which users sign in."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUPPORTPILOT_AUTH_TOKENS", json.dumps(_TOKENS))
        patch.setenv("SUPPORTPILOT_TURNS_PER_MINUTE", "1000")
        settings.cache_clear()
        yield config
    settings.cache_clear()


@pytest.fixture(scope="module")
async def worker(signing_in: Settings, support: Support) -> AsyncIterator[Signed]:
    assert support.resources.settings.database_url == signing_in.database_url
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://worker", timeout=120) as http:
        yield Signed(http)


async def _answered(worker: Signed, text: str = "年付套餐买错了能退款吗") -> dict[str, Any]:
    done = await worker("POST", "/turns", {"text": text})
    assert done.status_code == httpx.codes.OK, done.text
    reply: dict[str, Any] = done.json()
    return reply


async def test_health_and_readiness_are_open_and_say_what_answers(worker: Signed) -> None:
    assert (await worker("GET", "/health", user="")).json() == {"status": "ok"}
    ready = await worker("GET", "/ready", user="")
    assert (ready.status_code, ready.json()) == (200, {"database": "ok", "embedder": "ok", "model": "ok"})


async def test_a_turn_is_answered_with_its_citations_and_once_for_one_message(worker: Signed) -> None:
    body = {"text": "年付套餐买错了能退款吗", "thread": uuid4().hex, "message_id": str(uuid4())}
    first, again = [(await worker("POST", "/turns", body)).json() for _ in range(2)]
    assert first["citations"]
    assert (again["answer"], again["thread_id"]) == (first["answer"], first["thread_id"])


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"text": "很长" * 50_000}, 413),
        ({"text": "x", "message_id": "no uuid"}, 422),
        ({"text": "x", "thread": "a" * 500}, 422),
        ({"text": "x", "thread": "\ud83d"}, 422),
        ({"text": {"\ud83d": "\ud83d"}}, 422),
        ("\ud83d", 422),
        ({}, 422),
    ],
)
async def test_a_wrong_turn_is_a_4xx_that_says_why(worker: Signed, body: object, code: int) -> None:
    done = await worker("POST", "/turns", body)
    assert done.status_code == code
    assert done.json()["detail"]


async def test_a_message_that_was_cut_in_an_emoji_is_answered(worker: Signed) -> None:
    assert (await worker("POST", "/turns", {"text": "谢\0谢\ud83d"})).status_code == httpx.codes.OK


@pytest.mark.parametrize("place", ["graph.server.turns.admit", "graph.support.collection_in_use"])
async def test_a_database_that_goes_away_before_or_after_the_turn_is_a_503_and_the_message_may_be_sent_again(
    worker: Signed, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    async def lost(*_: object) -> None:
        raise psycopg.OperationalError("server closed the connection")

    body = {"text": "谢谢", "thread": uuid4().hex, "message_id": str(uuid4())}
    with monkeypatch.context() as patched:
        patched.setattr(place, lost)
        refused = await worker("POST", "/turns", body)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "10")
    assert "server closed the connection" in refused.json()["detail"]
    assert (await worker("POST", "/turns", body)).status_code == httpx.codes.OK


async def test_a_thumb_is_kept_with_the_evidence_and_a_bad_one_is_a_gap(
    worker: Signed, support: Support
) -> None:
    reply = await _answered(worker)
    values = await support.state(reply["thread_id"])
    answer = values["messages"][-1]
    thumb = {
        "thread_id": reply["thread_id"],
        "message_id": answer.id,
        "helpful": False,
        "reason": "打我 13800138000",
    }
    assert (await worker("POST", "/feedback", thumb)).status_code == httpx.codes.NO_CONTENT
    assert (await worker("POST", "/feedback", thumb)).status_code == httpx.codes.NO_CONTENT
    async with support.resources.pool.connection() as connection:
        kept = await (
            await connection.execute("SELECT * FROM feedback WHERE message_id = %s", (answer.id,))
        ).fetchall()
        gap = await (
            await connection.execute("SELECT * FROM gaps WHERE message_id = %s", (values["messages"][0].id,))
        ).fetchall()
    assert [(row["user_id"], row["helpful"], row["question"]) for row in kept] == [
        ("ann", False, "年付套餐买错了能退款吗")
    ]
    assert "13800138000" not in kept[0]["reason"]
    assert kept[0]["passages"] == [citation["id"] for citation in reply["citations"]]
    assert len(gap) == 1


@pytest.mark.parametrize("user", ["ben", "other"])
async def test_a_strangers_thread_is_not_there_for_thumbs_turns_and_inspection(
    worker: Signed, user: str
) -> None:
    reply = await _answered(worker, "谢谢")
    thread = reply["thread_id"]
    thumb = {"thread_id": thread, "message_id": "x", "helpful": True}
    assert (await worker("POST", "/feedback", thumb, user=user)).status_code == httpx.codes.NOT_FOUND
    assert (await worker("GET", f"/inspect/{thread}", user=user)).status_code == httpx.codes.NOT_FOUND
    assert (await worker("POST", "/turns", {"text": "x", "thread": thread}, user=user)).status_code == 403
    assert (await worker("GET", f"/inspect/{thread}")).status_code == httpx.codes.OK


async def test_inspect_gives_the_calls_of_a_thread(worker: Signed) -> None:
    reply = await _answered(worker)
    calls = (await worker("GET", f"/inspect/{reply['thread_id']}")).json()["calls"]
    assert calls


async def test_memories_are_seen_corrected_exported_and_forgotten_by_their_user_alone(
    worker: Signed, support: Support
) -> None:
    memory = Memory(
        id=uuid4().hex, kind="profile", slot="profile.city", text="用户住在杭州。", value="杭州",
        evidence=(), event_time="", written="2026-11-30T00:00:00+00:00", source="user",
    )  # fmt: skip
    await write_memories(support.resources.memories, Owner(_TENANT, "ann"), [memory])
    for user in ("ben", "other"):
        assert (await worker("GET", "/memories", user=user)).json() == []
        for method, body in (("GET", None), ("PATCH", {"text": "x"}), ("DELETE", None)):
            refused = await worker(method, f"/memories/{memory.id}", body, user=user)
            assert refused.status_code in {400, 404}, refused.text
    assert [one["text"] for one in (await worker("GET", "/memories")).json()] == ["用户住在杭州。"]
    exported = (await worker("GET", "/memories/export")).json()
    corrected = await worker("PATCH", f"/memories/{memory.id}", {"text": "用户住在上海。"})
    assert corrected.json()["text"] == "用户住在上海。"
    receipt = (await worker("DELETE", "/memories")).json()
    assert receipt["rows"]["store"] >= 1
    assert (await worker("GET", "/memories")).json() == []
    assert (await worker("POST", "/memories/import", exported)).json() == {"imported": 1}
    assert (await worker("DELETE", f"/memories/{memory.id}")).status_code == httpx.codes.NO_CONTENT


async def test_the_staff_of_the_tenant_answers_a_ticket_and_gives_the_conversation_back(
    worker: Signed,
) -> None:
    thread = (await worker("POST", "/turns", {"text": "转人工"})).json()["thread_id"]
    ticket = next(
        one for one in (await worker("GET", "/tickets", user="desk")).json() if one["thread_id"] == thread
    )
    path = f"/tickets/{ticket['ticket_id']}"
    for user in ("ann", "ben", "foreign"):
        for method, place, body in (
            ("GET", path, None),
            ("POST", f"{path}/messages", {"text": "x"}),
            ("POST", f"{path}/close", None),
        ):
            assert (await worker(method, place, body, user=user)).status_code in {403, 404}
    assert ticket["ticket_id"] not in [
        one["ticket_id"] for one in (await worker("GET", "/tickets", user="foreign")).json()
    ]
    assert (await worker("GET", "/tickets")).status_code == httpx.codes.FORBIDDEN
    assert (
        await worker("POST", f"{path}/messages", {"text": "我来帮您"}, user="desk")
    ).status_code == httpx.codes.OK
    assert "我来帮您" in (await worker("GET", path, user="desk")).text
    closed = await worker("POST", f"{path}/close", user="desk")
    assert closed.json()["closed_by"] == "desk"


async def test_approvals_are_for_the_staff_alone(worker: Signed) -> None:
    ruling = {"status": "approved"}
    assert (await worker("GET", "/approvals")).status_code == httpx.codes.FORBIDDEN
    assert (await worker("POST", f"/approvals/{uuid4()}", ruling)).status_code == httpx.codes.FORBIDDEN
    assert (await worker("GET", "/approvals", user="desk")).json() == []
    unknown = await worker("POST", f"/approvals/{uuid4()}", ruling, user="desk")
    assert unknown.status_code == httpx.codes.NOT_FOUND
    edited = await worker("POST", f"/approvals/{uuid4()}", {"status": "edited"}, user="desk")
    assert edited.status_code == httpx.codes.UNPROCESSABLE_ENTITY


@pytest.mark.parametrize(
    "path",
    ["/tickets", "/approvals", "/memories", "/memories/export", f"/inspect/{uuid4()}", "/openapi.json"],
)
async def test_nothing_is_told_without_a_token(worker: Signed, path: str) -> None:
    assert (await worker("GET", path, user="")).status_code == httpx.codes.UNAUTHORIZED


def test_every_route_is_described() -> None:
    described = app.openapi()["paths"]
    operations = [operation for methods in described.values() for operation in methods.values()]
    assert len(operations) >= 10
    assert all(operation.get("description") for operation in operations)
