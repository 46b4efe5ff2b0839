"""The command line, each command on a database of its own module, run in this process."""

import json
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from graph.cli import tickets
from graph.cli.app import COMMANDS, imported, summary
from graph.cli.ingest import SOME_REFUSED
from store.settings import Settings, load_settings
from tests.conftest import create_database
from tests.graph.commands import Command


@pytest.fixture(scope="module")
def own(server_url: str) -> Settings:
    """An empty database: the first command sets everything up."""
    return load_settings(database_url=create_database(server_url, "command-line"))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_listed_by_the_first_line_of_its_own_help(name: str) -> None:
    assert summary(name) == str(imported(name).help).partition("\n")[0]


def test_the_commands_are_listed_without_importing_what_they_work_with() -> None:
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom graph.cli import app\n"
        "print(CliRunner().invoke(app, ['--help']).stdout)\n"
        "print([name for name in ('langgraph', 'openai', 'sqlalchemy', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert all(f" {name} " in done.stdout for name in COMMANDS)


def test_ask_prints_answer_sources_and_route(command: Command) -> None:
    done = command("ask", "年付套餐买错了能退款吗", "-v")
    assert done.exit_code == 0, done.stderr
    assert "[kb-002#" in done.stdout
    assert "退款政策 > 年付套餐" in done.stdout
    assert "route: fixed" in done.stdout
    assert "search_kb" in done.stdout


