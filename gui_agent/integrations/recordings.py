"""What a person does on a screen of the server: teach a task, log in; through a window, or the live view."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gui_agent.agent.limits import RunControl
from gui_agent.core.errors import StepFailed
from gui_agent.core.observation import Size
from gui_agent.core.protocols import Computer, Recorder
from gui_agent.core.trajectory import Demonstration, Ending, Result, Task, Trajectory
from gui_agent.integrations.logins import keep_login, login_file
from gui_agent.integrations.runs import ServedRun, grabber
from gui_agent.procedures.importers.imported import with_search_texts
from gui_agent.procedures.library.memory import open_memory
from gui_agent.procedures.library.store import save_demonstration
from gui_agent.procedures.recordings.from_run import from_trajectory
from gui_agent.settings import Settings, graphical, override
from gui_agent.wiring import learn, make_computer, make_recorder

if TYPE_CHECKING:
    from gui_agent.computers.browser.computer import BrowserComputer

WAITING = 0.1
"""Seconds between two looks at what the person did."""
MINUTES = 15.0
"""Minutes for a login."""


def hand_over(
    computer: Computer, control: RunControl, complain: Callable[[str], object]
) -> Callable[[], bool]:
    """Give the screen to the person who watches its live view.

    Returns:
        A function that performs the requested inputs; False once the person has handed the screen back.
    """
    grab = grabber(computer)
    control.take_over()
    control.granted = control.held
    control.size = Size(*grab().size)

    def work() -> bool:
        control.poll()
        while not control.acts.empty():
            action = control.acts.get()
            try:
                computer.perform(action)
                control.size = Size(*grab().size)
            except StepFailed as error:
                complain(f"could not {action.kind}: {error}")
        return bool(control.held) and not control.is_stopped

    return work


def recorded_demonstration(trajectory: Trajectory, recorder: Recorder) -> Demonstration:
    """What was recorded, with what the person marked in the page; the task then names what varies."""
    shown = from_trajectory(trajectory, recorder.platform, origin="teach")
    steps = tuple(
        replace(demo, expect=(*cast("Any", step.planned.expect), *demo.expect))
        for demo, step in zip(shown.steps, trajectory.steps, strict=True)
    )
    notes, now = dict(recorder.notes), datetime.now(UTC).isoformat(timespec="seconds")
    answer = [*notes.values()][-1] if notes else ""
    unsaid = {name: text for name, text in recorder.slots.items() if text not in shown.task}
    said = ", ".join([shown.task, *(f"{name.replace('_', ' ')} '{text}'" for name, text in unsaid.items())])
    shown = replace(shown, task=said, steps=steps, created=now, notes=notes, answer=answer)
    return with_search_texts(replace(shown, slots={**shown.slots, **recorder.slots}))


def window_settings(settings: Settings) -> Settings:
    """The settings with a browser's window, where there is a display for it."""
    shows = settings.computer.kind == "browser" and graphical() and "attach" not in settings.computer.options
    return override(settings, {"computer": {"options": {"headless": False}}}) if shows else settings


def teach(run: ServedRun, settings: Settings, url: str, name: str, words: Mapping[str, str]) -> Result:
    """Record the person doing the task, and learn it; stopping learns nothing.

    Args:
        name: of the procedure; by default that of one that fits, else a new one.
        words: of the bar in the page, in place of the English ones.
    """
    with make_computer(window_settings(settings)) as computer:
        run.sees(computer)
        computer.start(url)
        computer.settle()
        recorder = make_recorder(computer, bar=words)
        task = Task(run.task, url if "://" in url else recorder.start or url)
        run.started(task)
        run.steer(control := RunControl())
        work = hand_over(computer, control, run.tell)
        while work() and recorder.open:
            for number, sentence in recorder.poll(WAITING):
                note_step(run, number, sentence)
        trajectory = recorder.stop(task)
    if control.is_stopped or not trajectory.steps:
        return Result(Trajectory(task, ending=Ending("stopped", "nothing was learned")))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "teach.json"
        save_demonstration(file, recorded_demonstration(trajectory, recorder))
        learned = learn(file, name=name, memory=open_memory(settings))
    return Result(
        Trajectory(task, ending=Ending("done", f"learned as {learned.procedure.name}", verified=True))
    )


def note_step(run: ServedRun, number: int, sentence: str) -> None:
    """Show a recorded step, or what was marked or undone, in the live view."""
    if number > 0:
        run.say("step", sentence, number=number, outcome="confirmed", summary="")
    else:
        run.say("said", sentence, **({"undone": True} if number < 0 else {}))


def log_in(run: ServedRun, settings: Settings, url: str, name: str) -> Result:
    """Let the person log in, and keep the login."""
    file, task = login_file(name), Task(run.task, url)
    told = {"kind": "browser", "options": {"login": str(file)}}
    settings = window_settings(override(settings, {"computer": told}))
    works: list[Callable[[], bool]] = []

    def open_browser() -> BrowserComputer:
        return cast("BrowserComputer", make_computer(settings))

    def has_ended(computer: BrowserComputer) -> bool:
        if not works:
            run.sees(computer)
            run.started(task)
            run.steer(control := RunControl())
            works.append(hand_over(computer, control, run.tell))
        return not works[0]()

    sites, reason = keep_login(file, open_browser, url, MINUTES, has_ended)
    kept = Ending("done", f"{name}: {', '.join(sites)}", verified=True)
    ending = Ending("not_done", f"nothing was stored, as {reason}") if reason else kept
    return Result(Trajectory(task, ending=ending))
