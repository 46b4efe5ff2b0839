from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from nodes.offline.model import OfflineChatModel
from nodes.window.budget import Budget
from nodes.window.compaction import chunk_requests
from nodes.window.log import Log
from nodes.window.notes import parse_notes, supported
from nodes.window.prompts import aside

LOG: list[BaseMessage] = [
    HumanMessage("年付套餐买错了能退款吗", id="1"),
    AIMessage("帮助中心是这样写的：\n- 可以退款，按剩余整月数折算 496.84 元。 [kb-002#2]\n- 别的。", id="2"),
    HumanMessage("没有人回答的问题", id="3"),
    HumanMessage("谢谢", id="4"),
    AIMessage("不客气！", id="5"),
    HumanMessage("最后", id="6"),
]


async def test_notes_quote_each_question_with_the_first_line_of_its_answer() -> None:
    log = Log.of(LOG)
    request = [SystemMessage("你是客服"), *LOG[:5], aside(log, 1, 3, 600)]
    said = (await OfflineChatModel().ainvoke(request)).text
    notes, malformed = parse_notes(said)
    assert malformed == 0
    assert [note.turns for note in notes] == [(1,), (3,)]
    assert notes[0].text == "年付套餐买错了能退款吗 → 可以退款，按剩余整月数折算 496.84 元。 [kb-002#2]"
    assert all(supported(note, log, 3) for note in notes)


async def test_notes_are_written_from_a_transcript_too() -> None:
    log = Log.of(LOG)
    (request,) = chunk_requests((), log, range(1, 4), Budget())
    notes, malformed = parse_notes((await OfflineChatModel().ainvoke(request)).text)
    assert malformed == 0
    assert [note.turns for note in notes] == [(1,), (3,)]
    assert all(supported(note, log, 3) for note in notes)


async def test_notes_stay_within_the_room_that_the_request_gives() -> None:
    log = Log.of(LOG)
    said = (await OfflineChatModel().ainvoke([*LOG[:5], aside(log, 1, 3, 20)])).text
    assert said == "## questions\n- T3 谢谢 → 不客气！"
    assert (await OfflineChatModel().ainvoke([*LOG[:5], aside(log, 1, 3, 5)])).text == "none"
