import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from evals.conflict import FACTS, PASSAGE, PLACES, QUESTION, conflicting, follows, newest
from evals.suite import Options
from nodes.window.valid import check_window
from store.settings import load_settings


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact[2])
def test_the_older_value_stands_before_the_passage_in_a_valid_window(
    fact: tuple[str, str, str], place: str
) -> None:
    question, sentence, unit = fact
    window = conflicting(
        Options(load_settings(chat_model="offline")),
        question,
        sentence.format(500),
        sentence.format(1500),
        place,
    )
    check_window(window)
    text = "\n".join(message.text for message in window)
    assert 0 < text.index(sentence.format(500)) < text.index(sentence.format(1500))
    assert sum(m.id == QUESTION for m in window) == 1
    assert newest(window, unit) == "1500"


def test_the_scripted_model_repeats_the_last_number_with_the_unit() -> None:
    window = [SystemMessage("上限是 500 条"), HumanMessage("现在是 45 天"), SystemMessage("改为 30 条")]
    assert newest(window, "条") == "30"
    assert newest(window, "天") == "45"
    assert newest(window, "元") == ""


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (f"可以导入 1500 条。[{PASSAGE}]", True),
        (f"可以导入 500 条。[{PASSAGE}]", False),
        (f"以前是 500 条，现在是 1500 条。[{PASSAGE}]", False),
        ("可以导入 1500 条。", False),
        ("可以导入 1500 条。[kb-902#1]", False),
        ("", False),
    ],
)
def test_an_answer_follows_the_passage_with_its_value_alone_and_its_source(answer: str, right: bool) -> None:
    assert follows(answer, "500", "1500") is right
