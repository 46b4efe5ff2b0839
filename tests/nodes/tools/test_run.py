import asyncio
import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool, tool

from nodes.loop import MOST_AT_ONCE
from nodes.tools.run import open_calls, run_calls
from store.errors import RetrievalError

READ = {"tier": "read"}


def made(function: Any) -> BaseTool:
    built: BaseTool = tool(function)
    built.metadata = READ
    return built


async def slow(query: str, seconds: float = 0) -> str:
    """Wait, then echo."""
    await asyncio.sleep(seconds)
    return query


_both = asyncio.Barrier(2)


async def meet(query: str, seconds: float = 0) -> str:
    """Wait for the other call of this tool that runs meanwhile, then echo."""
    await _both.wait()
    return await slow(query, seconds)


async def broken(query: str) -> str:
    """Fail with what nobody foresaw."""
    raise ZeroDivisionError(f"secret {query}")


async def picky(doc_id: str) -> str:
    """Know only one id."""
    raise RetrievalError(f"No article {doc_id!r}. Ids look like 'kb-020'.")


async def pay(amount: float) -> str:
    """Act on the business."""
    raise AssertionError(amount)


TOOLS = [*map(made, (slow, meet, broken, picky)), tool(pay)]


async def results(*calls: tuple[str, dict[str, Any]], seconds: float = 5) -> list[ToolMessage]:
    made_calls = [{"name": n, "args": a, "id": f"c{i}"} for i, (n, a) in enumerate(calls)]
    asked = AIMessage("", tool_calls=made_calls)
    return await run_calls(open_calls([HumanMessage("q"), asked])[1], TOOLS, seconds=seconds, step="m1")


async def error(name: str, args: dict[str, Any], seconds: float = 5) -> str:
    (result,) = await results((name, args), seconds=seconds)
    assert result.status == "error"
    return str(json.loads(result.text)["error"])


async def test_calls_run_side_by_side_and_results_keep_their_order() -> None:
    found = await results(
        ("meet", {"query": "first", "seconds": 0.1}),
        ("meet", {"query": "second"}),
        ("slow", {"query": "third"}),
    )
    assert [r.text for r in found] == ["first", "second", "third"]
    assert [r.tool_call_id for r in found] == ["c0", "c1", "c2"]
    assert [r.id for r in found] == ["m1-c0", "m1-c1", "m1-c2"]


async def test_an_unknown_tool_is_answered_with_the_tools_there_are() -> None:
    said = await error("slaw", {})
    assert "'slaw'" in said
    assert "mean slow" in said
    assert "broken" in said


async def test_wrong_arguments_are_answered_with_the_right_form() -> None:
    said = await error("slow", {"q": "x"})
    assert "query" in said
    assert '"query": "string"' in said
    assert "optional" in said


async def test_arguments_that_are_no_json_are_answered_too() -> None:
    asked = AIMessage(
        "",
        invalid_tool_calls=[
            {"name": "slow", "args": '{"query": ', "id": "c9", "error": None, "type": "invalid_tool_call"}
        ],
    )
    (result,) = await run_calls(open_calls([HumanMessage("q"), asked])[1], TOOLS, seconds=5, step="m")
    assert (result.status, result.tool_call_id) == ("error", "c9")
    assert "not a JSON object" in result.text


@pytest.mark.parametrize(
    ("schema", "form"),
    [
        ({"type": "object"}, "{}"),
        (
            {"type": "object", "properties": {"id": {"type": ["string", "null"]}}},
            '"id": "string or null, optional"',
        ),
        ({"type": "object", "properties": {"id": True}, "required": ["id"]}, '"id": "any"'),
    ],
)
async def test_the_form_of_a_servers_tool_is_told_whatever_its_schema_leaves_open(
    schema: dict[str, Any], form: str
) -> None:
    served = StructuredTool(name="served", description="?", args_schema=schema, coroutine=slow, metadata=READ)
    asked = {"name": "served", "args": "x", "id": "c1", "error": None, "type": "invalid_tool_call"}
    log = [HumanMessage("q"), AIMessage("", invalid_tool_calls=[asked])]
    (result,) = await run_calls(open_calls(log)[1], [served], seconds=5, step="m")
    assert form in json.loads(result.text)["error"]


async def test_a_typed_error_reaches_the_model_with_its_remedy() -> None:
    assert "look like 'kb-020'" in await error("picky", {"doc_id": "kb-020#2"})


async def test_an_unforeseen_exception_says_what_failed_but_not_its_text() -> None:
    said = await error("broken", {"query": "x"})
    assert "ZeroDivisionError" in said
    assert "secret" not in said


async def test_a_slow_tool_is_given_up() -> None:
    assert "no result within" in await error("slow", {"query": "x", "seconds": 5}, seconds=0.05)


async def test_an_action_never_runs_without_approval() -> None:
    assert "approved" in await error("pay", {"amount": 1})


async def test_more_calls_than_run_at_once_are_told_to_wait() -> None:
    found = await results(*[("slow", {"query": str(n)}) for n in range(MOST_AT_ONCE + 2)])
    assert [r.status for r in found] == ["success"] * MOST_AT_ONCE + ["error"] * 2


@pytest.mark.parametrize("answered", [[], ["c0"], ["c0", "c1"]])
def test_only_calls_without_a_result_are_open(answered: list[str]) -> None:
    calls = [{"name": "slow", "args": {"query": "q"}, "id": f"c{n}"} for n in range(2)]
    log: list[BaseMessage] = [
        HumanMessage("q"),
        AIMessage("", tool_calls=calls),
        *(ToolMessage("r", tool_call_id=i) for i in answered),
    ]
    assert [c["id"] for c in open_calls(log)[1]] == ["c0", "c1"][len(answered) :]


async def test_no_result_holds_what_postgres_refuses() -> None:
    found = await results(("slow", {"query": "a\0b\ud83d"}), ("picky", {"doc_id": "k\ud83d"}))
    assert [r.text for r in found] == [
        "ab",
        "{\"error\": \"No article 'k\\\\ud83d'. Ids look like 'kb-020'.\"}",
    ]
