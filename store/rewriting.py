"""Lines of Markdown rewritten so that a piece of the article can be read without the rest of it."""

import re
from collections.abc import Iterator, Mapping, Sequence

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from store.markdown_rules import ADMONITION, CONTAINER, TEMPLATE
from store.markup import attributes, block_to_markdown, inline_to_markdown

_ALERT = re.compile(r"\[!(?P<kind>\w+)\][+-]?[ \t]*(?P<rest>[^\n]*)")
_REFERENCE = re.compile(r"\[([^\[\]]{1,300})\](?:\[([^\[\]]{0,300})\])?(?![\[(:])")
_EMBEDDED = re.compile(r"!?\[([^\[\]]*)\]\(\s*(?:data|javascript|vbscript):(?:[^()]|\([^()]*\))*\)")
_DATA_URI = re.compile(r"data:[\w.+-]+/[\w.+-]+[;,][^\s)\"'<>]{64,}")
_MARKER = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]$")
_NEWLINES = re.compile(r"\s*\n\s*")
_TITLED = frozenset({"container", "admonition"})
_NESTED = frozenset({"html_block", "component"}) | _TITLED

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
    known = env.get("references")
    references = known if isinstance(known, dict) else {}
    for token, (start, end) in _written(tokens):
        first, *rest = joined(lines, start, end).split("\n")
        marker = match[0] if (match := _MARKER.match(first)) else ""
        if token.type in _TITLED:
            lines[start] = marker + titled(first)
            continue
        source = "\n".join([first[len(marker) :], *(line.lstrip(" \t>") for line in rest)])
        new = _replaced(token, source, names, references)
        if new != source:
            line_end = " " if token.type == "tr_open" else "\n" + re.sub(r"[^>\s]", " ", marker)
            lines[start:end] = [marker + _NEWLINES.sub(line_end, new.strip()), *[None] * (end - start - 1)]
            token.content = _replaced(token, token.content, names, references)


def _written(tokens: Sequence[Token]) -> Iterator[tuple[Token, tuple[int, int]]]:
    """Yield each token whose lines are rewritten; the cells of a table's row share the row's one line."""
    done = -1
    for token in tokens:
        is_text = token.type in ("inline", "tr_open") or (token.level and token.type in _NESTED)
        if is_text and token.map and token.map[0] > done:
            done = token.map[1] - 1
            yield token, (token.map[0], token.map[1])


def joined(lines: Sequence[str | None], start: int, end: int) -> str:
    """Return the lines from start up to end as one text."""
    return "\n".join(line for line in lines[start:end] if line is not None)


def _replaced(
    token: Token, source: str, names: frozenset[str], references: Mapping[str, dict[str, str]]
) -> str:
    convert = block_to_markdown if token.type in ("html_block", "component") else inline_to_markdown
    text = convert(source, names)
    if references and "[" in text:
        text = _REFERENCE.sub(lambda match: _addressed(match, references), text)
    return _ALERT.sub(_title, text) if "[!" in text else text


def _addressed(match: re.Match[str], references: Mapping[str, dict[str, str]]) -> str:
    """Write the address of a reference link beside its text."""
    label = match[2] or match[1]
    target = None if label.startswith("^") else references.get(normalizeReference(label))
    return f"[{match[1]}]({target['href']})" if target else match[0]


def titled(line: str) -> str:
    """Return the title of an admonition or container in bold, or its kind when it has none; a template's tag has none."""
    if TEMPLATE.search(line):
        title = attributes(line).get("title")
        return f"**{title}**" if title else ""
    match = ADMONITION.search(line) or CONTAINER.search(line)
    return _title(match) if match else ""


def _title(match: re.Match[str]) -> str:
    rest = match["rest"].strip()
    quoted = _QUOTED.search(rest)
    title = attributes(rest).get("title") or (quoted[1] if quoted else rest.strip("[] "))
    if not title or (match.re is ADMONITION and not quoted):
        # A sentence may begin with three exclamation marks: its first word is not dropped as a kind.
        title = f"{(match['kind'] or '').capitalize()} {title}".strip()
    return f"**{title}**" if title else ""
