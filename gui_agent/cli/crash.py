"""The message for an internal error: short, with the location of the trace."""

from __future__ import annotations

from types import TracebackType

import click


def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Say in a few lines that the program broke; installed as `sys.excepthook`."""
    click.echo(f"guiagent: a fault in the program: {kind.__name__}: {error}", err=True)
    for note in getattr(error, "__notes__", ()):
        click.echo(f"  {note}", err=True)
    click.echo("  guiagent --debug <command> ... shows the traceback", err=True)
