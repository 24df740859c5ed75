"""The package as a Python program uses it: in a script, a notebook's event loop, with own parts."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent import BrowserComputer, Result, Settings, Step, Task, Trajectory, run, write_report
from gui_agent.content import content
from gui_agent.core.errors import ConfigError, MissingKey
from gui_agent.core.trajectory import Turn

PAGE = str(content("examples/contact.html"))
TASK = 'type "Ada" into "Name", read "Name"'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder and home to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


class Watcher:
    """An observer that counts."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def started(self, task: Task) -> None:
        self.seen.append("started")

    def decided(self, turn: Turn) -> None:
        self.seen.append("decided")

    def stepped(self, step: Step) -> None:
        self.seen.append("stepped")

    def ended(self, trajectory: Trajectory) -> None:
        self.seen.append("ended")


def test_a_result_is_typed_and_complete() -> None:
    watcher = Watcher()
    began = time.monotonic()
    result: Result = run(TASK, url=PAGE, observers=[watcher])
    assert result.ok
    assert result.answer == "Ada"
    assert dict(result.notes) == {"Name": "Ada"}
    assert (len(result.steps), result.model_calls, int(result.exit_code)) == (1, 0, 0)
    assert 0 < result.seconds <= time.monotonic() - began
    assert write_report(result.folder).is_file()
    assert (watcher.seen[0], watcher.seen[-1], watcher.seen.count("stepped")) == ("started", "ended", 1)


def test_it_runs_inside_a_running_event_loop() -> None:
    async def notebook() -> Result:
        return run(TASK, url=PAGE, trace={"folder": ""})

    result = asyncio.run(notebook())
    assert result.ok
    assert result.folder == ""
    assert not Path("runs").exists()


def test_a_computer_that_is_given_stays_open() -> None:
    with BrowserComputer() as computer:
        assert run(TASK, url=PAGE, computer=computer, trace={"folder": ""}).ok
        again = run('read "Name"', computer=computer, trace={"folder": ""})
    assert again.answer == "Ada"


def test_settings_and_sections_are_combined() -> None:
    settings = Settings.model_validate({"limits": {"steps": 9}, "trace": {"folder": ""}})
    stopped = run('type "Ada" into "Name", click "Next"', url=PAGE, settings=settings, limits={"steps": 1})
    assert (stopped.outcome, len(stopped.steps)) == ("limit", 1)
    with pytest.raises(ConfigError, match='unknown key "stepps"'):
        run(TASK, url=PAGE, limits={"stepps": 1})
    with pytest.raises(ConfigError, match='unknown key "limit"'):
        run(TASK, url=PAGE, limit={"steps": 1})


def test_a_secret_reaches_the_page_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GUIAGENT_SECRET_WORD", "xyzzy-plugh")
    with PageComputer() as computer:
        result = run('type "${secret:WORD}" into "Name"', url=PAGE, computer=computer, yes=True)
        held = computer.evaluate("document.forms[0].elements.name.value")
    assert result.ok, result.ending
    assert held == "xyzzy-plugh"
    written = [path for path in Path(result.folder).rglob("*") if path.is_file()]
    assert written
    assert [path.name for path in written if b"xyzzy-plugh" in path.read_bytes()] == []


def test_an_unknown_secret_is_told_before_anything_is_typed() -> None:
    with pytest.raises(ConfigError, match="GUIAGENT_SECRET_NOTHING"):
        run('type "${secret:NOTHING}" into "Name"', url=PAGE, yes=True)


@pytest.mark.parametrize(
    "name",
    [
        "from_python.py",
        *(pytest.param(n, marks=pytest.mark.nightly) for n in ("in_a_loop.py", "own_planner.py")),
    ],
)
def test_every_example_runs_as_it_is(name: str) -> None:
    script = content(f"examples/{name}")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "confirmed" in done.stdout or "ended: done" in done.stdout
    assert "failed" not in done.stdout


def test_a_secret_of_the_task_that_is_not_set_is_said_before_a_browser_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GUIAGENT_SECRET_MAIL", "hidden-value")
    with pytest.raises(
        MissingKey, match=r"GUIAGENT_SECRET_NOPE=\.\.\., .*; secrets that are set: .*MAIL"
    ) as caught:
        run('type "${secret:NOPE}" into "Name"', computer=object())  # type: ignore[arg-type]
    assert "hidden-value" not in str(caught.value)
