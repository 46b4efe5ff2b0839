"""Arbitrary logs, plans and budgets for property tests."""

from typing import Any

from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from nodes.window.budget import Budget
from nodes.window.ledger import Ledger
from nodes.window.notes import HEADINGS, Note
from nodes.window.plan import WindowPlan

TEXT = st.sampled_from(
    ["", "好", "退款500元", "E1043 again", "长" * 300, "word " * 200, '{"a":[{"x":1},{"x":2}]}']
)
BIG = st.sampled_from(
    ["短", "订单DD2026001 " * 5, "长" * 900, "x" * 6_000, '{"passages":[' + '{"id":"k#1"},' * 40 + "{}]}"]
)
CALL_ID = st.sampled_from(["c1", "c2", "c3", "c4", ""])


@st.composite
def _assistant(draw: st.DrawFn) -> BaseMessage:
    calls: list[dict[str, Any]] = [
        {"id": draw(CALL_ID), "name": "search_kb", "args": {"q": draw(TEXT)}, "type": "tool_call"}
        for _ in range(draw(st.integers(0, 3)))
    ]
    broken: list[Any] = [{"id": "b1", "name": "x", "args": "{", "error": None}] * draw(st.integers(0, 1))
    return AIMessage(draw(TEXT), tool_calls=calls, invalid_tool_calls=broken)


MESSAGE = st.one_of(
    TEXT.map(HumanMessage),
    _assistant(),
    st.builds(
        lambda text, call, status: ToolMessage(text, tool_call_id=call, status=status),
        BIG,
        CALL_ID,
        st.sampled_from(["success", "error"]),
    ),
    st.just(SystemMessage("规则")),
)


@st.composite
def _turn(draw: st.DrawFn) -> list[BaseMessage]:
    """Return a turn as an agent makes it: parallel calls, most of them answered, in any order."""
    messages: list[BaseMessage] = [HumanMessage(draw(TEXT) or "问")]
    for group in range(draw(st.integers(0, 4))):
        ids = [f"g{group}{i}" for i in range(draw(st.integers(1, 3)))]
        made: list[Any] = [{"id": i, "name": "f", "args": {}, "type": "tool_call"} for i in ids]
        answered = draw(st.permutations(ids))[: draw(st.integers(1, 3))]
        messages += [
            AIMessage("", tool_calls=made),
            *(ToolMessage(draw(BIG), tool_call_id=i) for i in answered),
        ]
    return [*messages, AIMessage(draw(TEXT))] if draw(st.booleans()) else messages


@st.composite
def logs(draw: st.DrawFn) -> list[BaseMessage]:
    """Return any list of messages with at least one user message, ids given as LangGraph gives them."""
    turns = draw(st.lists(st.one_of(_turn(), st.lists(MESSAGE, max_size=6)), max_size=8))
    messages = [m for turn in turns for m in turn]
    if not any(isinstance(m, HumanMessage) for m in messages):
        messages.append(HumanMessage("最后的问题"))
    return [m.model_copy(update={"id": f"m{i}"}) for i, m in enumerate(messages)]


@st.composite
def plans(draw: st.DrawFn) -> WindowPlan:
    """Return any plan, also one that does not belong to the log."""
    keys = st.sampled_from([f"m{i}" for i in range(30)])
    turn = draw(st.integers(1, 6))
    note = st.builds(Note, st.sampled_from(HEADINGS), st.tuples(st.integers(1, 5)), st.just("退款500元"))
    return WindowPlan(
        first=draw(st.one_of(st.just(""), keys)),
        turn=turn,
        cleared=draw(st.frozensets(keys, max_size=8)),
        shortened=draw(st.dictionaries(keys, st.integers(0, 500), max_size=4)),
        omitted=draw(st.frozensets(keys, max_size=4)),
        user=draw(TEXT),
        ledger=Ledger(tuple(f"T{i} DD{i}" for i in range(1, turn))),
        notes=tuple(draw(st.lists(note, max_size=3))),
        fresh=tuple(draw(st.lists(note, max_size=1))),
        moved_at=draw(st.one_of(st.just(""), keys)),
        opened=draw(st.booleans()),
    )


@st.composite
def budgets(draw: st.DrawFn) -> Budget:
    """Return any budget that leaves room for a prompt and a short question."""
    limit = draw(st.sampled_from([400, 900, 2_500, 8_000, 60_000]))
    high = draw(st.integers(30, limit))
    return Budget(
        window=limit + 100,
        reserve=100,
        high=high,
        low=draw(st.integers(1, high // 3)),
        cache_price=draw(st.sampled_from([0.0, 0.02, 0.1, 1.0])),
        result_tokens=draw(st.sampled_from([20, 1_200])),
        keep_groups=draw(st.integers(0, 6)),
        older_turns=draw(st.integers(0, 2)),
        notes_chars=draw(st.sampled_from([0, 200, 1_200])),
        summarise=draw(st.booleans()),
    )


BLOCK = st.sampled_from(
    [
        "裸文本",
        {"type": "text", "text": "看这张图,报错 E1043"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "QUJD" * 3_000}},
        {"type": "image", "source_type": "base64", "data": "QUJD" * 900, "mime_type": "image/png"},
        {"type": "thinking", "thinking": "想" * 300, "signature": "x"},
        {"type": "text", "text": None},
        {},
    ]
)
CONTENT = st.one_of(TEXT, BIG, st.just("长" * 9_000), st.lists(BLOCK, max_size=3))
ARGS = st.sampled_from([{}, {"q": "500元"}, {"n": 500, "deep": [{"id": 500.5, "flag": True, "none": None}]}])


@st.composite
def _odd_message(draw: st.DrawFn) -> BaseMessage:
    content: Any = draw(CONTENT)
    kind = draw(st.sampled_from(["human", "ai", "ai", "tool", "tool", "system"]))
    if kind == "tool":
        return ToolMessage(
            content, tool_call_id=draw(CALL_ID), name=draw(st.sampled_from(["f", "recall_history"]))
        )
    if kind == "ai":
        calls: list[Any] = [
            {"id": draw(CALL_ID), "name": "f", "args": draw(ARGS), "type": "tool_call"}
            for _ in range(draw(st.integers(0, 3)))
        ]
        broken: list[Any] = [{"id": None, "name": None, "args": None, "error": None}] * draw(
            st.integers(0, 1)
        )
        return AIMessage(content, tool_calls=calls, invalid_tool_calls=broken)
    return HumanMessage(content) if kind == "human" else SystemMessage([{"type": "text", "text": "规则"}])


@st.composite
def odd_logs(draw: st.DrawFn) -> list[BaseMessage]:
    """Return what no agent should make: results first, ids missing or twice, empty texts, blocks, huge messages."""
    messages = draw(st.lists(_odd_message(), max_size=14))
    messages.insert(draw(st.integers(0, len(messages))), HumanMessage("问题"))
    ids = st.one_of(st.none(), st.sampled_from(["m1", "m2", "m3", ""]))
    return [message.model_copy(update={"id": draw(ids)}) for message in messages]
