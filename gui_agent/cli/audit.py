"""`guiagent audit`: check that the folder of a run is what the run has written."""

from __future__ import annotations

from pathlib import Path

import click

from gui_agent.cli.options import settings_options

EPILOG = """\
\b
Examples:
  guiagent audit verify last             was the folder of the last run changed since?
  guiagent audit verify 2026-11-22       the run whose name begins so
"""


@click.group(epilog=EPILOG, short_help="Check that a run's folder was not changed.")
def audit() -> None:
    """Check what runs have sealed."""


@audit.command()
@click.argument("run")
@settings_options
def verify(run: str, config: tuple[str, ...], assignments: tuple[str, ...], runs: str | None) -> int:
    """Compare RUN (a folder, an id, or last) with the seals that were made while it went on."""
    from gui_agent.cli.options import load_settings
    from gui_agent.cli.show import find_run
    from gui_agent.core.errors import ExitCode
    from gui_agent.elements.describe import printable
    from gui_agent.trace import audit as seals

    settings = load_settings(config, assignments, trace={"folder": runs})
    folder = find_run(run, Path(settings.trace.folder or "runs"))
    found = seals.verify(folder)
    for line in found.wrong:
        click.echo(printable(line))
    if found.wrong:
        click.echo(f"{folder.name}: changed since it was written", err=True)
        return ExitCode.NOT_DONE
    how = "sound" if found.ended else "sound as far as it goes: it was cut short, its files are not sealed"
    click.echo(f"{folder.name}: {how}; {found.lines} lines, {found.files} files")
    click.echo(f"seal: {found.seal}")
    return ExitCode.DONE
