"""What ``supportpilot doctor`` says of collections, on a database of its own."""

from pathlib import Path

from tests.graph.commands import Command


def test_doctor_says_that_no_collection_answers_where_none_is_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Trial\n\nTwo weeks.", "utf-8")
    assert command("ingest", str(tmp_path), "--collection", "one").exit_code == 0
    assert command("doctor").exit_code == 0  # the only one of one's own answers
    assert command("ingest", str(tmp_path), "--collection", "other").exit_code == 0
    done = command("doctor")
    assert done.exit_code == 1
    assert "SUPPORTPILOT_COLLECTION='default' (the" in done.stdout
    assert command("doctor", SUPPORTPILOT_COLLECTION="other").exit_code == 0
