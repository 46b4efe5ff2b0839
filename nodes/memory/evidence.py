"""What a memory rests on: whether a message says it, says it in earnest, and holds its numbers."""

import re
import unicodedata

from nodes.memory.speech import clauses, is_own

_SHORTEST_SPAN = 2
_CODE = re.compile(r"[A-Za-z]*\d[\w.-]*")
_HAN = re.compile(r"[\u4e00-\u9fff]")


def rests_on(span: str, text: str) -> bool:
    """Tell whether a span occurs in a text, compared by characters: width, case and blanks do not count."""
    words = folded(span)
    return len(words) >= _SHORTEST_SPAN and words in folded(text)


def in_earnest(span: str, text: str) -> bool:
    """Tell whether the span lies in a clause that the user states in earnest of themselves."""
    words = folded(span)
    spoken = [folded(clause) for clause in clauses(text) if is_own(clause)]
    return any(words in clause or clause in words for clause in spoken) or words in "".join(spoken)


def is_grounded(memory: str, event_time: str, text: str) -> bool:
    """Tell whether the numbers and codes of a memory occur in the message; a date may be worked out from it."""
    said = unicodedata.normalize("NFKC", text).casefold()
    bare = unicodedata.normalize("NFKC", memory.replace(event_time, "") if event_time else memory)
    return all(code.casefold().rstrip(".-") in said for code in _CODE.findall(_HAN.sub(" ", bare)))


def folded(text: str) -> str:
    """Return a text as it is compared: in one width and case, without blanks."""
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)).casefold()
