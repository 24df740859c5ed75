"""The user at the terminal: answers questions, and steers the run by typed lines."""

from __future__ import annotations

import base64
import os
import select
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gui_agent.agent.guard import at_terminal
from gui_agent.agent.guard.asking import Answer, Question, QuestionPictures, TerminalApprover
from gui_agent.core import deadline
from gui_agent.core.clarification import DONE, AnswersLater
from gui_agent.core.errors import ConfigError, GuiAgentError
from gui_agent.core.parsing import parse_toml, read_toml
from gui_agent.elements.describe import printable
from gui_agent.settings import terminal_name

if TYPE_CHECKING:
    from gui_agent.agent.limits import RunControl
    from gui_agent.core.clarification import AskPerson, Clarification
    from gui_agent.core.observation import Observation, Screenshot
    from gui_agent.core.trajectory import Result, Step, Task, Trajectory, Turn
    from gui_agent.settings import Settings
    from gui_agent.trace import EndView
    from gui_agent.trace.events import Events

STEERING = "/pause, /take (the screen is yours), /go, /stop; any other line is a message to the run"

_WAITING = 0.2
"""Seconds between two checks of the screen while an answer is awaited."""
LEARNING = (
    "A model did this, and every step was verified. Learn from such runs from now on, so that the same"
    " task, also with other values, runs without a model?"
)


class TypedLines:
    """Lines typed at the terminal, read without waiting longer than the run may take."""

    def __init__(self) -> None:
        self._begun = b""
        self._fd = sys.stdin.fileno() if os.name == "posix" else -1

    def poll(self, seconds: float = 0.0) -> str | None:
        """The next line without its line break; None if there is none within this many seconds.

        At the end of the input, returns an empty line, like a question without an answer.
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
        """The answer to a question; empty if the run's time ends first."""
        line = self.poll(deadline.remaining())
        return "" if line is None else f"{line}\n"

    def _ours(self) -> bool:
        """Whether this process may read: the system stops a background process that does."""
        try:
            return os.tcgetpgrp(self._fd) == os.getpgrp()
        except OSError:
            return True  # no terminal: a pipe can always be read


class Clean:
    """Standard error without characters that could disguise a question: controls, direction overrides."""

    def write(self, text: str) -> None:
        sys.stderr.write(printable(text))

    def flush(self) -> None:
        sys.stderr.flush()


class Person:
    """The user at the terminal; the live view holds its status line still during questions.

    Also an observer, through which the user steers the run.
    """

    attended = True

    def __init__(self, view: EndView) -> None:
        self._view = view
        self._lines = TypedLines()
        self._pictures = QuestionPictures()
        self._is_asking = False
        self._control: RunControl | None = None
        self._terminal = TerminalApprover(source=self._lines, sink=Clean())  # type: ignore[arg-type]

    def answer(self, question: Question, observation: Observation) -> Answer:
        self._view.close()
        return self._terminal.answer(question, observation)

    def ask(self, question: Clarification) -> str | None:
        """The user's answer to the planner's question; None without an answer during the run."""
        self._view.close()
        shown = question.picture()
        if shown is not None:
            self._show(shown)
        click.echo(f"{printable(question)}: ", err=True, nl=False)
        return self._read_answer(question)

    def _read_answer(self, question: Clarification) -> str | None:
        """The next line; while it is awaited, the person may also act on the screen and hand it back."""
        end = time.monotonic() + question.seconds
        self._is_asking = True
        try:
            with ExitStack() as stack:
                works = self._mirror(stack)
                while (line := self._lines.poll(_WAITING)) is None and time.monotonic() < end:
                    if question.attend() or not works():
                        return DONE
        finally:
            self._is_asking = False
        return line

    def _mirror(self, stack: ExitStack) -> Callable[[], bool]:
        """Serve a page with the screen while the user shows something in a browser without a window."""
        from gui_agent.cli.live_view import mirror
        from gui_agent.computers.browser.computer import BrowserComputer

        control = self._control
        browser = control.screen if control and control.records else None
        if not isinstance(browser, BrowserComputer) or browser.has_window:
            return lambda: True
        return mirror(stack, browser)

    def _show(self, picture: Screenshot) -> None:
        """Show a picture in the terminal where it can do that, else say where the picture is."""
        if drawn := inline_picture(picture, terminal_name()):
            click.echo(drawn, err=True)
            return
        path = self._pictures.new_path()
        path.write_bytes(picture.data)
        click.echo(f"picture: {path}", err=True)

    def confirm(self, question: str) -> bool:
        """Ask until the answer is yes or no; ignores lines typed before the question."""
        self._view.close()
        while self._lines.poll() is not None:
            continue
        return click.confirm(question, default=None, err=True)

    def steer(self, control: RunControl) -> None:
        """Apply lines typed during the run to it."""
        self._control = control
        control.listen(self._obey)

    def _obey(self, control: RunControl) -> None:
        while not self._is_asking and (line := self._lines.poll()) is not None:
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
        """Print how to steer the run."""
        if sys.stdin.isatty():
            self._view.tell(STEERING)

    def decided(self, turn: Turn) -> None: ...

    def stepped(self, step: Step) -> None: ...

    def ended(self, trajectory: Trajectory) -> None: ...


