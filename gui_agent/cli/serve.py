"""`guiagent serve`: runs over HTTP, for programs and for people with a browser."""

from __future__ import annotations

import click

from gui_agent.cli.options import load_settings, model_options, settings_options

EPILOG = """\
\b
Examples:
  guiagent serve                        on a free port of this machine; prints the address with the token
  guiagent serve --port 8765 --on virtual
  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8765/runs -d '{"task": "...", "url": "..."}'

\b
The description of the API is at /openapi.json. From another machine, use an ssh tunnel.
"""


@click.command(epilog=EPILOG, short_help="Serve runs over HTTP, with a page to watch and steer them.")
@click.option("--port", type=int, default=0, metavar="N", help="Port on this machine (default: a free one).")
@click.option("--on", "kind", metavar="COMPUTER", help="The kind of screen that runs use.")
@model_options
@settings_options
def serve(
    port: int,
    kind: str | None,
    config: tuple[str, ...],
    assignments: tuple[str, ...],
    runs: str | None,
    model: str | None,
    pointing: str | None,
    fallback: str | None,
    planner: str | None,
    max_cost: float | None,
) -> None:
    """Take tasks over HTTP on this machine and show them live.

    Who has the token may begin tasks, answer the guard and take screens over: it stands for you.
    """
    from gui_agent.core.errors import MissingExtra
    from gui_agent.integrations.desk import Desk, own_runs

    try:
        from gui_agent.integrations.http import Api
        from gui_agent.integrations.local import LocalApp
    except ModuleNotFoundError as error:
        raise MissingExtra("serve", "guiagent serve") from error
    settings = load_settings(
        config,
        assignments,
        usual=own_runs(),
        computer={"kind": kind},
        model={"name": model, "grounder": pointing, "fallback": fallback, "max_cost": max_cost},
        planner={"kind": planner},
        trace={"folder": runs},
    )
    desk = Desk(settings, attended=True)
    try:
        app = LocalApp(Api(desk).app(), port)
        click.echo(f"open {app.url}", err=True)
        click.echo(f"Authorization: Bearer {app.token}", err=True)
        app.serve()
    finally:
        desk.shut()
