"""`guiagent teach`: records the user doing a task."""

from __future__ import annotations

import queue
import re
import shlex
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gui_agent.cli.options import GivenSettings, given_address, login_option, settings_options
from gui_agent.core.errors import ConfigError, ExitCode
from gui_agent.core.os_errors import user_path
from gui_agent.core.texts import shorten

if TYPE_CHECKING:
    from gui_agent.core.protocols import Recorder
    from gui_agent.core.trajectory import Demonstration, Trajectory
    from gui_agent.settings import Settings

EPILOG = """\
A browser opens, or with --on virtual a desktop in a window of its own; do the
task in it as usual. Every step is printed as it is recorded. Close the window,
or press Enter here, when the task is done; type u and Enter to undo the last
step.

Passwords are recorded as references such as ${secret:PASSWORD} and never kept.

\b
Examples:
  guiagent teach 'Fill the contact form for Ada' --url form.html -o contact.json
  guiagent run 'Fill the contact form for Grace' --demo contact.json
  guiagent teach 'Pay 20 to Grace' --url https://example.org --secret 'Card number'
  guiagent teach 'Write "milk" into list.txt' --on virtual --url mousepad
  guiagent teach "Send 'hi' to Ada" --on android           # your touches on the phone itself
"""
PLACES = {"browser": "The browser is open", "android": "Your phone is recorded"}
ENDS = {"android": "Pause for a moment after typing, and press"}
"""Texts that differ by platform."""
WAITING = 0.2
"""Seconds between two checks of the terminal."""


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
@click.option("--why", is_flag=True, help="Ask at the end why each step was done.")
@click.option("--replay", is_flag=True, help="Run it once after recording.")
@click.option("--on", "kind", metavar="COMPUTER", help="Screen to use: browser, virtual, desktop, android.")
@click.option("--view", is_flag=True, help="Also show the screen in your browser, to do the task there.")
@login_option
@settings_options
def teach(
    *,
    task: str,
    url: str,
    output: str | None,
    redo: bool,
    secret: tuple[str, ...],
    why: bool,
    replay: bool,
    kind: str | None,
    view: bool,
    given: GivenSettings,
) -> int:
    """Record yourself doing TASK in a browser, on a desktop or phone, to repeat it with other values."""
    from gui_agent import wiring
    from gui_agent.core.trajectory import Task

    if not task.strip():
        raise click.UsageError("Name the task, such as: guiagent teach 'Fill the form for Ada'.")
    settings = given.load(computer={"kind": kind})
    file = free_file(output or f"{slug(task)}.json", redo)
    with ExitStack() as stack:
        computer = stack.enter_context(wiring.make_computer(with_window(settings)))
        computer.start(url)
        computer.settle()
        recorder = wiring.make_recorder(computer, secret, bar={})
        start = url if "://" in url else recorder.start or url
        click.echo(f"{PLACES.get(computer.platform, 'The desktop is open')}: do the task in it.")
        click.echo(
            f"{ENDS.get(computer.platform, 'Close the window or press')} Enter here when it is done;"
            " u and Enter undoes a step."
        )
        from gui_agent.cli.live_view import mirror

        lines = follow(recorder, mirror(stack, computer) if view else None)
        trajectory = recorder.stop(Task(task.strip(), start))
    if not trajectory.steps:
        click.echo("guiagent: nothing was done in the window, so nothing was recorded", err=True)
        return ExitCode.NOT_DONE
    again = save(file, trajectory, recorder, settings.computer.kind, Asking(lines, why=why))
    if not replay and not Asking(lines).is_agreed("Replay it now?"):
        return ExitCode.DONE
    from gui_agent.cli import call

    files = [f"--config={one}" for one in given.config]
    assigned, runs = [f"--set={one}" for one in given.assignments], given.sections["trace"]["folder"]
    return call(["run", *again, *files, *assigned, *([f"--runs={runs}"] if runs else [])])


def with_window(settings: Settings, what: str = "teaching") -> Settings:
    """The settings with a visible window, unless the user set otherwise."""
    from gui_agent.settings import graphical, override

    options = settings.computer.options
    windows = {"browser": {"headless": False}, "virtual": {"window": True}}
    window = windows.get(settings.computer.kind)
    if window is None or options.get("headless") or options.get("attach") or "window" in options:
        return settings
    if not graphical():
        raise ConfigError(
            f"{what} needs a display for the window of the {settings.computer.kind} computer;"
            " start it in a desktop session, or over ssh -X, or use the workbench: guiagent serve"
        )
    return override(settings, {"computer": {"options": window}})


def free_file(name: str, redo: bool) -> Path:
    """The file to write."""
    file = user_path(name)
    if file.exists() and not redo:
        raise ConfigError(f"{file} already exists; replace it with --redo, or name another file with -o")
    if not file.parent.is_dir():
        raise ConfigError(f"there is no folder {file.parent}; make it first, or name another file with -o")
    return file


def slug(task: str, empty: str = "demonstration") -> str:
    """A file name made of the first words of a task."""
    return "-".join(re.sub(r"[^a-z0-9]+", " ", task.lower()).split()[:6]) or empty


