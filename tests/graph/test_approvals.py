"""Approvals on the whole graph: who decides, once, and what becomes of the thread."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import Command

import nodes.scene
from graph import threads
from graph.staff import decide_approval
from graph.support import Support, config_of, open_support
from nodes.approve import MOST_REQUESTS
from nodes.phrases import DONE
from nodes.state import Context
from store.approvals import Approval, Decision, decide, list_approvals
from store.errors import AccessDeniedError, ActionRefusedError, MalformedError
from store.resources import using
from store.settings import Settings
from tests.graph.commands import supportpilot
from tests.scripted import Scripted, calling, scripted

DEMO = Context(user_id="demo", model="offline")
STAFF = Context(user_id="sam", role="staff")
REFUND = calling(request_refund={"reason": "买错了"})
QUESTION = "年付套餐买错了，请帮我申请退款"
APPROVED = Decision("approved")
APPROVE = {"decisions": [{"type": "approve"}]}


class PowerCutError(Exception):
    """The process ends here."""


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    model = scripted()
    monkeypatch.setattr(nodes.scene, "chat_model", lambda *_: model)
    return model


async def asked(desk: Support, model: Scripted, *after: str, call: AIMessage = REFUND) -> Approval:
    """Have the model make a call in a new thread; return the request that waits."""
    model.will_say(call.model_copy(deep=True), *after)
    thread = str(uuid4())
    reply = await desk.ask(QUESTION, thread=thread, context=DEMO)
    (request,) = reply.waiting
    assert "批准" in reply.answer
    (found,) = await list_approvals(desk.resources.pool, "default", thread=thread)
    assert request["approval_id"] == str(found.approval_id)
    return found


async def greeted_and_asked(desk: Support, model: Scripted) -> tuple[str, Mapping[str, Any]]:
    """Have the model greet and, in the next turn, make a call; return the thread and the request that waits."""
    thread = str(uuid4())
    model.will_say("您好。")
    await desk.ask("你好", thread=thread, context=DEMO)
    model.will_say(REFUND.model_copy(deep=True))
    (request,) = (await desk.ask(QUESTION, thread=thread, context=DEMO)).waiting
    return thread, request


async def resume(desk: Support, approval: Approval, response: object, by: Context) -> None:
    """Resume the graph itself, as a user interface does."""
    run = desk.graph.astream(Command(resume=response), config_of(str(approval.thread_id)), context=by)
    async for _ in using(desk.resources, run):
        pass


async def written(desk: Support, approval: Approval, table: str = "refunds") -> int:
    async with desk.resources.pool.connection() as connection:
        cursor = await connection.execute(
            f"SELECT FROM {table} WHERE action_id = %s".encode(), (approval.approval_id,)
        )
    return cursor.rowcount


async def results(desk: Support, approval: Approval) -> list[dict[str, Any]]:
    log = (await desk.state(str(approval.thread_id)))["messages"]
    return [json.loads(m.text) for m in log if isinstance(m, ToolMessage) and m.name == approval.tool]


async def test_an_approved_refund_is_written_and_the_model_is_told(desk: Support, model: Scripted) -> None:
    approval = await asked(desk, model, "您的退款申请已提交。")
    assert approval.description.startswith("demo asks for request_refund")
    assert "专业版" in approval.description
    assert (await written(desk, approval), await results(desk, approval)) == (0, [])
    done = await decide_approval(desk, str(approval.approval_id), APPROVED, by=STAFF)
    assert (done.status, done.decided_by, await written(desk, approval)) == ("approved", "sam", 1)
    (result,) = await results(desk, approval)
    assert (result["status"], result["plan"]) == ("done", "专业版")
    assert isinstance(model.asked[-1][-1], ToolMessage)


async def test_what_postgres_refuses_in_a_models_arguments_breaks_no_approval(
    desk: Support, model: Scripted
) -> None:
    approval = await asked(desk, model, call=calling(request_refund={"reason": "买\0错了\ud83d"}))
    assert approval.args == {"reason": "买错了"}


async def test_a_refusal_comes_back_to_the_model_with_its_note(desk: Support, model: Scripted) -> None:
    approval = await asked(desk, model, "没有批准。")
    await decide_approval(desk, str(approval.approval_id), Decision("refused", note="已过期限"), by=STAFF)
    (result,) = await results(desk, approval)
    assert result == {"status": "refused by a person", "note": "已过期限"}
    assert await written(desk, approval) == 0


async def test_edited_arguments_are_what_happens_and_the_model_reads_them(
    desk: Support, model: Scripted
) -> None:
    call = calling(reissue_invoice={"invoice_no": "INV-1001", "title": "青禾"})
    approval = await asked(desk, model, "已改好。", call=call)
    with pytest.raises(ActionRefusedError, match="has no invoice 'INV-2001'"):
        await decide_approval(
            desk,
            str(approval.approval_id),
            Decision("edited", {"invoice_no": "INV-2001", "title": "x"}),
            by=STAFF,
        )
    edit = {"invoice_no": "INV-1001", "title": "青禾商贸（上海）有限公司"}
    await decide_approval(desk, str(approval.approval_id), Decision("edited", edit), by=STAFF)
    (result,) = await results(desk, approval)
    assert (result["changed by a person to"], result["title"]) == (edit, edit["title"])
    assert await written(desk, approval, "invoice_reissues") == 1


async def test_arguments_nested_without_end_are_refused(desk: Support, model: Scripted) -> None:
    approval = await asked(desk, model, "已提交。")
    endless: list[object] = []
    for _ in range(100_000):
        endless = [endless]
    with pytest.raises(ActionRefusedError, match="not JSON"):
        await decide_approval(
            desk, str(approval.approval_id), Decision("edited", {"reason": endless}), by=STAFF
        )


async def test_what_no_database_takes_is_cleaned_out_of_a_decision(desk: Support, model: Scripted) -> None:
    approval = await asked(desk, model, "已提交。")
    edit = Decision("edited", {"reason": "买\x00错了"}, "三天\ud83d到账")
    for _ in range(2):
        done = await decide_approval(desk, str(approval.approval_id), edit, by=STAFF)
        assert (done.final_args, done.note) == ({"reason": "买错了"}, "三天到账")
    approval = await asked(desk, model, "没有批准。")
    done = await decide_approval(
        desk, str(approval.approval_id), Decision("refused", note="\x00\ud83d不行"), by=STAFF
    )
    assert (done.status, done.note) == ("refused", "不行")


async def test_a_malformed_decision_or_decider_is_a_typed_error_and_the_request_waits(
    desk: Support, model: Scripted
) -> None:
    approval = await asked(desk, model)
    wrong: list[Any] = [[1], "x", {"reason": object()}, {"reason": float("nan")}, {"reason": "\x00"}, None]
    for args in wrong:
        with pytest.raises(ActionRefusedError, match="rguments"):
            await decide_approval(desk, str(approval.approval_id), Decision("edited", args), by=STAFF)
    with pytest.raises(ActionRefusedError, match="only with one"):
        await decide_approval(desk, str(approval.approval_id), Decision("approved", {}), by=STAFF)
    with pytest.raises(MalformedError, match=r"User 'sam\\x00'"):
        await decide_approval(
            desk, str(approval.approval_id), APPROVED, by=Context(user_id="sam\x00", role="staff")
        )
    (still,) = await list_approvals(desk.resources.pool, "default", thread=str(approval.thread_id))
    assert still.status == "pending"
    response = {"decisions": [{"type": "reject", "message": "不\x00行"}]}
    model.will_say("没有批准。")
    await resume(desk, approval, response, Context(user_id="sam", role="staff", model="offline"))
    assert (await results(desk, approval))[0]["note"] == "不行"


async def test_approving_twice_and_at_once_acts_once_and_the_other_decision_is_refused(
    desk: Support, model: Scripted
) -> None:
    approval = await asked(desk, model, "已提交。")
    both = (decide_approval(desk, str(approval.approval_id), APPROVED, by=STAFF) for _ in range(4))
    assert {one.status for one in await asyncio.gather(*both)} == {"approved"}
    assert await written(desk, approval) == 1
    log = (await desk.state(str(approval.thread_id)))["messages"]
    assert [m.text for m in log if isinstance(m, AIMessage) and m.text][1:] == []
    with pytest.raises(ActionRefusedError, match="was approved by sam already"):
        await decide_approval(desk, str(approval.approval_id), Decision("refused"), by=STAFF)


@pytest.mark.parametrize(
    "who",
    [
        Context(user_id="demo"),
        Context(user_id="eve"),
        Context(user_id="demo", role="staff"),
        Context(user_id="sam", tenant="other", role="staff"),
    ],
)
async def test_neither_users_nor_the_asker_nor_foreign_staff_decide(
    desk: Support, model: Scripted, who: Context
) -> None:
    approval = await asked(desk, model)
    with pytest.raises(AccessDeniedError):
        await decide_approval(desk, str(approval.approval_id), APPROVED, by=who)
    await resume(desk, approval, APPROVE, who)
    snapshot = await desk.graph.aget_state(config_of(str(approval.thread_id)))
    assert [action["name"] for action in snapshot.interrupts[0].value["action_requests"]] == [
        "request_refund"
    ]
    assert (await written(desk, approval), await results(desk, approval)) == (0, [])


async def test_a_resume_of_the_staff_counts_and_no_refused_one_before_it_does(
    desk: Support, model: Scripted
) -> None:
    approval = await asked(desk, model, "已提交。")
    await resume(desk, approval, APPROVE, Context(user_id="eve"))
    await resume(desk, approval, "yes", STAFF)
    assert await results(desk, approval) == []
    refusal = {"decisions": [{"type": "reject", "message": "不行"}]}
    await resume(desk, approval, refusal, Context(user_id="sam", role="staff", model="offline"))
    assert (await results(desk, approval))[0]["status"] == "refused by a person"
    assert await written(desk, approval) == 0
    assert (await desk.state(str(approval.thread_id)))["asker"]["user_id"] == "demo"


async def test_the_built_in_model_requests_a_refund_and_answers_beside_it(desk: Support) -> None:
    reply = await desk.ask(QUESTION, thread=str(uuid4()), context=DEMO)
    (request,) = reply.waiting
    assert (request["name"], request["args"]) == ("request_refund", {"reason": QUESTION})
    await decide_approval(desk, str(request["approval_id"]), APPROVED, by=STAFF)
    answer = (await desk.state(reply.thread_id))["messages"][-1].text
    assert answer.startswith(DONE["zh"].format(what="退款申请", more=""))
    assert "[kb-00" in answer
    asked = await desk.ask("怎么申请退款", thread=str(uuid4()), context=DEMO)
    assert asked.waiting == []


async def test_equal_calls_of_a_step_are_one_request_that_acts_once_and_answers_each(
    desk: Support, model: Scripted
) -> None:
    approval = await asked(desk, model, "已提交。", call=repeated([{"reason": "买错了"}] * 20))
    await decide_approval(desk, str(approval.approval_id), APPROVED, by=STAFF)
    assert await written(desk, approval) == 1
    assert [one["status"] for one in await results(desk, approval)] == ["done"] * 20
    log = (await desk.state(str(approval.thread_id)))["messages"]
    assert log[-1].text.count(DONE["zh"].format(what="退款申请", more="")) == 1


async def test_a_step_puts_no_more_than_a_few_different_requests_before_a_person(
    desk: Support, model: Scripted
) -> None:
    model.will_say(repeated([{"reason": f"理由 {n}"} for n in range(20)]), "已拒绝。")
    thread = str(uuid4())
    reply = await desk.ask(QUESTION, thread=thread, context=DEMO)
    assert len(reply.waiting) == MOST_REQUESTS
    waiting = await list_approvals(desk.resources.pool, "default", thread=thread, pending=True)
    assert len(waiting) == MOST_REQUESTS
    for one in waiting:
        await decide_approval(desk, str(one.approval_id), Decision("refused"), by=STAFF)
    said = [one["status"] for one in await results(desk, waiting[0])]
    assert said == ["refused by a person"] * MOST_REQUESTS + ["not possible"] * (20 - MOST_REQUESTS)


async def test_a_turn_that_is_cut_between_a_steps_writes_and_its_checkpoint_goes_on_from_there(
    desk: Support, model: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    approval = await asked(desk, model, "已提交。")
    with monkeypatch.context() as cut:

        async def fail(*_: object) -> None:
            raise PowerCutError

        cut.setattr(desk.graph.checkpointer, "aput", fail)
        with pytest.raises(PowerCutError):
            await decide_approval(desk, str(approval.approval_id), APPROVED, by=STAFF)
    await decide_approval(desk, str(approval.approval_id), APPROVED, by=STAFF)
    assert await written(desk, approval) == 1
    assert [one["status"] for one in await results(desk, approval)] == ["done"]
    assert isinstance(model.asked[-1][-1], ToolMessage)
    assert not (await desk.graph.aget_state(config_of(str(approval.thread_id)))).tasks


def repeated(args: Sequence[dict[str, Any]]) -> AIMessage:
    """Return a message that asks for a refund once with each of the arguments."""
    calls = [{"name": "request_refund", "args": one, "id": f"call-{n}"} for n, one in enumerate(args)]
    return AIMessage("", tool_calls=calls)


async def test_a_new_message_goes_on_and_the_request_stays_and_its_outcome_is_said(
    desk: Support, model: Scripted
) -> None:
    approval = await asked(desk, model, "还在等待批准。")
    thread = str(approval.thread_id)
    reply = await desk.ask("批准了吗，还要多久能退款", thread=thread, context=DEMO)
    assert (reply.waiting, (await results(desk, approval))[0]["status"]) == ([], "waiting")
    for _ in range(2):
        await decide_approval(
            desk, str(approval.approval_id), Decision("approved", note="三天到账"), by=STAFF
        )
    assert await written(desk, approval) == 1
    log = (await desk.state(thread))["messages"]
    assert [m.text for m in log if "三天到账" in m.text] == ["您的退款申请已由工作人员批准并办理。三天到账"]
    model.will_say("不客气。")
    assert (await desk.ask("谢谢", thread=thread, context=DEMO)).answer == "不客气。"


async def test_a_request_of_a_rolled_back_turn_is_withdrawn_and_the_user_can_ask_again(
    desk: Support, model: Scripted
) -> None:
    thread, request = await greeted_and_asked(desk, model)
    await threads.rollback(desk, thread, DEMO, 1, "问错了")
    (gone,) = await list_approvals(desk.resources.pool, "default", thread=thread)
    assert (gone.status, gone.decided_by) == ("refused", "rollback")
    assert "rolled back" in gone.note
    with pytest.raises(ActionRefusedError, match="is gone: its turn was rolled back"):
        await decide_approval(desk, str(request["approval_id"]), APPROVED, by=STAFF)
    assert await written(desk, gone) == 0
    model.will_say(REFUND.model_copy(deep=True), "已提交。")
    (again,) = (await desk.ask(QUESTION, thread=thread, context=DEMO)).waiting
    done = await decide_approval(desk, str(again["approval_id"]), APPROVED, by=STAFF)
    assert await written(desk, done) == 1


async def test_an_approval_that_was_cut_short_does_not_act_after_its_turn_was_rolled_back(
    desk: Support, model: Scripted
) -> None:
    thread, request = await greeted_and_asked(desk, model)
    (approval,) = await list_approvals(desk.resources.pool, "default", thread=thread)
    await decide(desk.resources.pool, approval.approval_id, APPROVED, by="sam")
    await threads.rollback(desk, thread, DEMO, 1, "")
    with pytest.raises(ActionRefusedError, match="is gone"):
        await decide_approval(desk, str(request["approval_id"]), APPROVED, by=STAFF)
    assert await written(desk, approval) == 0


async def test_a_request_of_a_turn_that_stays_still_waits_after_a_rollback(
    desk: Support, model: Scripted
) -> None:
    approval = await asked(desk, model, "还在等待批准。")
    thread = str(approval.thread_id)
    await desk.ask("批准了吗，还要多久能退款", thread=thread, context=DEMO)
    await threads.rollback(desk, thread, DEMO, 1, "")
    done = await decide_approval(desk, str(approval.approval_id), APPROVED, by=STAFF)
    assert (done.status, await written(desk, approval)) == ("approved", 1)
    model.will_say("不客气。")
    await desk.ask("谢谢", thread=thread, context=DEMO)
    assert [one["status"] for one in await results(desk, approval)] == ["done"]


async def test_an_action_is_done_once_when_the_process_dies_between_it_and_the_checkpoint(
    desk: Support, model: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    approval = await asked(desk, model, "已提交。")

    def dies(*_: Any) -> ToolMessage:
        raise PowerCutError

    with monkeypatch.context() as patch:
        patch.setattr("nodes.approve.result", dies)
        with pytest.raises(PowerCutError):
            await resume(desk, approval, APPROVE, STAFF)
    assert (await written(desk, approval), await results(desk, approval)) == (1, [])
    await decide_approval(desk, str(approval.approval_id), APPROVED, by=STAFF)
    assert await written(desk, approval) == 1
    assert (await results(desk, approval))[0]["status"] == "done"


async def test_what_cannot_be_done_is_told_to_the_model_and_nobody_is_asked(
    desk: Support, model: Scripted
) -> None:
    for context, call, error, told in (
        (
            DEMO,
            calling(reissue_invoice={"invoice_no": "INV-2001", "title": "x"}),
            "has no invoice",
            "没有这个号码",
        ),
        (DEMO, calling(request_refund={}), "Wrong arguments", "没有提交成功"),
        (Context(model="offline"), REFUND, "Nobody is signed in", "没有登录"),
        (Context(user_id="new", model="offline"), REFUND, "no subscription", "没有订阅"),
    ):
        model.will_say(call, "办不了。")
        reply = await desk.ask(QUESTION, thread=str(uuid4()), context=context)
        assert reply.waiting == []
        assert told in reply.answer
        assert error in json.loads(model.asked[-1][-1].text)["error"]


async def test_another_process_approves_and_a_restarted_one_goes_on(
    own: Settings, desk: Support, model: Scripted
) -> None:
    model.will_say(REFUND.model_copy(deep=True))
    context = Context(user_id="demo", model="offline")
    async with open_support(own) as first:
        reply = await first.ask(QUESTION, thread=str(uuid4()), context=context)
    (request,) = reply.waiting
    said = json.loads(supportpilot(own, "approvals", "approve", request["approval_id"], "--json"))
    assert (said["status"], said["outcome"]["plan"]) == ("approved", "专业版")
    state = await desk.state(reply.thread_id)
    assert isinstance(state["messages"][-1], AIMessage)
    assert state["messages"][-1].text
