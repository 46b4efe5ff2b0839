"""Dialogues for the window suites: recorded ones in JSON Lines, and generated ones in any number."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from evals.jsonl import rows
from nodes.window.render import Fixed

DATA = Path(__file__).parent / "data" / "window"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: what the user says, the calls with their results, the answer, and what must not be lost."""

    user: str
    answer: str
    calls: list[dict[str, Any]] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    """Values that user or assistant state in the turn."""
    fact_tool: str | None = None
    """A value that only a tool result holds."""
    note: str = ""
    """What an ideal summary says of the turn, without code or number; empty for small talk."""
    heading: str = "facts"

    @property
    def values(self) -> list[str]:
        """Everything that must not be lost."""
        return [*self.facts, *filter(None, [self.fact_tool])]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A recorded conversation with the agent that led it."""

    name: str
    turns: list[Turn]
    system: str
    tools: list[dict[str, Any]]
    probes: list[dict[str, Any]] = field(default_factory=list)

    @property
    def fixed(self) -> Fixed:
        """The fixed zone of the agent's requests."""
        return Fixed.of(self.system, self.tools)

    def messages(self) -> list[BaseMessage]:
        """Return the dialogue as the log of a thread."""
        return list(self._messages())

    def starts(self) -> list[int]:
        """Return the position in the log at which each turn starts."""
        return [p for p, message in enumerate(self.messages()) if isinstance(message, HumanMessage)]

    def _messages(self) -> Iterator[BaseMessage]:
        for number, turn in enumerate(self.turns, start=1):
            yield HumanMessage(turn.user, id=f"u{number}")
            if turn.calls:
                calls = [
                    {k: call[k] for k in ("id", "name", "args")} | {"type": "tool_call"}
                    for call in turn.calls
                ]
                yield AIMessage("", tool_calls=calls, id=f"c{number}")
            for call in turn.calls:
                yield ToolMessage(
                    call["result"], tool_call_id=call["id"], name=call["name"], id=f"r-{call['id']}"
                )
            yield AIMessage(turn.answer, id=f"a{number}")


def said(dialogue: Dialogue, sent: int) -> list[str]:
    """Return the must-keep values of the turns that a call's log holds."""
    return [
        v
        for start, turn in zip(dialogue.starts(), dialogue.turns, strict=True)
        if start < sent
        for v in turn.values
    ]


def load(path: Path) -> Dialogue:
    """Read a dialogue: a turn a line, with `probes` on any line; the agent's setup in `*setup.json` beside it."""
    lines = rows(path)
    setups = sorted(path.parent.glob("*setup.json")) or [DATA / "setup.json"]
    setup = json.loads(setups[0].read_text(encoding="utf-8"))
    known = Turn.__dataclass_fields__
    return Dialogue(
        path.stem,
        [Turn(**{k: v for k, v in line.items() if k in known}) for line in lines],
        setup["system"],
        [schema(name, text) for name, text in setup["tools"].items()],
        [probe for line in lines for probe in line.get("probes", [])],
    )


def schema(name: str, description: str) -> dict[str, Any]:
    """Return a tool's schema as it is sent."""
    query = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": query}}


ASKS = {
    "zh": (
        "{code}这张发票的抬头能改吗?上次说{day}前处理,金额{amount}。",
        "{product}导入流水时报错,账套{code},麻烦看一下是哪一步出的问题,要得比较急。",
        "我们{product}的续费单{code}到底扣了多少?账上看到{amount},和合同对不上。",
        "{code}的对账结果什么时候出来?财务{day}要交报表,拜托帮忙盯一下进度。",
    ),
    "en": (
        "Can you change the title of invoice {code}? You said it would be done by {day}, for {amount}.",
        "Importing the statement fails in {product}, ledger {code}. Which step went wrong?",
        "What was actually charged for renewal {code}? I see {amount} and the contract says otherwise.",
        "When will reconciliation {code} finish? Finance needs it by {day}.",
    ),
}
ANSWERS = {
    "zh": "查过了:{code}对应{product},核定金额{amount},已登记受理单{ticket},预计{day}前给您结果。如需加急,请回复确认,我会转给值班同事跟进。",
    "en": "I checked: {code} belongs to {product}, the settled amount is {amount}, ticket {ticket} is open and you will hear by {day}. Reply to confirm if it is urgent and I will pass it on.",
}
PRODUCTS = {
    "zh": ("银企直连", "费用报销", "多账套", "税务助手"),
    "en": ("bank feeds", "expenses", "multi-ledger", "tax helper"),
}
CLAUSES = {
    "zh": (
        "对账任务按提交顺序排队,银行返回明细后自动匹配,未匹配的条目进入人工复核列表",
        "发票抬头在开具当月可以修改,跨月需先作废再重开,原发票须收回或做红字冲销",
        "续费按合同约定的周期扣款,扣款失败会重试并通知管理员,重试期间功能不受影响",
        "导入模板的列名必须与系统一致,日期列只接受一种写法,空行会被跳过并写入日志",
        "成员离职后由管理员收回权限,名下的草稿转给接手的同事,历史单据仍可查看",
        "审批人休假时可以设置代理,代理期间的意见会注明由谁代签,到期自动恢复",
        "月结之后的凭证不能直接改动,需要反结账并填写理由,操作会留在审计记录里",
        "附件支持常见的图片和文档格式,过大的文件请先压缩,上传中断可以接着传",
        "汇率每天早上更新一次,手工录入的汇率优先,跨币种的差额计入汇兑损益",
        "导出的报表按当前筛选条件生成,数据较多时改为后台处理,完成后站内提醒",
        "登录时连续输错会暂时锁定,可以用绑定的邮箱找回,也可以请管理员重置",
        "合同到期前会提前提醒,升级立即生效并按剩余时间补差,降级从下个周期开始",
    ),
    "en": (
        "reconciliation jobs queue in the order of submission and match once the bank returns the details",
        "an invoice title can be changed within the month of issue, later it is voided and issued again",
        "renewals are charged at the agreed interval, failures are retried and the administrator is told",
        "the column names of an import must match the template and empty rows are skipped and logged",
        "when a member leaves, the administrator withdraws access and hands drafts to a colleague",
        "an approver on holiday can name a deputy, and every decision says on whose behalf it was made",
        "vouchers of a closed month stay as they are unless the month is reopened with a reason",
        "attachments may be pictures or documents, large files should be compressed before the upload",
        "exchange rates are refreshed every morning, and rates entered by hand take precedence",
        "a report follows the current filters, and a long one is prepared in the background",
        "several wrong passwords lock the account for a while, the mailbox on file can unlock it",
        "an upgrade takes effect at once and is charged for the rest of the term, a downgrade waits",
    ),
}
TOOLS = ("query_ledger", "query_invoice", "query_job", "search_help")
CODES = ("FP-{:08}", "ZT{:09}", "XF{:07}", "INV-2026-{:05}", "LG{:010}")


