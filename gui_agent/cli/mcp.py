"""`guiagent mcp`: runs the MCP server, and adds it to the settings of clients."""

from __future__ import annotations

import json
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import click

from gui_agent.cli.options import GivenSettings, login_option, settings_options
from gui_agent.core.errors import ConfigError, MissingExtra
from gui_agent.core.os_errors import file_errors, replace_file
from gui_agent.core.parsing import parse_json, parse_toml

EPILOG = """\
\b
Examples:
  guiagent mcp install claude          add it to Claude Code; also: cursor, vscode, codex
  guiagent mcp                         serve on standard input and output, as clients start it
  guiagent mcp --http --port 8766      serve on this machine over streamable HTTP, with a token
"""
CLIENTS: Final = ("claude", "cursor", "vscode", "codex")


@click.group(epilog=EPILOG, short_help="Serve tools for coding agents (MCP).", invoke_without_command=True)
@click.option("--http", is_flag=True, help="Streamable HTTP instead of standard input and output.")
@click.option("--port", type=int, default=8766, metavar="N", help="Port of --http (default: 8766).")
@click.option("--on", "kind", metavar="COMPUTER", help="The kind of screen that is opened by default.")
@login_option
@settings_options
@click.pass_context
def mcp(ctx: click.Context, http: bool, port: int, kind: str | None, given: GivenSettings) -> None:
    """Serve screens, commands, tasks and skills as tools of the Model Context Protocol."""
    if ctx.invoked_subcommand is not None:
        return
    from gui_agent.integrations.session_registry import SessionRegistry

    settings = given.load(computer={"kind": kind})
    serve = _server_of_mcp()
    registry = SessionRegistry(settings)
    try:
        if http:
            from gui_agent.integrations.local import LocalApp

            app = LocalApp(serve(registry).streamable_http_app(), port)
            click.echo(f"MCP over HTTP: http://127.0.0.1:{app.port}/mcp", err=True)
            click.echo(f"Authorization: Bearer {app.token}", err=True)
            app.serve()
        else:
            serve(registry).run("stdio")
    finally:
        registry.shut()


def _server_of_mcp() -> Any:
    try:
        from gui_agent.integrations.mcp import serve
    except ModuleNotFoundError as error:
        raise MissingExtra("mcp", "the MCP server") from error
    return serve


@mcp.command(short_help="Add the server to a client's settings.")
@click.argument("client", type=click.Choice(CLIENTS))
@click.option("--print", "only_print", is_flag=True, help="Print the entry and change nothing.")
def install(client: str, only_print: bool) -> None:
    """Add guiagent to the servers of CLIENT for this user; other servers stay unchanged."""
    command = shutil.which("guiagent") or str(Path(sys.executable).with_name("guiagent"))
    path, entry = _settings_file_of(client), {"command": command, "args": ["mcp"]}
    if client == "codex":
        text = f'[mcp_servers.guiagent]\ncommand = {json.dumps(command)}\nargs = ["mcp"]\n'
        if only_print:
            click.echo(text, nl=False)
            return
        _add_toml(path, text)
    else:
        section = "servers" if client == "vscode" else "mcpServers"
        entry = entry if client == "cursor" else {"type": "stdio", **entry}
        if only_print:
            click.echo(json.dumps({section: {"guiagent": entry}}, indent=2))
            return
        _add_json(path, section, entry)
    click.echo(f"guiagent is now a server of {client} ({path}); restart {client}")


def _settings_file_of(client: str) -> Path:
    home = Path.home()
    code = {"darwin": "Library/Application Support", "win32": "AppData/Roaming"}.get(sys.platform, ".config")
    places = {
        "claude": home / ".claude.json",
        "cursor": home / ".cursor" / "mcp.json",
        "vscode": home / code / "Code" / "User" / "mcp.json",
        "codex": home / ".codex" / "config.toml",
    }
    return places[client]


def _read(path: Path) -> str:
    with file_errors(f"{path} cannot be read"):
        return path.read_text(encoding="utf-8") if path.exists() else ""


def _add_json(path: Path, section: str, entry: dict[str, Any]) -> None:
    try:
        table = parse_json(_read(path) or "{}")
        table.setdefault(section, {})["guiagent"] = entry
    except (ValueError, AttributeError, TypeError) as error:
        raise ConfigError(
            f"{path} is not plain JSON; add the entry by hand: guiagent mcp install ... --print"
        ) from error
    _write(path, json.dumps(table, indent=2, ensure_ascii=False) + "\n")


def _add_toml(path: Path, text: str) -> None:
    before = _read(path)
    try:
        known = parse_toml(before).get("mcp_servers", {})
        wanted = tomllib.loads(text)["mcp_servers"]["guiagent"]
    except (tomllib.TOMLDecodeError, AttributeError) as error:
        raise ConfigError(f"{path} is not valid TOML; fix it, or add the entry by hand (--print)") from error
    if known.get("guiagent") == wanted:
        return
    if "guiagent" in known:
        raise ConfigError(f"{path} already has a different [mcp_servers.guiagent]; remove it and try again")
    _write(path, f"{before.rstrip()}\n\n{text}".lstrip())


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text.encode())
