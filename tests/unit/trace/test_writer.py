"""What is on disk after, and in the middle of, a run."""

from __future__ import annotations

import errno
import io
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest
from PIL import Image
from rich.console import Console

from gui_agent.core.actions import Click, TypeText
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Box, Element, Observation, Screenshot, Size, Words
from gui_agent.core.os_errors import private
from gui_agent.core.trajectory import (
    Decision,
    Ending,
    Outcome,
    Planned,
    Step,
    Task,
    Trajectory,
    Turn,
)
from gui_agent.testing import FakeComputer, button, do, done, field, screen
from gui_agent.trace.reader import read_run
from gui_agent.trace.report import write_report
from gui_agent.trace.terminal import LiveView
from gui_agent.trace.writer import RunWriter

Contact = Callable[..., Trajectory]


def test_a_run_is_read_back_as_it_was(tmp_path: Path, player: Callable[..., Trajectory]) -> None:
    computer = FakeComputer(screen(field("Name"), button("Send")))
    decisions = [do(TypeText("Ada", Words("Name"))), do(Click(Words("Send"))), done("sent")]
    writer = RunWriter(tmp_path)
    played = player(computer, decisions, [writer], Task("Send it", values={"a": "1"}), Ending("done"))
    assert writer.folder is not None
    run = read_run(writer.folder)
    assert run.trajectory == played
    assert run.complete
    assert not run.problems


def test_each_picture_is_written_once(tmp_path: Path, contact: Contact) -> None:
    writer = RunWriter(tmp_path)
    trajectory = contact(writer)
    screens = [s for step in trajectory.steps for s in (step.before, step.after)]
    distinct = {s.screenshot.data for s in screens if s.screenshot}
    assert writer.folder is not None
    assert len(list((writer.folder / "images").iterdir())) == len(distinct)
    observations = (writer.folder / "observations.jsonl").read_text().splitlines()
    assert len(observations) == len({id(s) for s in screens})


def test_an_element_that_did_not_change_is_written_once(tmp_path: Path, contact: Contact) -> None:
    writer = RunWriter(tmp_path, pictures=False)
    contact(writer)
    assert writer.folder is not None
    lines = [json.loads(line) for line in (writer.folder / "observations.jsonl").read_text().splitlines()]
    new = [json.dumps(element, sort_keys=True) for line in lines for element in line["new"]]
    assert len(new) == len(set(new))
    assert not (writer.folder / "images").exists()


def test_settings_named_like_secrets_and_lengths_of_passwords_never_reach_the_disk(tmp_path: Path) -> None:
    typed = Element(2, "textbox", "Password", Box(0, 20, 40, 10), "•••", frozenset({"password"}))
    writer = RunWriter(tmp_path, settings={"model": {"api_key": "sk-123", "name": "m"}})
    writer.started(Task("log in"))
    writer.decided(Turn(Decision(), Observation(Size(100, 50), (typed,))))
    writer.ended(Trajectory(Task("x"), ending=Ending("done")))
    assert writer.folder is not None
    assert b"sk-123" not in b"".join(path.read_bytes() for path in writer.folder.glob("*.json*"))
    assert read_run(writer.folder).trajectory.turns[0].observation.elements[0].value == "••••••••"


