"""What docs/ and the READMEs show is run and is current.

The Python blocks of a page are run in order, in one namespace. What a page takes for granted stands in a comment
before its first block, ``<!-- python … -->``, which readers do not see; ``cleanup`` is an ``AsyncExitStack``.
"""

import ast
import asyncio
import inspect
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from evals.documents import DOCS, filled, settings_page
from store.settings import PROJECT, Settings, settings
from tests.conftest import create_database

PAGES = sorted([*DOCS.glob("*.md"), *PROJECT.glob("README*.md")])
_BLOCK = re.compile(r"^(?:```python\n(.*?)^```|<!-- python\n(.*?)^-->)", re.MULTILINE | re.DOTALL)
_SECTION = re.compile(r"^## (\w+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_RESULT = re.compile(r"^\| `(\w+)` `([^`]+)` \|[^|]*\| ([^ |]+) \| ([^ |]+) \|(.*)\|$", re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def blocks(page: Path) -> list[CodeType]:
    """Return the page's blocks, compiled; a syntax error names the page and the line."""
    text = page.read_text("utf-8")
    return [
        compile(
            "\n" * text.count("\n", 0, found.start()) + "\n" + (found[1] or found[2]),
            str(page),
            "exec",
            flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT,
        )
        for found in _BLOCK.finditer(text)
    ]


async def run_awaiting(codes: list[CodeType]) -> None:
    async with AsyncExitStack() as cleanup:
        names: dict[str, Any] = {"cleanup": cleanup}
        for code in codes:
            waits = eval(code, names)  # noqa: S307  # our own pages
            if inspect.iscoroutine(waits):
                await waits


def run(codes: list[CodeType]) -> None:
    if any(code.co_flags & inspect.CO_COROUTINE for code in codes):
        asyncio.run(run_awaiting(codes))
    else:
        names: dict[str, Any] = {}
        for code in codes:
            exec(code, names)  # noqa: S102  # our own pages


@pytest.fixture(scope="module")
def own_database(server_url: str) -> str:
    """One database for all pages, so that the sample is embedded once."""
    return create_database(server_url, "docs")


WITH_CODE = {tuple(code.co_code for code in codes): page for page in PAGES if (codes := blocks(page))}
"""Pages by their code: the READMEs show the same."""


@pytest.mark.parametrize("page", WITH_CODE.values(), ids=lambda page: page.name)
def test_the_code_of_a_page_runs(
    page: Path, own_database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", own_database)
    monkeypatch.chdir(tmp_path)
    settings.cache_clear()
    with ThreadPoolExecutor(1) as apart:  # a loop of its own, and none of the tests' context
        apart.submit(run, blocks(page)).result()
    settings.cache_clear()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    dead = [link for link in _LINK.findall(page.read_text("utf-8")) if not (page.parent / link).exists()]
    assert dead == []


def test_the_page_of_settings_is_current() -> None:
    made = settings_page()
    assert (DOCS / "settings.md").read_text("utf-8") == made, "run: python -m evals docs"
    assert all(field.description in made for field in Settings.model_fields.values() if field.description)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_figures_of_a_page_are_those_of_the_last_run(page: Path) -> None:
    text = page.read_text("utf-8")
    assert filled(text, (DOCS / "results.md").read_text("utf-8")) == text, "run: python -m evals docs"


def test_a_figure_is_taken_from_the_results_and_one_that_was_not_measured_is_named() -> None:
    results = "## window\nAbout.\n\n| metric | value | 95 % | n | bound | trim alone |\n| --- | --- | --- | --- | --- | --- |\n| `cost` | 0.35 |  | 3 | <= 0.38 | 1.07 |\n"
    page = "ours <!--= window cost -->9<!--/-->, theirs <!--= window cost trim alone -->8<!--/-->"
    assert (
        filled(page, results)
        == "ours <!--= window cost -->0.35<!--/-->, theirs <!--= window cost trim alone -->1.07<!--/-->"
    )
    with pytest.raises(ValueError, match="window speed"):
        filled("<!--= window speed -->1<!--/-->", results)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_files_that_a_page_names_are_there(page: Path) -> None:
    named = re.findall(r"`((?:graph|nodes|store|evals|tests|docs)/[\w./-]*)`", page.read_text("utf-8"))
    made = ("evals/out", "evals/NAME.py")
    assert [name for name in named if not name.startswith(made) and not (PROJECT / name).exists()] == []


@pytest.mark.parametrize("readme", sorted(PROJECT.glob("README*.md")), ids=lambda page: page.name)
def test_every_figure_of_a_readmes_table_of_results_is_the_last_runs(readme: Path) -> None:
    sections = dict(_SECTION.findall((DOCS / "results.md").read_text("utf-8")))
    rows = _RESULT.findall(readme.read_text("utf-8"))
    assert len(rows) > 10
    for suite, metric, value, n, beside in rows:
        measured = next(row for row in sections[suite].splitlines() if row.startswith(f"| `{metric}` |"))
        cells = [cell.strip() for cell in measured.split("|")]
        assert [cells[2], cells[4]] == [value, n], (suite, metric)
        assert {*re.findall(r"(?<= )\d[\d.,]*\d|(?<= )\d", beside)} <= {*cells[6:]}, (suite, metric)
