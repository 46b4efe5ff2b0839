"""``supportpilot chat``: a conversation in the terminal."""

import asyncio

from graph.cli.ask import print_meanwhile, print_sources
from graph.cli.common import (
    CollectionName,
    EmbeddingProgress,
    Tenant,
    Thread,
    User,
    Verbose,
    context_of,
    err,
    out,
    run,
)
from graph.cli.footnotes import Footnotes
from graph.reply import Reply
from graph.support import Support, open_support
from nodes.citations import strip_citations
from nodes.state import Context
from store.errors import SupportPilotError

_HELP = "/help  this text\n/new   begin a new conversation\n/quit  leave (also Ctrl-D)"


def chat(
    thread: Thread = "",
    user: User = "",
    tenant: Tenant = "default",
    collection: CollectionName = "",
    verbose: Verbose = False,
) -> None:
    """Talk; the answers stream. Commands: /help, /new, /quit."""
    run(_chat(thread, context_of(user, tenant, collection), verbose))


async def _chat(thread: str, context: Context, verbose: bool) -> None:
    async with open_support(progress=EmbeddingProgress()) as support:
        out.print("Ask away. /help lists the commands.", style="dim")
        while (line := await _read_line()) is not None:
            match line.strip():
                case "":
                    continue
                case "/quit" | "/exit":
                    return
                case "/help":
                    out.print(_HELP, markup=False)
                case "/new":
                    thread = ""
                    out.print("A new conversation.", style="dim")
                case command if command.startswith("/"):
                    out.print(f"There is no command {command!r}.\n{_HELP}", markup=False)
                case text:
                    thread = await _turn(support, text, thread, context, verbose)


async def _turn(support: Support, text: str, thread: str, context: Context, verbose: bool) -> str:
    """Stream one answer and return the thread; an error is printed and the conversation goes on."""
    try:
        shown, notes = "", Footnotes()
        async for event in support.stream(text, thread=thread, context=context):
            if isinstance(event, str):
                shown += event
                out.print(notes.shorten(event), end="", markup=False)
            elif isinstance(event, Reply):
                out.print()
                _correct(shown, event.answer, notes)
                print_meanwhile(event)
                print_sources(event, verbose, notes)
                return event.thread_id
    except SupportPilotError as error:
        err.print(f"\n{error}", style="red", markup=False)
    return thread


def _correct(shown: str, answer: str, notes: Footnotes) -> None:
    """Print the answer that stands, if the check changed more than the citations of the streamed one."""
    if strip_citations(shown).split() != strip_citations(answer).split():
        out.print("\nAfter the check against the sources this stands:", style="yellow")
        out.print(notes.shorten(answer), markup=False)


async def _read_line() -> str | None:
    try:
        return await asyncio.to_thread(input, "> ")
    except EOFError:
        return None
