import subprocess
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "question", ["$(shell touch {mark})", "`touch {mark}`", "'; touch {mark} #", 'a "b" $HOME $$x']
)
def test_a_question_reaches_the_program_as_it_was_written(question: str, tmp_path: Path) -> None:
    program, mark = tmp_path / "supportpilot", tmp_path / "mark"
    program.write_text('#!/bin/sh\nprintf %s "$2"\n')
    program.chmod(0o755)
    question = question.format(mark=mark)
    done = subprocess.run(
        ["make", "--silent", "ask", f"BIN={tmp_path}", "-o", ".venv/ready", "-o", "setup", f"Q={question}"],  # noqa: S607 - make is what is tested
        cwd=_ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == question
    assert not mark.exists()