def generate(seed: int, turns: int, language: str = "zh") -> Dialogue:
    """Make up a dialogue of the recorded ones' form and size: dense in values, about 800 characters a result."""
    rng = random.Random(seed)  # noqa: S311  # a data set, not a secret
    setup = json.loads((DATA / "setup.json").read_text(encoding="utf-8"))
    tools = [schema(name, text) for name, text in setup["tools"].items()]
    made = [_turn(rng, number, language) for number in range(1, turns + 1)]
    return Dialogue(f"generated-{language}-{turns}-{seed}", made, setup["system"], tools)


def _turn(rng: random.Random, number: int, language: str) -> Turn:
    code, ticket, other, approval = (rng.choice(CODES).format(rng.randrange(10**7)) for _ in range(4))
    amount = f"{rng.uniform(50, 9_000):.2f}元" if language == "zh" else f"${rng.uniform(50, 9_000):,.2f}"
    day = (
        f"{rng.randint(1, 12)}月{rng.randint(1, 28)}日" if language == "zh" else f"March {rng.randint(1, 28)}"
    )
    product = rng.choice(PRODUCTS[language])
    fill = {"code": code, "amount": amount, "day": day, "product": product, "ticket": f"{ticket}"}
    count = rng.choices((0, 1, 2, 3), (1, 5, 4, 2))[0]
    calls = [_call(rng, f"{number}-{i}", language, code, approval if i == 0 else other) for i in range(count)]
    user, answer = rng.choice(ASKS[language]).format(**fill), ANSWERS[language].format(**fill)
    facts = list(dict.fromkeys(value for value in (code, ticket, amount, day) if value in user + answer))
    return Turn(user, answer, calls, facts, approval if count else None)


def _call(rng: random.Random, name: str, language: str, code: str, approval: str) -> dict[str, Any]:
    words, end = ("。", 800) if language == "zh" else (". ", 1_500)
    text = ""
    while len(text) < end:
        text += rng.choice(CLAUSES[language]) + words
    record = {
        "code": code,
        "status": rng.choice(["open", "done", "queued"]),
        "detail": text[:end],
        "approval": approval,
    }
    return {
        "id": f"call_{name}",
        "name": rng.choice(TOOLS),
        "args": {"query": code},
        "result": json.dumps(record, ensure_ascii=False),
    }


TAIL = 12
"""Turns behind the last point of prose, so that its turn leaves the window."""


def prose_dialogue(points: Sequence[dict[str, Any]], seed: int) -> Dialogue:
    """Make a dialogue in which every third turn carries a point of prose, with a probe about each.

    Args:
        points: rows of `data/window/prose.jsonl`.
        seed: of the dialogue around them.
    """
    base = generate(seed, 3 * len(points) + TAIL)
    turns = list(base.turns)
    probes = []
    for place, point in enumerate(points):
        number = 3 * place
        turns[number] = Turn(point["user"], point["answer"], note=point["note"], heading=point["heading"])
        probes.append(
            {"turn": number + 1, "question": point["question"], "must_contain": point["must_contain"]}
        )
    return Dialogue(f"prose-{seed}", turns, base.system, base.tools, probes)
