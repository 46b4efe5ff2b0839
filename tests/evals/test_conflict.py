import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from evals.conflict import FACTS, PLACES, QUESTION, conflicting, newest
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
