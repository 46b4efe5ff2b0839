"""The command line: ``supportpilot``."""

from graph.cli.app import app

__all__ = ["app"]
