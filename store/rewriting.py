"""Lines of Markdown rewritten so that a piece of the article can be read without the rest of it."""

import re
from collections.abc import Iterator, Mapping, Sequence

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from store.markdown_rules import ADMONITION, CONTAINER
from store.markup import attributes, block_to_markdown, inline_to_markdown

_ALERT = re.compile(r"\[!(?P<kind>\w+)\][+-]?[ \t]*(?P<rest>[^\n]*)")
_REFERENCE = re.compile(r"\[([^\[\]]{1,300})\](?:\[([^\[\]]{0,300})\])?(?![\[(:])")
_EMBEDDED = re.compile(r"!?\[([^\[\]]*)\]\(\s*(?:data|javascript|vbscript):(?:[^()]|\([^()]*\))*\)")
_DATA_URI = re.compile(r"data:[\w.+-]+/[\w.+-]+[;,][^\s)\"'<>]{64,}")
_MARKER = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_NESTED = frozenset({"html_block", "component", "container", "admonition"})

Lines = list[str | None]
"""Lines by their number in the source; None where a line was joined to the one before."""


def without_data(text: str) -> str:
    """Drop images and scripts that stand in an address; their text stays."""
    return _DATA_URI.sub("", _EMBEDDED.sub(r"\1", text) if "](" in text else text)


def rewrite(lines: Lines, tokens: Sequence[Token], names: frozenset[str], env: Mapping[str, object]) -> None:
    """Replace the tags, comments and reference links in the lines of paragraphs, headings and cells.

    Code stays, and so do blocks of HTML and the like that are not inside a list or a quote.

    Args:
        lines: the source, changed in place.
        tokens: of the block parser; the content of inline ones is changed too.
        names: the tags that are markup (see `store.markup.tag_names`).
        env: what the parser learnt of the document, its link references among it.
    """
    references = env.get("references")
    for token, (start, end) in _written(tokens):
        source = joined(lines, start, end)
        marker = _MARKER.match(source)
        indent = re.sub(r"[^>\s]", " ", marker[0]) if marker else ""
        new = _replaced(token, source, names, references if isinstance(references, dict) else {})
        if new != source:
            new = re.sub(r"\s*\n\s*", f"\n{indent}", new.strip("\n"))
            lines[start:end] = [new, *[None] * (end - start - 1)]
            token.content = new


def _written(tokens: Sequence[Token]) -> Iterator[tuple[Token, tuple[int, int]]]:
    """Yield each token whose lines are rewritten; the cells of a table's row have one line between them."""
    done = -1
    for token in tokens:
        if token.map and token.map[0] > done and (token.type == "inline" or _is_nested(token)):
            done = token.map[1] - 1
            yield token, (token.map[0], token.map[1])


def _is_nested(token: Token) -> bool:
    return bool(token.level) and token.type in _NESTED


def joined(lines: Sequence[str | None], start: int, end: int) -> str:
    """Return the lines from start up to end as one text."""
    return "\n".join(line for line in lines[start:end] if line is not None)


def _replaced(token: Token, source: str, names: frozenset[str], references: Mapping[str, object]) -> str:
    if token.type in ("admonition", "container"):
        first, *rest = source.split("\n")
        return "\n".join([titled(first), *rest])
    convert = block_to_markdown if token.type in ("html_block", "component") else inline_to_markdown
    text = convert(source, names)
    if references and "[" in text:
        text = _REFERENCE.sub(lambda match: _addressed(match, references), text)
    return _ALERT.sub(_title, text) if "[!" in text else text


def _addressed(match: re.Match[str], references: Mapping[str, object]) -> str:
    """Write the address of a reference link beside its text."""
    target = references.get(normalizeReference(match[2] or match[1]))
    return f"[{match[1]}]({target['href']})" if isinstance(target, dict) else match[0]


def titled(line: str) -> str:
    """Return the title of an admonition or container in bold, or its kind when it has none."""
    match = ADMONITION.search(line) or CONTAINER.search(line)
    return _title(match) if match else ""


def _title(match: re.Match[str]) -> str:
    rest = match["rest"].strip()
    title = attributes(rest).get("title") or rest.strip("[]\"'“” ") or match["kind"].capitalize()
    return f"**{title}**" if title else ""
