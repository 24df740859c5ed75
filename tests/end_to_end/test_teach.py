"""`guiagent teach` with a person at mouse and keyboard of a real window, and the run that follows."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import pytest
from guiagent_eval.page_computer import PageComputer
from in_process import guiagent

from gui_agent.content import content
from gui_agent.procedures.library.store import load_demonstration

PAGE = str(content("examples/contact.html"))
TASK = "Fill the contact form for Ada Lovelace with ada@example.org"
AGAIN = "Fill the contact form for Grace Hopper with grace@example.org"
WINDOW = "() => [screenX + (outerWidth - innerWidth) / 2, screenY + outerHeight - innerHeight]"

pytestmark = pytest.mark.skipif(
    not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="needs Xvfb and xdotool"
)


@dataclass
class Terminal:
    """The command in a terminal, with the lines it has printed."""

    process: subprocess.Popen[str]
    said: list[str] = field(default_factory=list)
    _lines: queue.SimpleQueue[str] = field(default_factory=queue.SimpleQueue)

    def __post_init__(self) -> None:
        assert self.process.stdout is not None
        threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True).start()

    def _read(self, output: IO[str]) -> None:
        for line in output:
            self._lines.put(line)

    def until(self, part: str) -> str:
        """Wait for a line with this text."""
        while True:
            try:
                line = self._lines.get(timeout=100)
            except queue.Empty:
                raise AssertionError(f"{part!r} was not said, but: {self.said}") from None
            self.said.append(line.strip())
            if part in line:
                return line.strip()

    def type(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()


@dataclass
class Person:
    """Someone at the mouse and the keyboard, who sees where things are."""

    display: str
    eyes: PageComputer

    def _hand(self, *command: str) -> None:
        subprocess.run(["xdotool", *command], env={**os.environ, "DISPLAY": self.display}, check=True)

    def click(self, selector: str) -> None:
        left, top = self.eyes.evaluate(WINDOW)
        box = self.eyes.evaluate(
            f"(() => {{ const b = document.querySelector({selector!r}).getBoundingClientRect();"
            " return [b.left + Math.min(40, b.width / 2), b.top + b.height / 2] })()"
        )
        self._hand(
            "mousemove", str(round(left + box[0])), str(round(top + box[1])), "sleep", "0.1", "click", "1"
        )

    def type(self, text: str) -> None:
        self._hand("type", "--delay", "15", text)

    def press(self, *keys: str) -> None:
        self._hand("key", "--delay", "60", *keys)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


Teach = Callable[..., tuple[Terminal, Person]]


@pytest.fixture
def teach(display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Teach]:
    """Start `guiagent teach` with the given arguments, and someone in front of its window."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with ExitStack() as stack:

        def begin(*arguments: str) -> tuple[Terminal, Person]:
            port = free_port()
            option = f'computer.options.arguments=["--remote-debugging-port={port}"]'
            process = subprocess.Popen(
                [sys.executable, "-u", "-m", "gui_agent", "teach", *arguments, "--set", option],
                env={**os.environ, "DISPLAY": display},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            stack.callback(process.wait, 100)
            stack.callback(process.terminate)
            terminal = Terminal(process)
            terminal.until("do the task in it")
            eyes = stack.enter_context(PageComputer(attach=f"http://127.0.0.1:{port}"))
            return terminal, Person(display, eyes)

        yield begin


def test_what_a_person_does_is_recorded_and_runs_again_for_somebody_else(
    teach: Teach, tmp_path: Path
) -> None:
    terminal, person = teach(TASK, "--url", PAGE, "-o", "contact.json")
    person.click("[name=name]")
    person.type("Ada Lovelace")
    person.press("Tab")
    person.type("ada@example.org")
    person.click("#next")
    assert terminal.until('button "Next"').startswith("3 ")
    person.click("[name=country]")
    person.press("Down", "Down", "Return")
    person.click("[name=agree]")
    person.click("[type=submit]")
    terminal.until('button "Send"')
    terminal.type("")
    terminal.until("--demo contact.json")
    assert terminal.process.wait(100) == 0
    recorded = [step.action.kind for step in load_demonstration("contact.json").steps]
    assert recorded == ["type", "type", "click", "choose", "check", "click"]

    done = guiagent("run", AGAIN, "--demo", "contact.json", "--yes", "--json", "--quiet")
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = tmp_path.glob("state/guiagent/runs/*")
    trace = "".join(
        (folder / f"{name}.jsonl").read_text(encoding="utf-8") for name in ("steps", "observations")
    )
    assert "Thank you, Grace Hopper" in trace
    assert "grace@example.org in Canada" in trace


@pytest.mark.nightly
def test_closing_the_window_ends_the_recording(teach: Teach) -> None:
    terminal, person = teach(TASK, "--url", PAGE, "-o", "contact.json")
    person.click("[name=name]")
    person.type("Ada")
    person.click("[name=email]")
    terminal.until("1 Type")
    person.press("ctrl+w")
    terminal.until("Recorded 1 step in contact.json")
    assert terminal.process.wait(20) == 0


@pytest.mark.nightly
def test_a_step_can_be_taken_back_and_ctrl_c_keeps_the_rest(teach: Teach) -> None:
    terminal, person = teach(TASK, "--url", PAGE, "-o", "contact.json")
    person.click("[name=name]")
    person.type("Ada")
    person.click("#next")
    terminal.until('button "Next"')
    terminal.type("u")
    assert 'Click button "Next"' in terminal.until("undone")
    terminal.process.send_signal(signal.SIGINT)
    terminal.until("Recorded 1 step in contact.json")
    assert [step.action.kind for step in load_demonstration("contact.json").steps] == ["type"]


def test_without_a_display_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    done = guiagent("teach", TASK, "--url", PAGE)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "needs a display" in done.stderr


def test_an_existing_recording_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("contact.json").write_text("{}", encoding="utf-8")
    done = guiagent("teach", TASK, "--url", PAGE, "-o", "contact.json")
    assert (done.returncode, Path("contact.json").read_text(encoding="utf-8")) == (2, "{}")
    assert "--redo" in done.stderr
