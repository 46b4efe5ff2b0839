"""Tools of MCP servers: named in a file, loaded once a process, in the file's order.

The file has the usual form ``{"mcpServers": {NAME: {"command": …, "args": […]} or {"url": …}}}``. A server's own key
``read`` lists those of its tools that only read; all others act, so that a person has to approve each call.
"""

import asyncio
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langchain_core.tools import BaseTool

from nodes.tools.turn import tier
from store.errors import ConfigError

SECONDS = 20.0
"""How long a server may take to list its tools."""

_LOG = logging.getLogger(__name__)
_loaded: dict[Path, tuple[BaseTool, ...]] = {}


async def mcp_tools(config: Path | None) -> tuple[BaseTool, ...]:
    """Return the tools of all servers that answer, the same ones as long as the process runs.

    A server that does not answer is a warning, and its tools are missing: a prompt that grows tools later
    would lose its cached prefix.

    Args:
        config: the file that names the servers; none: no servers.

    Raises:
        ConfigError: the file is missing or malformed, or the adapter is not installed.
    """
    if config is None:
        return ()
    if config not in _loaded:
        servers = await asyncio.to_thread(read_config, config)
        found = [tool for name, server in servers.items() for tool in await _of_server(name, server)]
        _loaded.setdefault(config, tuple(found))
    return _loaded[config]


def read_config(config: Path) -> Mapping[str, dict[str, Any]]:
    """Read the servers that a file names, in its order.

    Raises:
        ConfigError: the file is missing or malformed.
    """
    try:
        servers = json.loads(config.read_text("utf-8"))["mcpServers"]
        return {str(name): dict(server) for name, server in servers.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"SUPPORTPILOT_MCP_CONFIG={str(config)!r} is not of the form"
            f' {{"mcpServers": {{NAME: {{"command": …, "args": […]}}}}}}: {error}'
        ) from error


async def _of_server(name: str, server: dict[str, Any]) -> list[BaseTool]:
    """List a server's tools, sorted by name; none when it does not answer."""
    try:
        from langchain_mcp_adapters.client import MultiServerMCPClient  # noqa: PLC0415 - only who uses it needs it
    except ImportError as error:
        raise ConfigError(
            "SUPPORTPILOT_MCP_CONFIG names MCP servers: install them with pip install 'supportpilot[mcp]'."
        ) from error
    reading = set(server.pop("read", ()))
    server.setdefault("transport", "stdio" if "command" in server else "streamable_http")
    try:
        client = MultiServerMCPClient({name: server})  # type: ignore[dict-item]  # checked by the adapter
        tools = await asyncio.wait_for(client.get_tools(), SECONDS)
    except Exception as error:  # noqa: BLE001 - whatever a foreign server does must not stop this one
        _LOG.warning("MCP server %r is left out: %s: %s", name, type(error).__name__, error)
        return []
    for tool in tools:
        tool.metadata = {**(tool.metadata or {}), **tier("read" if tool.name in reading else "write")}
    return sorted(tools, key=lambda tool: tool.name)
