from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from nodes.window.advance import Scene, advance, move
from nodes.window.budget import Budget
from nodes.window.compact import compact
from nodes.window.compaction import Compaction, write_notes
from nodes.window.estimator import Estimator, Meter
from nodes.window.notes import notes_text
from nodes.window.plan import WindowPlan
from nodes.window.render import Fixed
from nodes.window.tokens import content_text, message_text, message_tokens
from tests.nodes.window.build import turn

SCENE = Scene(
    budget=Budget(window=5_000, reserve=500, high=3_000, low=600),
    fixed=Fixed.of("你是客服"),
    meter=Meter(Estimator("gpt-4o")),
)
Seen = list[list[BaseMessage]]
GOOD = "## facts\n- T1 用户要退订单DD000001,客服答应尽快处理\n## open\n- T2 到账时间没有答复"


def _log(turns: int = 6) -> list[BaseMessage]:
    log = [
        m
        for i in range(1, turns + 1)
        for m in turn(i, [f"DD{i:06} " + "果" * 500], f"单号DD{i:06}" + "答" * 60)
    ]
    log = [m.model_copy(update={"id": m.id or f"x{i}"}) for i, m in enumerate(log)]
    return [*log, HumanMessage("新问题", id="new")]


def _answers(text: str, seen: Seen | None = None) -> Callable[[list[BaseMessage]], Awaitable[BaseMessage]]:
    async def model(messages: list[BaseMessage]) -> BaseMessage:
        if seen is not None:
            seen.append(messages)
        return AIMessage(text)

    return model


async def _failing(messages: list[BaseMessage]) -> BaseMessage:
    raise TimeoutError(f"no answer to {len(messages)} messages")


async def _noted(text: str, **more: Any) -> Compaction:
    log = _log()
    before = advance(WindowPlan(), log[:3], SCENE)
    return await write_notes(before, move(before, log, SCENE), log, SCENE, _answers(text, **more))


async def test_supported_lines_enter_the_notes_and_the_turns_count_as_written() -> None:
    done = await _noted(GOOD)
    assert (done.accepted, done.dropped, done.failure) == (2, 0, "")
    assert done.plan.unwritten == 0
    assert notes_text(done.plan.notes) == GOOD
    assert "T1–T" in content_text(SCENE.window(done.plan, _log()).messages[0].content)


async def test_the_request_is_the_agents_own_last_one_with_one_instruction_behind() -> None:
    log, seen = _log(), Seen()
    before = advance(WindowPlan(), log[:3], SCENE)
    last = SCENE.window(before, log[:-2]).messages
    await write_notes(before, move(before, log, SCENE), log, SCENE, _answers(GOOD, seen))
    (request,) = seen
    assert [message_text(m) for m in request[:-1]] == [message_text(m) for m in last]
    assert "T1 “第1个问题”" in content_text(request[-1].content)
    assert "T6" not in content_text(request[-1].content).split("Turns:")[1]


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        ("", "empty"),
        ("## facts\n- T1 " + "长" * 9_000, "too long"),
        ("对不起,我不能帮助您。", "malformed"),
        ('{"facts": ["x"]}', "malformed"),
        ("## facts\n- T1 退了999元\n- T2 单号DD999999", "unsupported"),
    ],
)
async def test_an_unusable_answer_leaves_the_ledger_and_is_tried_again(answer: str, failure: str) -> None:
    done = await _noted(answer)
    assert done.failure == failure
    assert done.plan.notes == ()
    assert done.plan.ledger.lines[0].startswith("T1 DD000001")
    assert (done.plan.unwritten, done.plan.failures) == (1, 1)


@pytest.mark.parametrize(
    "answer", [GOOD, "", "## facts\n- T1 用户", "## facts\n- T1 用户买了月付专业版999元"]
)
async def test_what_a_later_question_rests_on_is_in_the_window_whoever_summarised(answer: str) -> None:
    log: list[BaseMessage] = [
        HumanMessage("我们是企业版,年付,想退款,可以吗?", id="q1"),
        AIMessage("年付套餐购买后 7 天内可以全额退款 [kb-002#1]", id="a1"),
        *_log(),
        HumanMessage("那我当初买的那个套餐还能退吗?", id="q10"),
    ]
    before = advance(WindowPlan(), log[:3], SCENE)
    done = await write_notes(before, move(before, log, SCENE), log, SCENE, _answers(answer))
    assert done.plan.turn > 2
    line = next(row for row in str(done.plan.ledger).splitlines() if row.startswith("T1 "))
    assert all(value in line.split() for value in ("退款", "企业版", "年付", "可以全额退款", "kb-002#1"))
    assert line in content_text(SCENE.window(done.plan, log).messages[0].content)


