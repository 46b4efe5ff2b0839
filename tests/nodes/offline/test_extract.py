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


def test_what_was_told_before_is_not_quoted_again_unless_there_is_nothing_else() -> None:
    refusal = Source("d#1", "退款 > 月付", "月付套餐中途不能退款。")
    how = Source("e#1", "流程 > 申请", "申请退款在账单里提交。")
    query, told = "月付套餐退款怎么申请", "月付套餐中途不能退款。 [d#1]"
    assert [u.text for u in extract(query, [refusal, how], "怎么申请", told=told)] == [how.text]
    assert [u.text for u in extract(query, [refusal], "怎么申请", told=told)] == [refusal.text]


def test_no_step_of_a_procedure_is_left_out_because_it_sounds_like_another() -> None:
    steps = "\n".join(
        f"{n}. 在新的页面中点击右上角的“{name}”" for n, name in enumerate(("账单", "常见问题", "下载账单"), 1)
    )
    quoted = extract("怎么下载账单", [Source("f#1", "导出账单", steps)], "怎么下载账单")
    assert [u.step for u in quoted] == [1, 2, 3]


def test_a_procedure_that_does_not_fit_behind_the_best_block_leaves_its_room_to_others() -> None:
    best = Source("g#1", "账单 > 导出", "账单可以导出。")
    steps = "\n".join(f"{n}. 打开账单的第{n}个页面，然后点击导出。" for n in range(1, 9))
    form = Source("h#1", "账单 > 导出", "导出的账单是一张表格。")
    quoted = _texts("账单导出", best, Source("g#2", "账单 > 导出", steps), form, room=60)
    assert quoted == ["账单可以导出。", "导出的账单是一张表格。"]


def test_passages_that_speak_of_something_else_give_nothing() -> None:
    assert _texts("支持比特币吗", STEPS) == []
