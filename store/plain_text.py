"""Markdown as the words that a reader sees: what is embedded and searched."""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")
_URL = re.compile(r"https?://([A-Za-z0-9.-]+(?::[0-9]+)?)[!-;=?-Z\\^-_a-z~]*")
"""Group 1 is the host: a written address is searched by that, for the rest of it is noise."""
_ATTRIBUTE_LIST = re.compile(r"^\{:?[ \t]*(?:[#.][\w-]|[\w-]+=)[^{}\n]*\}")
_ANCHOR = re.compile(r"[ \t]*\{:?[ \t]*#[^{}\n]*\}[ \t]*$")
_DECORATED = frozenset({"link_close", "image", "code_inline", "strong_close", "em_close"})
_LINE_ENDS = frozenset({"softbreak", "hardbreak"})


def plain_text(markdown: str) -> str:
    """Return the words of Markdown: link text and alternative text without addresses, code as it is."""
    lines = "".join(_pieces(_PARSER.parse(markdown))).split("\n")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def _pieces(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            yield _ANCHOR.sub("", "".join(_inline(token.children or [])))
        elif token.type in ("fence", "code_block"):
            yield token.content
        elif token.type in ("td_close", "th_close"):
            yield " "
        elif token.nesting < 0:
            yield "\n"


def _inline(tokens: Sequence[Token]) -> Iterator[str]:
    before = ""
    for token in tokens:
        if token.type in _LINE_ENDS:
            yield "\n"
        elif token.type == "image":
            yield "".join(_inline(token.children or []))
        elif token.type == "code_inline":
            yield token.content
        else:
            text = _ATTRIBUTE_LIST.sub("", token.content) if before in _DECORATED else token.content
            yield _URL.sub(r"\1", text)
        before = token.type
