"""Every module can be the first one that a program imports."""

import subprocess
import sys
from pathlib import Path

_MODULES = ("nodes.mcp", "nodes.research", "nodes.tools.bound", "nodes.scene", "nodes.skills")
_EACH_FIRST = """
import os, sys
import langgraph.graph, langchain_core.tools, langchain_openai, langchain_postgres, pydantic_settings  # slow, and not ours
for module in sys.argv[1:]:
    if not os.fork():
        __import__(module)
        os._exit(0)
    if os.wait()[1]:
        sys.exit(f"{module} cannot be imported first")
"""


def test_each_module_can_be_imported_first() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", _EACH_FIRST, *_MODULES], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