def test_collections_are_listed_and_removed(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Trial\n\nTwo weeks.", "utf-8")
    assert command("ingest", str(tmp_path), "--collection", "trial").exit_code == 0
    listed = {one["name"]: one for one in json.loads(command("collections", "list", "--json").stdout)}
    assert (listed["trial"]["documents"], listed["trial"]["answers"]) == (1, True)
    assert "* trial" in command("collections", "list").stdout
    unmarked = command("collections", "list", SUPPORTPILOT_COLLECTION="misspelt").stdout
    assert "None of them answers" in unmarked
    assert "'misspelt'" in unmarked
    assert command("collections", "remove", "trial", stdin="n\n").exit_code == 1
    assert command("collections", "remove", "trial", "--yes").exit_code == 0
    again = command("collections", "remove", "trial", "--yes")
    assert (again.exit_code, "SUPPORTPILOT_COLLECTION" in again.stderr) == (1, True)
    assert command("refine", "--collection", "trial").exit_code == 1


def test_the_readmes_show_what_ask_prints(command: Command) -> None:
    printed = command("ask", "年付套餐买错了能退款吗", "--collection", "sample").stdout.strip()
    for readme in ("README.md", "README.zh-CN.md"):
        assert printed in (Path(__file__).parents[2] / readme).read_text("utf-8")


def test_ask_json_is_one_object_with_everything_in_it(command: Command) -> None:
    done = command("ask", "年付套餐买错了能退款吗", "--json", "--thread", "t", "--user", "json")
    reply = json.loads(done.stdout)
    assert set(reply) == {
        "answer", "citations", "route", "reason", "thread_id", "collection", "model", "usage", "latency_ms", "steps",
        "waiting", "ticket", "meanwhile",
    }  # fmt: skip
    assert reply["collection"] == "sample"
    assert set(reply["citations"][0]) == {"id", "title", "section", "text"}
    assert set(reply["usage"]) == {"calls", "input", "output", "cached"}
    assert set(reply["steps"][0]) == {"n", "tool", "args", "chars", "ms"}


def test_chat_streams_answers_and_knows_its_commands(command: Command) -> None:
    done = command("chat", stdin="/help\n/nonsense\n年付套餐能退款吗\n那月付的呢\n/new\n/quit\n")
    assert done.exit_code == 0, done.stderr
    assert "/quit" in done.stdout
    assert "no command '/nonsense'" in done.stdout
    assert "月付套餐中途不能退款" in done.stdout
    assert "A new conversation." in done.stdout


def test_ingest_then_ask_answers_from_ones_own_articles_alone(command: Command, tmp_path: Path) -> None:
    (tmp_path / "wifi.md").write_text("# 办公室无线网络\n\n访客网络的密码是 tulip-42。\n", "utf-8")
    (tmp_path / "broken.md").write_bytes(bytes(range(128, 256)) * 4)
    done = command("ingest", str(tmp_path), "--collection", "office")
    assert done.exit_code == SOME_REFUSED, done.stderr
    assert "1 added" in done.stdout
    assert "broken.md" in done.stderr
    (tmp_path / "broken.md").unlink()
    (tmp_path / "later.md").write_text("---\ntitle: later\n---\n", "utf-8")
    again = command("ingest", str(tmp_path), "--collection", "office")
    assert (again.exit_code, "1 unchanged" in again.stdout) == (0, True), "no article is no fault"
    assert "skipped later.md: it holds front matter only" in again.stderr
    refined = command("refine", "--collection", "office")
    assert "1 passages refined" in refined.stdout
    assert "Embedding 1 chunks" in refined.stderr
    assert "is a file" in command("ingest", str(tmp_path / "wifi.md")).stderr
    answer = command("ask", "访客网络的密码是多少", "--collection", "office").stdout
    assert "tulip-42" in answer
    assert "[wifi#1]" in answer


@pytest.mark.parametrize("mode", ["bm25", "dense", "hybrid", "rerank"])
def test_search_lists_passages_in_every_mode(command: Command, mode: str) -> None:
    found = json.loads(
        command("search", "E1043", "--mode", mode, "-k", "3", "--collection", "sample", "--json").stdout
    )
    assert "kb-010" in {passage["doc_id"] for passage in found["passages"]}


def test_doctor_finds_everything_in_order(command: Command) -> None:
    done = command("doctor")
    assert done.exit_code == 0, done.stdout
    assert "pgvector" in done.stdout
    assert "wrong" not in done.stdout


def test_doctor_names_a_collection_that_is_not_there(command: Command) -> None:
    done = command("doctor", SUPPORTPILOT_COLLECTION="nowhere")
    assert done.exit_code == 1
    assert "SUPPORTPILOT_COLLECTION='nowhere'" in done.stdout
    assert "'sample'" in done.stdout


def test_a_field_of_the_budget_that_is_wrong_is_named_by_its_variable(command: Command) -> None:
    unknown = command("budget", SUPPORTPILOT_BUDGET__HIHG="1")
    assert (unknown.exit_code, "SUPPORTPILOT_BUDGET__HIHG" in unknown.stderr) == (1, True)
    wrong = command("budget", SUPPORTPILOT_BUDGET__WINDOW="2000")
    assert "does not work: reserve=8000 must lie in 0 … window=2000; lower the reserve. A" in wrong.stderr
    wrong = command("budget", SUPPORTPILOT_BUDGET__HIGH="many")
    assert (wrong.exit_code, "SUPPORTPILOT_BUDGET__HIGH" in wrong.stderr) == (1, True)


def test_doctor_names_what_is_wrong_and_the_remedy(command: Command) -> None:
    done = command("doctor", OPENAI_BASE_URL="http://127.0.0.1:9/v1", SUPPORTPILOT_REQUEST_RETRIES="0")
    assert done.exit_code == 1
    assert "Check OPENAI_BASE_URL" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("ask", "怎么退款", "--collection", "nowhere"), 1, "nowhere"),
        (("ingest", "/nonexistent/folder"), 1, "/nonexistent/folder"),
        (("ingest", "helpcenter", "--collection", ""), 1, "malformed"),
        (("ingest", "helpcenter", "--collection", "a;drop"), 1, "a;drop"),
        (("search", "x", "--mode", "magic"), 2, "magic"),
        (("ask",), 2, "text"),
    ],
)
def test_mistakes_end_with_a_clear_message_and_an_exit_code(
    command: Command, arguments: tuple[str, ...], code: int, words: str
) -> None:
    done = command(*arguments)
    assert done.exit_code == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_setting_is_named_not_traced(command: Command) -> None:
    done = command("ask", "x", SUPPORTPILOT_POOL_SIZE="many")
    assert (done.exit_code, "many" in done.stderr, "Traceback" in done.stderr) == (1, True, False)
    done = command("ask", "x", "--json", SUPPORTPILOT_POOL_SIZE="many")
    assert "many" in json.loads(done.stdout)["error"]["message"]


def test_another_users_thread_is_refused(command: Command) -> None:
    thread = json.loads(command("ask", "谢谢", "--user", "ann", "--json").stdout)["thread_id"]
    done = command("ask", "让我看看", "--user", "ben", "--thread", thread)
    assert (done.exit_code, done.stdout, "another user" in done.stderr) == (1, "", True)
    refused = command("ask", "让我看看", "--user", "ben", "--thread", thread, "--json")
    error = json.loads(refused.stdout)["error"]
    assert (refused.exit_code, error["type"], "another user" in error["message"]) == (
        1, "AccessDeniedError", True,
    )  # fmt: skip


