"""Runs of the evals on the session's Postgres."""

import pytest


@pytest.fixture(autouse=True)
def _on_the_sessions_server(server_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", server_url)
