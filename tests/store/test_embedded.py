"""The embedded server as several processes use it: one server, whose data stay, which ends with the last of them."""

import subprocess
import sys
from pathlib import Path
from time import sleep

_USE = """
import sys, psycopg
from pathlib import Path
from store import embedded
with psycopg.connect(embedded.start(Path(sys.argv[1])), autocommit=True) as connection:
    connection.execute("CREATE TABLE IF NOT EXISTS seen (who text)") if sys.argv[2] == "0" else None
    print(connection.execute("SELECT pg_postmaster_start_time()").fetchone()[0].isoformat(), flush=True)
    if sys.argv[2] == "0":
        connection.execute("INSERT INTO seen VALUES ('first')")
        sys.stdin.read()
    else:
        print(connection.execute("SELECT count(*) FROM seen").fetchone()[0])
"""


def _process(folder: Path, number: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", _USE, str(folder), number],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _running(folder: Path) -> bool:
    return (folder / "postgres" / "postmaster.pid").exists()


def test_processes_share_one_server_whose_data_stay_and_which_ends_with_the_last(tmp_path: Path) -> None:
    first = _process(tmp_path, "0")
    assert first.stdout is not None
    started = first.stdout.readline().strip()
    sleep(0.2)
    joined, _ = _process(tmp_path, "1").communicate(timeout=150)
    assert joined.split() == [started, "1"]
    assert _running(tmp_path)
    first.communicate("", timeout=150)
    assert not _running(tmp_path)
    later, _ = _process(tmp_path, "1").communicate(timeout=150)
    assert later.split()[0] != started
    assert later.split()[1] == "1"
    assert not _running(tmp_path)
