from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage

from graph.speech import SPEAKING, Spoken
from nodes.passages import search_messages
from store.search import Passage

SPEAKER = min(SPEAKING)
GIVEN = {"kb-002#1": {"title": "退款政策"}}


def _pieces(text: str, id_: str = "m") -> list[AIMessageChunk]:
    return [AIMessageChunk(content=char, id=id_) for char in text]


def _shown(spoken: Spoken, *chunks: AIMessageChunk) -> list[str]:
    return [shown for chunk in chunks if (shown := spoken.take(chunk, SPEAKER))] + [spoken.close()]


def test_a_citation_comes_whole_however_the_text_is_cut() -> None:
    shown = _shown(Spoken(GIVEN), *_pieces("可以退 [kb-002#1]。"))
    assert "".join(shown) == "可以退 [kb-002#1]。"
    assert all("[" not in piece or "[kb-002#1]" in piece for piece in shown)


def test_an_id_that_was_never_given_is_not_shown() -> None:
    assert "".join(_shown(Spoken(GIVEN), *_pieces("可以退 [kb-404#1]。"))) == "可以退。"


def test_an_id_that_a_search_of_this_turn_brings_is_shown() -> None:
    spoken = Spoken({})
    found = Passage("kb-007#2", "kb-007", "t", "s", "x", 1.0, 0.9)
    for message in search_messages("q", [found], turn="q", ms=1):
        assert spoken.take(message, "retrieve") == ""
    assert "".join(_shown(spoken, *_pieces("见 [kb-007#2]"))) == "见 [kb-007#2]"


def test_a_second_message_of_a_turn_begins_a_paragraph_and_keeps_what_was_held_back() -> None:
    shown = "".join(_shown(Spoken(GIVEN), *_pieces("我先查一下 [a", "1"), *_pieces("可以退。", "2")))
    assert shown == "我先查一下 [a\n\n可以退。"


def test_only_speaking_nodes_and_only_the_assistant_are_heard() -> None:
    spoken = Spoken(GIVEN)
    assert spoken.take(AIMessage("internal", id="1"), "compact") == ""
    assert spoken.take(ToolMessage("{}", tool_call_id="1", name="search_kb"), SPEAKER) == ""


def test_a_tool_call_written_as_text_is_never_shown() -> None:
    call = '<tool_call>{"name": "search_kb", "arguments": {"query": "退款"}}</tool_call>'
    shown = _shown(Spoken(GIVEN), *_pieces(call, "1"), *_pieces("可以退。", "2"))
    assert "".join(shown) == "可以退。"


def test_a_text_that_only_begins_like_a_call_is_shown_whole() -> None:
    assert (
        "".join(_shown(Spoken(GIVEN), *_pieces('{"a": 1} 是一个 JSON 对象。')))
        == '{"a": 1} 是一个 JSON 对象。'
    )
    assert "".join(_shown(Spoken(GIVEN), *_pieces("[kb-002#1] 见此。"))) == "[kb-002#1] 见此。"


def test_what_no_terminal_and_no_stream_can_send_is_not_shown() -> None:
    assert "".join(_shown(Spoken(GIVEN), *_pieces("可\0以\ud83d退"))) == "可以退"
