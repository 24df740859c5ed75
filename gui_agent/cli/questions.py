"""The person at the terminal: answers questions, and steers the run by lines typed while it goes on."""

from __future__ import annotations

import os
import select
import sys
from typing import TYPE_CHECKING, Any

import click

from gui_agent.agent.guard import at_terminal
from gui_agent.agent.guard.asking import Answer, Question, TerminalApprover
from gui_agent.core import deadline
from gui_agent.elements.describe import printable

if TYPE_CHECKING:
    from gui_agent.agent.limits import RunControl
    from gui_agent.core.actions import Action
    from gui_agent.core.observation import Observation
    from gui_agent.core.trajectory import Step, Task, Trajectory, Turn
    from gui_agent.trace import EndView
    from gui_agent.trace.events import Events

STEERING = "/pause, /take (the screen is yours), /go, /stop; any other line is a message to the run"


class TypedLines:
    """Lines typed at the terminal, read without ever waiting longer than the run may take."""

    def __init__(self) -> None:
        self._begun = b""
        self._fd = sys.stdin.fileno() if os.name == "posix" else -1

    def poll(self, seconds: float = 0.0) -> str | None:
        """The next line without its end; None when there is none within so many seconds.

        At the end of the input it is an empty line, as where nothing is answered.
        """
        while b"\n" not in self._begun:
            if self._fd < 0:
                return sys.stdin.readline().rstrip("\n") if seconds else None
            wait = min(seconds, 86_400.0)
            if not self._ours() or not select.select([self._fd], [], [], wait)[0]:
                return None
            read = os.read(self._fd, 4096)
            if not read:
                self._fd = -1 if not seconds else self._fd
                return "" if seconds else None
            self._begun += read
        line, _, self._begun = self._begun.partition(b"\n")
        return line.decode(errors="replace").strip()

    def readline(self) -> str:
        """The answer to a question; none when the time of the run is over before."""
        line = self.poll(deadline.left())
        return "" if line is None else f"{line}\n"

    def _ours(self) -> bool:
        """Whether this process may read: one in the background is stopped by the system when it does."""
        try:
            return os.tcgetpgrp(self._fd) == os.getpgrp()
        except OSError:
            return True  # no terminal: a pipe can always be read


class Clean:
    """Standard error, without what could disguise a question: control characters, direction overrides."""

    def write(self, text: str) -> None:
        """Print it."""
        sys.stderr.write(printable(text))

    def flush(self) -> None:
        """Show what was written."""
        sys.stderr.flush()


class Person:
    """The person at the terminal; the live view holds its status line still while they are asked.

    An Observer, through which they steer the run as well.
    """

    attended = True

    def __init__(self, view: EndView) -> None:
        self._view = view
        self._lines = TypedLines()
        self._terminal = TerminalApprover(source=self._lines, sink=Clean())  # type: ignore[arg-type]

    def approve(self, question: str, action: Action, observation: Observation) -> bool:
        self._view.close()
        return self._terminal.approve(question, action, observation)

    def answer(self, question: Question, observation: Observation) -> Answer:
        self._view.close()
        return self._terminal.answer(question, observation)

    def ask(self, question: str) -> str | None:
        """Answer a question of the planner; None when nothing was said in the time of the run."""
        self._view.close()
        click.echo(f"{printable(question)}: ", err=True, nl=False)
        return self._lines.readline().strip() or None

    def steer(self, control: RunControl) -> None:
        """Lines typed while the run goes on steer it."""
        control.listen(self._obey)

    def _obey(self, control: RunControl) -> None:
        while (line := self._lines.poll()) is not None:
            match line.lower():
                case "":
                    continue
                case "/pause":
                    control.pause()
                case "/take":
                    control.take_over()
                case "/go":
                    control.resume()
                case "/stop":
                    control.stop()
                case _ if line.startswith("/"):
                    click.echo(f"there is no {printable(line.split()[0])}: {STEERING}", err=True)
                case _:
                    control.tell(line)

    def started(self, task: Task) -> None:
        """Say how the run is steered."""
        if sys.stdin.isatty():
            self._view.tell(STEERING)

    def decided(self, turn: Turn) -> None: ...

    def stepped(self, step: Step) -> None: ...

    def ended(self, trajectory: Trajectory) -> None: ...


def ask_about_guides() -> None:
    """Ask once per folder whether the model may read the guides in `./skills`; without a yes it does not."""
    from gui_agent.skills.guides import allow, list_guides, unasked_folder

    folder = unasked_folder()
    if folder is None:
        return
    names = printable(", ".join(guide.name for guide in list_guides([folder])))
    where = printable(str(folder.resolve()))
    if not at_terminal():
        hint = f"guiagent skills allow {printable(str(folder))}"
        click.echo(f"the guides in {where} are not shown to the model; to allow them: {hint}", err=True)
    elif click.confirm(f"Show the model the guides in {where} ({names})? They steer it.", err=True):
        allow(folder)


def talking(person: Person | None, events: Events | None) -> dict[str, Any]:
    """Who answers the questions of a run; where its events are told, so are questions and answers."""
    if person is None:
        return {}
    if events is None:
        return {"approver": person, "ask": person.ask}
    from gui_agent.wiring.observers import Announced, announce

    return {"approver": Announced(person, events), "ask": announce(person.ask, events)}


def tell(result: dict[str, Any], form: str | None, events: Events | None) -> None:
    """Print the result as the options want it: as JSON, as the last event, or not at all."""
    from gui_agent.trace.events import json_line

    if form == "json":
        click.echo(json_line(result))
    if events is not None:
        events.say("result", f"{result['ending']}: {result['reason']}".rstrip(": "), **result)
