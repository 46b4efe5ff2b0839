"""What code gives to the product is checked where it comes in, not found out by the database."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from graph import threads
from graph.desk import answer_ticket, give_back
from graph.staff import decide_approval
from graph.support import Support
from nodes.state import Context
from store.approvals import Decision
from store.errors import ConfigError, MalformedError
from store.ingest import ingest
from store.search import search
from store.threads import Owner, resolve_thread

STAFF = Context(role="staff")
APPROVED = Decision("approved")
CALLS: dict[str, Callable[[Support, Any], Awaitable[object]]] = {
    "the message": lambda support, wrong: support.ask(wrong),
    "the thread": lambda support, wrong: support.ask("谢谢", thread=wrong),
    "the message's id": lambda support, wrong: support.ask("谢谢", message_id=wrong),
    "whose message": lambda support, wrong: support.ask("谢谢", context=wrong),
    "the thread of a history": lambda support, wrong: support.history(wrong),
    "the thread to inspect": lambda support, wrong: threads.inspect(support, wrong, Context()),
    "whose thread": lambda support, wrong: threads.inspect(support, "known", wrong),
    "the policy": lambda support, wrong: threads.replay(support, "known", Context(), wrong),
    "the refuted turn": lambda support, wrong: threads.refute(support, "known", Context(), wrong, "x"),
    "the reason": lambda support, wrong: threads.refute(support, "known", Context(), 1, wrong),
    "the turn to go back to": lambda support, wrong: threads.rollback(support, "known", Context(), wrong, ""),
    "why to go back": lambda support, wrong: threads.rollback(support, "known", Context(), 1, wrong),
    "the ticket": lambda support, wrong: give_back(support, wrong, by=STAFF),
    "the answer": lambda support, wrong: answer_ticket(support, 1, wrong, by=STAFF),
    "who answers": lambda support, wrong: answer_ticket(support, 1, "x", by=wrong),
    "the approval": lambda support, wrong: decide_approval(support, wrong, APPROVED, by=STAFF),
    "the decision": lambda support, wrong: decide_approval(support, str(uuid4()), wrong, by=STAFF),
    "who decides": lambda support, wrong: decide_approval(support, str(uuid4()), APPROVED, by=wrong),
    "the query": lambda support, wrong: search(support.resources.knowledge, wrong, collection="sample"),
    "the passages": lambda support, wrong: search(
        support.resources.knowledge, "x", collection="sample", k=wrong
    ),
    "the folder": lambda support, wrong: ingest(support.resources.knowledge, wrong, "articles"),
    "the collection": lambda support, wrong: ingest(support.resources.knowledge, Path(), wrong),
}


@pytest.fixture(scope="module")
async def known(support: Support) -> Support:
    for text in ("谢谢", "谢谢你"):
        await support.ask(text, thread="known")
    return support


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("wrong", [b"x", ["x"], UUID(int=7)])
async def test_an_argument_of_another_type_is_refused_by_its_value_and_the_right_type(
    known: Support, name: str, wrong: object
) -> None:
    with pytest.raises(MalformedError, match=rf"{re.escape(repr(wrong))}.*Give"):
        await CALLS[name](known, wrong)


@pytest.mark.parametrize("name", ["the thread", "the thread of a history", "the message's id", "the message"])
@pytest.mark.parametrize("wrong", [None, 0, 7])
async def test_nothing_and_numbers_are_no_names_and_no_messages(
    known: Support, name: str, wrong: object
) -> None:
    with pytest.raises(MalformedError, match=rf"{wrong}.*Give type str"):
        await CALLS[name](known, wrong)


@pytest.mark.parametrize("part", ["user_id", "tenant", "role", "collection", "model"])
def test_a_context_names_the_part_that_is_no_text(part: str) -> None:
    given: dict[str, Any] = {part: 7}
    with pytest.raises(MalformedError, match=f"{part} 7 .*Give type str"):
        Context(**given)


@pytest.mark.parametrize("wrong", ["x", ["window"], {7: 1}, None])
def test_a_budget_that_holds_no_fields_by_name_is_refused_by_its_value(wrong: Any) -> None:
    with pytest.raises(ConfigError, match=f"budget={re.escape(repr(wrong))}"):
        Context(budget=wrong)


def test_a_decision_that_nobody_can_make_is_refused_before_it_reaches_the_table() -> None:
    wrong: Any = "aproved"
    with pytest.raises(MalformedError, match=r"'aproved'.*approved, edited, refused"):
        Decision(wrong)


async def test_an_unknown_policy_is_refused_with_those_that_there_are(known: Support) -> None:
    with pytest.raises(MalformedError, match=r"'squeeze'.*none, clear, trim, compact"):
        await threads.replay(known, "known", Context(), "squeeze")


async def test_a_reason_that_no_endpoint_takes_is_cleaned(known: Support) -> None:
    await threads.refute(known, "known", Context(), 1, "退款\ud83d说错了")
    thread = resolve_thread(Owner("default", ""), "known")
    assert "退款说错了" in str((await known.state(thread))["plan"])
