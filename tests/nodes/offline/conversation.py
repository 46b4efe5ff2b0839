import json
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

Passages = Sequence[tuple[str, str, str]]
SYSTEM = SystemMessage("You are the customer-support assistant of Acme. Tone: brief.")
POLICY: Passages = (
    ("kb-1#1", "退款 > 年付", "年付套餐可以退款，金额按剩余的整月数折算。\n\n退款原路返回。"),
    ("kb-1#2", "退款 > 月付", "月付套餐中途不能退款。"),
)


def search(query: str, passages: Passages, call_id: str = "c1") -> list[BaseMessage]:
    rows = [{"id": i, "section": section, "text": text} for i, section, text in passages]
    content = json.dumps({"passages": rows}, ensure_ascii=False)
    call = {"name": "search_kb", "args": {"query": query}, "id": call_id, "type": "tool_call"}
    return [AIMessage("", tool_calls=[call]), ToolMessage(content, tool_call_id=call_id)]


def turn(question: str, passages: Passages, query: str = "") -> list[BaseMessage]:
    return [SYSTEM, HumanMessage(question), *search(query or question, passages)]
