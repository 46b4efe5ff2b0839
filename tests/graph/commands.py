"""The command line in this process and in one of its own."""

import os
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner, Result

from graph.cli import app
from store.settings import Settings, settings


class Command:
    """Runs ``supportpilot`` with some settings."""

    def __init__(self, database_url: str) -> None:
        self._database_url = database_url

    def __call__(self, *arguments: str, stdin: str = "", **environment: str) -> Result:
        settings.cache_clear()
        variables = {"DATABASE_URL": self._database_url, "COLUMNS": "200"} | environment
        try:
            return CliRunner().invoke(app, arguments, input=stdin, env=variables)
        finally:
            settings.cache_clear()


def supportpilot(own: Settings, *arguments: str) -> str:
    """Run it in a process of its own."""
    done = subprocess.run(
        [Path(sys.executable).parent / "supportpilot", *arguments],
        env=os.environ
        | {"DATABASE_URL": own.database_url or "", "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