def test_retention_counts_before_it_removes(command: Command) -> None:
    done = command("retention", "--dry-run", "--json", SUPPORTPILOT_THREAD_DAYS="1")
    assert json.loads(done.stdout) == {"dry_run": True, "rows": {"threads": 0, "store": 0}}
    assert "nothing removed" in command("retention").stdout


@pytest.mark.parametrize("name", ["ask", "chat", "ingest", "search", "doctor"])
def test_every_command_explains_itself(command: Command, name: str) -> None:
    done = command(name, "--help")
    assert done.exit_code == 0
    assert "Usage" in done.stdout


@pytest.mark.parametrize("exported", ["[]", "no JSON", "[" * 100_000, '{"memories": 7}'])
def test_what_is_no_export_is_refused_in_one_line(command: Command, exported: str) -> None:
    done = command("memory", "import", "-", "--user", "mem", stdin=exported)
    assert done.exit_code == 1
    assert "MalformedError" in done.stderr
    assert "memory export" in done.stderr


def test_a_database_that_fails_meanwhile_is_an_error_without_a_trace(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(*_: object, **__: object) -> None:
        raise psycopg.OperationalError("server closed the connection")

    monkeypatch.setattr(tickets, "list_tickets", lost)
    done = command("tickets", "list", "--json")
    assert (done.exit_code, json.loads(done.stdout)["error"]["type"]) == (1, "StoreError")
    assert "server closed the connection" in done.stderr


@pytest.mark.parametrize("arguments", [("gaps", "--tenant"), ("memory", "list", "--user"), ("ask",)])
def test_what_is_not_utf_8_is_a_wrong_argument_of_every_command(
    command: Command, arguments: tuple[str, ...]
) -> None:
    done = command(*arguments, "x\udcff")
    assert (done.exit_code, r"'x\udcff' is not UTF-8" in done.stderr) == (2, True)


def test_the_version_is_printed(command: Command) -> None:
    assert command("--version").stdout.startswith("supportpilot ")


def test_memories_are_listed_shown_corrected_exported_forgotten_and_brought_back(
    command: Command, tmp_path: Path
) -> None:
    command("ask", "请记住，我们是年付的专业版", "--user", "mem", SUPPORTPILOT_WORKER="false")
    assert command("worker", "--drain").exit_code == 0
    listed = json.loads(command("memory", "list", "--user", "mem", "--json").stdout)
    plan = next(one["id"] for one in listed if one["slot"] == "profile.plan")
    shown = command("memory", "show", plan[:8], "--user", "mem").stdout
    assert "年付的专业版" in shown
    assert command("memory", "correct", plan[:8], "套餐：企业版", "--user", "mem").exit_code == 0
    narrow = command("memory", "list", "--user", "mem", COLUMNS="60").stdout
    assert "…" not in narrow, "a narrow terminal wraps, and nothing is cut"
    assert "企业版" in command("memory", "list", "--user", "mem").stdout
    file = tmp_path / "mem.json"
    assert command("memory", "export", "--user", "mem", "--out", str(file)).exit_code == 0
    assert command("memory", "forget", "--user", "mem", stdin="n\n").exit_code == 1
    short = command("memory", "forget", plan[:1], "--user", "mem", "--yes", "--json").stdout
    assert json.loads(short) == {"removed": []}, "one digit names no memory"
    receipt = json.loads(command("memory", "forget", "--user", "mem", "--threads", "--yes", "--json").stdout)
    assert receipt["removed"]["store"] == len(json.loads(file.read_text("utf-8"))["memories"])
    assert "Nothing is remembered" in command("memory", "list", "--user", "mem").stdout
    assert command("memory", "import", str(file), "--user", "mem").exit_code == 0
    again = tmp_path / "again.json"
    command("memory", "export", "--user", "mem", "--out", str(again))
    assert again.read_text("utf-8") == file.read_text("utf-8")
    there = command("memory", "export", "--user", "mem", "--out", str(tmp_path))
    assert (there.exit_code, f"{str(tmp_path)!r} cannot be written" in there.stderr) == (1, True)
    assert "embedded anew" in command("memory", "reembed").stdout
    assert "begin with" in command("memory", "show", "nothing", "--user", "mem").stderr
