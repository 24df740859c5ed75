"""A person takes a run over, acts on its screen with real input, hands it back, and the task is completed."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from private import needs, until

from gui_agent import wiring
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.core.actions import Click, Press, TypeText
from gui_agent.core.trajectory import PERSON, Result, Trajectory
from gui_agent.procedures.library.store import load_demonstration
from gui_agent.server import Feed, live
from gui_agent.settings import load
from gui_agent.trace import read_run

PAGE = """<!doctype html><meta charset=utf-8><title>Order</title>
<style>button, input { position: absolute; left: 10vw; width: 20vw; height: 6vh }</style>
<button id=prove style="top: 10vh" onclick="code.hidden = false">I am a person</button>
<input id=code hidden aria-label="Code" style="top: 20vh">
<button id=check style="top: 30vh" onclick="next.hidden = code.value != 'k7x9q2'">Check</button>
<button id=next hidden style="top: 40vh"
onclick="document.body.innerHTML = 'Thank you, your code was ' + code.value">Next</button>
"""


class Seat:
    """A person at the live view of a run, who waits for what the run says and then asks for something."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.feed = Feed(folder)
        self.seen: list[dict[str, Any]] = []

    def state(self, wanted: str) -> None:
        until(lambda: live.state(self.folder)["state"] == wanted, wanted, 60)

    def does(self, what: str, **more: Any) -> None:
        assert live.ask(self.folder, {"do": what, **more})


def run_with(seat: Seat, person: Callable[[], None], task: str, **options: Any) -> Result:
    """A run, and the person beside it, whose fault ends it."""
    faults: list[AssertionError] = []

    def sit() -> None:
        try:
            person()
        except AssertionError as fault:
            faults.append(fault)
            seat.does("stop")

    beside = threading.Thread(target=sit)
    beside.start()
    try:
        return wiring.run(task, observers=[seat.feed], yes=True, **options)
    finally:
        beside.join(60)
        assert not beside.is_alive() and not faults, faults


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    folder = tmp_path / "feed"
    folder.mkdir(mode=0o700)
    yield Seat(folder)


def person_turns(run: Trajectory) -> list[Any]:
    return [turn for turn in run.turns if turn.decision.planner == PERSON]


def test_in_a_browser_the_person_passes_a_gate_and_the_plan_goes_on(seat: Seat, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    runs = tmp_path / "runs"

    def person() -> None:
        seat.state("yours")
        seat.does("click", x=0.2, y=0.13)
        seat.does("click", x=0.2, y=0.23)
        for letter in "k7x9q2":
            seat.does("type", text=letter)
        seat.does("click", x=0.2, y=0.33)
        until(lambda: 'Click button "Check"' in live.state(seat.folder)["said"], "the click being heard")
        seat.does("go")

    seat.does("take")
    task = 'click "Next", wait for "Thank you"'
    result = run_with(seat, person, task, url=str(tmp_path / "page.html"), trace={"folder": str(runs)})
    assert result.ok, result.ending
    (folder,) = runs.iterdir()
    run = read_run(folder).trajectory
    (turn,) = person_turns(run)
    assert [type(step.action) for step in turn.steps] == [Click, TypeText, Click]
    assert turn.steps[1].action.text == "${secret:CODE}"
    assert [step.number for step in run.steps] == list(range(1, len(run.steps) + 1))
    demonstration = load_demonstration(folder / "taken-over-1.json")
    assert len(demonstration.steps) == 3
    kept = [path for path in (*runs.rglob("*"), *seat.folder.rglob("*")) if path.is_file()]
    spelt = [b"k7x9q2", b"K7X9Q2", b"k 7 x 9 q 2", base64.b64encode(b"k7x9q2"), b"k7x9q2".hex().encode()]
    assert {"steps.jsonl", "observations.jsonl", "taken-over-1.json"} <= {path.name for path in kept}
    assert [path.name for path in kept if any(one in path.read_bytes() for one in spelt)] == []
    assert next(step for step in run.steps if step.number == 4).before.screenshot is not None


def test_what_the_person_did_of_the_plan_is_not_done_again(seat: Seat, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        "<!doctype html><title>Count</title><style>button { position: absolute; left: 10vw; top: 10vh;"
        "width: 20vw; height: 6vh }</style>"
        "<button onclick=\"n.textContent = 'pressed ' + ++count + ' times'\">Add</button>"
        "<p id=n></p><script>let count = 0</script>"
    )

    def person() -> None:
        seat.state("yours")
        seat.does("click", x=0.2, y=0.13)
        until(lambda: "you: Click" in live.state(seat.folder)["said"], "the click being heard")
        seat.does("go")

    seat.does("take")
    task = 'click "Add", wait for "pressed 1 times", wait 1 s, check that "pressed 1 times" is shown'
    options = {"url": str(tmp_path / "page.html"), "trace": {"folder": str(tmp_path / "runs")}}
    assert run_with(seat, person, task, **options).ok


@pytest.mark.nightly
def test_on_a_private_desktop_the_person_writes_a_line_of_their_own(seat: Seat, tmp_path: Path) -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "mousepad")
    written = tmp_path / "note.txt"
    written.write_text("")

    def person() -> None:
        seat.state("yours")
        seat.does("click", x=0.4, y=0.5)
        seat.does("type", text="mine ")
        time.sleep(1.0)  # a person's breath, in which the recorder looks
        seat.does("go")

    with VirtualComputer(open=f"mousepad {written}") as computer:
        seat.does("take")
        result = run_with(
            seat,
            person,
            'type "the plan", press ctrl+s',
            computer=computer,
            settings=load([], ["computer.kind=virtual"]),
            trace={"folder": str(tmp_path / "runs")},
        )
        until(lambda: "the plan" in written.read_text(), "the file being saved")
    assert result.ok, result.ending
    assert "mine" in written.read_text()
    (folder,) = (tmp_path / "runs").iterdir()
    (turn,) = person_turns(read_run(folder).trajectory)
    typed = [step.action for step in turn.steps if isinstance(step.action, TypeText)]
    assert typed and all("mine" not in action.text for action in typed)
    assert not any(isinstance(step.action, Press) for step in turn.steps)
    assert (folder / "taken-over-1.json").is_file()
