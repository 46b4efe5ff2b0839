"""A real MCP server over stdio, a dead one, and what becomes of their tools."""

import json
import logging
import sys
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from nodes.mcp import mcp_tools, read_config
from nodes.tools.run import open_calls, run_calls
from store.errors import ConfigError

SERVER = """
from mcp.server.fastmcp import FastMCP

server = FastMCP("orders")


@server.tool()
def order_status(order_no: str) -> str:
    '''Say where an order is.'''
    return f"{order_no} is on its way"


@server.tool()
def cancel_order(order_no: str) -> str:
    '''Cancel an order.'''
    return f"{order_no} is cancelled"


server.run()
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    servers = {
        "dead": {"command": sys.executable, "args": ["-c", "raise SystemExit(1)"]},
        "orders": {"command": sys.executable, "args": [str(script)], "read": ["order_status"]},
    }
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": servers}))
    return file


async def test_a_servers_tools_are_added_and_act_only_where_the_settings_say_that_they_read(
    config: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="nodes.mcp"):
        tools = await mcp_tools(config)
    assert "'dead' is left out" in caplog.text
    assert [(t.name, (t.metadata or {})["tier"]) for t in tools] == [
        ("cancel_order", "write"),
        ("order_status", "read"),
    ]
    assert await mcp_tools(config) is tools
    asked = AIMessage(
        "",
        tool_calls=[
            {"name": "order_status", "args": {"order_no": "A1"}, "id": "1"},
            {"name": "cancel_order", "args": {"order_no": "A1"}, "id": "2"},
        ],
    )
    done, refused = await run_calls(open_calls([HumanMessage("q"), asked])[1], tools, seconds=30, step="m")
    assert (done.status, "A1 is on its way" in done.text) == ("success", True)
    assert (refused.status, "approved" in refused.text) == ("error", True)


async def test_without_a_file_there_are_no_servers() -> None:
    assert await mcp_tools(None) == ()


@pytest.mark.parametrize("text", ["", "[]", '{"mcpServers": 3}', '{"mcpServers": {"a": 1}}'])
def test_a_malformed_file_is_refused_by_name(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match="SUPPORTPILOT_MCP_CONFIG"):
        read_config(file)
