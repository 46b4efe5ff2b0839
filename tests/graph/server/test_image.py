"""What `langgraph dockerfile` makes of langgraph.json; the image itself needs Docker, and a licence to run."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def dockerfile(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = tmp_path_factory.mktemp("image") / "Dockerfile"
    langgraph = Path(sys.executable).parent / "langgraph"
    subprocess.run([langgraph, "dockerfile", made], cwd=_ROOT, check=True, capture_output=True)
    return made.read_text("utf-8")


@pytest.fixture(scope="module")
def variables(dockerfile: str) -> dict[str, Any]:
    """The image's variables, each read as Docker reads it: as one word, whatever quotes it holds."""
    settings: dict[str, Any] = {}
    for line in dockerfile.splitlines():
        if line.startswith("ENV "):
            (word,) = shlex.split(line.removeprefix("ENV "))
            name, _, value = word.partition("=")
            settings[name] = json.loads(value)
    return settings


def test_the_image_names_graphs_saver_store_sign_in_and_routes_where_they_are(
    dockerfile: str, variables: dict[str, Any]
) -> None:
    inside = Path("/deps") / _ROOT.name
    assert dockerfile.startswith("FROM langchain/langgraph-api:3.11")
    assert f"WORKDIR {inside}" in dockerfile
    places = [
        *(graph["path"] for graph in variables["LANGSERVE_GRAPHS"].values()),
        variables["LANGGRAPH_CHECKPOINTER"]["path"],
        variables["LANGGRAPH_STORE"]["path"],
        variables["LANGGRAPH_AUTH"]["path"],
        variables["LANGGRAPH_HTTP"]["app"],
    ]
    for place in places:
        file, _, name = place.partition(":")
        source = (_ROOT / (inside / file).relative_to(inside)).read_text("utf-8")
        assert name in source, place
    assert {*variables["LANGSERVE_GRAPHS"]} == {"support"}


def test_the_image_lets_nobody_in_by_studios_header_and_leaves_nothing_else_open(
    variables: dict[str, Any],
) -> None:
    assert variables["LANGGRAPH_AUTH"]["disable_studio_auth"] is True
    http = variables["LANGGRAPH_HTTP"]
    assert [
        http[name] for name in ("enable_custom_route_auth", "disable_mcp", "disable_a2a", "disable_ui")
    ] == [True] * 4


def test_what_is_private_to_a_checkout_stays_out_of_the_image() -> None:
    left_out = (_ROOT / ".dockerignore").read_text("utf-8").split()
    assert {"data", ".*"} <= {*left_out}
