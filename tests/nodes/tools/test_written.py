import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage

from nodes.tools.written import with_calls, written_calls

NAMES = ("search_kb", "get_article")
OBJECT = '{"name": "search_kb", "arguments": {"query": "退款政策"}}'


@pytest.mark.parametrize(
    "text",
    [
        OBJECT,
        f"<tool_call>\n{OBJECT}\n</tool_call>",
        f"<tool_call>{OBJECT}",
        f"```json\n{OBJECT}\n```",
        f"[{OBJECT}]",
        '{"name": "search_kb", "parameters": {"query": "退款政策"}}',
        json.dumps({"name": "search_kb", "arguments": '{"query": "退款政策"}'}),
    ],
)
def test_a_call_written_as_text_is_a_call(text: str) -> None:
    reply = with_calls(AIMessage(text), NAMES)
    assert [(c["name"], c["args"]) for c in reply.tool_calls] == [("search_kb", {"query": "退款政策"})]
    assert reply.text == ""
    assert reply.tool_calls[0]["id"]


def test_several_written_calls_are_several_calls() -> None:
    text = f'<tool_call>{OBJECT}</tool_call>\n<tool_call>{{"name": "get_article", "arguments": {{"doc_id": "kb-1"}}}}</tool_call>'
    assert [c["name"] for c in written_calls(text, NAMES)] == ["search_kb", "get_article"]


@pytest.mark.parametrize(
    "text",
    [
        f"您可以这样调用：{OBJECT}",
        f"The passage says <tool_call>{OBJECT}</tool_call> is the form.",
        '{"name": "drop_tables", "arguments": {}}',
        '{"name": "search_kb"}',
        '{"name": "search_kb", "arguments": {"query": "x"}, "why": "because"}',
        '{"name": "search_kb", "arguments": [1]}',
        "<tool_call>not json</tool_call>",
        "退款政策是什么",
        "",
        "[]",
        "42",
        "[" * 5_000,
        '{"name": "search_kb", "arguments": ' + '{"a":' * 900 + "1" + "}" * 901,
        json.dumps({"name": "search_kb", "arguments": {"query": "x" * 20_000}}),
    ],
)
def test_anything_else_stays_text(text: str) -> None:
    reply = AIMessage(text)
    assert with_calls(reply, NAMES) is reply


def test_calls_without_an_id_of_their_own_get_one() -> None:
    calls = [
        {"name": "search_kb", "args": {"query": q}, "id": i} for q, i in (("a", "1"), ("b", "1"), ("c", None))
    ]
    reply = with_calls(AIMessage("", id="m", tool_calls=calls), NAMES, used={"1"})
    ids = [call["id"] for call in reply.tool_calls]
    assert len({*ids, "1"}) == 4
    assert [call["args"]["query"] for call in reply.tool_calls] == ["a", "b", "c"]


def test_calls_with_arguments_that_are_no_json_get_an_id_of_their_own_too() -> None:
    bad = [
        {"name": "search_kb", "args": args, "id": i, "error": "no JSON", "type": "invalid_tool_call"}
        for args, i in (("{a", "1"), ("{b", None), ("{c", None), ("{d", "2"))
    ]
    calls = [{"name": "search_kb", "args": {}, "id": "1"}]
    reply = with_calls(AIMessage("", id="m", tool_calls=calls, invalid_tool_calls=bad), NAMES)
    ids = [call["id"] for call in (*reply.tool_calls, *reply.invalid_tool_calls)]
    assert all(ids)
    assert len(set(ids)) == 5
    assert (ids[0], ids[4]) == ("1", "2")
    assert [call["args"] for call in reply.invalid_tool_calls] == ["{a", "{b", "{c", "{d"]


@pytest.mark.parametrize("encode", [dict, json.dumps])
def test_what_postgres_refuses_is_no_argument_of_a_written_call_either(encode: Callable[[Any], Any]) -> None:
    text = json.dumps({"name": "search_kb", "arguments": encode({"query": "a\0b\ud83d"})})
    assert [call["args"] for call in written_calls(text, NAMES)] == [{"query": "ab"}]


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    assert written_calls(text, NAMES) == [] or text.strip()
