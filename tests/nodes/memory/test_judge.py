import pytest

from evals.judge_fit import load, similarities, unrelated
from nodes.memory.cues import says
from nodes.memory.features import compare
from nodes.memory.judge import judge, judge_difference
from nodes.memory.wording import abbreviates, numbers
from store.embedding import BundledEmbedder


@pytest.mark.parametrize(
    ("old", "new", "relation"),
    [
        ("用户偏好简短的回复", "用户希望回答简洁", "duplicate"),
        ("用户的开户行是建设银行", "用户的开户行换成了农业银行", "update"),
        ("用户开启了自动续费", "用户没有开启自动续费", "contradiction"),
        ("工单T1001关于导入报错", "工单T2032关于导入报错", "different"),
        ("The user prefers email", "The user likes e-mail", "duplicate"),
        ("The user's company has 12 employees", "The user's company has 30 employees", "update"),
        ("The user has a warehouse", "The user has no warehouse", "contradiction"),
    ],
)
def test_words_alone_tell_the_clear_cases(old: str, new: str, relation: str) -> None:
    assert judge(old, new).relation == relation


async def test_memories_that_have_nothing_to_do_with_each_other_are_not_merged() -> None:
    pairs = unrelated(load(), 300, seed=3)
    said = await similarities(pairs, BundledEmbedder())
    verdicts = [
        judge_difference(compare(pair["old"], pair["new"]), one)
        for pair, one in zip(pairs, said, strict=True)
    ]
    assert sum(verdict.relation == "duplicate" for verdict in verdicts) <= 1


async def test_a_denial_never_overwrites_what_it_denies() -> None:
    pairs = [pair for pair in load() if pair["relation"] == "contradiction"]
    said = await similarities(pairs, BundledEmbedder())
    overwritten = [
        pair
        for pair, one in zip(pairs, said, strict=True)
        if judge_difference(compare(pair["old"], pair["new"]), one).relation == "update"
    ]
    assert len(overwritten) <= 0.02 * len(pairs), overwritten


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("我没有自动续费", True),
        ("我不是没有自动续费", False),
        ("不同意共享", True),
        ("不同的账本", False),
        ("I don't use it", True),
    ],
)
def test_negation_is_read_and_a_double_one_is_none(text: str, negated: bool) -> None:
    assert says("negation", text) is negated


def test_numerals_count_as_numbers_and_codes_do_not() -> None:
    assert numbers("有十二个人，两家店，报E1043") == {"12.0", "2.0"}
    assert numbers("twelve people") == {"12.0"}


def test_a_short_name_stands_for_the_long_one() -> None:
    assert abbreviates("招行", "招商银行")
    assert not abbreviates("招行", "工商银行")
