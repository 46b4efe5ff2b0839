import pytest
from syrupy.assertion import SnapshotAssertion

from nodes.language import Language
from nodes.prompts import system_prompt
from store.settings import load_settings


@pytest.mark.parametrize("written_in", ["zh", "en"])
def test_the_system_prompt_is_reviewed(written_in: Language, snapshot: SnapshotAssertion) -> None:
    assert system_prompt(load_settings(), written_in) == snapshot


def test_product_and_tone_come_from_the_settings_and_braces_stay_as_they_are() -> None:
    prompt = system_prompt(load_settings(product_name="Acme {x} 100%", tone="正式"), "zh")
    assert "Acme {x} 100%" in prompt
    assert "正式" in prompt
    assert "<" not in prompt
