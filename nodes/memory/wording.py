"""How statements about a user are worded: quantities, codes, names, and words of one meaning."""

import re
from functools import lru_cache

from nodes.lexicon import groups, lexicon
from nodes.memory.cues import without
from nodes.number_words import ENGLISH, han_value
from nodes.window.tokens import HAN
from nodes.words import words
from store.lexical import stem

_SUBJECT = re.compile(
    r"^(?:目前|现在)?\s*用户(?:说自己|说他|说|表示自己|表示|称自己|称|提到|在(?=\d))?的?|^the user(?:'s)?\s*(?:says? (?:that )?(?:they|he|she) )?",
    re.IGNORECASE,
)
_HAN_NUMBER = re.compile(
    r"[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九](?=[个名位家台条张次人月号日年岁只间点])"
)
_CODE = re.compile(
    r"[A-Za-z]{1,6}-?\d{2,}[A-Za-z\d-]*|\d{6,}|(?<=[单号同])\d{3,}|\b(?:order|ticket|invoice|contract|case) #?\d+",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\d{4}年(?:\d{1,2}月)?(?:\d{1,2}[日号])?|\d{1,2}月(?:\d{1,2}[日号]?)?"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b(?:\s+\d{1,2})?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_IGNORED = lexicon("framing")
_VERB_ENDINGS = frozenset("到了过着的得成好完给")
_PERSONS = lexicon("persons")
_PRONOUNS = frozenset(
    ["他", "她", "他们", "她们", "he", "she", "they", "his", "her", "their", "them", "people"]
)
_TOPICS = frozenset(map(stem, lexicon("topics")))


def core(text: str) -> str:
    """Return a memory without its subject (用户, the user) and the words that only report."""
    return _SUBJECT.sub("", text.strip()).strip() or text


def in_first_person(text: str) -> list[str]:
    """Return a memory in each way in which its user may have said it: 「我……」, 「我们……」, "I …", "my …"."""
    bare = core(text)
    if HAN.search(text):
        return [f"我{bare}", f"我们{bare}", bare]
    said = re.sub(
        r"^the user(?P<has>'s)?\b", lambda m: "my" if m["has"] else "I", text.strip(), flags=re.IGNORECASE
    )
    for third, first in (("is", "am"), ("has", "have"), (r"(\w+[^s\W])s", r"\1")):
        said = re.sub(rf"^I (?!was){third}\b", f"I {first}", said)
    return [said]


def tokens(text: str) -> list[str]:
    """Return the words of a statement by which it is compared: one word for one meaning, without modality."""
    bare = without("negation", without("now", without("change", core(text))))
    bare = _HAN_NUMBER.sub(lambda m: str(han_value(m.group())), bare)
    return [_canonical(word) for word in words(bare) if word not in _IGNORED]


def numbers(text: str) -> frozenset[str]:
    """Return the quantities of a text, Chinese and English numerals as digits; codes and dates left out."""
    bare = _DATE.sub(" ", _CODE.sub(" ", text))
    bare = _HAN_NUMBER.sub(lambda m: str(han_value(m.group())), bare)
    found = {str(float(n)) for n in _NUMBER.findall(bare)}
    found |= {str(float(ENGLISH[w])) for w in words(bare) if w in ENGLISH}
    return frozenset(found)


def dates(text: str) -> frozenset[str]:
    """Return the dates that a text names, as written, without blanks and the word for day."""
    return frozenset(re.sub(r"[日号\s]", "", d.lower()) for d in _DATE.findall(text))


def codes(text: str) -> frozenset[str]:
    """Return the codes and the numbers of orders, tickets and the like."""
    return frozenset(code.lower() for code in _CODE.findall(text))


def persons(text: str) -> frozenset[str]:
    """Return whom else a statement speaks of: colleagues, customers, relatives."""
    named = (word.removesuffix("'s") for word in words(core(text)))
    return frozenset(word for word in named if word in _PERSONS - _PRONOUNS)


def topics(text: str) -> frozenset[str]:
    """Return the things of a business that a statement is about."""
    return frozenset(map(_canonical, words(core(text)))) & _TOPICS


def names(text: str) -> frozenset[str]:
    """Return the capitalised names of an English text."""
    return frozenset(_canonical(w.lower()) for w in re.findall(r"(?<=\s)[A-Z][A-Za-z0-9]+", core(text)))


def alternatives(one: str, other: str) -> bool:
    """Tell whether two different words are of one kind: listed as alternatives, or names with one ending."""
    if one == other:
        return False
    if any(one in group and other in group for group in _alternatives()):
        return True
    chinese = HAN.match(one) and HAN.match(other)
    return bool(chinese) and len(one) > 1 < len(other) and one[-1] == other[-1] not in _VERB_ENDINGS


def abbreviates(short: str, long: str) -> bool:
    """Tell whether a Chinese word is short for another: its characters in order, from the first one (招行, 招商银行)."""
    if not 1 < len(short) < len(long) or short[0] != long[0] or not HAN.match(short):
        return False
    rest = iter(long)
    return all(character in rest for character in short)


@lru_cache(maxsize=1)
def _alternatives() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(_canonical, group)) for group in groups("alternatives"))


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, str]:
    lines = (sorted(group) for group in groups("synonyms"))
    return {stem(word): stem(line[0]) for line in lines for word in line}


@lru_cache(maxsize=4096)
def _canonical(word: str) -> str:
    stemmed = stem(word)
    return str(ENGLISH[word]) if word in ENGLISH else _synonyms().get(stemmed, stemmed)
