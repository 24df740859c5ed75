"""What a person reads when the program itself is at fault, and when they stop it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import gui_agent.cli.runs
from gui_agent.core.errors import ComputerLost

Called = tuple[int, str, str]
PROGRAM = """
import sys
from gui_agent import cli
sys.path.insert(0, ".")
cli.main(sys.argv[1:])
"""


def guiagent_apart(*arguments: str) -> subprocess.CompletedProcess[str]:
    Path("faulty.py").write_text("def computer():\n    raise RuntimeError('no such luck')\n")
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=False
    )


def test_a_fault_is_short_and_says_how_to_see_more() -> None:
    done = guiagent_apart("run", "click a", "--on", "faulty:computer")
    assert done.returncode == 1
    lines = done.stderr.strip().splitlines()
    assert lines[0] == "guiagent: an internal error: RuntimeError: no such luck"
    assert "--debug" in lines[-1]
    assert len(lines) <= 3


def test_no_screen_is_opened_to_say_that_a_task_is_not_known() -> None:
    done = guiagent_apart("run", "do what nobody knows", "--on", "faulty:computer")
    assert done.returncode == 4
    assert "not understood" in done.stderr + done.stdout


def test_debug_shows_the_traceback() -> None:
    done = guiagent_apart("--debug", "run", "click a", "--on", "faulty:computer")
    assert done.returncode == 1
    assert "Traceback (most recent call last)" in done.stderr
    assert "no such luck" in done.stderr


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ComputerLost("the browser is gone; try again"), 3, "guiagent: the browser is gone; try again\n"),
        (KeyboardInterrupt(), 130, "\nguiagent: interrupted\n"),
    ],
)
def test_errors_on_purpose_become_a_line_and_a_code(
    guiagent: Callable[..., Called],
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    said: str,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(gui_agent.cli.runs, "kept_in", fail)
    assert guiagent("show") == (code, "", said)


WAITING = """
import signal, sys, time
from gui_agent import cli
# What starts the tests may ignore the signal itself, as nohup does.
signal.signal(signal.SIGHUP, signal.SIG_IGN if "--nohup" in sys.argv else signal.SIG_DFL)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
def wait(_):
    print("ready", flush=True)
    time.sleep(1 if "--nohup" in sys.argv else 60)
    return 0
cli.call = wait
try:
    cli.main()
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize(
    ("number", "arguments", "code"),
    [
        (signal.SIGTERM, (), 130),
        (signal.SIGHUP, (), 130),
        (signal.SIGHUP, ("--nohup",), 0),
    ],
)
def test_a_kill_and_a_closed_terminal_end_every_command_as_ctrl_c_does(
    number: signal.Signals, arguments: tuple[str, ...], code: int
) -> None:
    command = [sys.executable, "-c", WAITING, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        running.send_signal(number)
        assert running.wait(30) == code


def test_no_command_is_described_by_half_a_sentence(guiagent: Callable[..., Called]) -> None:
    for command in ((), ("memory",), ("skills",), ("desktop",), ("models",), ("eval",)):
        listed = guiagent(*command, "--help")[1].partition("Commands:")[2].partition("Examples:")[0]
        assert listed
        assert "...\n" not in listed.replace("forget ...\n", ""), command


def test_help_has_an_example_for_every_command(guiagent: Callable[..., Called]) -> None:
    from gui_agent.cli import COMMANDS

    for command in (*COMMANDS, "devices", "guest"):
        code, out, _ = guiagent(command, "--help")
        assert code == 0
        assert out.count(f"guiagent {command}") >= 2, command


QUIET = """
from gui_agent.testing import FakeComputer, screen, text
def computer():
    return FakeComputer(screen(text("x")))
"""


@pytest.mark.parametrize("lines", [0, 1])
def test_a_reader_that_has_read_enough_ends_a_command_as_ctrl_c_does(lines: int, tmp_path: Path) -> None:
    Path("quiet.py").write_text(QUIET)
    run = ["run", "wait 20 seconds", "--on", "quiet:computer", "--json-lines", "--quiet"]
    for command in (run, ["memory", "list"], ["--help"]):
        with subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as running:
            assert running.stdout is not None and running.stderr is not None
            for _ in range(lines):
                running.stdout.readline()
            running.stdout.close()
            said = running.stderr.read()
            assert running.wait(30) in (0, 130), said
        assert "fault" not in said and "Broken" not in said and "internal" not in said
