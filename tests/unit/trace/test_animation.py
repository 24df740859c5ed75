"""The moving picture of a run: a frame before and after each step, a pointer, nothing half written."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops

from gui_agent import Agent, PlainPlanner, Task
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Point
from gui_agent.testing import FakeComputer, button, field, screen
from gui_agent.trace import RunWriter, StoredRun, read_run
from gui_agent.trace.animation import WIDTH, write_animation
from gui_agent.trace.reader import verify

FFMPEG = pytest.mark.skipif(
    not (shutil.which("ffmpeg") and shutil.which("ffprobe")),
    reason="videos need ffmpeg: scripts/setup programs installs it",
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    writer = RunWriter(tmp_path)
    computer = FakeComputer(screen(field("Name"), button("Next")))
    Agent(computer, PlainPlanner(), observers=[writer]).run(Task('type "Ada" into "Name"'))
    return writer.folder


def test_each_step_is_shown_before_and_after_and_the_end_stays_longer(run: Path, tmp_path: Path) -> None:
    stored = read_run(run)
    with Image.open(write_animation(stored, tmp_path / "run.gif")) as moving:
        assert moving.n_frames == 2 * len(stored.trajectory.steps) + 1
        assert moving.width <= WIDTH
        first = moving.info["duration"]
        moving.seek(moving.n_frames - 1)
        assert moving.info["duration"] > first


def test_a_run_without_pictures_says_so_and_leaves_no_file(run: Path, tmp_path: Path) -> None:
    stored = read_run(run, pictures=False)
    with pytest.raises(ConfigError, match="no pictures"):
        write_animation(stored, tmp_path / "run.gif")
    assert not (tmp_path / "run.gif").exists()


def test_a_folder_that_cannot_be_written_to_is_an_error_of_one_line(run: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot write"):
        write_animation(read_run(run), tmp_path / "missing" / "run.gif")


def test_the_picture_is_no_change_of_the_run(run: Path) -> None:
    write_animation(read_run(run), run / "run.gif")
    assert verify(run).wrong == ()


def test_an_unfinished_run_is_shown_as_interrupted(run: Path, tmp_path: Path) -> None:
    stored = read_run(run)
    killed = replace(stored, trajectory=replace(stored.trajectory, ending=None))
    assert write_animation(killed, tmp_path / "run.gif").stat().st_size > 100


def test_the_pointer_is_shown_where_a_step_acted_and_stays_there(run: Path, tmp_path: Path) -> None:
    stored = read_run(run)
    [step] = stored.trajectory.steps
    aside = {
        name: replace(found, point=Point(found.point.x + 60, found.point.y + 40))
        for name, found in step.found.items()
    }
    there = write_animation(stored, tmp_path / "there.gif")
    elsewhere = write_animation(_with_step(stored, found=aside), tmp_path / "elsewhere.gif")
    tip = step.found["at"].point
    with Image.open(there) as one, Image.open(elsewhere) as other:
        for number in range(2):
            one.seek(number)
            other.seek(number)
            seen = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).point(
                lambda light: 255 * (light > 90)
            )
            left, top, right, bottom = seen.getbbox() or (0, 0, 0, 0)
            assert abs(left - tip.x) <= 6 and abs(top - tip.y) <= 6, number
            assert right > tip.x + 66 and bottom > tip.y + 46, number


@FFMPEG
@pytest.mark.parametrize(("ending", "codec"), [(".mp4", "h264"), (".webm", "vp9")])
def test_a_video_shows_each_step_for_the_time_it_took_within_bounds(
    run: Path, tmp_path: Path, ending: str, codec: str
) -> None:
    stored = read_run(run)
    long, longer = (
        _probed(
            write_animation(
                _with_step(stored, seconds={"act": seconds / 2, "settle": seconds / 2}),
                tmp_path / f"{name}{ending}",
            )
        )
        for name, seconds in (("a", 2.0), ("b", 60.0))
    )
    [stream] = long["streams"]
    assert (stream["codec_name"], stream["pix_fmt"]) == (codec, "yuv420p")
    assert stream["width"] % 2 == stream["height"] % 2 == 0
    assert float(long["format"]["duration"]) == pytest.approx(2.0 + 0.7 + 2.5, abs=0.2)
    assert float(longer["format"]["duration"]) == pytest.approx(3.0 + 0.7 + 2.5, abs=0.2)
    assert int(stream["nb_read_frames"]) == 52


@FFMPEG
def test_a_video_in_the_folder_of_a_run_is_no_change_of_it_and_only_for_its_owner(run: Path) -> None:
    for ending in ("mp4", "webm"):
        assert write_animation(read_run(run), run / f"run.{ending}").stat().st_mode & 0o077 == 0
    assert verify(run).wrong == ()


def test_without_ffmpeg_a_video_is_refused_in_a_line_and_a_gif_is_made(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match=r"apt-get install ffmpeg; \.gif needs no"):
        write_animation(read_run(run), tmp_path / "run.mp4")
    assert write_animation(read_run(run), tmp_path / "run.gif").is_file()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo no room left >&2; exit 1", "no room left"),
        ("cat >/dev/null; echo gone wrong >&2; exit 1", "gone wrong"),
        ("exec sleep 60", "was stopped"),
    ],
)
def test_an_encoder_that_fails_leaves_no_file_and_one_line(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    program = tmp_path / "bin" / "ffmpeg"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setattr("gui_agent.trace.animation.LIMIT", 0.5)
    before = set(tmp_path.iterdir())
    with pytest.raises(ConfigError, match=said) as error:
        write_animation(read_run(run), tmp_path / "run.webm")
    assert "\n" not in str(error.value) and "needs no ffmpeg" in str(error.value)
    assert set(tmp_path.iterdir()) == before


def test_an_unknown_ending_is_refused_before_anything_is_made(run: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"\.gif, \.mp4, \.webm"):
        write_animation(read_run(run), tmp_path / "run.avi")


def _with_step(stored: StoredRun, **changes: Any) -> StoredRun:
    """The run with its only step changed."""
    turns = (
        replace(turn, steps=tuple(replace(step, **changes) for step in turn.steps))
        for turn in stored.trajectory.turns
    )
    return replace(stored, trajectory=replace(stored.trajectory, turns=tuple(turns)))


def _probed(video: Path) -> dict[str, Any]:
    """What ffprobe decodes of a video."""
    line = ["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-show_format", "-of", "json"]
    told = subprocess.run([*line, video], check=True, capture_output=True, timeout=60).stdout
    found: dict[str, Any] = json.loads(told)
    return found
