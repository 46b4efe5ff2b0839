"""Markdown, with the HTML and MDX in it, read as blocks that know where they may be split."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from markdown_it.tree import SyntaxTreeNode

from store.markdown_rules import parser
from store.markup import block_to_markdown, component_balance, tag_names
from store.plain_text import plain_text
from store.rewriting import Lines, joined, rewrite, titled, without_data
from store.text import width

HEADING_WIDTH = 400
"""A longer heading is taken for a paragraph: no citation could show it."""
FRAME_WIDTH = 500
"""A longer table header or first line of a fence is not repeated: it would fill the pieces."""

_PARSER = parser()
_DEPTH = 8
"""How deep components, admonitions and HTML are opened; what is nested deeper stays one block."""
_LEAD = re.compile(r"(?s).*[:：]\s*|\s*(\*\*|__)(?:(?!\1).)+\1\s*")


@dataclass(frozen=True, slots=True)
class Block:
    """A heading or a block of content, and the smaller blocks that it can be cut into.

    Attributes:
        text: its source, HTML replaced by Markdown.
        level: 1 to 6 for a heading, 0 for content.
        gap: what stands between it and the block before, a line end or a blank line.
        parts: its items, rows or lines; empty when only sentences are left.
        head: what each piece of it repeats in front: a table's header row, a fence's first line.
        tail: what each piece of it repeats behind: a fence's last line.
    """

    text: str
    level: int = 0
    gap: str = "\n\n"
    parts: tuple["Block", ...] = field(default=(), repr=False)
    head: str = ""
    tail: str = ""

    @property
    def leads(self) -> bool:
        """Whether it only introduces the next block: a heading, a line in bold, a line that ends in a colon."""
        return bool(self.level or (not self.parts and _LEAD.fullmatch(self.text)))


def blocks(text: str) -> list[Block]:
    r"""Read Markdown as a flat list of headings and content blocks.

    Args:
        text: without front matter and with ``\n`` for line ends (see `store.text.readable`).
    """
    text = without_data(text)
    return list(_read(text, tag_names(text), _DEPTH))


def title_of(content: Sequence[Block]) -> str:
    """Return the words of the first level-1 heading, or an empty string."""
    return next((heading_text(block) for block in content if block.level == 1), "")


def heading_text(block: Block) -> str:
    """Return a heading's words on one line, as a citation shows them."""
    return " ".join(plain_text(block.text).split())


def _read(text: str, names: frozenset[str], depth: int) -> Iterator[Block]:
    env: dict[str, object] = {}
    tokens = _PARSER.parse(text, env)
    lines: Lines = [*text.split("\n")]
    rewrite(lines, tokens, names, env)
    inside, last = 0, 0
    for node in SyntaxTreeNode(tokens).children:
        start, end = node.map or (last, last)
        yield from _footnotes(lines, last, start)
        last, source = end, joined(lines, start, end).strip("\n")
        if node.type == "component":
            inside += component_balance(source, names)
        opened = _opened(node.type, source, names, inside > 0) if depth else None
        if opened is None or opened == source:
            yield from _block(node, lines, textwrap.dedent(source) if node.type == "paragraph" else source)
        else:
            yield from _read(opened, names, depth - 1)
    yield from _footnotes(lines, last, len(lines))


def _footnotes(lines: Lines, start: int, end: int) -> Iterator[Block]:
    """Keep the footnotes of one word: between blocks stand link definitions, and CommonMark takes them for such."""
    text = joined(lines, start, end).strip("\n")
    if text.lstrip().startswith("[^"):
        yield Block(text)


def _opened(kind: str, source: str, names: frozenset[str], inside: bool) -> str | None:
    """Return the Markdown that a block holds or stands for; None if it is plain Markdown itself."""
    if kind in ("html_block", "component"):
        return block_to_markdown(source, names)
    if kind == "code_block" and inside:
        return textwrap.dedent(source)
    if kind in ("admonition", "container"):
        first, _, rest = source.partition("\n")
        return f"{titled(first)}\n\n{textwrap.dedent(rest)}"
    return "" if kind == "module" else None


def _block(node: SyntaxTreeNode, lines: Lines, source: str, gap: str = "\n\n") -> Iterator[Block]:
    if not source.strip("> \t\n") or node.type == "hr":
        return
    if node.type == "heading":
        yield from _heading(node)
    elif node.type in ("fence", "code_block"):
        yield replace(_code(node, source), gap=gap)
    elif node.type == "table":
        yield replace(_table(node, lines, source), gap=gap)
    elif node.type in ("bullet_list", "ordered_list", "list_item", "blockquote"):
        yield Block(source, gap=gap, parts=tuple(_parts(node, lines)))
    else:
        yield Block(source, gap=gap)


def _heading(node: SyntaxTreeNode) -> Iterator[Block]:
    content = " ".join(node.children[0].content.split())
    level = int(node.tag[1]) if width(content) <= HEADING_WIDTH else 0
    text = f"{'#' * level} {content}".strip()
    if plain_text(text):
        yield Block(text, level=level)


def _parts(node: SyntaxTreeNode, lines: Lines) -> Iterator[Block]:
    """Yield what a list, an item or a quote holds; each part reaches up to the next, so that nothing is lost."""
    first, last = node.map or (0, 0)
    starts = [child.map[0] if child.map else first for child in node.children[1:]]
    gap = "\n"
    for child, start, end in zip(node.children, [first, *starts], [*starts, last], strict=False):
        source = joined(lines, start, end)
        # A heading in a list or a quote is no section: it stays where it stands.
        inner = Block(source.strip("\n"), gap=gap) if child.type == "heading" else None
        yield from [inner] if inner else _block(child, lines, source.strip("\n"), gap)
        gap = "\n" if source.split("\n")[-1].strip("> \t") else "\n\n"


def _code(node: SyntaxTreeNode, source: str) -> Block:
    rows = source.split("\n")
    if node.type == "code_block":
        return Block(source, parts=_rows(rows))
    indent = re.match(r"[ \t>]*", rows[0])
    tail = (indent[0] if indent else "") + node.markup
    closed = len(rows) > 1 and rows[-1].strip("> \t").startswith(node.markup)
    head = rows[0] if width(rows[0]) <= FRAME_WIDTH else tail
    text = source if closed else f"{source}\n{tail}"
    return Block(text, parts=_rows(rows[1:-1] if closed else rows[1:]), head=head, tail=tail)


def _table(node: SyntaxTreeNode, lines: Lines, source: str) -> Block:
    start, end = node.map or (0, 0)
    head = joined(lines, start, start + 2)
    if width(head) > FRAME_WIDTH:
        return Block(source, parts=_rows(source.split("\n")))
    return Block(source, parts=_rows(joined(lines, start + 2, end).split("\n")), head=head)


def _rows(rows: Sequence[str]) -> tuple[Block, ...]:
    return tuple(Block(row, gap="\n") for row in rows)