def inline_picture(picture: Screenshot, terminal: str) -> str:
    """A picture as the control sequence of a terminal (iTerm2's or kitty's protocol); empty for others."""
    data = base64.b64encode(picture.data).decode()
    if terminal in ("iTerm.app", "WezTerm"):
        return f"\x1b]1337;File=inline=1;width=90%:{data}\a"
    if "kitty" not in terminal:
        return ""
    parts = [data[at : at + _KITTY_PART] for at in range(0, len(data), _KITTY_PART)]
    last = len(parts) - 1
    heads = ("a=T,f=100," if not at else "" for at in range(len(parts)))
    return "".join(
        f"\x1b_G{head}m={int(at < last)};{part}\x1b\\"
        for at, (head, part) in enumerate(zip(heads, parts, strict=True))
    )


_KITTY_PART = 4096
"""Bytes of base64 in one part of a picture, as kitty's graphics protocol allows."""


def ask_about_guides() -> None:
    """Ask once per folder whether the model may read the guides in `./skills`; without a yes it may not."""
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


def ask_about_learning(person: Person, settings: Settings, result: Result) -> None:
    """Ask once whether to learn from verified model runs; save the answer (and this run if yes)."""
    from gui_agent.procedures.library.evidence import is_new_work, take_note
    from gui_agent.settings import is_automatic, override

    memory, turns = settings.memory, result.trajectory.turns
    if "learn" in memory.model_fields_set or not memory.enabled or is_automatic():
        return
    if not is_new_work(result.trajectory) or not any(turn.decision.calls for turn in turns):
        return
    try:
        choice = "verified" if person.confirm(LEARNING) else "asked"
    except click.Abort:
        return  # no answer: another run will ask
    settings = override(settings, {"memory": {"learn": choice}})
    take_note(settings, None, result)
    try:
        told = f"kept in {_keep_setting('memory', 'learn', choice)}, as memory.learn"
    except GuiAgentError as error:
        told = f"the answer applies to this run only: {error}"
    click.echo(printable(told), err=True)


def _keep_setting(section: str, key: str, value: str) -> Path:
    """Write a text into the user's own settings, and keep the rest. Returns the file."""
    from gui_agent.core.os_errors import private_folder, real_path, replace_file
    from gui_agent.settings import user_file

    own, line = real_path(user_file()), f'{key} = "{value}"'
    before = read_toml(own) if own.is_file() else {}
    lines = own.read_text("utf-8").splitlines() if before else []
    heads = [one.partition("#")[0].strip() for one in lines]
    at = heads.index(f"[{section}]") + 1 if f"[{section}]" in heads else 0
    lines[at or len(lines) : at or len(lines)] = [line] if at else [f"[{section}]", line]
    text = "\n".join([*lines, ""])
    try:
        if parse_toml(text) != {**before, section: {**before.get(section, {}), key: value}}:
            raise ValueError("the line does not fit into the file")
        private_folder(own.parent)
        replace_file(own, text.encode())
    except (ValueError, OSError) as error:
        raise ConfigError(f"write {line} below [{section}] in {own} by hand: {error}") from error
    return own


class GivenAnswers:
    """Answers a run's questions with those that were given beforehand, and then as somebody else does."""

    def __init__(self, answers: Sequence[str], then: AskPerson) -> None:
        self._left, self._then = list(answers), then

    def __call__(self, question: Clarification) -> str | None:
        if not self._left:
            return self._then(question)
        click.echo(f"{printable(question)}: {printable(self._left[0])}", err=True)
        return self._left.pop(0)


def leave_open(question: Clarification) -> None:
    """Print a question that cannot be answered now, and how to answer it later; the run ends with it."""
    later = "to answer it: guiagent resume last --answer ANSWER"
    click.echo(f"{printable(question)}\n({later if question.options else 'no person can answer'})", err=True)


class LeavesOpen(AnswersLater):
    """Does the same where there is no screen to look at, so that none is opened for it."""

    def __call__(self, question: Clarification) -> None:
        leave_open(question)


@contextmanager
def attending(
    events: Events | None = None,
    *,
    quiet: bool,
    answers: Sequence[str] = (),
    start: str = "",
    schedule: str = "",
) -> Iterator[tuple[Person | None, dict[str, Any]]]:
    """The user at the terminal, if there is one, and the arguments that attach the user to a run.

    Args:
        answers: to the first questions of the run, in their order; the person answers the others.
        start: where the run begins; a question shows what can be done there.
        schedule: whose run it is, if its questions wait for an answer.
    """
    from gui_agent.trace import EndView, LiveView

    view = EndView() if quiet else LiveView()
    person = Person(view) if at_terminal() else None
    answering: dict[str, Any] = {"ask": leave_open if start else LeavesOpen()}
    if person is not None:
        answering = _answering(person, events)
    elif schedule:
        from gui_agent.integrations.schedules import wait_for_answer

        answering["ask"] = partial(wait_for_answer, schedule)
    answering["ask"] = GivenAnswers(answers, answering["ask"]) if answers else answering["ask"]
    try:
        yield person, {"observers": [*filter(None, (view, person, events))], **answering}
    finally:
        view.close()


def _answering(person: Person, events: Events | None) -> dict[str, Any]:
    """The answering parts of a run; questions and answers also appear among reported events."""
    if events is None:
        return {"approver": person, "ask": person.ask}
    from gui_agent.wiring.observers import AnnouncingApprover, announce

    return {"approver": AnnouncingApprover(person, events), "ask": announce(person.ask, events)}


def tell(result: dict[str, Any], form: str | None, events: Events | None) -> None:
    """Print the result as the options ask: as JSON, as the last event, or not at all."""
    from gui_agent.trace.events import json_line

    if form == "json":
        click.echo(json_line(result))
    if events is not None:
        events.say("result", f"{result['ending']}: {result['reason']}".rstrip(": "), **result)
