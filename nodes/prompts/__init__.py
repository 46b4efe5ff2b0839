"""The texts that the models and the users read, in both languages, kept as files and reviewed as such."""

from functools import cache
from importlib import resources

from nodes.language import Language
from store.settings import Settings

_NEUTRAL: dict[Language, tuple[str, str]] = {
    "zh": ("本产品", "友好、简洁，先给结论，再给依据和下一步"),
    "en": ("this product", "friendly and brief: the answer first, then the reason and the next step"),
}


def system_prompt(settings: Settings, written_in: Language) -> str:
    """Return the system prompt; the same settings and language give the same text, byte for byte.

    Args:
        settings: the product's name and the tone.
        written_in: language of the prompt itself; the answer follows the question's language.
    """
    product, tone = _NEUTRAL[written_in]
    text = prompt(f"system.{written_in}")
    # Not a format string: the texts may hold braces of their own.
    return text.replace("<product>", settings.product_name or product).replace(
        "<tone>", settings.tone or tone
    )


@cache
def prompt(name: str) -> str:
    """Return the text of a prompt.

    Args:
        name: the file's name without ``.md``.
    """
    return resources.files(__name__).joinpath(f"{name}.md").read_text("utf-8").strip()
