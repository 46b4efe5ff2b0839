"""Checking citations at answer time."""

from nodes.citations.markers import CitationStream, bracket_ids, cite, cited_ids, keep_known, strip_citations
from nodes.citations.near import Similarity
from nodes.citations.repair import drop_unsupported, repaired_prompt
from nodes.citations.sentences import split_sentences
from nodes.citations.support import Verdict, supports
from nodes.citations.verified import CheckedSentence, Verified
from nodes.citations.verify import verify

__all__ = [
    "CheckedSentence",
    "CitationStream",
    "Similarity",
    "Verdict",
    "Verified",
    "bracket_ids",
    "cite",
    "cited_ids",
    "drop_unsupported",
    "keep_known",
    "repaired_prompt",
    "split_sentences",
    "strip_citations",
    "supports",
    "verify",
]
