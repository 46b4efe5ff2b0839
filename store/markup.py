"""HTML and JSX inside Markdown, turned into Markdown that holds what a reader sees and nothing else."""

import re
from collections.abc import Iterator
from html import unescape

from markdown_it.common.html_blocks import block_names

_ATTRIBUTES = r"""(?:"[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*+\}|[^<>"'{}])*+"""
TAG = re.compile(rf"<(?P<close>/?)(?P<name>[A-Za-z][\w.-]*)(?P<attributes>(?=[\s/>]){_ATTRIBUTES})>")
_MARKUP = re.compile(rf"(?P<code>`+[^`]{{1,500}}`+)|(?P<comment><!--|\{{/\*)|{TAG.pattern}")
_COMMENT_ENDS = {"<!--": "-->", "{/*": "*/}"}
_ATTRIBUTE = re.compile(
    r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|\{\s*["'`]([^"'`]*)["'`]\s*\}|([^\s"'{}>]+))"""
)
_CLOSED = re.compile(r"</([A-Za-z][\w.-]*)|<([A-Za-z][\w.-]*)(?:\s[^<>]*)?/>")
_VOID = frozenset({"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
_UNSEEN = frozenset({"script", "style", "template", "svg", "noscript"})
_TITLES = ("title", "label", "summary", "question", "header", "caption")
_TABLE = re.compile(r"<table\b[^<>]*>(.*?)</table\s*>", re.IGNORECASE | re.DOTALL)
_ROW = re.compile(r"<tr\b[^<>]*>", re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b[^<>]*>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?!(?:lt|gt|amp|#60|#62|#38|#x3c|#x3e|#x26);)#?\w+;", re.IGNORECASE)
_OPEN = {
    "br": "\n",
    "li": "\n- ",
    "pre": "\n\n```\n",
    "summary": "\n\n**",
    **{f"h{level}": "\n\n" + "#" * level + " " for level in range(1, 7)},
}
_CLOSE = {"li": "\n", "pre": "\n```\n\n", "summary": "**\n\n"}


def tag_names(text: str) -> frozenset[str]:
    """Return the names of the tags in a document that are markup, not placeholders such as ``<user>``.

    A tag is markup if HTML knows it as a block or as an empty element, or the document closes it somewhere.
    """
    closed = {a or b for a, b in _CLOSED.findall(text)}
    return _VOID | frozenset(block_names) | closed


def attributes(source: str) -> dict[str, str]:
    """Return the attributes with a constant value in the inside of a tag, entities decoded."""
    found = _ATTRIBUTE.findall(source)
    return {name.lower(): unescape(next(filter(None, values), "")) for name, *values in found}


def component_balance(source: str, names: frozenset[str]) -> int:
    """Return how many tags a piece of MDX opens more than it closes."""
    tags = [tag for tag in TAG.finditer(source) if tag["name"] in names]
    return sum(-1 if tag["close"] else not tag["attributes"].endswith("/") for tag in tags)


def block_to_markdown(html: str, names: frozenset[str]) -> str:
    """Turn a block of HTML or JSX into Markdown (see `inline_to_markdown`), tables and entities included."""
    if "</table" in html.lower():
        html = _TABLE.sub(lambda match: f"\n\n{_table(match[1], names)}\n\n", html)
    return "\n".join(_tidied(inline_to_markdown(html, names)))


def inline_to_markdown(text: str, names: frozenset[str]) -> str:
    """Turn the tags in a paragraph into Markdown and drop comments and scripts.

    Args:
        text: code spans in it are left alone; a comment or script that is never closed hides nothing.
        names: the tags that are markup (see `tag_names`); others stay as text.
    """
    return "".join(_replaced(text, names)) if "<" in text or "{/*" in text else text


def _replaced(text: str, names: frozenset[str]) -> Iterator[str]:
    position = 0
    links: list[str] = []
    unclosed: set[str] = set()
    for match in _MARKUP.finditer(text):
        name = (match["name"] or "").lower()
        if match.start() < position or match["code"] or (name and not {name, match["name"]} & names):
            continue
        end = _end_of_unseen(text, match, unclosed)
        if end is None:
            continue
        yield text[position : match.start()]
        yield _link(match, links) if name == "a" else _replacement(match)
        position = end
    yield text[position:]


def _end_of_unseen(text: str, match: re.Match[str], unclosed: set[str]) -> int | None:
    """Return where a tag ends, or the comment or script that it opens; None if that one never ends."""
    opener = match["comment"] or match["name"].lower()
    if not match["comment"] and (match["close"] or opener not in _UNSEEN):
        return match.end()
    if opener in unclosed:
        return None
    closing = re.escape(_COMMENT_ENDS.get(opener, f"</{opener}>"))
    end = re.compile(closing, re.IGNORECASE).search(text, match.end())
    if not end:
        unclosed.add(opener)
    return end and end.end()


def _replacement(match: re.Match[str]) -> str:
    if match["comment"]:
        return ""
    name = match["name"].lower()
    is_component = match["name"][0].isupper()
    border = "\n\n" if is_component or name in block_names else ""
    if match["close"]:
        return _CLOSE.get(name, border)
    values = attributes(match["attributes"])
    if name == "img":
        return f"![{values['alt']}]({values.get('src', '')})" if values.get("alt") else ""
    titles = [values[key] for key in _TITLES if is_component and values.get(key)]
    return _OPEN.get(name, border) + "".join(f"**{title}**\n\n" for title in titles)


def _link(match: re.Match[str], links: list[str]) -> str:
    if not match["close"]:
        links.append(attributes(match["attributes"]).get("href", ""))
        return "[" if links[-1] else ""
    target = links.pop() if links else ""
    return f"]({target})" if target else ""


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


def _tidied(text: str) -> Iterator[str]:
    """Yield the lines without the indentation of HTML, entities decoded; in code both stay meaningful."""
    in_code = False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        if in_code:
            yield unescape(line)
        else:
            yield _ENTITY.sub(lambda match: unescape(match[0]), line.lstrip())
