"""HTML and JSX inside Markdown, turned into Markdown that holds only what a reader sees."""

import re
from collections.abc import Iterator
from html import unescape

from markdown_it.common.html_blocks import block_names

_ATTRIBUTES = r"""(?:"[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*+\}|[^<>"'{}])*+"""
TAG = re.compile(rf"<(?P<close>/?)(?P<name>[A-Za-z][\w.-]*)(?P<attributes>(?=[\s/>]){_ATTRIBUTES})>")
_CODE_OR_TAG = re.compile(rf"(?P<code>`+[^`]{{1,500}}`+)|{TAG.pattern}")
_ATTRIBUTE = re.compile(
    r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|\{\s*["'`]([^"'`]*)["'`]\s*\}|([^\s"'{}>]+))"""
)
_ENDED = re.compile(r"</([A-Za-z][\w.-]*)|<([A-Za-z][\w.-]*)(?:\s[^<>]*)?/>")
_VOID = frozenset({"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
_UNSEEN = re.compile(r"<(script|style|template|svg|noscript)\b", re.IGNORECASE)
_TITLES = ("title", "label", "summary", "question", "header", "caption")
_TABLE = re.compile(r"<table\b[^<>]*>(.*?)</table\s*>", re.IGNORECASE | re.DOTALL)
_ROW = re.compile(r"<tr\b[^<>]*>", re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b[^<>]*>", re.IGNORECASE)
_OPEN = {
    "br": "\n",
    "hr": "\n\n",
    "li": "\n- ",
    "pre": "\n\n```\n",
    **{f"h{level}": "\n\n" + "#" * level + " " for level in range(1, 7)},
}
_CLOSE = {"pre": "\n```\n\n", "li": "\n", "tr": "\n", "summary": "\n\n"}


def tag_names(text: str) -> frozenset[str]:
    """Return the names of the tags in a document that are markup, not placeholders such as ``<user>``.

    A tag is markup if HTML knows it as a block or an empty element, or the document closes it somewhere.
    """
    closed = {a or b for a, b in _ENDED.findall(text)}
    return _VOID | frozenset(block_names) | closed


def attributes(source: str) -> dict[str, str]:
    """Return the attributes with a constant value in the inside of a tag, entities decoded."""
    return {
        name.lower(): unescape(next(filter(None, values), "")) for name, *values in _ATTRIBUTE.findall(source)
    }


def to_markdown(text: str, names: frozenset[str]) -> str:
    """Turn HTML and JSX into Markdown: tables, lists, links, titles kept; scripts and comments dropped.

    Args:
        text: HTML, or a Markdown paragraph with tags in it. Code spans are left alone.
        names: the tags that are markup (see `tag_names`); others stay as text.
    """
    return inline_to_markdown(_with_tables(without_unseen(text), names), names)


def component_balance(source: str, names: frozenset[str]) -> int:
    """Return how many tags a piece of MDX opens more than it closes."""
    tags = [tag for tag in TAG.finditer(source) if tag["name"] in names]
    return sum(-1 if tag["close"] else not tag["attributes"].endswith("/") for tag in tags)


def without_unseen(text: str) -> str:
    """Drop comments, scripts and styles that are closed; an unclosed one hides nothing."""
    text = _dropped(_dropped(text, "<!--", "-->"), "{/*", "*/}")
    parts, position = [], 0
    while match := _UNSEEN.search(text, position):
        end = re.compile(rf"</{match[1]}\s*>", re.IGNORECASE).search(text, match.end())
        if not end:
            break
        parts.append(text[position : match.start()])
        position = end.end()
    return "".join([*parts, text[position:]])


def _dropped(text: str, start: str, end: str) -> str:
    parts, position = [], 0
    while (first := text.find(start, position)) >= 0:
        last = text.find(end, first + len(start))
        if last < 0:
            break
        parts.append(text[position:first])
        position = last + len(end)
    return "".join([*parts, text[position:]])


def _with_tables(text: str, names: frozenset[str]) -> str:
    if "</table" not in text.lower():
        return text
    return _TABLE.sub(lambda match: f"\n\n{_table(match[1], names)}\n\n", text)


def _table(html: str, names: frozenset[str]) -> str:
    before, *rows = _ROW.split(html)
    cells = [[_cell(cell, names) for cell in _CELL.split(row)[1:]] for row in rows]
    cells = [row for row in cells if any(row)]
    columns = max(map(len, cells), default=0)
    lines = ["| " + " | ".join(row + [""] * (columns - len(row))) + " |" for row in cells]
    if lines:
        lines.insert(1, "|" + " --- |" * columns)
    return "\n\n".join(filter(None, [_cell(before, names), "\n".join(lines)]))


def _cell(html: str, names: frozenset[str]) -> str:
    text = " ".join(inline_to_markdown(html, names).split())
    return text.removeprefix("- ").replace("|", r"\|")


def inline_to_markdown(text: str, names: frozenset[str]) -> str:
    """Replace each tag by the Markdown for it, outside code spans."""
    if "<" not in text:
        return text
    return "".join(_replaced(text, names))


def _replaced(text: str, names: frozenset[str]) -> Iterator[str]:
    position = 0
    links: list[str] = []
    for match in _CODE_OR_TAG.finditer(text):
        name = match["name"]
        if not name or (name not in names and name.lower() not in names):
            continue
        yield text[position : match.start()]
        position = match.end()
        if name == "a":
            yield _link(match, links)
        elif match["close"]:
            yield _CLOSE.get(name.lower(), _border(name))
        else:
            yield _opened(name, attributes(match["attributes"]))
    yield text[position:]


def _link(match: re.Match[str], links: list[str]) -> str:
    if not match["close"]:
        links.append(attributes(match["attributes"]).get("href", ""))
        return "[" if links[-1] else ""
    target = links.pop() if links else ""
    return f"]({target})" if target else ""


def _opened(name: str, values: dict[str, str]) -> str:
    if name.lower() == "img":
        return f"![{values['alt']}]({values.get('src', '')})" if values.get("alt") else ""
    titles = [values[key] for key in _TITLES if values.get(key)] if name[0].isupper() else []
    return _OPEN.get(name.lower(), _border(name)) + "".join(f"**{title}**\n\n" for title in titles)


def _border(name: str) -> str:
    return "\n\n" if name[0].isupper() or name.lower() in block_names else ""
