"""Data sets, metrics, comparisons and reports."""
