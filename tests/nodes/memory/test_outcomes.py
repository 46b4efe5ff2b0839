"""What turns leave behind: facts with their passage, lessons after failures, topics."""

from datetime import UTC, datetime

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from nodes.citations import verify
from nodes.memory.commands import memory_command
from nodes.memory.outcomes import FACTS, Turn, asked_topics, facts, is_hand_over, reflections
from nodes.memory.phrases import CONFIRM

_AT = datetime(2026, 3, 2, 10, tzinfo=UTC)
_PASSAGES = {
    "kb-002#3": {"text": "月付套餐中途不能退款。", "section": "退款政策 > 月付套餐"},
    "kb-002#4": {"text": "退款在五个工作日内到账。", "section": "退款政策 > 到账"},
}


def _turn(question: str, answer: str, *more: BaseMessage, answered: bool = True) -> Turn:
    messages = [HumanMessage(question, id=question), *more, AIMessage(answer)]
    return Turn("t", messages, _AT, answered, is_hand_over(messages))


def test_facts_are_cited_sentences_that_their_passage_says_and_no_steps() -> None:
    answer = "月付套餐中途不能退款 [kb-002#3]。月付套餐可以全额退款 [kb-002#3]。谢谢您的耐心。"
    verified = verify(answer, {id_: one["text"] for id_, one in _PASSAGES.items()})
    (fact,) = facts(_turn("月付能退款吗", answer), verified, _PASSAGES)
    assert "不能退款" in fact.text
    assert (fact.slot, fact.source) == ("fact.kb-002#3", "inferred")
    assert [(one.message_id, one.span) for one in fact.evidence] == [("kb-002#3", "月付套餐中途不能退款。")]
    steps = "1. 退款在五个工作日内到账 [kb-002#4]。\n" * (FACTS + 2)
    verified = verify(steps, {id_: one["text"] for id_, one in _PASSAGES.items()})
    assert facts(_turn("多久到账", steps), verified, _PASSAGES) == []
    values = "**退款到账**\n- 五个工作日 [kb-002#4]\n"
    verified = verify(values, {id_: one["text"] for id_, one in _PASSAGES.items()})
    assert not verified.failing
    assert facts(_turn("多久到账", values), verified, _PASSAGES) == []


def test_lessons_follow_failed_corrected_and_handed_over_turns_alone() -> None:
    handed = ToolMessage("ticket 7", tool_call_id="c", name="hand_over")
    turns = [
        _turn("支持比特币吗", "没有", answered=False),
        _turn("发票怎么开", "开专票"),
        _turn("不对，我问的是普通发票，电话13812345678", "普通发票"),
        _turn("我要投诉", "已转人工", handed),
        _turn("谢谢", "不客气"),
    ]
    lessons = reflections(turns)
    assert [lesson.evidence[0].message_id for lesson in lessons] == ["支持比特币吗", "发票怎么开", "我要投诉"]
    assert "普通发票" in lessons[1].text
    assert "13812345678" not in lessons[1].text
    assert lessons[1].slot == "reflection.发票"


def test_small_talk_is_about_nothing() -> None:
    assert asked_topics("年付能退款吗") == {"退款"}
    assert asked_topics("谢谢") == frozenset()


def test_commands_are_told_from_questions_about_forgetting() -> None:
    def named(text: str, answered: str = "") -> str:
        command = memory_command(text, answered)
        return f"{command.name}:{command.about}" if command else ""

    assert named("你记得我什么") == named("What do you remember about me?") == "show:"
    assert named("忘掉我的地址") == "forget:地址"
    assert named("Please forget my address.") == "forget:address"
    assert named("别再记我的地址") == named("请把我的地址忘了") == "forget:地址"
    assert named("把我不要打电话这条忘了").startswith("forget:")
    assert named("忘掉我的全部信息") == named("forget everything about me") == "ask forget all:"
    assert named("确定", CONFIRM["zh"]) == named("yes", CONFIRM["en"]) == "forget all:"
    for question in (
        "忘记密码怎么办",
        "我忘记我的密码了",
        "我的密码忘了",
        "忘了我的密码了",
        "别忘了我的名字",
        "不要忘记我的地址",
        "千万别忘了我",
        "你是不是忘了我的名字",
        "你把我的名字忘了吗",
        "Don't forget my name",
        "忘记密码",
        "确定",
        "怎么删除账号",
        "How do I delete my account?",
    ):
        assert named(question) == ""


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("我叫什么名字？", "名字"),
        ("你知道我的名字吗", "名字"),
        ("What's my name?", "name"),
        ("Do you remember my bank?", "bank"),
        ("你还记得我的公司名称吗", "公司名称"),
        ("我的套餐是什么", ""),  # the business system knows
        ("我的名字怎么改", ""),
        ("我怎么联系你们", ""),
        ("我的语言怎么弄", ""),
        ("你叫什么名字", ""),
    ],
)
def test_the_memory_is_asked_for_a_single_thing_by_its_name(question: str, about: str) -> None:
    command = memory_command(question)
    assert (command.about if command else "") == about


@pytest.mark.parametrize(
    ("answer", "does"),
    [
        ("确定，都删掉吧", "forget all"),
        ("好的，谢谢", "forget all"),
        ("Yes, please do it", "forget all"),
        ("不用了，谢谢", "keep all"),
        ("别删了", "keep all"),
        ("No, don't do that", "keep all"),
        ("我不确定", "keep all"),
        ("yes and no", ""),
        ("好的，那年付能退款吗", ""),
        ("please", ""),
    ],
)
def test_only_a_plain_yes_forgets_everything_and_only_a_plain_no_is_taken_for_one(
    answer: str, does: str
) -> None:
    command = memory_command(answer, CONFIRM["zh"])
    assert (command.name if command else "") == does
    assert memory_command(answer) is None
