from nodes.offline.extract import extract
from nodes.offline.request import Source

STEPS = Source(
    "a#1",
    "退款流程 > 申请",
    "退款按下面申请：\n\n1. 打开账单。\n2. 选择订单。\n3. 点击申请退款。\n\n图片大小不限。",
)
PLANS = Source(
    "b#1",
    "套餐对比",
    "| 套餐 | 账本 |\n| --- | --- |\n| 免费版 | 1 个 |\n| 专业版 | 5 个 |\n| 企业版 | 不限 |",
)


def _texts(query: str, *sources: Source, room: int = 320) -> list[str]:
    return [unit.text for unit in extract(query, sources, query, room=room)]


def test_a_procedure_is_quoted_whole_with_what_introduces_it() -> None:
    assert _texts("怎么申请退款", STEPS)[:4] == [
        "退款按下面申请：",
        "打开账单。",
        "选择订单。",
        "点击申请退款。",
    ]


def test_where_there_is_no_room_for_a_list_nothing_introduces_it() -> None:
    assert not any(text.endswith("：") for text in _texts("怎么申请退款", STEPS, room=6))


def test_of_a_table_the_rows_that_are_asked_for_are_quoted_and_all_of_them_when_all_are() -> None:
    assert _texts("免费版有几个账本", PLANS) == ["套餐: 免费版; 账本: 1 个"]
    assert len(_texts("各套餐的账本有什么区别", PLANS)) == 3


def test_a_paragraph_is_quoted_with_its_neighbours() -> None:
    passage = Source(
        "c#1", "账户", "货币与账户关联。需要多种货币时，把类型设为多个子账户。\n\n颜色可以更改。"
    )
    assert _texts("账户的货币", passage)[:2] == ["货币与账户关联。", "需要多种货币时，把类型设为多个子账户。"]


def test_what_the_room_is_for_is_not_exceeded_but_by_the_best_block() -> None:
    long = [Source(f"{n}#1", "退款", f"退款规则{n}写在这里，年付与月付分别处理。" * 9) for n in range(4)]
    assert sum(map(len, _texts("退款规则", *long, room=60))) < 60 * 1.5 * 1.5


def test_the_users_own_words_count_more_than_the_conversation() -> None:
    refusal = Source("d#1", "退款 > 月付", "月付套餐中途不能退款。")
    how = Source("e#1", "流程", "申请在账单里提交。")
    query = "月付套餐退款 中途 不能：怎么申请"
    followup = [u.text for u in extract(query, [refusal, how], "怎么申请")]
    assert "申请在账单里提交。" in followup


def test_passages_that_speak_of_something_else_give_nothing() -> None:
    assert _texts("支持比特币吗", STEPS) == []
