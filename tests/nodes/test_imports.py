"""Every module can be the first one that a program imports."""

import subprocess
import sys
from pathlib import Path

import pytest

_NODES = Path(__file__).parents[2] / "nodes"


@pytest.mark.parametrize(
    "module", ["nodes.mcp", "nodes.research", "nodes.tools.bound", "nodes.scene", "nodes.skills"]
)
def test_a_module_can_be_imported_first(module: str) -> None:
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True, cwd=_NODES.parent)
