from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from nodes.window.excerpt import read_result
from nodes.window.recall import History, recall_history
from tests.nodes.window.build import calls, group, result, turn

LOG: list[BaseMessage] = [
    *turn(1, ["审批号 SP37643310 " + "条款" * 900], "收货地址已改成公司"),
    *turn(2, answer="导入招商银行流水报错 E1043,请更新模板"),
    HumanMessage("扫地机器人收到以后有划痕,运费谁出?"),
    AIMessage("质量问题运费由商家承担"),
    HumanMessage("刚才说的划痕和 E1043 是怎么回事"),
]


def _turns(text: str) -> list[str]:
    return [line for line in text.splitlines() if line[:1] == "T" and line[1:].isdigit()]


def test_a_code_finds_its_turn_also_inside_a_result() -> None:
    assert _turns(recall_history("E1043 怎么解决", LOG))[0] == "T2"
    assert _turns(recall_history("SP37643310", LOG)) == ["T1"]


def test_chinese_without_spaces_finds_its_turn_and_the_newest_is_not_searched() -> None:
    assert _turns(recall_history("机器人有划痕谁承担运费", LOG)) == ["T3"]


def test_a_turn_is_fetched_by_its_number() -> None:
    assert recall_history("T2", LOG).startswith("T2\nuser: 第2个问题\nassistant: 导入招商银行流水")


def test_excerpts_are_at_most_three_of_fifteen_hundred_characters_cut_with_a_mark() -> None:
    log = [
        m
        for i in range(1, 9)
        for m in turn(i, ["开头 " + "条款" * 900 + f" SP0000{i} 关键词 " + "条款" * 900])
    ]
    found = recall_history("关键词", [*log, HumanMessage("新")])
    pieces = found.split("\n\n")
    assert len(pieces) == 3
    assert all(len(piece) <= 1_500 and "…[略 cut]…" in piece and "关键词" in piece for piece in pieces)


def test_a_miss_says_what_to_search_by() -> None:
    assert "order number" in recall_history("火星", LOG)


def test_what_replay_returned_is_not_found_again() -> None:
    log = [
        *turn(1),
        calls("recall_history"),
        result("ZZ9999 旧内容", "c0", name="recall_history"),
        HumanMessage("新"),
    ]
    assert "nothing found" in recall_history("ZZ9999", log)


def test_meaning_finds_a_turn_that_shares_no_word() -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0] if "地址" in text or "搬家" in text else [0.0, 1.0] for text in texts]

    assert _turns(recall_history("搬家", LOG, embedder=embed))[0] == "T1"


def test_a_kept_history_reads_only_what_is_new_and_starts_anew_on_another_branch() -> None:
    ids = [m.model_copy(update={"id": f"m{i}"}) for i, m in enumerate(LOG)]
    history = History().extended(ids[:6])
    texts = history.texts
    assert history.extended(ids) is history
    assert history.texts is texts
    branch = [*ids[:5], HumanMessage("另一条路", id="b1"), HumanMessage("新", id="b2")]
    assert "另一条路" in recall_history("另一条路", branch, history=history)


def test_a_result_is_paged_by_its_handle() -> None:
    text = "\n".join(f"第{i}行" for i in range(1, 31)) + "\n" + "长" * 450
    log = [HumanMessage("查"), *group(1, text)]
    first = read_result("r2", log, lines=10)
    assert first.splitlines()[0] == "r2 lines 1–10 of 33; continue with start=11"
    assert first.splitlines()[1:] == [f"第{i}行" for i in range(1, 11)]
    assert read_result("r2", log, start=31).splitlines()[1:] == ["长" * 200, "长" * 200, "长" * 50]


def test_every_page_of_a_long_line_joins_to_the_whole() -> None:
    text = '{"records": "' + "很长的内容" * 1_500 + '"}'
    log, rows, start = [HumanMessage("查"), *group(1, text)], [], 1
    while True:
        head, *page = read_result("r2", log, start=start).splitlines()
        rows += page
        if "continue" not in head:
            break
        start = int(head.rsplit("=", 1)[1])
    assert "".join(rows) == text


def test_an_unknown_handle_is_told_what_handles_look_like() -> None:
    assert "r2" in read_result("call_7", [HumanMessage("查"), *group(1, "x")])
    assert isinstance(LOG[2], ToolMessage)
