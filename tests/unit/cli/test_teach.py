"""`guiagent teach`: what a person has done is not lost."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gui_agent.cli import teach
from gui_agent.core.errors import ConfigError
from gui_agent.core.trajectory import Ending, Task, Trajectory
from gui_agent.demos.store import load_demonstration


def test_a_recording_that_cannot_be_written_where_it_should_is_kept_elsewhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "full").touch()
    recorder: Any = SimpleNamespace(platform="browser", secrets=())
    done = Trajectory(Task("Order 2 lamps"), ending=Ending("done"))
    with pytest.raises(ConfigError, match=r"cannot write .*; the recording is kept as ") as told:
        teach.save(tmp_path / "full/order.json", done, recorder, "browser")
    kept = str(told.value).rpartition(" ")[2]
    assert load_demonstration(kept).task == "Order 2 lamps"
