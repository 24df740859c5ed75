"""The command line as a user calls it: real processes, a real browser, real signals."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from in_process import guiagent

from gui_agent.content import content
from gui_agent.settings import state_folder

PAGE = str(content("examples/contact.html"))
STILL_WAITING = 'type "Ada" into "Name", wait for "Never" up to 250 seconds'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


@pytest.fixture
def mark() -> Iterator[str]:
    """A word on the command line of the browser by which its processes are known."""
    word = f"--test-mark={uuid.uuid4().hex}"
    yield word
    for process in browsers(word):
        os.kill(process, signal.SIGKILL)


def browsers(mark: str) -> list[int]:
    """The processes that carry the mark."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return [process for process in found if process != os.getpid()]


def until(true: Callable[[], object], seconds: float = 100.0) -> bool:
    """Whether it became true within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.05)
    return False


def command(*arguments: str, mark: str = "") -> list[str]:
    marked = ("--set", f"computer.options.arguments=['{mark}']") if mark else ()
    return [sys.executable, "-m", "gui_agent", "run", *arguments, *marked]


def run(*arguments: str, mark: str = "") -> subprocess.CompletedProcess[str]:
    return guiagent(*command(*arguments, mark=mark)[3:])


@pytest.fixture
def underway(mark: str) -> Iterator[subprocess.Popen[str]]:
    """A run that has taken its first step and now waits."""
    with subprocess.Popen(
        command(STILL_WAITING, "--url", PAGE, mark=mark),
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert until(
            lambda: any(
                b'"number":1' in path.read_bytes() for path in state_folder("runs").glob("*/steps.jsonl")
            )
        )
        assert browsers_of(process, mark)
        yield process
        process.kill()


def browsers_of(process: subprocess.Popen[str], mark: str) -> list[int]:
    return [found for found in browsers(mark) if found != process.pid]


def ending() -> str:
    written = next(state_folder("runs").glob("*/ending.json")).read_text()
    kind: str = json.loads(written)["ending"]["kind"]
    return kind


def test_the_demo_ends_with_the_form_sent() -> None:
    task = content("examples/contact.txt").read_text()
    done = subprocess.run(
        command(task, "--url", PAGE, "--yes", "--json"),
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    result = json.loads(done.stdout)
    assert (done.returncode, result["ok"], result["model_calls"]) == (0, True, 0)
    report = Path(result["report"])
    assert "Thank you, Ada Lovelace" in report.read_text()
    assert str(report) in done.stderr


def test_sending_is_refused_when_nobody_can_be_asked() -> None:
    task = content("examples/contact.txt").read_text()
    done = run(task, "--url", PAGE)
    assert done.returncode == 5
    assert "Send" in done.stderr
    assert "--yes" in done.stderr


@pytest.mark.parametrize(
    "number",
    # That the others end every command as the first one does is tested where nothing else runs: test_crash.
    [
        signal.SIGINT,
        *(pytest.param(one, marks=pytest.mark.nightly) for one in (signal.SIGTERM, signal.SIGHUP)),
    ],
)
def test_ctrl_c_leaves_a_finished_trace_and_no_browser(
    underway: subprocess.Popen[str], mark: str, number: signal.Signals
) -> None:
    os.killpg(underway.pid, number) if number == signal.SIGINT else underway.send_signal(number)
    _, told = underway.communicate(timeout=100)
    assert underway.returncode == 130, told
    assert ending() == "stopped"
    assert "report.html" in told
    assert until(lambda: not browsers(mark))


def test_a_killed_run_leaves_no_browser_and_can_be_shown(underway: subprocess.Popen[str], mark: str) -> None:
    underway.kill()
    underway.wait(timeout=100)
    assert until(lambda: not browsers(mark))
    shown = guiagent("show", "last", "--no-open")
    assert shown.returncode == 0, shown.stderr
    page = Path(shown.stdout.strip()).read_text()
    assert 'Type "Ada"' in page or "Ada" in page
    assert "interrupted" in page.lower()


def test_a_browser_that_dies_ends_the_run_with_code_3(underway: subprocess.Popen[str], mark: str) -> None:
    for process in browsers_of(underway, mark):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
    _, told = underway.communicate(timeout=100)
    assert underway.returncode == 3, told
    assert ending() == "lost"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://no-such-host.invalid/", "no host of this name"),
        ("http://127.0.0.1:closed/", "check that the server runs"),
    ],
)
def test_an_address_that_cannot_be_opened_is_told_with_code_3(url: str, said: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        closed = str(server.getsockname()[1])
    done = run('click "Next"', "--url", url.replace("closed", closed), "--json", "--quiet")
    assert done.returncode == 3
    assert said in json.loads(done.stdout)["reason"]
    assert len(done.stderr.strip().splitlines()) <= 2


def test_a_page_that_is_no_file_is_told_with_code_2() -> None:
    done = run('click "Next"', "--url", "nothing.html", "--json", "--quiet")
    assert done.returncode == 2
    assert "nothing.html: there is no such file" in json.loads(done.stdout)["reason"]


def test_a_page_that_never_loads_is_told_with_code_3() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        done = run("click Next", "--url", url, "--set", "computer.options.navigation_timeout=1.0", "--quiet")
    assert done.returncode == 3, done.stderr
    assert url.rstrip("/") in done.stderr


def test_what_is_not_on_the_page_is_told_with_the_nearest_and_code_4() -> None:
    done = run('click "Nxet"', "--url", PAGE, "--quiet")
    assert done.returncode == 4
    assert '"Next"' in done.stderr


def test_what_cannot_be_understood_is_told_with_code_4() -> None:
    done = run("make me happy", "--url", PAGE, "--quiet", "--json")
    assert done.returncode == 4
    assert "make me happy" in json.loads(done.stdout)["reason"]


def test_mistakes_in_files_are_told_with_code_2_before_a_browser_starts(mark: str) -> None:
    Path("guard.toml").write_text('[[rule]]\neffekt = "ask"\n')
    Path("demo.json").write_text('{"task": "x", "steps": [{"action": {"kind": "clik"}}]}')
    for arguments, said in (
        (("--set", "guard.policy=guard.toml"), "effekt"),
        (("--demo", "demo.json"), "clik"),
        (("--runs", "/proc/runs"), "/proc/runs"),
        (("--set", "computer.options.executable=/no/such/browser"), "/no/such/browser"),
    ):
        done = run("click Next", "--url", PAGE, *arguments, mark=mark)
        assert done.returncode == 2, (arguments, done.stderr)
        assert said in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert not browsers(mark)
