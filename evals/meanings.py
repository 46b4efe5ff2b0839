"""What each metric means, with its formula and its source where it has one: the one definition that pages show."""

import re
from collections.abc import Iterable

MEANINGS = {
    # ranking
    "art@#": "questions whose article stands among the first k results",
    "sec@#": "questions of which a right section stands among the first k (half of the shorter text overlaps)",
    "art_mrr@#": "mean of 1/rank of the first right article, 0 beyond rank 10 (reciprocal rank, TREC-8)",
    "sec_mrr@#": "the same for sections",
    "fact": "questions whose required facts all stand in the passages that fit an answer's budget",
    "both@#": "double questions of which both parts stand among the first k",
    "auroc_answerable": "chance that a question with an answer is more confident than one without (Hanley, McNeil 1982)",
    "needless_escalation": "questions with an answer whose best confidence is below the threshold",
    "missed_unanswerable": "questions without an answer whose best confidence is above it",
    "smalltalk_no_retrieval": "small talk that is answered without a search",
    "search_p#_ms": "percentile of a search's time, the question's embedding included",
    "embed_p#_ms": "percentile of the time to embed a question",
    "ingest_s_per_#_chunks": "seconds to ingest a thousand chunks, embeddings included",
    "refine_s_per_#_chunks": "seconds to compute the second embedding of a thousand chunks",
    "reingest_share": "time of ingesting an unchanged folder, by that of the first time",
    "search_p#_ratio_#": "p95 of a search at this size, by that at the smallest",
    "search_p#_ms_#": "percentile of a search's time at this number of chunks",
    "chunks": "pieces that the articles are cut into",
    "characters": "mean length of a piece",
    # answers
    "faithfulness": "factual sentences that the passage they cite, or a record of the turn, supports",
    "completeness": "answerable questions whose answer holds every required fact",
    "complete_of_retrieved": "the same, of those whose facts stand in the passages that were given",
    "completeness_minus_agentic": "completeness of the product less that of always agentic",
    "citation_validity": "citations whose passage was given and supports their sentence",
    "refusal_right": "questions without an answer that got none",
    "refusal_wrong": "questions with an answer that got none",
    "unsupported_on_unanswerable": "unsupported sentences in answers to questions without an answer",
    "model_calls": "model calls of a turn, mean",
    "model_calls_per_question": "model calls of a question, mean",
    "tokens": "input and output tokens of a turn, mean",
    "latency_p#_ms": "median time of a turn",
    "calls_to_fixed": "model calls by those of always fixed",
    "calls_to_fixed_answerable": "the same, on questions with an answer",
    "cost@#": "input tokens of a turn with a cached one at this price, mean",
    "judge.groundedness": "answers that openevals' judge finds grounded in their passages",
    "judge.helpfulness": "answers that openevals' judge finds helpful",
    "judge.unusable": "judgements that the model did not put into the asked form",
    "wrong_caught": "wrong pairs of sentence and passage that the check refuses",
    "right_rejected": "right pairs that it refuses",
    "follows_passage": "cases in which the passage of this turn is followed and cited, not the older value",
    "precision": "of what was said to be so, what is so",
    "recall": "of what is so, what was said to be so",
    "accuracy": "cases that got their label",
    "taken_for_agentic": "messages labelled fixed that go to the agent before anything is retrieved",
    "escalated": "turns whose retrieval was not sure enough, so that the agent went on",
    "escalation_helped": "of those, the ones that are complete only by escalating",
    "escalation_hurt": "of those, the ones that would have been complete without",
    "gaps.pair_precision": "pairs of questions in one group that mean the same",
    "gaps.pair_recall": "pairs that mean the same and are in one group",
    # the window
    "calls": "model calls of a dialogue",
    "mean_tokens": "mean tokens of a request, tools included",
    "p#_tokens": "percentile of a request's tokens",
    "max_tokens": "tokens of the largest request",
    "hit_ratio": "tokens that the request before began with as well, by all tokens sent",
    "breaks": "calls that lost more than 10 % of the request before them as a prefix",
    "rewritten_tokens": "tokens of earlier requests that were no prefix any more, summed up",
    "cost_k@#": "thousand input tokens paid: uncached + price × cached, summariser calls included",
    "cost_ratio@#": "the same, by that of sending everything",
    "watermark_p#": "percentile of a request's tokens by the budget",
    "over_budget_calls": "requests larger than the budget",
    "invalid_calls": "requests that a provider refuses: a call without its result, no question, a second system message",
    "density_#": "must-keep values that a window holds, by a thousand of its tokens, mean of the last two thirds of the calls",
    "density_used": "tokens of tool results of which later text uses 2 of the 20 most distinctive terms, by all result tokens",
    "summariser_cached_share": "input of summariser calls that an earlier request began with",
    "compactions": "moves at which notes were written",
    "memories.cost": "cost with recalled memories in front of the questions, by that without",
    "estimate_error_p#": "percentile of the estimate's error by the exact count, after the first report",
    "estimate_lowest": "the estimate farthest below the exact count, as a share of it",
    "generated.invalid": "arbitrary logs × plans × budgets whose request is invalid",
    "generated.over_budget": "those over the budget",
    "generated.without_question": "those without the newest question",
    "generated.different_bytes": "those that are rendered otherwise a second time",
    "plan_ms_#": "median CPU time of planning, rendering and validating without a move, at this number of messages",
    "plan_ms_#_p#": "the 95th percentile of it",
    "move_ms": "median CPU time of a move",
    "move_ms_p#": "the 95th percentile of it",
    "replay_ms_#": "median CPU time of one recall_history at this number of messages",
    "replay_ms_#_p#": "the 95th percentile of it",
    "replay_found": "turns that were fetched by their number, and results by their handle",
    "loop.tokens_per_step": "mean tokens of a model step inside one turn of twelve searches",
    "loop.max_tokens": "the largest of them",
    # compaction and pollution
    "retention": "must-keep values in the last window, or behind an index line in it and one replay away",
    "in_window": "must-keep values in the last window",
    "unsupported_numbers": "notes that state a value which their turn does not hold",
    "notes_dropped": "lines of notes that were refused",
    "lines_dropped": "lines of a chat model's notes that code refused",
    "compactions_failed": "compactions after which there were no new notes",
    "cached_predicted": "input tokens that the request before began with as well, as the product predicts, by all",
    "cached_reported": "input tokens that the endpoint reports as served from its cache, by all",
    "cached_difference": "how far the two shares are apart",
    "probe_accuracy": "probes on turns that left, answerable from the window or by one replay with the probe's words",
    "probes_in_window": "probes answerable from the window alone",
    "distortion": "probes that compaction made unanswerable",
    "pollution": "answers that repeat the refuted value",
    "pollution_without_marks": "the same without a correction line",
    # sub-agent
    "main_tokens_saved": "1 - tokens of the sub-agent's call and conclusion by those of the main loop's calls and results",
    "total_tokens_ratio": "all tokens that the task took with a sub-agent, by those in the main loop",
    # scale
    "bytes_#": "bytes in Postgres of a thread of this many turns",
    "conversation_bytes_#": "bytes of what was said in it",
    "first_ms_#": "median time of its first turns",
    "last_ms_#": "median time of its last turns",
    "latency_ratio_#": "the last by the first",
    "growth_ms_#": "the last less the first",
    "growth_over_bare_ms_#": "the same, less that of a bare graph of two nodes over the same turns",
    "quality_difference": "share of required facts in the sub-agent's conclusion less that in the main loop's answer",
    "facts": "required facts in the sub-agent's conclusion",
    "loop_facts": "required facts in the main loop's answer",
    # memory
    "extraction_precision": "extracted memories that the conversation states",
    "extraction_recall": "memories to extract that were extracted",
    "uncited": "memories that do not rest on the user's own words",
    "recalled": "memories that a check demands and recall brings",
    "one_active_value": "slots of which exactly the right value is active",
    "staleness": "recalled memories that a newer one replaced",
    "cross_user": "memories of another user that were recalled",
    "leaks": "private values that were stored",
    "forget_rows_left": "rows that are left of what was forgotten",
    "f#": "harmonic mean of precision and recall",
    "merged_unrelated": "pairs of different memories that were taken as one",
    "overwritten_contradictions": "contradictions that were taken as updates",
    "hit@#": "questions of which a relevant memory stands among the first k",
    "recall@#": "relevant memories among the first k",
    "injected_off_topic": "off-topic messages in front of which a memory was put",
    "recall_p#_ms": "percentile of the time to find the memories of a message",
    "false_positive_rate": "harmless messages that were taken as private",
}
"""Name, digits as ``#`` → meaning. A prefix (a mode, a policy) or a suffix (a variant) leaves it as it is."""


def meaning(metric: str) -> str:
    """Return what a metric means; empty where nobody wrote it down."""
    return MEANINGS.get(_entry(metric), "")


def glossary(metrics: Iterable[str]) -> dict[str, str]:
    """Return the entries that explain some metrics, in their order."""
    entries = dict.fromkeys(map(_entry, metrics))
    return {entry: MEANINGS[entry] for entry in entries if entry}


def _entry(metric: str) -> str:
    parts = re.sub(r"\d+(?:\.\d+)?k?", "#", metric).split(".")
    tried = (".".join(parts[start:end]) for end in range(len(parts), 0, -1) for start in range(end))
    return next((name for name in tried if name in MEANINGS), "")
