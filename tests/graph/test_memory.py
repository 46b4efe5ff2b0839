"""The memory in whole turns: the demo conversations, commands in chat, rights, two users."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.messages import HumanMessage

from graph.memory_writer import compile_memory_writer
from graph.support import Support, config_of
from graph.worker import drain
from nodes.state import Context
from store.erasure import forget
from store.errors import AccessDeniedError
from store.gaps import list_gaps
from store.leftovers import rows_left
from store.memory import Memory
from store.resources import using
from store.threads import Owner
from store.transfer import export_memories, import_memories

FIRST_CONTACT = (
    "我们是年付的专业版,导入招商银行流水一直报 E1043",
    "好了,解决了。以后有事发邮件给我就行,别打电话",
)


class User:
    """A user who talks, and what is remembered of them."""

    def __init__(self, support: Support) -> None:
        self.support = support
        self.owner = Owner("default", f"user-{uuid4().hex[:12]}")
        self.context = Context(user_id=self.owner.user_id)

    async def says(self, *texts: str, thread: str = "first") -> str:
        """Say something in a thread and return the last answer."""
        reply = None
        for text in texts:
            reply = await self.support.ask(text, thread=thread, context=self.context)
        assert reply is not None
        self.thread_id = reply.thread_id
        return reply.answer

    async def state(self) -> dict[str, Any]:
        """Return the state of the thread that was spoken in last."""
        return dict(await self.support.state(self.thread_id))

    async def memories(self, *, closed: bool = False) -> dict[str, Memory]:
        """Have everything read, and return what is remembered by slot."""
        await drain(self.support.resources)
        found = await self.support.resources.memories.of(self.owner, closed=closed)
        return {memory.slot: memory for memory in reversed(found)}


@pytest.fixture
async def user(support: Support) -> AsyncIterator[User]:
    one = User(support)
    yield one
    await forget(support.resources.memories, one.owner, threads=True)


async def test_first_contact_leaves_profile_event_and_preference(user: User) -> None:
    await user.says(*FIRST_CONTACT)
    known = await user.memories()
    assert {slot: memory.value for slot, memory in known.items() if slot.startswith("profile.")} == {
        "profile.plan": "专业版", "profile.billing_cycle": "年付", "profile.bank": "招商银行",
    }  # fmt: skip
    assert known["event.E1043"].value == "solved"
    assert "别打电话" in known["preference.contact"].text
    assert len(known) == 5


async def test_the_same_conversation_again_adds_nothing(user: User) -> None:
    await user.says(*FIRST_CONTACT)
    before = await user.memories(closed=True)
    await user.says(*FIRST_CONTACT, thread="second")
    assert await user.memories(closed=True) == before


async def test_a_changed_plan_replaces_the_old_one_which_stays_readable(user: User) -> None:
    await user.says(*FIRST_CONTACT)
    await user.memories()
    await user.says("我们刚从专业版升级到企业版了", thread="second")
    assert (await user.memories())["profile.plan"].value == "企业版"
    plans = [
        m
        for m in await user.support.resources.memories.of(user.owner, closed=True)
        if m.slot == "profile.plan"
    ]
    assert {(plan.value, plan.status, bool(plan.valid_to)) for plan in plans} == {
        ("企业版", "active", False), ("专业版", "superseded", True),
    }  # fmt: skip
    await user.says("我们以前用的是什么套餐", thread="third")
    assert any("专业版" in line for line in (await user.state())["recalled"])


@pytest.mark.parametrize(
    ("wish", "seen"),
    [
        ("以后回答简短一点", "简短"),
        ("请记住，联系我用微信", "微信"),
        ("From now on please answer in English", "English"),
    ],
)
async def test_a_wish_holds_in_its_own_turn_without_the_writer(user: User, wish: str, seen: str) -> None:
    await user.says(wish)
    state = await user.state()
    assert seen in state["user_zone"]
    assert state["usage"]["input"] > 0 or state["decision"]["route"] == "direct"


@pytest.mark.parametrize(
    ("wish", "question", "frame"),
    [
        ("以后请用英文回复我", "年付套餐买错了能退款吗", "This is what the help centre says"),
        ("From now on please answer in Chinese", "How do I invite members?", "帮助中心是这样写的"),
        ("以后别用英文回复我", "How do I invite members?", "帮助中心是这样写的"),
    ],
)
async def test_a_wished_language_holds_at_once_and_in_later_conversations(
    user: User, wish: str, question: str, frame: str
) -> None:
    english = frame.isascii()
    assert (await user.says(wish)).isascii() is english
    assert frame in await user.says(question)
    assert frame in await user.says(question, thread="second")
    unknown = "会议室几点开门" if english else "When does the gym open?"
    assert (await user.says(unknown, thread="third")).isascii() is english
    assert ("This is what I remember" if english else "我记得这些") in await user.says("你记得我什么")


async def test_a_model_is_told_of_a_wished_language_in_front_of_the_question(user: User) -> None:
    await user.says("以后请用英文回复我", "发票抬头写错了怎么改")
    state = await user.state()
    assert "Answer in English." in state["fronts"][_asked(state)]


async def test_a_wish_and_a_statement_in_one_sentence_are_two_memories(user: User) -> None:
    await user.says("我们是专业版，以后请用英文回复我")
    known = await user.memories()
    assert {slot: memory.value for slot, memory in known.items()} == {
        "profile.plan": "专业版", "preference.language": "以后请用英文回复我",
    }  # fmt: skip


@pytest.mark.parametrize("wish", ["忘掉我的名字", "忘掉我的称呼", "Forget my name"])
async def test_a_thing_is_forgotten_by_any_of_its_names(user: User, wish: str) -> None:
    await user.says("请记住，叫我李女士", "请记住，我们用的是专业版")
    assert "李女士" in await user.says(wish)
    assert set(await user.memories(closed=True)) == {"profile.plan"}


@pytest.mark.parametrize(
    ("said", "slot", "value"),
    [
        ("我们的所在地现在是成都", "profile.location", "成都"),
        ("我的职位是采购专员", "profile.role", "采购专员"),
        ("Our headcount is now 45", "profile.company_size", "45"),
    ],
)
async def test_a_thing_is_stated_by_any_of_its_names(user: User, said: str, slot: str, value: str) -> None:
    await user.says(said)
    assert (await user.memories())[slot].value == value


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("请记住：我们用的是专业版", "记住了：\n- 套餐：专业版"),
        ("Please remember: my plan is Pro", "I will remember:\n- Plan: Pro"),
        ("Please note that our bank is Barclays", "- Bank: Barclays"),
    ],
)
async def test_what_is_asked_to_be_remembered_is_said_back(user: User, request_: str, said: str) -> None:
    assert said in await user.says(request_)


async def test_a_request_to_remember_that_asks_more_is_answered(user: User) -> None:
    answer = await user.says("请记住，我们是年付的。年付套餐买错了能退款吗")
    assert "记住了" not in answer
    assert "退款" in answer


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("Remember that my card is 4111 1111 1111 1111", "never kept"),
        ("请记住我的身份证号是 11010519491231002X", "不会保存"),
    ],
)
async def test_a_private_value_is_not_kept_and_that_is_said(user: User, request_: str, said: str) -> None:
    assert said in await user.says(request_)
    assert await user.memories(closed=True) == {}


async def test_what_is_remembered_is_told_and_forgotten_on_demand(user: User) -> None:
    await user.says(*FIRST_CONTACT)
    await user.memories()
    told = await user.says("你记得我什么")
    assert all(word in told for word in ("邮件", "专业版", "招商银行", "E1043"))
    forgotten = await user.says("忘掉我的银行")
    assert "招商银行" in forgotten
    known = await user.memories(closed=True)
    assert "profile.bank" not in known
    assert "profile.plan" in known
    assert not any("招商" in memory.text for memory in known.values())


async def test_a_single_thing_is_told_by_its_name(user: User) -> None:
    assert "没有记住您的名字" in await user.says("我叫什么名字")
    await user.says("请叫我李女士", "请记住，联系我用微信")
    told = await user.says("我叫什么名字")
    assert "李女士" in told
    assert "微信" not in told


async def test_what_was_said_in_this_conversation_is_told_before_it_is_remembered_unless_it_is_hidden(
    user: User,
) -> None:
    await user.says("你好，我叫李雷，请多关照")
    assert "您在这次对话里说过：\n- 称呼：李雷" in await user.says("我叫什么名字")
    await user.memories()
    await user.says("忘掉我的名字")
    assert "没有记住您的名字" in await user.says("我叫什么名字")


async def test_what_was_just_said_is_not_denied_before_it_is_read(user: User) -> None:
    await user.says("我们公司在成都，用的是专业版年付")
    told = await user.says("你记得我什么")
    assert "没有记住" in told
    assert "等对话停一停" in told


async def test_a_forgotten_address_is_hidden_from_then_on(user: User) -> None:
    await user.says("我家住在上海市浦东新区张江路88号3号楼502室，发票寄这里", "忘掉我的地址")
    state = await user.state()
    assert any("张江路" in word for word in state["plan"]["hidden"])
    await user.says("年付能退款吗")
    window = (await user.state())["calls"]
    assert window
    assert not any("张江路" in memory.text for memory in (await user.memories(closed=True)).values())


async def test_forgetting_in_the_same_stretch_wins_over_the_writer(user: User) -> None:
    await user.says("我们是年付的专业版，公司在杭州", "忘掉我的套餐")
    known = await user.memories(closed=True)
    assert "profile.plan" not in known


async def test_forgetting_everything_asks_once_and_says_what_was_removed(user: User) -> None:
    await user.says(*FIRST_CONTACT)
    await user.memories()
    assert "确定" in await user.says("忘掉我的全部信息")
    assert await user.memories()
    done = await user.says("确定")
    assert "1 条偏好" in done
    assert await user.memories(closed=True) == {}
    assert "没有记住" in await user.says("你记得我什么")
    await user.says("谢谢")
    assert await user.memories(closed=True) == {}


async def test_a_no_keeps_everything(user: User) -> None:
    await user.says(*FIRST_CONTACT)
    assert "什么都没有忘掉" in await user.says("Forget everything about me", "不用了，谢谢")
    assert await user.memories()


async def test_what_only_tells_of_the_user_leaves_no_lesson_about_a_question(user: User) -> None:
    await user.says("我们公司有 25 个人")
    assert set(await user.memories()) == {"profile.company_size"}


async def test_nobody_is_not_remembered(support: Support) -> None:
    reply = await support.ask("请记住，联系我用微信")
    assert "没有登录" in reply.answer
    assert (await support.state(reply.thread_id))["user_zone"] == ""
    assert "没有登录" in (await support.ask("你记得我什么", thread=reply.thread_id)).answer


async def test_users_do_not_meet(user: User, support: Support) -> None:
    other = User(support)
    await user.says(*FIRST_CONTACT)
    assert await other.memories() == {}
    await other.says("上次招商银行的 E1043 是怎么解决的")
    state = await other.state()
    assert (state["user_zone"], state["recalled"]) == ("", [])
    writer = compile_memory_writer()
    with pytest.raises(AccessDeniedError, match="not this user's"):
        async for _ in using(
            support.resources, writer.astream({"thread_id": user.thread_id}, context=other.context)
        ):
            pass


async def test_the_business_system_goes_before_what_was_said(support: Support) -> None:
    alice = User(support)
    alice.owner, alice.context = Owner("default", "alice"), Context(user_id="alice")
    await alice.says("请记住，我们用的是免费版")
    state = await alice.state()
    assert "企业版（业务系统）" in state["user_zone"]
    assert "免费版" not in state["user_zone"]
    assert (await alice.memories())["profile.plan"].status == "conflicting"
    await forget(support.resources.memories, alice.owner, threads=True)


async def test_forgetting_with_threads_leaves_no_row_and_import_brings_back_the_same(user: User) -> None:
    await user.says(*FIRST_CONTACT)
    await user.memories()
    memories, pool = user.support.resources.memories, user.support.resources.pool
    exported = await export_memories(memories, user.owner)
    threads = [user.thread_id]
    assert set(await rows_left(pool, user.owner, threads)) >= {
        "store",
        "store_vectors",
        "threads",
        "checkpoints",
    }
    receipt = await forget(memories, user.owner, threads=True)
    assert receipt.total > 0
    assert await rows_left(pool, user.owner, threads) == {}
    assert (await forget(memories, user.owner, threads=True)).total == 0
    await import_memories(memories, user.owner, exported)
    assert await export_memories(memories, user.owner) == exported


async def test_a_message_in_a_running_thread_knows_when_it_was_written(user: User) -> None:
    await user.says("昨天导入失败，报 E2017")
    log = (await user.support.graph.aget_state(config_of(user.thread_id))).values["messages"]
    question = next(message for message in log if isinstance(message, HumanMessage))
    assert question.additional_kwargs["written_at"]


async def test_what_was_said_in_turn_1_still_counts_in_turn_10_when_it_has_left_the_window(
    user: User,
) -> None:
    """The remembered identity."""
    user.context = Context(
        user_id=user.owner.user_id, budget={"window": 9_000, "reserve": 1_000, "high": 2_500, "low": 800}
    )
    await user.says(
        "我们是年付企业版", "怎么导出账本", "发票抬头写错了怎么改", "外币的账怎么记", "如何邀请成员"
    )
    await user.memories()  # the conversation paused
    await user.says("怎么绑定银行账户", "附件空间满了怎么办", "手机端怎么登录", "怎么升级套餐")
    answer = await user.says("那我现在能退款吗")
    state = await user.state()
    assert state["plan"]["turn"] > 1
    seen = state["plan"]["user"] + state["fronts"].get(_asked(state), "")
    assert "企业版" in seen
    assert "年付" in seen
    assert "年付" in answer


def _asked(state: dict[str, Any]) -> str:
    return str([message for message in state["messages"] if message.type == "human"][-1].id)


async def test_what_the_help_centre_lacked_is_forgotten_with_the_conversation(support: Support) -> None:
    user = Owner("gaps", f"user-{uuid4().hex[:8]}")
    context = Context(tenant=user.tenant, user_id=user.user_id)
    await support.ask("你们支持比特币支付吗", context=context)
    assert len(await list_gaps(support.resources.pool, user.tenant)) == 1
    receipt = await forget(support.resources.memories, user, threads=True)
    assert receipt.rows["gaps"] == 1
    assert await list_gaps(support.resources.pool, user.tenant) == []
