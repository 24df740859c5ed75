"""`guiagent eval serve`: a benchmark as an environment that trainers step through."""

from __future__ import annotations

from typing import Any

import click

from guiagent_eval.cli import ONE, common_options, option

EPILOG = """\
\b
Examples:
  guiagent eval serve --benchmark miniwob --suite quick --pool 8
  guiagent eval serve --benchmark miniwob --tasks click-button,enter-text --port 8000 --token mine
  guiagent eval serve --benchmark apps --suite django --pool 2 --pictures

\b
OpenEnv's client:
  GenericEnvClient(base_url=ADDRESS), reset(task="enter-text", seed=3),
  step({"actions": [{"kind": "click", "at": {"mark": 2}}]}), step({"end": {"kind": "finish"}})
"""
SLOWNESS = 20.0
"""Factor on the time limits of pages, because a trainer thinks longer than a person."""


@click.command(epilog=EPILOG, short_help="Serve a benchmark to trainers, step by step.")
@option("--benchmark", default="miniwob", metavar="NAME", help="What is served.")
@option("--suite", default="", help="A suite of its tasks (default: quick for miniwob, else all).")
@common_options("tasks option")
@option("--pool", default=2, type=ONE, help="Episodes at the same time.")
@option("--port", default=0, metavar="N", help="Port on this machine (default: a free one).")
@option("--token", default="", metavar="TEXT", help="Part of the address (default: a new one).")
@option("--max-steps", default=50, type=ONE, help="Per episode.")
@option("--pictures", is_flag=True, help="Screens as pictures, too.")
def serve(
    benchmark: str,
    suite: str,
    tasks: str,
    pool: int,
    port: int,
    token: str,
    max_steps: int,
    pictures: bool,
    options: tuple[str, ...],
) -> None:
    """Serve the episodes of a benchmark on this machine in OpenEnv's protocol, for clients that step.

    A session holds one of the workers from reset to the end of its episode; others wait.
    """
    from gui_agent import plugins
    from gui_agent.core.errors import ConfigError, MissingExtra
    from gui_agent.settings import parse_assignment
    from guiagent_eval.practice.stepping import Served

    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401

        from guiagent_eval.practice.openenv import EnvServer, Pool, env_app
    except ModuleNotFoundError as error:
        raise MissingExtra("serve,eval", "guiagent eval serve") from error
    miniwob = benchmark == "miniwob"
    given: dict[str, Any] = {"slowness": SLOWNESS, "pictures": pictures} if miniwob else {}
    for text in options:
        given |= parse_assignment(text)
    served = Served(benchmark, given, max_steps, pictures)
    made = plugins.make("benchmarks", benchmark, given)
    names = [name.strip() for name in tasks.split(",") if name.strip()]
    names = names or list(made.tasks(suite or ("quick" if miniwob else "all")))
    if not names:
        raise ConfigError(f"{benchmark} has no tasks to serve")
    workers = Pool(served, pool)
    try:
        server = EnvServer(env_app(served, names, workers), port, token)
        click.echo(f"{len(names)} tasks of {benchmark} for {pool} episodes at a time", err=True)
        click.echo(server.url)
        server.serve()
    finally:
        workers.close()
