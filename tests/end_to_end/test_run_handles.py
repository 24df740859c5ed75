"""A run from Python is stopped, watched event by event, awaited, and alone on its computer."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from pathlib import Path

import pytest
from private import until

from gui_agent import (
    Browser,
    BrowserComputer,
    ConfigError,
    GuiAgentError,
    LimitReached,
    NotFound,
    Result,
    RunControl,
    Step,
    Stopped,
    arun,
    run,
    stream,
    write_report,
)
from gui_agent.content import content

PAGE = str(content("examples/contact.html"))
TASK = 'type "Ada" into "Name", read "Name"'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and another for what programs leave."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


def test_a_stop_before_the_run_counts_and_the_next_run_begins_anew() -> None:
    control = RunControl()
    control.stop()
    with pytest.raises(Stopped) as stopped:
        run(TASK, url=PAGE, control=control).raise_for_status()
    assert stopped.value.result is not None and stopped.value.result.steps == ()
    assert run(TASK, url=PAGE, control=control).ok


def test_a_stream_gives_every_step_and_leaving_it_stops_the_run() -> None:
    events = list(stream(TASK, url=PAGE, trace={"folder": ""}))
    assert [event.outcome.kind for event in events if isinstance(event, Step)] == ["confirmed"]
    assert isinstance(events[-1], Result) and events[-1].answer == "Ada"
    began, alive = time.monotonic(), threading.active_count()
    for _ in stream('type "x" into "Name", wait 500 seconds', url=PAGE, trace={"folder": ""}):
        break
    assert time.monotonic() - began < 250
    until(lambda: threading.active_count() <= alive, "the end of each thread")


def test_a_cancelled_await_stops_its_run() -> None:
    async def both() -> float:
        assert (await arun(TASK, url=PAGE)).answer == "Ada"
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(arun("wait 500 seconds", url=PAGE, trace={"folder": ""}), 2)
        return time.monotonic() - began

    assert asyncio.run(both()) < 250


def test_two_threads_never_use_one_computer_at_once_and_closing_wakes_a_step() -> None:
    caught: list[GuiAgentError] = []

    def wait(page: Browser) -> None:
        end = time.monotonic() + 200
        while time.monotonic() < end:
            try:
                page.act("wait 500 seconds")
            except ConfigError:  # the other thread was there first, for a moment
                time.sleep(0.01)
            except GuiAgentError as error:
                caught.append(error)
                return

    page = Browser(PAGE)
    thread = threading.Thread(target=wait, args=(page,))
    thread.start()
    with pytest.raises(ConfigError, match="in use by another run"):
        for _ in range(100):
            page.act("wait 0.05 seconds")
            time.sleep(0.05)  # the turn of the other thread
    began = time.monotonic()
    page.close()
    thread.join(200)
    assert time.monotonic() - began < 200
    assert len(caught) == 1


def test_a_hook_of_one_line_may_use_the_screen_itself() -> None:
    read: list[str] = []
    with Browser(PAGE) as page:
        seen = run(
            'type "Ada" into "Name"',
            computer=page.computer,
            on_step=lambda step: read.append(page.read("Name")),
            trace={"folder": ""},
        )
    assert (seen.ok, read) == (True, ["Ada"])


@pytest.mark.nightly
def test_parts_are_objects_names_or_tables_and_faults_are_typed() -> None:
    with BrowserComputer(PAGE) as computer:
        result = run('click "Nxt button"', computer=computer, planner="plain", limits={"steps": 30})
    assert isinstance(result.error, NotFound) and result.error.candidates
    table = run(TASK, url=PAGE, computer={"kind": "browser", "options": {"size": [800, 600]}})
    assert table.ok and table.steps[0].after.size.width == 800
    with pytest.raises(LimitReached, match=r"raise limits\.steps"):
        run(TASK + ', click "Next"', url=PAGE, limits={"steps": 1}).raise_for_status()
    with pytest.raises(ConfigError, match="none of an observer's methods"):
        run(TASK, url=PAGE, observers=[object()])
    with pytest.raises(ConfigError, match="there is no"):
        run(TASK, url=PAGE, computer="brwser")


@pytest.mark.nightly
def test_traces_go_to_the_persons_own_folder_where_old_ones_are_removed(folder: Path) -> None:
    result = run(TASK, url=PAGE)
    kept = Path(result.folder)
    assert kept.is_relative_to(folder / "state" / "guiagent" / "runs")
    assert list((folder / "here").iterdir()) == []
    assert (kept.stat().st_mode | (kept / "run.json").stat().st_mode) & 0o077 == 0
    assert not (kept / "report.html").exists()
    assert write_report(result.folder).is_file()
    old = time.time() - 90_000
    os.utime(kept, (old, old))
    again = Path(run(TASK, url=PAGE, trace={"keep": 1}).folder)
    assert [one.name for one in again.parent.iterdir()] == [again.name]
