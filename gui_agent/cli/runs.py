"""`guiagent show`, `audit` and `clean`: the stored runs, found by name."""

from __future__ import annotations

import webbrowser
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gui_agent import plugins
from gui_agent.cli.options import GivenSettings, print_json, settings_options
from gui_agent.core.aiming import sole
from gui_agent.core.errors import ConfigError, ExitCode
from gui_agent.core.os_errors import file_errors
from gui_agent.core.texts import shorten, suggestion

if TYPE_CHECKING:
    from gui_agent.settings import Settings

SHOW_EXAMPLES = """\
\b
Examples:
  guiagent show                     the report of the last run
  guiagent show 20260131-0930       the run whose folder starts with this
  guiagent show --list
  guiagent show last 20260131-0930  both side by side
  guiagent show last --no-open      only print where the report is
  guiagent show last --gif          the run as an animation, next to its report
  guiagent show last --video run.mp4    as a video (.mp4, .webm; needs ffmpeg)
"""
FILES = (".json", ".py", ".js", ".ts", ".mjs", ".gz")
"""Extensions that mark an argument as a file where names of runs and procedures are accepted too."""


@click.command(epilog=SHOW_EXAMPLES, short_help="Open the report of a run, or list the runs.")
@click.argument("run", default="last")
@click.argument("other", default="")
@click.option("--list", "listing", is_flag=True, help="List the runs, newest first.")
@click.option("--no-open", is_flag=True, help="Do not open the report, only print its path.")
@click.option("--json", "as_json", is_flag=True, help="The list as JSON.")
@click.option(
    "--json-lines", "as_lines", is_flag=True, help="Print the events of the run, as run --json-lines does."
)
@click.option("--gif", is_flag=True, help="Make an animation of the run instead of the report.")
@click.option(
    "--video",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the animation into this file: a video (.mp4, .webm) needs ffmpeg, a .gif does not.",
)
@settings_options
def show(
    run: str,
    other: str,
    listing: bool,
    no_open: bool,
    as_json: bool,
    as_lines: bool,
    gif: bool,
    video: Path | None,
    given: GivenSettings,
) -> None:
    """Open the HTML report of RUN: its folder, its id, the beginning of its id, or `last`.

    With OTHER, show both runs side by side, and where each went wrong.
    """
    from gui_agent.settings import graphical
    from gui_agent.trace import write_report

    root = kept_in(given.load())
    if listing or as_json:
        print_list(root, as_json)
        return
    if other:
        plugins.find("commands", "show OTHER")((find_run(run, root), find_run(other, root)))
        return
    if as_lines:
        from gui_agent.trace import read_run
        from gui_agent.trace.events import replay

        for event in replay(read_run(find_run(run, root), pictures=False)):
            click.echo(event.as_json())
        return
    if gif or video:
        from gui_agent.trace.animation import write_animation
        from gui_agent.trace.lines import MOVING
        from gui_agent.trace.reader import read_run

        stored = read_run(find_run(run, root))
        click.echo(str(write_animation(stored, video or stored.folder / MOVING)))
        return
    report = write_report(find_run(run, root))
    click.echo(str(report))
    if not no_open and graphical():
        webbrowser.open(report.resolve().as_uri())


def kept_in(settings: Settings) -> Path:
    """The folder of the runs; the default one if the settings store none."""
    from gui_agent.settings import state_folder

    return Path(settings.trace.folder or state_folder("runs"))


def find_run(name: str, root: Path) -> Path:
    from gui_agent.trace import list_runs

    given = Path(name)
    if (given / "run.json").is_file():
        return given
    _check_is_no_file(name)
    runs = {found.id: found.folder for found in list_runs(root)}
    if not runs:
        raise ConfigError(f"there are no runs in {root}; make one with: guiagent run")
    if name == "last":
        return next(iter(runs.values()))
    wanted = given.name
    if wanted in runs:
        return runs[wanted]
    fitting = [folder for id_, folder in runs.items() if id_.startswith(wanted)] if wanted else []
    if alone := sole(fitting):
        return alone
    if fitting:
        raise ConfigError(f'{len(fitting)} runs begin with "{wanted}"; give more of the id')
    raise ConfigError(f'no run "{wanted}" in {root}{suggestion(wanted, list(runs)[:5])}')


def _check_is_no_file(name: str) -> None:
    """Raise for a file or folder that is not a run, instead of searching for an id with that prefix."""
    given = Path(name)
    if given.is_file():
        raise ConfigError(f"{name} is a file, not the folder of a run; list them with: guiagent show --list")
    if given.suffix in FILES and not given.exists():
        raise ConfigError(f"{name}: there is no such file")
    if given.is_dir() and (given.suffix in FILES or len(given.parts) > 1):
        raise ConfigError(
            f"{name} is not the folder of a run (has no run.json); list them with: guiagent show --list"
        )


def print_list(root: Path, as_json: bool) -> None:
    """Print the runs of a folder, newest first."""
    from gui_agent.trace import list_runs

    runs = list_runs(root)
    if as_json:
        rows = [{**asdict(run), "folder": str(run.folder)} for run in runs]
        print_json(rows)
        return
    if not runs:
        click.echo(f"there are no runs in {root}")
    width = max((len(run.id) for run in runs), default=0)
    for run in runs:
        figures = f"{run.steps:>3} {'step ' if run.steps == 1 else 'steps'} {run.seconds:>7.1f} s"
        figures += f"  ${run.cost:.4f}" if run.cost else ""
        click.echo(f"{run.id:<{width}}  {run.ending:<10} {figures}  {shorten(run.task, 60)}")


AUDIT_EXAMPLES = """\
\b
Examples:
  guiagent audit verify last             was the folder of the last run changed?
  guiagent audit verify 2026-11-22       the run whose name starts with this
"""


@click.group(epilog=AUDIT_EXAMPLES, short_help="Check that a run's folder was not changed.")
def audit() -> None:
    """Check that the files of a run are unchanged."""


@audit.command()
@click.argument("run")
@settings_options
def verify(run: str, given: GivenSettings) -> int:
    """Compare RUN (a folder, an id, or last) with the seals made during the run."""
    from gui_agent.elements.describe import printable
    from gui_agent.trace import reader

    folder = find_run(run, kept_in(given.load()))
    found = reader.verify(folder)
    for line in found.wrong:
        click.echo(printable(line))
    if found.wrong:
        click.echo(f"{folder.name}: changed since it was written", err=True)
        return ExitCode.NOT_DONE
    how = "sound" if found.ended else "sound so far: the run was interrupted, so its files are not sealed"
    click.echo(f"{folder.name}: {how}; {found.lines} lines, {found.files} files")
    click.echo(f"seal: {found.seal}")
    return ExitCode.DONE


CLEAN_EXAMPLES = """\
\b
Examples:
  guiagent clean                      keep the newest 200 runs
  guiagent clean --keep 20 --runs nightly
"""


@click.command(epilog=CLEAN_EXAMPLES, short_help="Remove old runs.")
@click.option("--keep", type=click.IntRange(min=0), default=200, show_default=True, help="Runs that stay.")
@settings_options
def clean(keep: int, given: GivenSettings) -> None:
    """Remove all but the newest runs, with their pictures and reports. Keeps runs of the last hour."""
    from gui_agent import trace

    folder = kept_in(given.load())
    if not folder.is_dir() and not given.sections["trace"]["folder"]:
        click.echo(f"nothing to remove: there are no runs in {folder}")
        return
    with file_errors(str(folder)):
        gone = trace.clean(folder, keep)
    click.echo(f"{len(gone)} runs removed from {folder}")
