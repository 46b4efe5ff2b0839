"""The nodes within the whole product, on the session's Postgres."""

from tests.graph.conftest import support

__all__ = ["support"]
