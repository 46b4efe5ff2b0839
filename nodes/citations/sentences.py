"""Cut an answer into sentences without losing a character of it."""

import re
from collections.abc import Iterator

from nodes.citations.markers import MARKER

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_LIST_MARKER = re.compile(r"\A[ \t]*(?:[-*+•]|\d{1,3}[.)、．])(?=\s)")
_WRAPPED = re.compile(r"[ \t]*[a-z]")
_COMPLETE = re.compile(r"[.!?:;。！？：；]\W*\Z|\A[ \t]*[#|]")
_UNCUT = re.compile(r" {0,3}(?:`{3}|~{3}|#{1,6}\s|\|)")
_STOPS = r"[.!?…。！？]*"
_WHOLE = re.compile(
    r"`[^`\n]+`"
    r"|\[[^\[\]\n]*\]\([^()\s]*\)"
    r"|https?://[\w%&/=+#@~:,;.!?-]*[\w%&/=+#@~-]"
    rf"|「[^「」\n]*?(?={_STOPS}」)|『[^『』\n]*?(?={_STOPS}』)|“[^“”\n]*?(?={_STOPS}”)|《[^《》\n]*?(?={_STOPS}》)"
    rf"|(?<![\w\"])\"[^\"\n]*?(?={_STOPS}\"(?!\w))"
    r"|\b(?:e\.g|i\.e|vs|cf|mr|mrs|ms|dr|prof|approx|incl|ca)\."
    r"|\b(?:nos?|fig|vol|pp?)\.(?=\s*\d)"
    r"|\b(?:[a-z]\.){2,}(?=\s+[a-z0-9])",
    re.ASCII | re.IGNORECASE,
)
"""What no boundary may fall into: code, links, addresses, quotations up to their last stop, abbreviations."""

_CLOSERS = r"[」』”’\"'）)》*_~]*"
_MARKERS = rf"(?:[ \t]*{MARKER.pattern})*"
_END = re.compile(
    rf"(?:(?:[。…]|[！？](?![！？]*[」』”’\"][^\s\[]))+|[!?]+(?={_CLOSERS}(?:[\s\[\u3000-\u9fff]|\Z))|\.+(?={_CLOSERS}(?:\s+(?![a-z])|[\[\u3000-\u9fff]|\Z)))"
    rf"{_CLOSERS}{_MARKERS}(?:[。.]{_MARKERS})?[ \t]*"
    rf"|{MARKER.pattern}{_MARKERS}[ \t]*[；;][ \t]*"
    rf"|[；;][ \t]*{MARKER.pattern}{_MARKERS}[ \t]*"
)


def split_sentences(answer: str) -> list[str]:
    """Cut an answer into its sentences.

    A sentence keeps its list marker, the citations behind its full stop and the white space after it, so
    that joining the pieces gives the answer back. List items, headings, table rows and code blocks stand
    alone. A quotation, a link, an address or inline code is never cut. A semicolon ends a sentence where
    a citation stands beside it.

    Args:
        answer: Markdown in Chinese or English.

    Returns:
        The pieces, in order; their concatenation is `answer`.
    """
    pieces: list[str] = []
    for block in _blocks(answer):
        for piece in [block] if _UNCUT.match(block) else _cut(block):
            if pieces and not re.search(r"\w", MARKER.sub("", piece)):
                pieces[-1] += piece
            else:
                pieces.append(piece)
    return pieces


def without_bullet(sentence: str) -> str:
    """Return a sentence without its list marker and the white space around it."""
    return _LIST_MARKER.sub("", sentence, count=1).strip()


def _blocks(answer: str) -> Iterator[str]:
    end = 0
    for fence in _FENCE.finditer(answer):
        yield from _lines(answer[end : fence.start()])
        yield fence[0]
        end = fence.end()
    yield from _lines(answer[end:])


def _lines(text: str) -> Iterator[str]:
    """Yield lines; one that goes on in small letters belongs to the line before it."""
    held = ""
    for line in text.splitlines(keepends=True):
        if held and (_COMPLETE.search(held) or not _WRAPPED.match(line)):
            yield held
            held = ""
        held += line
    if held:
        yield held


def _cut(block: str) -> Iterator[str]:
    whole = [match.span() for match in _WHOLE.finditer(block)]
    whole += [match.span() for match in [_LIST_MARKER.match(block)] if match]
    start = 0
    for end in _END.finditer(block):
        if not any(a <= end.start() < b for a, b in whole):
            yield block[start : end.end()]
            start = end.end()
    if start < len(block):
        yield block[start:]
