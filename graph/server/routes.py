"""The routes beside a LangGraph server's own; ``http.app`` in ``langgraph.json`` names ``app``."""

from fastapi import FastAPI

from graph.server import health

# Given as plain routes: a LangGraph server wraps each of them, and cannot wrap an included router.
app = FastAPI(
    title="SupportPilot",
    description="What a support desk needs beside threads and runs.",
    routes=[*health.router.routes],
)
