from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    InvalidToolCall,
    RemoveMessage,
    ToolCall,
    ToolMessage,
)
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from nodes.log import current_turn, dialogue, merge_messages, used_ids

_ids = st.sampled_from(["a", "b", "c", "d"])
_write: st.SearchStrategy[BaseMessage] = st.one_of(
    st.builds(lambda i, t: HumanMessage(t, id=i), _ids, st.sampled_from(["x", "y"])),
    st.builds(HumanMessage, st.sampled_from(["u", "v"])),
    st.builds(lambda i: RemoveMessage(id=i), _ids),
    st.just(RemoveMessage(id=REMOVE_ALL_MESSAGES)),
)
_batches = st.lists(st.lists(_write, max_size=4), max_size=4)


@given(_batches, _batches)
def test_folding_writes_in_two_batches_equals_folding_them_in_one(
    first: list[list[BaseMessage]], second: list[list[BaseMessage]]
) -> None:
    assert merge_messages(merge_messages([], first), second) == merge_messages([], first + second)


def test_messages_without_an_id_are_kept_apart() -> None:
    assert [
        m.text for m in merge_messages([], [[HumanMessage("a"), HumanMessage("a")], HumanMessage("a")])
    ] == [
        "a",
        "a",
        "a",
    ]


def test_a_known_id_replaces_in_place_and_an_unknown_removal_is_ignored() -> None:
    log = merge_messages(
        [], [[HumanMessage("q", id="1"), AIMessage("draft", id="2"), HumanMessage("n", id="3")]]
    )
    assert [m.text for m in merge_messages(log, [[AIMessage("final", id="2"), RemoveMessage(id="9")]])] == [
        "q",
        "final",
        "n",
    ]


def test_messages_arrive_as_dicts_and_tuples_too() -> None:
    merged = merge_messages([], [[{"role": "user", "content": "q", "id": "1"}], ("ai", "a")])
    assert [(m.type, m.text) for m in merged] == [("human", "q"), ("ai", "a")]


def test_the_current_turn_begins_at_the_newest_user_message_and_the_dialogue_ends_before_it() -> None:
    call = AIMessage("", tool_calls=[{"name": "search_kb", "args": {}, "id": "c"}])
    log = [
        HumanMessage("one"),
        call,
        ToolMessage("{}", tool_call_id="c"),
        AIMessage("first"),
        HumanMessage("two"),
    ]
    assert [m.text for m in current_turn([*log, AIMessage("second")])] == ["two", "second"]
    assert [m.text for m in dialogue(log)] == ["one", "first"]
    assert current_turn([AIMessage("hello")]) == []


def test_the_id_of_a_malformed_call_is_used_as_well() -> None:
    bad = [InvalidToolCall(name="search_kb", args="{", id="2", error=None, type="invalid_tool_call")]
    call = ToolCall(name="search_kb", args={}, id="1")
    assert used_ids([AIMessage("", tool_calls=[call], invalid_tool_calls=bad)]) == {"1", "2"}
