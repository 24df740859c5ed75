"""`guiagent clean`: removes old runs."""

from __future__ import annotations

from pathlib import Path

import click

EPILOG = """\
\b
Examples:
  guiagent clean                      of the runs that programs have left, only the newest 200 stay
  guiagent clean --keep 20 --runs runs
"""


@click.command(epilog=EPILOG, short_help="Remove old runs.")
@click.option("--keep", type=click.IntRange(min=0), default=200, show_default=True, help="Runs that stay.")
@click.option("--runs", metavar="DIR", help="Folder that keeps the runs (default: that of Python programs).")
def clean(keep: int, runs: str | None) -> None:
    """Remove all but the newest runs with their pictures and reports; those of the last hour stay."""
    from gui_agent import trace
    from gui_agent.core.errors import ConfigError
    from gui_agent.core.os_errors import why
    from gui_agent.settings import state_folder

    folder = Path(runs) if runs else state_folder("runs")
    if not folder.is_dir() and not runs:
        click.echo(f"nothing to remove: there are no runs in {folder}")
        return
    try:
        gone = trace.clean(folder, keep)
    except OSError as error:
        raise ConfigError(f"{folder}: {why(error)}") from error
    click.echo(f"{len(gone)} runs removed from {folder}")
