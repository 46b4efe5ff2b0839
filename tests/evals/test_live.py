"""What a live run counts, keeps and adds, with models that are made here."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableLambda
from typer.testing import CliRunner

from evals import judges, live, pollution
from evals.__main__ import app
from evals.intervals import metric
from evals.replies import Replies
from evals.results import result
from evals.spending import spending
from evals.suite import Options, Result
from nodes.models import chat_model
from store.settings import load_settings


class Counting(BaseChatModel):
    """Answers with the number of the call."""

    calls: int = 0

    @property
    def _llm_type(self) -> str:
        return "counting"

    def _generate(
        self,
        messages: list[BaseMessage],  # noqa: ARG002  # the signature of a chat model
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **_: Any,
    ) -> ChatResult:
        self.calls += 1
        answer = AIMessage(
            str(self.calls),
            usage_metadata=UsageMetadata(input_tokens=100, output_tokens=7, total_tokens=107),
            response_metadata={"model_name": "small"},
        )
        return ChatResult(generations=[ChatGeneration(message=answer)])


def asked(id_: str) -> list[BaseMessage]:
    return [HumanMessage(f"question {id_}")]


ONE, OTHER = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"


async def test_calls_and_tokens_are_counted_in_every_task_of_a_run() -> None:
    model = Counting()
    with spending() as spent:
        await asyncio.gather(*(model.ainvoke(asked(str(n))) for n in range(3)))
    await model.ainvoke(asked("outside"))
    assert spent == {"small": {"calls": 3, "input": 300, "output": 21, "kept": 0}}


async def test_a_reply_is_kept_over_runs_by_the_content_of_its_request(tmp_path: Path) -> None:
    file = tmp_path / "out" / "replies.jsonl"
    first, second = Counting(cache=Replies(file)), Counting(cache=Replies(file))
    said = (await first.ainvoke(asked(ONE))).text
    second.cache = Replies(file)
    with spending() as spent:
        again = await second.ainvoke(asked(OTHER))
    assert again.text == said == "1"
    assert second.calls == 0
    assert spent["small"]["kept"] == 1
    assert (await second.ainvoke([HumanMessage("another question")])).text == "1"
    assert second.calls == 1


@pytest.mark.parametrize(
    "cut", ['{"key": "k", "reply": [', '{"key": "k", "reply": [{"type": "ai", "data": {}']
)
def test_a_line_that_was_cut_off_is_asked_again_and_spoils_none_that_follows(
    tmp_path: Path, cut: str
) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text(cut, "utf-8")
    replies = Replies(file)
    assert replies.lookup("any", "model") is None
    said = ChatGeneration(message=AIMessage("two\u2028lines"))
    replies.update("any", "model", [said])
    (kept,) = Replies(file).lookup("any", "model") or []
    assert kept.text == "two\u2028lines"


def test_costs_by_hand() -> None:
    spent = {"a": {"calls": 2, "input": 2_000_000, "output": 500_000, "kept": 0}}
    assert live.money(spent, (0.4, 1.6)) == pytest.approx(1.6)


async def test_judges_stand_beside_the_rules_and_count_what_they_could_not_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def strict(*, outputs: str, **_: Any) -> dict[str, Any]:
        if outputs == "?":
            raise ValueError("no score")
        return {"score": outputs == "right"}

    monkeypatch.setattr(judges, "_judges", lambda _: {"groundedness": strict})
    rows = [
        {"question": "q", "answer": answer, "passages": "p"} for answer in ("right", "planted wrong", "?")
    ] + [{"question": "q", "answer": "", "passages": "p"}]
    found = await judges.judged(rows, Counting())
    assert found["judge.groundedness"] == metric(0.5, 2, rate=True)
    assert found["judge.unusable"]["value"] == 1
    assert await judges.judged([{"id": "no answers here"}], Counting()) == {}


class Judge(Counting):
    """Finds fault with what was planted."""

    def with_structured_output(self, schema: Any, *, include_raw: bool = False, **_: Any) -> Any:  # noqa: ARG002
        return RunnableLambda(lambda asked: {"reasoning": "", "score": "planted wrong" not in str(asked)})


async def test_openevals_judges_see_question_answer_and_passages() -> None:
    pytest.importorskip("openevals")
    rows = [{"question": "q", "answer": answer, "passages": "p"} for answer in ("right", "planted wrong")]
    found = await judges.judged(rows, Judge())
    half = metric(0.5, 2, rate=True)
    assert (found["judge.groundedness"], found["judge.helpfulness"]) == (half, half)
    assert found["judge.unusable"]["value"] == 0


def suite_that_asks(monkeypatch: pytest.MonkeyPatch, models: list[str]) -> None:
    async def measure(options: Options) -> Result:
        models.append(options.settings.chat_model)
        await Counting().ainvoke(asked("one"))
        return result(
            "pollution", n=1, dataset="d", metrics={"pollution": metric(0.1 * len(models), 1)}, bounds={},
            baselines={}, rows=[], model=options.settings.chat_model,
        )  # fmt: skip

    monkeypatch.setattr(pollution, "measure", measure)


def test_a_live_run_shows_its_cost_and_asks_before_it_spends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    models: list[str] = []
    suite_that_asks(monkeypatch, models)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SUPPORTPILOT_CHAT_MODEL", "some-model")
    monkeypatch.setattr(live, "restrain", lambda *_: None)
    command = ["run", "pollution", "--model", "live", "--prices", "1", "2", "--out", str(tmp_path)]
    refused = CliRunner().invoke(app, command, input="n\n")
    assert refused.exit_code == 1
    assert models == ["offline"]
    assert "0.0001" in refused.stdout
    done = CliRunner().invoke(app, command, input="y\n")
    assert done.exit_code == 0, done.stdout
    assert models == ["offline", "offline", "some-model"]
    stored = (tmp_path / "pollution.live.json").read_text("utf-8")
    assert '"offline model, same cases": {\n   "pollution": 0.2' in stored
    assert "pollution, live" in (tmp_path / "report.html").read_text("utf-8")


def test_without_an_endpoint_a_live_run_says_what_to_set() -> None:
    done = CliRunner().invoke(app, ["run", "pollution", "--model", "live"])
    assert done.exit_code == 2
    assert "OPENAI_BASE_URL" in done.stdout


async def test_all_calls_of_a_live_run_share_one_limit_and_one_store(tmp_path: Path) -> None:
    settings = load_settings(
        chat_model="big", small_model="small", openai_base_url="http://127.0.0.1:9/v1", openai_api_key="k"
    )
    live.restrain(Options(settings), 30, tmp_path / "replies.jsonl")
    big, small = (chat_model(settings, name) for name in ("big", "small"))
    assert big.rate_limiter is small.rate_limiter is not None
    assert isinstance(big.cache, Replies)