def test_runs_are_for_their_owner_alone_also_those_that_were_there_before(
    tmp_path: Path, contact: Contact
) -> None:
    earlier = tmp_path / "runs" / "earlier"
    other = tmp_path / "runs" / "something else"
    for folder in (earlier, other):
        folder.mkdir(parents=True, mode=0o755)
    (earlier / "run.json").write_text("{}")
    writer = RunWriter(tmp_path / "runs")
    contact(writer)
    assert writer.folder is not None
    write_report(writer.folder)
    for path in (writer.folder, *writer.folder.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path
    assert earlier.stat().st_mode & 0o077 == 0
    assert other.stat().st_mode & 0o777 == 0o755


def test_half_a_surrogate_pair_on_a_page_does_not_break_the_run(
    tmp_path: Path, player: Callable[..., Trajectory]
) -> None:
    name = "a\ud800b"
    writer = RunWriter(tmp_path)
    decisions = [do(Click(Words(name)), thought=f"so {name}")]
    out = Console(file=io.StringIO())
    player(
        FakeComputer(screen(button(name), title=name)),
        decisions,
        [writer, LiveView(out)],
        name,
        Ending("done"),
    )
    assert writer.folder is not None
    run = read_run(writer.folder)
    assert run.trajectory.turns[0].decision.thought == "so a?b"
    assert run.trajectory.steps[0].before.elements[0].name == "a?b"
    assert "a?b" in write_report(run).read_text(encoding="utf-8")


def test_a_report_that_cannot_be_finished_leaves_the_one_before(
    tmp_path: Path, player: Callable[..., Trajectory], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = RunWriter(tmp_path)
    player(FakeComputer(screen(button("Go"))), [do(Click(Words("Go")))], [writer], "Go", Ending("done"))
    assert writer.folder is not None
    before = write_report(writer.folder).read_bytes()

    def full(path: str, flags: int) -> int:
        Path(path).write_bytes(before[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("gui_agent.core.os_errors.private", full)
    with pytest.raises(ConfigError, match=r"cannot write the report .*: the disk is full; free some space"):
        write_report(writer.folder)
    assert (writer.folder / "report.html").read_bytes() == before
    assert not list(writer.folder.glob("*.part"))


def test_a_folder_that_is_a_file_is_told_before_anything_starts(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    with pytest.raises(ConfigError, match=r"cannot keep runs in .*; choose another folder") as caught:
        RunWriter(tmp_path / "runs")
    assert "\n" not in str(caught.value)


def test_a_full_disk_stops_the_pictures_but_not_the_run(
    tmp_path: Path, contact: Contact, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: str, flags: int) -> int:
        if "images" in Path(path).parts:
            raise OSError(errno.ENOSPC, "No space left on device")
        return private(path, flags)

    monkeypatch.setattr("gui_agent.core.os_errors.private", full)
    writer = RunWriter(tmp_path)
    contact(writer)
    assert len(writer.problems) == 1
    assert "the disk is full" in writer.problems[0]
    assert writer.folder is not None
    run = read_run(writer.folder)
    assert run.complete
    assert len(run.trajectory.steps) == 6
    assert any("the disk is full" in problem for problem in run.problems)


def test_a_disk_that_is_full_for_text_too_is_told_once(tmp_path: Path, contact: Contact) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    writer = RunWriter(tmp_path, pictures=False)

    class Filling:
        """Puts a full device in the place of the run's steps as soon as the folder is there."""

        def started(self, task: Task) -> None:
            assert writer.folder is not None
            (writer.folder / "steps.jsonl").symlink_to(full)

        def decided(self, turn: Turn) -> None: ...

        def stepped(self, step: Step) -> None: ...

        def ended(self, trajectory: Trajectory) -> None: ...

    contact(writer, Filling())
    assert len(writer.problems) == 1
    assert "steps.jsonl is incomplete" in writer.problems[0]


def test_a_second_run_gets_its_own_folder_and_leaves_the_first_alone(
    tmp_path: Path, contact: Contact
) -> None:
    writer = RunWriter(tmp_path)
    contact(writer)
    first = writer.folder
    contact(writer, killed=True)
    assert first is not None
    assert writer.folder is not None
    assert first != writer.folder
    writer.close()
    assert read_run(first).complete
    assert not read_run(writer.folder).complete


KILLED = """
import os, signal, sys
from gui_agent.core.actions import Click
from gui_agent.core.observation import Words
from gui_agent.core.trajectory import Outcome, Planned, Step, Task, Turn
from gui_agent.testing import FakeComputer, button, do, screen
from gui_agent.trace.writer import RunWriter
writer = RunWriter(sys.argv[1])
writer.started(Task("be killed"))
seen = FakeComputer(screen(button("Go"))).observe()
writer.decided(Turn(do(Click(Words("Go"))), seen))
for number in range(1, 21):
    writer.stepped(Step(number, Planned(Click(Words("Go"))), seen, seen, Outcome("changed")))
os.kill(os.getpid(), getattr(signal, sys.argv[2]))
"""


@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_a_killed_run_keeps_every_step_that_was_told(tmp_path: Path, how: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), how], check=False, capture_output=True, timeout=60
    )
    assert done.returncode in (-signal.SIGKILL, -signal.SIGINT, 130)
    (folder,) = tmp_path.iterdir()
    run = read_run(folder)
    assert len(run.trajectory.steps) == 20
    assert run.trajectory.steps[-1].after.screenshot is not None
    assert not run.complete
    assert run.ending == "interrupted (no ending was written)"


def test_writing_a_step_costs_little(tmp_path: Path) -> None:
    pixels = os.urandom(60_000)
    elements = tuple(
        Element(n, "button", f"Button {n}", Box(n, n, 90, 20), path=f"body/div[{n}]/button")
        for n in range(200)
    )

    def seen(number: int) -> Observation:
        changed = replace(elements[number], value=str(number))
        shot = Screenshot(pixels + number.to_bytes(4, "big"), Size(1280, 720))
        return Observation(
            Size(1280, 720), (*elements[:number], changed, *elements[number + 1 :]), screenshot=shot
        )

    writer = RunWriter(tmp_path)
    writer.started(Task("many steps"))
    screens = [seen(number) for number in range(60)]
    times = []
    for number, (before, after) in enumerate(itertools.pairwise(screens), start=1):
        began = time.perf_counter()
        writer.stepped(Step(number, Planned(Click(Words("Go"))), before, after, Outcome("changed")))
        times.append(time.perf_counter() - began)
    writer.ended(Trajectory(Task("x"), ending=Ending("done")))
    assert median(times) < 0.02  # about 1 ms on an idle machine


def _png() -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (100, 50), "white").save(data, "PNG")
    return data.getvalue()
