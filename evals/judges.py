"""A model's own judgement of answers, by openevals, beside the rule-based figures and never in their place."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import openai
from langchain_core.language_models import BaseChatModel

from evals.intervals import metric, share

JUDGES = {"groundedness": "RAG_GROUNDEDNESS_PROMPT", "helpfulness": "RAG_HELPFULNESS_PROMPT"}


async def judged(rows: Sequence[Mapping[str, Any]], model: BaseChatModel) -> dict[str, Any]:
    """Return the figures of the judges over rows that hold ``question``, ``answer`` and ``passages``.

    A judgement that the model does not put into the asked form is no judgement: it is counted apart.

    Args:
        rows: of a result; those without an answer are left out.
        model: judges, and is asked to give its reasons first.

    Returns:
        ``judge.groundedness`` and ``judge.helpfulness``, rates of answers that pass, and ``judge.unusable``.
    """
    answered = [row for row in rows if row.get("answer") and row.get("passages")]
    passed: dict[str, list[bool]] = {name: [] for name in JUDGES}
    unusable = 0
    for name, judge in _judges(model).items():
        for row in answered:
            try:
                found = await judge(inputs=row["question"], outputs=row["answer"], context=row["passages"])
                passed[name].append(bool(found["score"]))
            except openai.APIError:
                raise  # an endpoint that fails has judged nothing, rightly or wrongly
            except Exception:  # noqa: BLE001  # openevals lets through whatever a malformed reply raises
                unusable += 1
    metrics = {f"judge.{name}": share(flags) for name, flags in passed.items() if flags}
    return metrics | ({"judge.unusable": metric(unusable, len(JUDGES) * len(answered))} if answered else {})


def _judges(model: BaseChatModel) -> dict[str, Any]:
    prompts = import_module("openevals.prompts")
    make = import_module("openevals.llm").create_async_llm_as_judge
    return {
        name: make(
            prompt=getattr(prompts, prompt),
            judge=model,
            feedback_key=name,
            structured_output_kwargs={"method": "json_schema"},
        )
        for name, prompt in JUDGES.items()
    }
