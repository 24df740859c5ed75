"""The surroundings of a run: the live view, and a countdown before the agent takes mouse and keyboard."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gui_agent.core.errors import ConfigError

if TYPE_CHECKING:
    from gui_agent.core.protocols import Computer, Observer
    from gui_agent.settings import Settings

SHARED = "desktop"
"""The kind of computer that the user sits in front of."""
NAMED, PHONE = "virtual:", "android"


@contextmanager
def live(settings: Settings, show: bool, countdown: int) -> Iterator[tuple[Computer | None, list[Observer]]]:
    """The computer for the run, if the view needed it opened, and the run's observers.

    A run on a named desktop is always reported to `guiagent desktop view`.
    """
    kind = settings.computer.kind
    if kind == SHARED and not _hopeless(settings):
        _count_down(settings, countdown)
    with ExitStack() as stack:
        computer: Computer | None = None
        folder = _folder(kind)
        if show:
            computer = stack.enter_context(_open_computer(settings))
            folder = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="guiagent-view-")))
        observers: list[Observer] = []
        if folder is not None:
            from gui_agent.server import Feed

            observers.append(Feed(folder, attended=show, phone=kind.partition(":")[0] == PHONE))
            if computer is not None:
                _serve(stack, computer, folder)
        yield computer, observers


def _hopeless(settings: Settings) -> bool:
    """Whether there is no screen at all, so that the error can come at once."""
    from gui_agent.settings import graphical

    return sys.platform == "linux" and not graphical() and not settings.computer.options.get("display")


def _count_down(settings: Settings, seconds: int) -> None:
    from gui_agent.settings import wayland

    panic = settings.computer.options.get("panic_key", "ctrl+alt+q")
    corner = settings.computer.options.get("corner_stop", True)
    ways = [f"press {panic}"] * bool(panic) + ["move the mouse into a corner of the screen"] * bool(corner)
    if sys.platform == "linux" and wayland():  # where only the desktop hears keys and sees the mouse
        ways = ["press Ctrl+C here", "stop sharing the screen"]
    click.echo(f"hands off mouse and keyboard; to stop, {' or '.join(ways) or 'press Ctrl+C here'}", err=True)
    for left in range(seconds, 0, -1):
        click.echo(f"starting in {left} ...", err=True)
        time.sleep(1)


def _folder(kind: str) -> Path | None:
    if not kind.startswith(NAMED):
        return None
    from gui_agent.computers.virtual import private

    return private.running(kind.removeprefix(NAMED)).folder


def _open_computer(settings: Settings) -> Computer:
    from gui_agent import wiring

    if settings.computer.kind.partition(":")[0] not in ("virtual", SHARED, "browser", "android"):
        raise ConfigError(
            f"--view shows browsers, desktops and phones; {settings.computer.kind} is none of them"
        )
    return wiring.make_computer(settings)


def mirror(stack: ExitStack, computer: Computer) -> Callable[[], bool]:
    """A page on which the user works on the screen as if in front of it.

    Returns:
        A function that performs the requested inputs; False once the user has handed the screen back.
    """
    from gui_agent.agent.limits import RunControl
    from gui_agent.integrations.recordings import hand_over
    from gui_agent.server import Feed

    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="guiagent-view-")))
    feed = Feed(folder, attended=True, recorded=True, phone=computer.platform == PHONE)
    stack.callback(feed.close)
    feed.steer(control := RunControl())
    work = hand_over(computer, control, lambda fault: click.echo(fault, err=True))
    _serve(stack, computer, folder, "guiagent teach")
    return work


def _serve(stack: ExitStack, computer: Computer, folder: Path, title: str = "guiagent run") -> None:
    from gui_agent.integrations.runs import grabber
    from gui_agent.server import LiveServer

    server = stack.enter_context(LiveServer(folder, grabber(computer), title))
    click.echo(f"live view: {server.url}", err=True)
