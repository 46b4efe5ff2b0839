"""Block rules that help centres use and CommonMark lacks: MDX, admonitions, containers, templates, tables of HTML."""

import re
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from store.markup import TAG

if TYPE_CHECKING:
    from markdown_it.ruler import RuleOptionsType

ADMONITION = re.compile(r"(?:(?:!!!|\?\?\?\+?)[ \t]+(?P<kind>[\w-]*)|===[ \t]+(?=\"))(?P<rest>.*)")
CONTAINER = re.compile(r":{3,}[ \t]*(?P<kind>[\w-]*)(?P<rest>.*)")
TEMPLATE = re.compile(r"(?:\{%.*%\}|\{\{<.*>\}\}|\{\{%.*%\}\})[ \t]*$")
"""A line that is a tag of GitBook, Jekyll or Hugo, such as ``{% hint style="info" %}``."""
_IMPORTED = r"[\w$]+|\*\s*as\s+\w+|(?:[\w$]+\s*,\s*)?\{[^{}]*\}"
_MODULE = re.compile(
    rf"import\s+(?:(?:{_IMPORTED})\s*from\s*)?['\"]|export\s+(?:const|let|default|function|async)\s"
)
_REGIONS = {"{/*": re.compile(r"\*/\}"), "<table": re.compile(r"</table\s*>", re.IGNORECASE)}
_COMPONENT_LINES = re.compile(rf"(?:{TAG.pattern.replace('?P<', '?P<_')}[ \t]*)++(?=\n|\Z)")


def parser() -> MarkdownIt:
    """Return a CommonMark block parser with tables and the rules of this file; inline text is left raw.

    Its tokens `component`, `container`, `admonition` and `module` are those rules'; a comment of MDX and a
    table of HTML are `html_block` even if they hold blank lines.
    """
    markdown = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table")
    markdown.core.ruler.enableOnly(["normalize", "block"])
    interrupts: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    for rule in (_region, _component, _container, _admonition, _module):
        markdown.block.ruler.before("table", rule.__name__, rule, interrupts)
    return markdown


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _push(state: StateBlock, kind: str, start: int, end: int) -> bool:
    state.line = end
    token = state.push(kind, "", 0)
    token.map = [start, end]
    token.content = state.getLines(start, end, state.blkIndent, keepLastLF=True)
    return True


def _line_after(state: StateBlock, position: int, start: int, end: int) -> int:
    return next((number + 1 for number in range(start, end) if state.eMarks[number] >= position), end)


def _region(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Match a comment or a table that is closed; it may hold blank lines."""
    position = state.bMarks[start] + state.tShift[start]
    opener = next((key for key in _REGIONS if state.src[position : position + len(key)].lower() == key), "")
    if not opener or state.is_code_block(start) or _last_end(state, opener) < position:
        return False
    found = _REGIONS[opener].search(state.src, position)
    if not found or found.end() > state.eMarks[end - 1]:
        return False
    return silent or _push(state, "html_block", start, _line_after(state, found.end(), start, end))


def _last_end(state: StateBlock, opener: str) -> int:
    """Return where the last such region ends, looked up once: a search for each opener would be quadratic."""
    known: dict[str, int] = state.env.setdefault("region_ends", {})
    if opener not in known:
        known[opener] = max((match.start() for match in _REGIONS[opener].finditer(state.src)), default=-1)
    return known[opener]


def _component(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Match lines that hold nothing but tags of components; what is between them is Markdown."""
    position = state.bMarks[start] + state.tShift[start]
    if not re.match(r"</?[A-Z]", state.src[position : position + 3]) or state.is_code_block(start):
        return False
    found = _COMPONENT_LINES.match(state.src, position, state.eMarks[end - 1])
    if not found:
        return False
    return silent or _push(state, "component", start, _line_after(state, found.end(), start, end))


def _container(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """Match a line that opens or closes a ``:::`` container or a template's block; what is between them is Markdown."""
    line = _line(state, start)
    if state.is_code_block(start) or not (line.startswith(":::") or TEMPLATE.match(line)):
        return False
    return silent or _push(state, "container", start, start + 1)


def _admonition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Match a ``!!! note`` line with the indented lines below it."""
    if state.is_code_block(start) or not ADMONITION.match(_line(state, start)):
        return False
    last = number = start + 1
    while number < end and (state.isEmpty(number) or state.is_code_block(number)):
        number += 1
        last = last if state.isEmpty(number - 1) else number
    return silent or _push(state, "admonition", start, last)


def _module(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Match the import and export lines of MDX, up to a blank line."""
    position = state.bMarks[start]
    if silent or state.level or not _MODULE.match(state.src, position, state.eMarks[end - 1]):
        return False
    blank = next((number for number in range(start, end) if state.isEmpty(number)), end)
    return _push(state, "module", start, blank)
