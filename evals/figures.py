"""The figures of a run of calls: cost, prefix, size, and how much of a window is worth its tokens."""

from collections import Counter
from collections.abc import Sequence
from math import log
from statistics import mean

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from evals.counting import Request, cached, tokens
from evals.intervals import percentile
from nodes.window.recall import exact_terms, word_terms
from nodes.window.tokens import content_text, message_text

BREAK = 0.1


def costs(requests: Sequence[Request], price: float) -> list[float]:
    """Return what each call costs in uncached input tokens: uncached + price × cached, summarisers included."""
    return [
        r.size - hit + price * hit + r.extra_uncached + price * r.extra_cached
        for r, hit in zip(requests, cached(requests), strict=True)
    ]


def figures(requests: Sequence[Request], limit: int) -> dict[str, float]:
    """Return the figures of a run.

    Args:
        requests: every agent call in order.
        limit: the budget, by which the watermark divides.
    """
    sizes, hits = [r.size for r in requests], cached(requests)
    lost = [max(0, before - hit) for before, hit in zip([0, *sizes], hits, strict=False)]
    return {
        "calls": len(sizes),
        "mean_tokens": mean(sizes),
        "p95_tokens": percentile(sizes, 0.95),
        "max_tokens": max(sizes),
        "hit_ratio": sum(hits) / sum(sizes),
        "breaks": sum(gone > BREAK * before for gone, before in zip(lost, [0, *sizes], strict=False)),
        "rewritten_tokens": sum(lost),
        "cost_k@0.1": sum(costs(requests, 0.1)) / 1_000,
        "cost_k@0.02": sum(costs(requests, 0.02)) / 1_000,
        "watermark_p95": percentile(sizes, 0.95) / limit,
        "over_budget_calls": sum(size > limit for size in sizes),
    }


def density(requests: Sequence[Request], values: Sequence[Sequence[str]]) -> float:
    """Return must-keep values per 1,000 tokens of a window, the mean over the last two thirds of the calls.

    Args:
        requests: every agent call.
        values: for each call the values that were stated before it.
    """
    rows = list(zip(requests, values, strict=True))
    return mean(
        1_000 * sum(value in text for value in dict.fromkeys(said)) / r.size
        for r, said in rows[len(rows) // 3 :]
        if (text := "\n".join(r.parts))
    )


def density_used(messages: Sequence[BaseMessage]) -> float:
    """Return the share of result tokens whose result was used by a later answer.

    A result is used if at least 2 of its at most 20 most distinctive terms, codes or numbers occur in later
    assistant text. Distinctive: frequent in it and rare in the thread's other results (tf-idf).
    """
    places = [p for p, m in enumerate(messages) if isinstance(m, ToolMessage)]
    terms = {p: Counter(_terms(content_text(messages[p].content))) for p in places}
    spread = Counter(term for found in terms.values() for term in found)
    used = total = 0
    for place in places:
        later = "\n".join(message_text(m) for m in messages[place + 1 :] if isinstance(m, AIMessage)).lower()
        weight = {t: n * log((1 + len(places)) / spread[t]) for t, n in terms[place].items()}
        best = sorted(weight, key=lambda t: (-weight[t], t))[:20]
        size = tokens(content_text(messages[place].content))
        total += size
        used += size if sum(term in later for term in best) >= 2 else 0  # noqa: PLR2004  # the metric's own number
    return used / total if total else 0.0


def _terms(text: str) -> list[str]:
    return [*exact_terms(text), *word_terms(text)]
