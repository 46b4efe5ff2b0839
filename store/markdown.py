"""CommonMark with tables, admonitions and components, read as blocks that know where they may be split."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from store.markdown_rules import ADMONITION, CONTAINER, parser
from store.markup import attributes, component_balance, tag_names, to_markdown
from store.plain_text import plain_text
from store.text import width

HEADING_WIDTH = 400
"""A longer heading is taken for a paragraph: no citation could show it."""
HEAD_WIDTH = 500
"""A longer table header is not repeated in each piece: it would fill them."""
_DEPTH = 8

_PARSER = parser()
_MODULE = re.compile(
    r"""(?:import\s+(?:[\w$]+|\*\s+as\s+\w+|\{[^{}]*\}|[\w$]+\s*,\s*\{[^{}]*\})\s+from\s+['"]|import\s+['"]|export\s+(?:const|let|default|function)\s)"""
)
_ALERT = re.compile(r"\[!(?P<kind>\w+)\][+-]?[ \t]*(?P<rest>[^\n]*)")
_REFERENCE = re.compile(r"\[([^\[\]]{1,300})\](?:\[([^\[\]]{0,300})\])?(?![\[(:])")
_DATA_URI = re.compile(r"data:[\w.+-]+/[\w.+-]+[;,][^\s)\"'<>]{64,}")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of Markdown, and the smaller ones that it can be cut into.

    Attributes:
        text: its source, HTML replaced by Markdown; a heading's as ``## text``.
        level: 1 to 6 for a heading, 0 for content.
        gap: what stands between it and the block before, a line end or a blank line.
        parts: its items, rows or lines; empty when only sentences are left.
        head: what each piece of it repeats in front: a table's header row, a fence's first line.
        tail: what each piece of it repeats behind: a fence's last line.
        leads: it only introduces the next block and stays with it.
    """

    text: str
    level: int = 0
    gap: str = "\n\n"
    parts: tuple["Block", ...] = field(default=(), repr=False)
    head: str = ""
    tail: str = ""
    leads: bool = False


def blocks(text: str) -> list[Block]:
    r"""Read Markdown, HTML and JSX in it included, as a flat list of headings and content blocks.

    Front matter must be gone, and line ends be ``\n`` (see `store.text.readable`).
    """
    text = _DATA_URI.sub("", text)
    return list(_read(text, tag_names(text), _DEPTH))


def _read(text: str, names: frozenset[str], depth: int) -> Iterator[Block]:
    env: dict[str, object] = {}
    tokens = _PARSER.parse(text, env)
    lines = _rewritten(text.split("\n"), tokens, names, env)
    inside = 0
    for node in SyntaxTreeNode(tokens).children:
        source = _source(lines, *(node.map or (0, 0)))
        if node.type == "component":
            inside += component_balance(source, names)
        inner = _inner(node.type, source, names, inside > 0) if depth else None
        if inner is None:
            yield from _block(node, lines, source)
        else:
            lead, content = inner
            if lead:
                yield Block(lead, leads=True)
            yield from _read(content, names, depth - 1)


def _inner(kind: str, source: str, names: frozenset[str], inside: bool) -> tuple[str, str] | None:
    """Return what introduces a block that holds Markdown of its own, and that Markdown; else None."""
    if kind == "html_block":
        return "", to_markdown(source, names)
    if kind == "component":
        return to_markdown(source, names).strip(), ""
    if kind == "code_block" and inside:
        return "", textwrap.dedent(source)
    if kind == "admonition":
        first, _, rest = source.partition("\n")
        return _titled(ADMONITION.match(first.strip())), textwrap.dedent(rest)
    if kind == "container":
        return _titled(CONTAINER.match(source.strip())), ""
    return None


def _titled(match: re.Match[str] | None) -> str:
    """Return the title of an admonition in bold, or its kind when it has none."""
    if not match:
        return ""
    rest = match["rest"].strip()
    title = attributes(rest).get("title") or rest.strip("[]\"'“” ") or match["kind"].capitalize()
    return f"**{title}**" if title else ""


def _source(lines: Sequence[str | None], start: int, end: int) -> str:
    return "\n".join(line for line in lines[start:end] if line is not None).strip("\n")


def _rewritten(
    lines: Sequence[str], tokens: Sequence[Token], names: frozenset[str], env: dict[str, object]
) -> list[str | None]:
    """Replace tags, comments and references in the lines of paragraphs; code and top-level HTML stay."""
    result: list[str | None] = [*lines]
    for token in tokens:
        if token.map and (token.type == "inline" or (token.level and token.type == "html_block")):
            start, end = token.map
            source = _source(result, start, end)
            new = _with_addresses(to_markdown(source, names), env.get("references"))
            new = _ALERT.sub(_titled, new) if "[!" in new else new
            if new != source:
                result[start:end] = [re.sub(r"\s*\n\s*", "\n", new), *[None] * (end - start - 1)]
    return result


def _with_addresses(text: str, references: object) -> str:
    """Write the address of each reference link beside its text, so that a piece of the article keeps it."""
    if not isinstance(references, dict) or "[" not in text:
        return text

    def resolved(match: re.Match[str]) -> str:
        target = references.get(normalizeReference(match[2] or match[1]))
        return f"[{match[1]}]({target['href']})" if target else match[0]

    return _REFERENCE.sub(resolved, text)


def _block(node: SyntaxTreeNode, lines: Sequence[str | None], source: str) -> Iterator[Block]:
    if not source.strip() or node.type == "hr" or (node.type == "paragraph" and _MODULE.match(source)):
        return
    if node.type == "heading":
        content = " ".join(node.children[0].content.split())
        level = int(node.tag[1]) if width(content) <= HEADING_WIDTH else 0
        if plain_text(content):
            yield Block("#" * level + " " * bool(level) + content, level=level, leads=bool(level))
    elif node.type in ("fence", "code_block"):
        yield _code(node, source)
    elif node.type == "table":
        yield _table(node, lines, source)
    else:
        yield _container(node, lines, source)


def _container(node: SyntaxTreeNode, lines: Sequence[str | None], source: str, gap: str = "\n\n") -> Block:
    """Return a paragraph, a list or a quote with what it holds, nothing between its parts being lost."""
    if node.type == "paragraph":
        return Block(source, gap=gap, leads=source.rstrip().endswith((":", "：")))
    first, last = node.map or (0, 0)
    starts = [child.map[0] if child.map else first for child in node.children]
    borders = [first, *starts[1:], last]
    parts, blank = [], False
    for child, start, end in zip(node.children, borders, borders[1:], strict=False):
        text = _source(lines, start, end)
        part_gap = "\n\n" if blank else "\n"
        blank = not (lines[end - 1] or "").strip("> \t") if end > start else False
        if not text.strip():
            continue
        if child.type in ("fence", "code_block"):
            parts.append(_code(child, text, part_gap))
        else:
            parts.append(_container(child, lines, text, part_gap))
    return Block(source, gap=gap, parts=tuple(parts) if len(parts) > 1 or node.type != "paragraph" else ())


def _code(node: SyntaxTreeNode, source: str, gap: str = "\n\n") -> Block:
    rows = source.split("\n")
    if node.type == "code_block":
        return Block(source, gap=gap, parts=tuple(Block(row, gap="\n") for row in rows))
    indent = re.match(r"[ \t>]*", rows[0])
    tail = (indent[0] if indent else "") + node.markup
    closed = len(rows) > 1 and rows[-1].strip("> \t").startswith(node.markup)
    body = rows[1:-1] if closed else rows[1:]
    head = rows[0] if width(rows[0]) <= HEAD_WIDTH else tail
    parts = tuple(Block(row, gap="\n") for row in body)
    return Block(source if closed else f"{source}\n{tail}", gap=gap, parts=parts, head=head, tail=tail)


def _table(node: SyntaxTreeNode, lines: Sequence[str | None], source: str) -> Block:
    start, end = node.map or (0, 0)
    head = _source(lines, start, start + 2)
    rows = [line for line in lines[start + 2 : end] if line]
    if width(head) > HEAD_WIDTH:
        return Block(source, parts=tuple(Block(row, gap="\n") for row in source.split("\n")))
    return Block(source, parts=tuple(Block(row, gap="\n") for row in rows), head=head)


def title_of(content: Sequence[Block]) -> str:
    """Return the words of the first level-1 heading, or an empty string."""
    return next((heading_text(block) for block in content if block.level == 1), "")


def heading_text(block: Block) -> str:
    """Return a heading's words on one line, as a citation shows them."""
    return " ".join(plain_text(block.text).split())
