"""Checking citations at answer time."""

from nodes.citations.markers import CitationStream, cite, cited_ids, keep_known, strip_citations

__all__ = ["CitationStream", "cite", "cited_ids", "keep_known", "strip_citations"]