async def test_error_text_is_never_a_note() -> None:
    log = _log()
    before = advance(WindowPlan(), log[:3], SCENE)
    done = await write_notes(before, move(before, log, SCENE), log, SCENE, _failing)
    assert done.failure.startswith("TimeoutError")
    assert "TimeoutError" not in content_text(SCENE.window(done.plan, log).messages[0].content)


async def test_a_false_line_is_dropped_and_counted_and_the_true_one_stays() -> None:
    done = await _noted("## facts\n- T1 单号DD000001\n- T1 单号DD000002\n随口一句")
    assert (done.accepted, done.dropped) == (1, 2)


async def test_nothing_to_note_is_an_answer() -> None:
    done = await _noted("none")
    assert (done.plan.unwritten, done.failure) == (0, "")


async def test_turns_that_failed_are_written_with_the_next_move() -> None:
    log, seen = _log(12), Seen()
    before = advance(WindowPlan(), log[:3], SCENE)
    failed = (await write_notes(before, move(before, log[:25], SCENE), log[:25], SCENE, _failing)).plan
    done = await write_notes(failed, move(failed, log, SCENE), log, SCENE, _answers(GOOD, seen))
    assert done.plan.unwritten == 0
    assert done.calls == len(seen) > 1
    assert "T1\nuser: 第1个问题" in content_text(seen[0][0].content)


async def test_what_does_not_fit_behind_the_last_request_goes_in_chunks_and_nothing_unread() -> None:
    log, seen = _log(40), Seen()
    before = WindowPlan(opened=True)
    after = move(before, log, SCENE)
    await write_notes(before, after, log, SCENE, _answers("none", seen))
    sent = "".join(content_text(request[0].content) for request in seen)
    assert len(seen) > 3
    assert all(f"DD{i:06}" in sent and f"第{i}个问题" in sent for i in range(1, after.turn))


def _chat(turns: int) -> list[BaseMessage]:
    return [
        SystemMessage("你是客服"),
        *[m for i in range(1, turns + 1) for m in turn(i, answer=f"单号DD{i:06}" + "嗯" * 300)],
    ]


async def test_compact_returns_its_input_below_the_trigger_or_with_few_turns() -> None:
    few, short = _chat(3), [*turn(1), *turn(2), *turn(3), *turn(4)]
    assert await compact(few, _failing, trigger=10) is few
    assert await compact(short, _failing) is short


async def test_compact_folds_all_but_the_last_turns_into_one_system_message() -> None:
    chat = _chat(12)
    folded = await compact(chat, _answers("## facts\n- T1 用户要退单"))
    assert folded[1:] == chat[-6:]
    text = content_text(folded[0].content)
    assert text.startswith("你是客服\n\n# 账目")
    assert "T9 DD000009" in text
    assert "- T1 用户要退单" in text


async def test_compact_with_no_turns_to_keep_folds_all() -> None:
    assert len(await compact(_chat(12), _failing, keep_last_turns=0)) == 1


async def test_an_earlier_summary_is_merged_never_stacked() -> None:
    first = await compact(_chat(12), _answers("## facts\n- T1 用户要退单"))
    again = await compact([*first, *_chat(8)[1:]], _answers("## open\n- T10 等待回复"))
    text = content_text(again[0].content)
    assert sum(isinstance(m, SystemMessage) for m in again) == 1
    assert text.count("# 账目") == text.count("# 笔记") == 1
    assert "- T1 用户要退单" in text
    assert "- T10 等待回复" in text
    assert "T1–T17" in text
    assert [line.split()[0] for line in text.splitlines() if line.startswith("T")] == [
        f"T{i}" for i in range(1, 18)
    ]


async def test_compact_falls_back_to_the_ledger_when_the_model_fails() -> None:
    folded = await compact(_chat(12), _failing)
    assert "T1 DD000001" in content_text(folded[0].content)
    assert "TimeoutError" not in content_text(folded[0].content)
    assert sum(map(message_tokens, folded)) < sum(map(message_tokens, _chat(12)))
