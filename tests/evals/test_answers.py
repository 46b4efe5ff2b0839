"""The graders of answers, each shown to fail on what is planted for it."""

from typing import Any

import pytest
from langchain_core.messages import HumanMessage, ToolMessage

import nodes.retrieve
import nodes.routing
from evals.answers import figures
from evals.corpora import said_before
from evals.grading import Graded, Turn, grade
from evals.stuffed import stuffed
from evals.turns import Runner, forced
from graph.support import open_support
from nodes.state import Context
from store.embedding import BundledEmbedder
from store.settings import Settings

GIVEN = {
    "kb-1#1": {"section": "退款 > 年付套餐", "text": "年付套餐可以退款，退款金额按剩余的整月数折算。"},
    "kb-1#2": {"section": "退款 > 月付套餐", "text": "月付套餐中途不能退款。"},
}
ASKED = {"question": "年付和月付能退款吗", "must_contain": ["剩余", "不能退款|不退"]}
RIGHT = "年付套餐按剩余的整月数退款。[kb-1#1]\n月付套餐中途不能退款。[kb-1#2]"


async def _grade(answer: str, *log: Any) -> Graded:
    return await grade(Turn(ASKED, answer, GIVEN, [HumanMessage("q"), *log]), BundledEmbedder())


async def test_a_right_answer_has_every_grade() -> None:
    graded = await _grade(RIGHT)
    assert graded["sentences"] == graded["citations"] == [True, True]
    assert (graded["complete"], graded["facts_retrieved"], graded["refused"]) == (True, True, False)


@pytest.mark.parametrize(
    "planted",
    [
        "手续费是 45 元。[kb-1#1]",
        "月付套餐中途可以退款。[kb-1#2]",
        "还可以用比特币支付。",
        "已为您退款。[kb-1#1]",
    ],
)
async def test_a_planted_sentence_without_support_costs_faithfulness(planted: str) -> None:
    assert (await _grade(f"{RIGHT}\n{planted}"))["sentences"] == [True, True, False]


@pytest.mark.parametrize("source", ["kb-1#2", "kb-404#1"])
async def test_a_wrong_or_invented_source_costs_validity(source: str) -> None:
    graded = await _grade(f"年付套餐按剩余的整月数退款。[{source}]")
    assert graded["citations"] == [False]
    assert graded["sentences"] == [False]


async def test_a_missing_fact_is_incomplete_and_a_refusal_is_seen() -> None:
    assert not (await _grade("年付套餐按剩余的整月数退款。[kb-1#1]"))["complete"]
    refusal = await _grade("帮助中心没有写到这个问题。需要我把您转给人工客服吗？")
    assert (refusal["refused"], refusal["complete"], refusal["sentences"]) == (True, False, [])


async def test_a_record_of_the_turn_supports_without_a_source() -> None:
    record = ToolMessage('{"plan": "企业版", "seats": 25}', tool_call_id="1", name="look_up_account")
    assert (await _grade("您有 25 个席位。", record))["sentences"] == [True]
    assert (await _grade("您有 26 个席位。", record))["sentences"] == [False]


def _row(policy: str, kind: str, **of: Any) -> dict[str, Any]:
    return {
        "policy": policy, "kind": kind, "sentences": [], "citations": [], "complete": False, "refused": False,
        "facts_retrieved": True, "model_calls": 1, "tokens": 100, "latency_ms": 10, "density_used": 1.0,
    } | of  # fmt: skip


def test_the_figures_of_a_hand_worked_run() -> None:
    found = figures(
        [
            _row("fixed", "single", complete=True, sentences=[True], citations=[True]),
            _row("fixed", "unanswerable", sentences=[True, False], citations=[True, False]),
            _row("agentic", "single", complete=True, model_calls=3),
            _row("agentic", "unanswerable", refused=True, model_calls=3),
            _row("routed", "single", refused=True, model_calls=1),
            _row("routed", "unanswerable", refused=True, model_calls=2),
        ]
    )
    assert found["fixed.faithfulness"]["value"] == pytest.approx(2 / 3, abs=1e-4)
    assert found["fixed.unsupported_on_unanswerable"]["value"] == 1
    assert (found["fixed.refusal_right"]["value"], found["routed.refusal_right"]["value"]) == (0, 1)
    assert (found["routed.refusal_wrong"]["value"], found["routed.complete_of_retrieved"]["value"]) == (1, 0)
    assert found["routed.completeness_minus_agentic"]["value"] == -1
    assert found["routed.calls_to_fixed_answerable"]["value"] == 1
    assert found["routed.calls_to_fixed"]["value"] == 1.5


def test_a_policy_is_forced_for_a_while_and_leaves_small_talk_alone() -> None:
    own, sure = nodes.routing.decide, vars(nodes.retrieve)["ANSWERABLE"]
    with forced("agentic"):
        assert nodes.routing.decide("年付能退款吗")["route"] == "agentic"
        assert nodes.routing.decide("谢谢")["route"] == "direct"
    with forced("fixed"):
        assert nodes.routing.decide("退款怎么办，另外发票抬头怎么改")["route"] == "fixed"
        assert vars(nodes.retrieve)["ANSWERABLE"] == 0
    assert (nodes.routing.decide, vars(nodes.retrieve)["ANSWERABLE"]) == (own, sure)


async def test_a_conversation_that_was_led_before_stands_in_the_thread(config: Settings) -> None:
    said = said_before({"history": ["年付能退款吗", "可以，按剩余整月数。"]})
    async with open_support(config) as support:
        thread = await Runner(support, "none")._begun(said, Context())
        log = await support.history(thread, context=Context())
    assert [(message.type, message.text) for message in log] == [(one.type, one.text) for one in said]


def test_a_stuffed_prefix_is_paid_in_full_once_and_by_the_cached_price_then() -> None:
    rows = [{"question": "", "answer": ""}] * 4
    found = stuffed(["x" * 4000], rows)
    tokens = found["stuffed.tokens"]["value"]
    assert tokens > 500
    assert found["stuffed.cost@0.1"]["value"] == pytest.approx(tokens * 1.3 / 4, rel=0.01)
