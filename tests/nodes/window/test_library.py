"""The package on its own, as another project would use it."""

import subprocess
import sys
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from nodes.window import (
    Budget,
    Estimator,
    Fixed,
    Meter,
    Scene,
    WindowPlan,
    advance,
    check_window,
    hide,
    read_result,
    recall_history,
    unseen,
    write_notes,
)
from nodes.window.tokens import content_text
from tests.nodes.window.build import group, turn


async def _model(messages: list[BaseMessage]) -> BaseMessage:
    text = content_text(messages[-1].content)
    said = "## facts\n- T1 用户问了第一件事" if "Turns: " in text else "好的" * 40
    usage: Any = {"input_tokens": 900 + 40 * len(messages), "output_tokens": 9, "total_tokens": 0}
    return AIMessage(said, usage_metadata=usage)


async def test_a_conversation_is_led_with_what_the_package_offers() -> None:
    scene = Scene(
        budget=Budget(window=5_000, reserve=500, high=3_000, low=900),
        fixed=Fixed.of("你是客服"),
        meter=Meter(Estimator("gpt-4o")),
    )
    log: list[BaseMessage] = []
    state: dict[str, Any] = {}
    for number in range(1, 15):
        log.append(HumanMessage(f"单号DD{number:06} 怎么了", id=f"q{number}"))
        log += [m.model_copy(update={"id": f"r{number}{i}"}) for i, m in enumerate(group(number, "果" * 400))]
        plan = WindowPlan.from_dict(state)
        moved = advance(plan, log, scene)
        done = await write_notes(plan, moved, log, scene, _model)
        window = scene.window(done.plan, log)
        check_window(window.messages)
        answer = await _model(window.messages)
        assert isinstance(answer, AIMessage)
        assert answer.usage_metadata
        meter = scene.meter.learned(window.counts, answer.usage_metadata["input_tokens"])
        scene = Scene(budget=scene.budget, fixed=scene.fixed, meter=meter)
        log.append(answer.model_copy(update={"id": f"a{number}"}))
        state = done.plan.to_dict()
    assert state["moves"] >= 1
    assert "T1 DD000001" in content_text(window.messages[0].content)
    assert "用户问了第一件事" in content_text(window.messages[0].content)


def test_after_an_overflow_the_request_is_one_step_smaller_and_the_meter_has_learned() -> None:
    log = [m for i in range(1, 9) for m in turn(i, answer="答" * 200)]
    scene = Scene(budget=Budget(), fixed=Fixed.of("你是客服"))
    refused = scene.window(WindowPlan(), log)
    smaller = scene.after_overflow(refused)
    assert smaller.budget.limit == scene.budget.limit * 3 // 4
    assert smaller.meter.request(refused.counts) >= scene.budget.limit
    plan = advance(WindowPlan(), log, smaller, force=True)
    assert smaller.meter.request(smaller.window(plan, log).counts) < smaller.meter.request(refused.counts)


def test_hidden_words_show_in_no_window_and_in_no_replay() -> None:
    call = {"id": "c", "name": "f", "args": {"q": "幸福路8号"}, "type": "tool_call"}
    log: list[BaseMessage] = [
        HumanMessage("我住幸福路8号"),
        AIMessage("", tool_calls=[call]),
        group(1, "地址:幸福路8号")[1].model_copy(update={"tool_call_id": "c"}),
        AIMessage("已记下幸福路8号"),
        HumanMessage("忘掉地址"),
    ]
    plan = hide(WindowPlan(), ["幸福路8号", "幸福路"])
    window = Scene(budget=Budget(), fixed=Fixed.of("你是客服")).window(plan, log)
    sent = "\n".join(message.model_dump_json() for message in window.messages)
    assert "幸福路" not in sent
    assert sent.count("removed") == 4
    assert "幸福路" not in recall_history("幸福路8号", log, hidden=plan.hidden)
    assert "幸福路" not in read_result("r2", log, hidden=plan.hidden)
    assert "幸福路" in str(log[0].content)


def test_only_what_the_window_does_not_show_stands_in_front_and_whole() -> None:
    window = Scene(budget=Budget(), fixed=Fixed.of("你是客服")).window(
        WindowPlan(), turn(1, answer="用企业版")
    )
    assert unseen(["用企业版", "先看结论", "长" * 50, "发邮件"], window, max_chars=10) == [
        "先看结论",
        "发邮件",
    ]


def test_the_package_needs_neither_graph_nor_store() -> None:
    code = "import sys, nodes.window; print([m for m in sys.modules if m.split('.')[0] in ('graph', 'store', 'evals')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
