"""`guiagent eval`: benchmarks, their tables, and what changed from one run to the next."""

from __future__ import annotations

from importlib import import_module

import click

SUBCOMMANDS = {
    **{"miniwob": "miniwob", "apps": "apps", "prove": "prove", "demos": "apps", "osworld": "osworld"},
    **{"show": "figures", "compare": "figures", "resume": "run", "run": "run", "watch": "figures"},
    **{"judge": "judge", "offline": "offline", "serve": "serve"},
}
"""The module in which each is, as a function of its name."""

EPILOG = """\
\b
Examples:
  guiagent eval miniwob --suite quick --episodes 5 --planner random
  guiagent eval miniwob --suite synapse64 --episodes 50 --seeds 10000- --workers 2
  guiagent eval apps --kind web --planner plain --install
  guiagent eval show last --html
  guiagent eval compare RUN OTHER
  guiagent eval watch last
  guiagent eval resume last
"""


class Subcommands(click.Group):
    """A group that imports a command only when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUBCOMMANDS:
            return None
        module = import_module(f"guiagent_eval.cli.{SUBCOMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name)
        return command


@click.group("eval", cls=Subcommands, epilog=EPILOG, no_args_is_help=True, short_help="Run benchmarks.")
def eval() -> None:
    """Run benchmarks, show their figures, and compare runs."""
