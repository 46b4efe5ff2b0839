"""``supportpilot ask``: one question, one answer."""

from typing import Annotated

import typer

from graph.cli.common import (
    AsJson,
    CollectionName,
    EmbeddingProgress,
    Tenant,
    Thread,
    User,
    Verbose,
    context_of,
    out,
    run,
)
from graph.cli.footnotes import Footnotes
from graph.reply import Reply
from graph.support import open_support
from nodes.language import Language, language
from nodes.state import Context

_MEANWHILE: dict[Language, str] = {"zh": "上次回复之后：", "en": "Meanwhile: "}


def ask(
    text: Annotated[str, typer.Argument(help="The question.")],
    thread: Thread = "",
    user: User = "",
    tenant: Tenant = "default",
    collection: CollectionName = "",
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Answer one question and print the answer with its sources."""
    run(_ask(text, thread, context_of(user, tenant, collection), as_json, verbose), as_json)


async def _ask(text: str, thread: str, context: Context, as_json: bool, verbose: bool) -> None:
    async with open_support(progress=EmbeddingProgress()) as support:
        reply = await support.ask(text, thread=thread, context=context)
    if as_json:
        typer.echo(reply.to_json())
    else:
        print_meanwhile(reply)
        notes = Footnotes()
        out.print(notes.shorten(reply.answer), markup=False)
        print_sources(reply, verbose, notes)


def print_meanwhile(reply: Reply) -> None:
    """Print what was said in the conversation since the user's last message."""
    for said in reply.meanwhile:
        out.print(f"{_MEANWHILE[language(said)]}{said}\n", style="yellow", markup=False)


def print_sources(reply: Reply, verbose: bool, notes: Footnotes) -> None:
    """Print what stands behind an answer: sources, route and, if asked for, steps and tokens."""
    if reply.citations:
        out.print()
    for citation in reply.citations:
        section = (
            citation.section
            if citation.section.startswith(citation.title)
            else f"{citation.title} > {citation.section}"
        )
        out.print(f"{notes.explained(citation.id)} {section}", style="cyan", markup=False)
    out.print(f"\nroute: {reply.route} ({reply.reason})", style="dim", markup=False)
    if not verbose:
        return
    for step in reply.steps:
        out.print(
            f"{step.n}. {step.tool} {dict(step.args)} → {step.chars} chars, {step.ms} ms",
            style="dim",
            markup=False,
        )
    usage = reply.usage
    out.print(
        f"model: {reply.model} · tokens: {usage['input']} in ({usage['cached']} cached), {usage['output']} out"
        f" · {reply.latency_ms} ms · thread: {reply.thread_id}",
        style="dim",
        markup=False,
    )