class Asking:
    """Questions to the user at a terminal after a recording; none without a terminal."""

    def __init__(self, lines: queue.SimpleQueue[str] | None = None, *, why: bool = False) -> None:
        self._lines = lines if sys.stdin.isatty() else None
        self._why = why

    def is_agreed(self, question: str) -> bool:
        return self._answer_to(f"{question} [y/N]").lower() in ("y", "yes")

    def name_values(self, demonstration: Demonstration) -> Demonstration:
        """The demonstration with names for its values and, if wanted, with reasons for its steps."""
        from gui_agent.elements.describe import describe
        from gui_agent.procedures.importers.imported import typed_values

        slots = dict(demonstration.slots)
        for value in typed_values(demonstration):
            if value in demonstration.task and value not in slots.values():
                name = slug(self._answer_to(f'A name for "{value}", which may vary? (Enter: none)'), "")
                slots |= {name.replace("-", "_"): value} if name else {}
        steps = demonstration.steps
        if self._why:
            steps = tuple(
                replace(s, why=self._answer_to(f"Why: {describe(s.action)}? (Enter: skip)")) for s in steps
            )
        return replace(demonstration, slots=slots, steps=steps)

    def _answer_to(self, question: str) -> str:
        if self._lines is None:
            return ""
        click.echo(f"{question} ", nl=False)
        answer = self._lines.get()
        if not answer:
            self._lines.put(answer)  # so that the end of the input stays recognizable
        return answer.strip()


def doubts(demonstration: Demonstration) -> list[str]:
    """Gaps of a recording, one line each: texts that may be read, targets without a name."""
    from gui_agent.core.aiming import places
    from gui_agent.procedures.importers.imported import missing_values
    from gui_agent.procedures.induction.copying import texts_in_doubt

    told = [
        f'"{shorten(value, 40)}" was also on a screen, and will be typed unchanged (guiagent learn --ask)'
        for value in texts_in_doubt(demonstration)
    ]
    told += [f'"{one}" is in the task, but not in the recording' for one in missing_values(demonstration)]
    for number, step in enumerate(demonstration.steps, start=1):
        if any(not (at.name or at.label or at.neighbours) for at in places(step.action).values()):
            told.append(f"step {number} has a target without a name: it is located by its position only")
    return told


def follow(recorder: Recorder, work: Callable[[], bool] | None = None) -> queue.SimpleQueue[str]:
    """Print the steps as they are recorded, until the user ends it; later typing goes to the queue.

    Args:
        work: performs the user's inputs in a view; False when the screen was handed back there.
    """
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=read_lines, args=(lines,), daemon=True).start()
    try:
        while recorder.open and (work is None or work()):
            for number, sentence in recorder.poll(WAITING):
                said = f"{number:>3} {sentence}" if number > 0 else f"    undone: {sentence}"
                click.echo(said if number else f"warning: {sentence}")
            while not lines.empty():
                line = lines.get()
                if not line:
                    lines.put(line)
                    break
                if line.strip().lower() not in ("u", "undo"):
                    return lines
                taken = recorder.undo()
                click.echo(f"    undone: {taken}" if taken else "    there is no step to undo")
    except KeyboardInterrupt:
        click.echo("")
    return lines


def read_lines(lines: queue.SimpleQueue[str]) -> None:
    """Put typed lines into a queue; an empty text is the end of the input."""
    for line in sys.stdin:
        lines.put(line)
    lines.put("")


def save(
    file: Path, trajectory: Trajectory, recorder: Recorder, kind: str, asking: Asking | None = None
) -> list[str]:
    """Write the demonstration and print how to use it. Returns the arguments of `run` that repeat it."""
    from gui_agent.integrations.recordings import recorded_demonstration
    from gui_agent.procedures.induction.learn import learn
    from gui_agent.procedures.language.wording import sources
    from gui_agent.procedures.library.store import save_demonstration
    from gui_agent.settings import SECRET_PREFIX

    demonstration = recorded_demonstration(trajectory, recorder)
    if asking is not None:
        demonstration = asking.name_values(demonstration)
    try:
        save_demonstration(file, demonstration)
    except ConfigError as error:  # a full disk, for example: the recording must not be lost
        spare = Path(tempfile.mkdtemp(prefix="guiagent-")) / file.name
        save_demonstration(spare, demonstration)
        raise ConfigError(f"{error}; the recording was saved as {spare}") from error
    count = len(demonstration.steps)
    click.echo(
        f"Recorded {count} step{'s' if count > 1 else ''} in {file}. Run it again, or with other values:"
    )
    again = [demonstration.task, "--demo", str(file), *([] if kind == "browser" else ["--on", kind])]
    click.echo(f"  guiagent run {shlex.join(again)}")
    for program in learn([demonstration]):
        click.echo("\n".join(f"  {line}" for line in sources(program)))
    for line in doubts(demonstration):
        click.echo(f"Not sure: {line}")
    for name in recorder.secrets:
        click.echo(f"It needs a secret: set {SECRET_PREFIX}{name} before you run it.")
    return again
