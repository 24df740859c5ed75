"""A checkpoint is whole or is not there; what fails does not spoil an episode twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from guiagent_eval.checkpoints import CheckpointKeeper

from gui_agent.core.actions import Press
from gui_agent.core.errors import BenchmarkError, ComputerLost
from gui_agent.core.observation import Observation, Size
from gui_agent.core.trajectory import Decision, Outcome, Planned, Step, Task, Turn
from gui_agent.trace import RunWriter

SCREEN = Observation(Size(10, 10))


class Guest:
    """Keeps a number; can be told to fail."""

    def __init__(self) -> None:
        self.state, self.broken = 0, False

    def keeps(self) -> bool:
        return True

    def keep(self, folder: Path) -> None:
        if self.broken:
            raise ComputerLost("no disk")
        folder.mkdir(parents=True)
        (folder / "state").write_text(str(self.state))

    def go_back(self, folder: Path) -> None:
        if self.broken:
            raise ComputerLost("gone")
        self.state = int((folder / "state").read_text())


def keeper(folder: Path, guest: Guest, writer: RunWriter | None = None) -> CheckpointKeeper:
    return CheckpointKeeper(
        folder,
        guest,
        2,
        trace=lambda: writer.folder if writer else None,
        spent=lambda: (10, 0.5),
    )


def worked(folder: Path, guest: Guest, steps: int) -> None:
    """A run of one step per decision that is stopped after its last one."""
    writer = RunWriter(folder / "trace")
    watching = [writer, keeper(folder, guest, writer)]
    writer.started(Task("x"))
    planned = Planned(Press(("a",)))
    for number in range(1, steps + 1):
        guest.state = number
        for one in watching:
            one.decided(Turn(Decision(planned=(planned,), planner="plain"), SCREEN))
        for one in watching:
            one.stepped(Step(number, planned, SCREEN, SCREEN, Outcome("changed")))
    writer.close()


def test_an_episode_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    guest = Guest()
    worked(tmp_path, guest, 6)
    again = keeper(tmp_path, guest)
    begun = again.restore()
    assert begun is not None and len(begun.turns) == len(begun.steps) == 4
    assert guest.state == 5, "as it was when the fifth step had been decided"
    assert again.begun is not None and (again.begun.tokens, again.begun.cost) == (10, 0.5)
    assert len(list(tmp_path.glob("guest-*"))) == 1, "earlier ones are gone"
    again.forget()
    assert keeper(tmp_path, guest).restore() is None


@pytest.mark.parametrize("damage", ["note", "guest", "trace", "outside"])
def test_what_is_not_whole_is_no_checkpoint(tmp_path: Path, damage: str) -> None:
    guest, folder = Guest(), tmp_path / "one"
    worked(folder, guest, 3)
    note = folder / "checkpoint.json"
    said = json.loads(note.read_text())
    if damage == "note":
        note.write_text(note.read_text()[:20])
    elif damage == "guest":
        next(folder.glob("guest-*")).rename(tmp_path / "away")
    elif damage == "trace":
        (folder / said["trace"] / "steps.jsonl").write_text("")
    else:
        next(folder.glob("guest-*")).rename(tmp_path / "away")
        note.write_text(json.dumps({**said, "guest": "../away"}))
    assert keeper(folder, guest).restore() is None


def test_a_guest_that_does_not_come_back_is_tried_once(tmp_path: Path) -> None:
    guest = Guest()
    worked(tmp_path / "one", guest, 3)
    guest.broken = True
    with pytest.raises(BenchmarkError, match="step 2"):
        keeper(tmp_path / "one", guest).restore()
    assert keeper(tmp_path / "one", guest).restore() is None, "the next attempt begins anew"


def test_a_guest_that_cannot_be_kept_is_no_reason_to_stop(tmp_path: Path) -> None:
    guest = Guest()
    guest.broken = True
    worked(tmp_path, guest, 5)
    assert not (tmp_path / "checkpoint.json").exists()
