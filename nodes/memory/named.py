"""What users call the things that are known of them: one table of names for writing, recalling, correcting and forgetting."""

import re
from functools import cache
from importlib.resources import files

from nodes.language import Language
from nodes.window.tokens import HAN

_BUSINESS = r"(?:我们?|咱们?|公司|我司|本公司)(?:公司|团队)?的?"
_OWN = re.compile(r"我们?(?:的|叫什么?)$|\b(?:my|our)\s+$", re.IGNORECASE)
_BECOMES = r"(?:现在|目前|已经?)?(?:是|为|叫|改成了?|改为了?|换成了?|变成了?|[:：])"
_IS = r"(?:\s+(?:is|are|has become|became|was changed to|changed to)(?:\s+now)?|:)"


@cache
def names_of_slots() -> dict[str, dict[Language, tuple[str, ...]]]:
    """Return the table: by slot, in both languages, the names of the thing; the first one heads its memories.

    Rows ``private.*`` are of values that no memory holds (`store.privacy`), by their kind.
    """
    rows = (files("nodes.lexicon") / "slots.txt").read_text("utf-8").splitlines()
    table: dict[str, dict[Language, tuple[str, ...]]] = {}
    for row in rows:
        slot, zh, en = (part.strip() for part in row.split("|"))
        table[slot] = {"zh": _listed(zh), "en": _listed(en)}
    return table


def named(text: str) -> frozenset[str]:
    """Return the slots of the things that a text names."""
    return frozenset(slot for found in _names().finditer(text) for slot in _slots()[found.group().casefold()])


def called_own(text: str) -> str:
    """Return the name by which a text calls a thing of the user's own (名字 of 「我叫什么名字」); empty when it names none."""
    own = (found.group() for found in _names().finditer(text) if _OWN.search(text[: found.start()]))
    return next(own, "")


def without_names(text: str) -> str:
    """Return a text without the names of slots in it."""
    return _names().sub(" ", text)


def stated(slot: str) -> re.Pattern[str]:
    """Return the pattern of a statement of one's own that gives a slot by its name (「我们的套餐是……」, "our plan is …")."""
    names = {lang: alternatives(called) for lang, called in names_of_slots()[slot].items()}
    return re.compile(
        rf"{_BUSINESS}(?:{names['zh']}){_BECOMES}\s*(?P<zh>[^，。,.!！？?；;\s]{{1,20}})"
        rf"|\b(?:my|our)\s+(?:{names['en']}){_IS}\s+(?P<en>[^,.!?;]{{1,40}})",
        re.IGNORECASE,
    )


@cache
def _names() -> re.Pattern[str]:
    return re.compile(alternatives(tuple(_slots())), re.IGNORECASE)


@cache
def _slots() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for slot, names in names_of_slots().items():
        for name in (*names["zh"], *names["en"]):
            found.setdefault(name.casefold(), set()).add(slot)
    return {name: frozenset(slots) for name, slots in found.items()}


def alternatives(names: tuple[str, ...]) -> str:
    """Return names as alternatives of a pattern, the longer ones first; those of letters are whole words."""
    longest = sorted(names, key=len, reverse=True)
    return "|".join(re.escape(name) if HAN.match(name) else rf"\b{re.escape(name)}\b" for name in longest)


def _listed(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(","))
