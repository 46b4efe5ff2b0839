"""Replay: finding turns of the whole log again, by their number, by words, numbers and codes, and by meaning.

No index is kept beside the texts themselves: a scan of 6,000 messages for a term takes a millisecond, an
index of their character pairs takes seconds to build and more memory than the thread.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

import numpy as np
from langchain_core.messages import BaseMessage, ToolMessage
from numpy.typing import NDArray

from nodes.window.clear import REPLAY_TOOLS
from nodes.window.excerpt import excerpt
from nodes.window.log import Log
from nodes.window.redact import redact
from nodes.window.tokens import HAN, content_text, message_text
from nodes.window.values import tokens

Embedder = Callable[[list[str]], Sequence[Sequence[float]]]
"""Texts → unit vectors, of queries and turns alike."""

EXCERPTS = 3
RRF = 60
"""Rank constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)."""
EXACT = 3.0
"""Weight of numbers and codes against words: what a question names exactly is what it is about."""
MOST_EMBEDDED = 200
"""Turns that one search embeds: those that its words find, then the newest; the next search goes on from there."""
MOST_TERMS, RAREST = 12, 4
"""Terms of a query that are looked up in what was said, and in tool results."""
MISS = (
    "没有找到 nothing found: “{query}”. 请用订单号、错误码、日期、金额、原话中的词或轮次 (T12) 再查 "
    "Search by an order number, an error code, a date, an amount, a word of the original or a turn (T12)."
)
_WORD = re.compile(r"[a-z0-9]+(?:[.'-][a-z0-9]+)*")
_RUN = re.compile(rf"(?:{HAN.pattern})+")
_TURN = re.compile(r"^\W*(?:t|turn |第)\s*(\d+)\s*(?:轮|回合)?\W*$")


@dataclass(slots=True)
class History:
    """The searchable texts of one thread, extended by what is new; keep one a thread, or build it each time."""

    log: Log = field(default_factory=lambda: Log([]))
    texts: list[str] = field(default_factory=list)
    """Message text in one spelling, by position; empty for what replay itself returned."""
    said: list[int] = field(default_factory=list)
    """Positions of what users and assistants said."""
    results: list[int] = field(default_factory=list)
    """Positions of tool results."""
    vectors: dict[int, NDArray[np.float32]] = field(default_factory=dict)
    """Turn → vector of its question and answers."""

    def extended(self, messages: Sequence[BaseMessage]) -> "History":
        """Return the history of a thread that has grown; another thread or branch is read anew."""
        known = len(self.texts)
        if known > len(messages) or (known and Log(messages).key(known - 1) != self.log.key(known - 1)):
            return History().extended(messages)
        if known:
            self.log.grow(messages, known)
        else:
            self.log = Log.of(messages)
        for position, message in enumerate(messages[known:], start=known):
            self.texts.append(_searchable(message))
            (self.results if isinstance(message, ToolMessage) else self.said).append(position)
        return self

    def search(self, query: str, embedder: Embedder | None = None) -> list[tuple[int, int]]:
        """Return turns before the newest, best first, each with the position of its best message.

        Args:
            query: a question, words, numbers or codes; Chinese needs no spaces.
            embedder: finds turns by meaning as well, unless a number or code of the query is found.
        """
        named = _TURN.match(query.lower())
        if named and self.log.first_turn <= int(named[1]) < self.log.last_turn:
            return [(int(named[1]), self.log.start(int(named[1])))]
        hits = self._hits(query)
        places = self._by_terms(hits)
        by_code = any(at for term, at in hits.items() if term.startswith("="))
        meant = self._by_meaning(query, embedder, list(places)) if embedder and not by_code else []
        scores: Counter[int] = Counter()
        for ranking in (list(places), meant):
            for rank, turn in enumerate(ranking):
                scores[turn] += RRF**2 // (RRF + rank)
        best = [turn for turn, _ in scores.most_common(EXCERPTS)]
        return [(turn, places.get(turn, self.log.start(turn))) for turn in best]

    def _by_terms(self, found: Mapping[str, list[int]]) -> dict[int, int]:
        """Return turn → best position, the turn whose terms are the rarest first."""
        total = len(self.texts)
        weights = {term: _weight(term, len(at), total) for term, at in found.items() if at}
        by_turn: dict[int, dict[str, float]] = {}
        by_message: Counter[int] = Counter()
        for term, weight in weights.items():
            for position in found[term]:
                by_turn.setdefault(self.log.turn_of(position), {})[term] = weight
                by_message[position] += round(1_000 * weight)
        ranked = sorted(by_turn, key=lambda turn: (-sum(by_turn[turn].values()), turn))
        return {turn: max(self._positions(turn), key=lambda p: by_message[p]) for turn in ranked}

    def _hits(self, query: str) -> dict[str, list[int]]:
        """Return term → positions before the newest turn.

        Words are looked up where the query's exact terms occur, if they do; else in all that was said, and the
        rarest of them in results.
        """
        end = self.log.start(self.log.last_turn)
        exact = {f"={term}": self._exactly(term, range(end)) for term in exact_terms(query)}
        words = word_terms(query)[:MOST_TERMS]
        if near := {self.log.turn_of(p) for at in exact.values() for p in at}:
            places = [p for turn in near for p in self._positions(turn)]
            return exact | {word: self._holding(word, places) for word in words}
        hits = {word: self._holding(word, _before(self.said, end)) for word in words}
        for word in sorted(words, key=lambda word: len(hits[word]))[:RAREST]:
            hits[word] += self._holding(word, _before(self.results, end))
        return exact | hits

    def _holding(self, term: str, positions: Iterable[int]) -> list[int]:
        texts = self.texts
        return [p for p in positions if term in texts[p]]

    def _exactly(self, term: str, positions: Iterable[int]) -> list[int]:
        """Return where a number or code occurs as a whole token, else where it occurs at all."""
        held = self._holding(term, positions)
        return [p for p in held if term in tokens(self.texts[p])] or held

    def _by_meaning(self, query: str, embedder: Embedder, likely: Sequence[int]) -> list[int]:
        turns = range(self.log.first_turn, self.log.last_turn)
        unread = [turn for turn in dict.fromkeys([*likely, *reversed(turns)]) if turn not in self.vectors]
        new = unread[:MOST_EMBEDDED]
        made = embedder([query, *(self._said(turn) for turn in new)])
        vectors = np.asarray(made, dtype=np.float32)
        self.vectors |= dict(zip(new, vectors[1:], strict=True))
        known = [turn for turn in turns if turn in self.vectors]
        if not known:
            return []
        scores = np.stack([self.vectors[turn] for turn in known]) @ vectors[0]
        return [known[int(i)] for i in np.argsort(-scores)[:EXCERPTS]]

    def _said(self, turn: int) -> str:
        texts = [content_text(m.content) for m in self.log.turn(turn) if not isinstance(m, ToolMessage)]
        return "\n".join(filter(None, texts))[:1_000]

    def _positions(self, turn: int) -> range:
        return range(self.log.start(turn), self.log.start(turn + 1))


def recall_history(
    query: str,
    messages: Sequence[BaseMessage],
    *,
    history: History | None = None,
    embedder: Embedder | None = None,
    hidden: Sequence[str] = (),
) -> str:
    """Return word for word what a thread said about something: at most three excerpts with their turns.

    Args:
        query: a question, words, a number, a code, or a turn (``T12``).
        messages: the whole thread.
        history: the thread's searchable texts, if they are kept; only what is new is read then.
        embedder: finds turns by meaning as well.
        hidden: words that a user asked to be forgotten, `WindowPlan.hidden`.
    """
    searched = (history or History()).extended(messages)
    found = searched.search(query, embedder)
    needles = [*exact_terms(query), *word_terms(query)]
    pieces = [excerpt(searched.log, turn, position, needles) for turn, position in found]
    return redact("\n\n".join(pieces), hidden) if pieces else MISS.format(query=query[:80])


def exact_terms(query: str) -> list[str]:
    """Return the numbers and codes of a query, in one spelling."""
    return sorted(tokens(query))


def word_terms(query: str) -> list[str]:
    """Return the words of a query: Latin words, and pairs of Chinese characters; no numbers."""
    text = _plain(query)
    words = [word for word in _WORD.findall(text) if not any(map(str.isdigit, word)) and len(word) > 1]
    runs = _RUN.findall(text)
    pairs = [run[i : i + 2] for run in runs for i in range(max(1, len(run) - 1))]
    return list(dict.fromkeys([*words, *pairs]))


def _before(positions: list[int], end: int) -> list[int]:
    return positions[: bisect_left(positions, end)]


def _weight(term: str, held: int, total: int) -> float:
    rarity = log(1 + (total - held + 0.5) / (held + 0.5))
    return rarity * (EXACT if term.startswith("=") else 1)


def _searchable(message: BaseMessage) -> str:
    return "" if message.name in REPLAY_TOOLS else _plain(message_text(message))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()
