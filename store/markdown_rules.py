"""Block rules that help centres use and CommonMark lacks: components, comments, admonitions, HTML tables."""

import re
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from store.markup import TAG

if TYPE_CHECKING:
    from markdown_it.ruler import RuleOptionsType

ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?|===)[ \t]+(?P<kind>[\w-]*)(?P<rest>.*)")
CONTAINER = re.compile(r":{3,}[ \t]*(?P<kind>[\w-]*)(?P<rest>.*)")
_REGIONS = {"{/*": re.compile(r"\*/\}"), "<table": re.compile(r"</table\s*>", re.IGNORECASE)}
_COMPONENT_LINE = re.compile(rf"(?:{TAG.pattern.replace('?P<', '?P<_')}[ \t]*)++(?=\n|\Z)")


def parser() -> MarkdownIt:
    """Return a CommonMark block parser with tables and the rules of this file; inline text is left raw."""
    markdown = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table")
    markdown.core.ruler.enableOnly(["normalize", "block"])
    interrupts: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    for name, rule in (
        ("region", _region),
        ("component", _component),
        ("container", _container),
        ("admonition", _admonition),
    ):
        markdown.block.ruler.before("table", name, rule, interrupts)
    return markdown


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _push(state: StateBlock, kind: str, start: int, end: int) -> bool:
    state.line = end
    token = state.push(kind, "", 0)
    token.map = [start, end]
    token.content = state.getLines(start, end, state.blkIndent, keepLastLF=True)
    return True


def _line_at(state: StateBlock, position: int, start: int, end: int) -> int:
    number = start
    while number < end and state.eMarks[number] < position:
        number += 1
    return number


def _region(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A comment or a table of HTML, which may hold blank lines."""
    position = state.bMarks[start] + state.tShift[start]
    opener = next((key for key in _REGIONS if state.src[position : position + len(key)].lower() == key), "")
    if not opener or state.is_code_block(start):
        return False
    last = _last_end(state, opener)
    if last <= position:
        return False
    found = _REGIONS[opener].search(state.src, position)
    if not found or found.end() > state.eMarks[end - 1]:
        return False
    return silent or _push(state, "html_block", start, _line_at(state, found.end(), start, end) + 1)


def _last_end(state: StateBlock, opener: str) -> int:
    """Where the last end of such a region stands, looked up once, so that unclosed ones stay cheap."""
    known: dict[str, int] = state.env.setdefault("region_ends", {})
    if opener not in known:
        known[opener] = max((m.start() for m in _REGIONS[opener].finditer(state.src)), default=-1)
    return known[opener]


def _component(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Lines that hold nothing but tags of MDX components; what is between them is Markdown."""
    position = state.bMarks[start] + state.tShift[start]
    if not re.match(r"</?[A-Z]", state.src[position : position + 3]) or state.is_code_block(start):
        return False
    found = _COMPONENT_LINE.match(state.src, position, state.eMarks[end - 1])
    if not found:
        return False
    return silent or _push(state, "component", start, _line_at(state, found.end(), start, end) + 1)


def _container(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """A line that opens or closes a ``:::`` container; what is between them is Markdown."""
    if state.is_code_block(start) or not _line(state, start).startswith(":::"):
        return False
    return silent or _push(state, "container", start, start + 1)


def _admonition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A ``!!! note`` line with the indented lines below it."""
    if state.is_code_block(start) or not ADMONITION.match(_line(state, start)):
        return False
    last = number = start + 1
    while number < end and (state.isEmpty(number) or state.is_code_block(number)):
        number += 1
        last = last if state.isEmpty(number - 1) else number
    return silent or _push(state, "admonition", start, last)
