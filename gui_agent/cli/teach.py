"""`guiagent teach`: record a person doing a task."""

from __future__ import annotations

import queue
import re
import shlex
import sys
import tempfile
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gui_agent.cli.options import given_address, load_settings, settings_options

if TYPE_CHECKING:
    from gui_agent.core.protocols import Recorder
    from gui_agent.core.trajectory import Trajectory
    from gui_agent.settings import Settings

EPILOG = """\
A browser opens, or with --on virtual a desktop in a window of its own; do the
task in it as always. Every step is printed as it is recorded. Close the window,
or press Enter here, when the task is done; type u and Enter to take the last
step back.

Passwords are recorded as references such as ${secret:PASSWORD} and never kept.

\b
Examples:
  guiagent teach 'Fill the contact form for Ada' --url form.html -o contact.json
  guiagent run 'Fill the contact form for Grace' --demo contact.json
  guiagent teach 'Pay 20 to Grace' --url https://example.org --secret 'Card number'
  guiagent teach 'Write "milk" into list.txt' --on virtual --url mousepad
"""
WAITING = 0.2
"""Seconds between two looks at the terminal."""


@click.command(epilog=EPILOG, short_help="Record yourself doing a task.")
@click.argument("task")
@click.option(
    "--url",
    default="",
    metavar="ADDRESS",
    callback=given_address,
    help="Where to start: an address, a page, a program.",
)
@click.option("-o", "--output", metavar="FILE", help="Output file (default: named after the task).")
@click.option("--redo", is_flag=True, help="Replace FILE if it exists.")
@click.option(
    "--secret", multiple=True, metavar="FIELD", help="Another field to treat as secret; may be repeated."
)
@click.option("--on", "kind", metavar="COMPUTER", help="Screen to use: browser, virtual, desktop.")
@settings_options
def teach(
    *,
    task: str,
    url: str,
    output: str | None,
    redo: bool,
    secret: tuple[str, ...],
    kind: str | None,
    config: tuple[str, ...],
    assignments: tuple[str, ...],
    runs: str | None,
) -> int:
    """Record yourself doing TASK in a browser or on a desktop, to repeat it with other values."""
    from gui_agent import wiring
    from gui_agent.core.errors import ExitCode
    from gui_agent.core.trajectory import Task

    if not task.strip():
        raise click.UsageError("Say what the task is, such as: guiagent teach 'Fill the form for Ada'.")
    settings = load_settings(config, assignments, computer={"kind": kind}, trace={"folder": runs})
    file = free_file(output or f"{slug(task)}.json", redo)
    with wiring.make_computer(shown(settings)) as computer:
        computer.start(url)
        computer.settle()
        recorder = wiring.make_recorder(computer, secret)
        start = url if "://" in url else recorder.start or url
        click.echo(
            f"The {'browser' if computer.platform == 'browser' else 'desktop'} is open: do the task in it."
        )
        click.echo("Close the window or press Enter here when it is done; u and Enter takes a step back.")
        follow(recorder)
        trajectory = recorder.stop(Task(task.strip(), start))
    if not trajectory.steps:
        click.echo("guiagent: nothing was done in the window, so nothing was recorded", err=True)
        return ExitCode.NOT_DONE
    save(file, trajectory, recorder, settings.computer.kind)
    return ExitCode.DONE


def shown(settings: Settings) -> Settings:
    """The settings with a window that the person can work in, unless they say otherwise themselves.

    Raises:
        ConfigError: there is no display that could show a window.
    """
    from gui_agent.core.errors import ConfigError
    from gui_agent.settings import graphical, override

    options = settings.computer.options
    windows = {"browser": {"headless": False}, "virtual": {"window": True}}
    window = windows.get(settings.computer.kind)
    if window is None or options.get("headless") or options.get("attach") or "window" in options:
        return settings
    if not graphical():
        raise ConfigError(
            f"teaching needs a display for the window of the {settings.computer.kind} computer;"
            " start it with: xvfb-run -a, or ssh -X"
        )
    return override(settings, {"computer": {"options": window}})


def free_file(name: str, redo: bool) -> Path:
    """The file to write.

    Raises:
        ConfigError: it exists already, or its folder does not.
    """
    from gui_agent.core.errors import ConfigError

    file = Path(name).expanduser()
    if file.exists() and not redo:
        raise ConfigError(f"{file} exists already; record it again with --redo, or name another file with -o")
    if not file.parent.is_dir():
        raise ConfigError(f"there is no folder {file.parent}; make it first, or name another file with -o")
    return file


def slug(task: str) -> str:
    """A file name made of the first words of a task."""
    return "-".join(re.sub(r"[^a-z0-9]+", " ", task.lower()).split()[:6]) or "demonstration"


def follow(recorder: Recorder) -> None:
    """Print the steps as they are recorded, until the person ends it."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=read_lines, args=(lines,), daemon=True).start()
    try:
        while recorder.open:
            for number, sentence in recorder.poll(WAITING):
                click.echo(f"{number:>3} {sentence}" if number else f"warning: {sentence}")
            while not lines.empty():
                if lines.get().strip().lower() not in ("u", "undo"):
                    return
                taken = recorder.undo()
                click.echo(f"    taken back: {taken}" if taken else "    there is no step to take back")
    except KeyboardInterrupt:
        click.echo("")


def read_lines(lines: queue.SimpleQueue[str]) -> None:
    """Put what is typed at the terminal into a queue; the end of the input says nothing."""
    for line in sys.stdin:
        lines.put(line)


def save(file: Path, trajectory: Trajectory, recorder: Recorder, kind: str) -> None:
    """Write the demonstration and say how to use it.

    Raises:
        ConfigError: the file cannot be written; says where the demonstration is instead.
    """
    from gui_agent.core.errors import ConfigError
    from gui_agent.demos.from_run import from_trajectory
    from gui_agent.demos.store import save_demonstration
    from gui_agent.settings import SECRET_PREFIX

    demonstration = from_trajectory(trajectory, recorder.platform, origin="teach")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    demonstration = replace(demonstration, created=now)
    try:
        save_demonstration(file, demonstration)
    except ConfigError as error:  # a full disk, say: what a person has done is not thrown away
        spare = Path(tempfile.mkdtemp(prefix="guiagent-")) / file.name
        save_demonstration(spare, demonstration)
        raise ConfigError(f"{error}; the recording is kept as {spare}") from error
    count = len(demonstration.steps)
    click.echo(
        f"Recorded {count} step{'s' if count > 1 else ''} in {file}. Run it again, or with other values:"
    )
    again = f"guiagent run {shlex.quote(demonstration.task)} --demo {shlex.quote(str(file))}"
    click.echo(f"  {again}{'' if kind == 'browser' else f' --on {shlex.quote(kind)}'}")
    for name in recorder.secrets:
        click.echo(f"It needs a secret: set {SECRET_PREFIX}{name} before you run it.")
