"""A run as an animation: each action with its mark and sentence, then the screen after it."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Box, Point, Screenshot
from gui_agent.core.os_errors import file_errors, replace_file
from gui_agent.core.texts import shorten
from gui_agent.elements.describe import describe_step
from gui_agent.trace.lines import verdict
from gui_agent.trace.reader import StoredRun

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH, VIDEO_WIDTH = 800, 1280
"""Width in pixels of a GIF and of a video; larger screens are scaled down, smaller ones are not scaled up."""
BAR = 36
"""Height in pixels of the text line below the screen."""
ACTING, LONGEST, SHOWING, ENDING = 900, 3000, 700, 2500
"""Milliseconds: at least and at most for an action to be done, for its effect, for the last picture."""
INK, PAPER, MARK = "#ffffff", "#1d2733", "#d01030"
ARROW = (0, 0), (0, 24), (7, 18), (17, 18)
"""The pointer, in pixels from the point at its tip."""
ENCODERS = {
    ".gif": "",
    ".mp4": "-c:v libx264 -preset veryfast -movflags +faststart",
    ".webm": "-c:v libvpx-vp9 -deadline realtime -cpu-used 6 -row-mt 1 -crf 34 -b:v 0",
}
"""How ffmpeg, in a folder with a list of pictures, makes a video, by the ending of its file."""
FFMPEG = """
    ffmpeg -loglevel error -xerror -f concat -i list -vf fps=10,pad=ceil(iw/2)*2:ceil(ih/2)*2
    {} -pix_fmt yuv420p video{}
"""
LIMIT = 600.0
"""Seconds after which ffmpeg is stopped."""


@dataclass(frozen=True, slots=True)
class _Frame:
    screen: Screenshot
    caption: str
    shown: int
    """Milliseconds."""
    pointer: Point | None
    mark: Box | None = None


def write_animation(run: StoredRun, target: Path) -> Path:
    """Write a run, read with its pictures, as a file readable by its owner; returns its path.

    The file's ending says what it becomes: .gif, or with ffmpeg .mp4 or .webm. Raises ConfigError for any
    other ending, without pictures or ffmpeg, and if the file cannot be written; then no file is left.
    """
    kind = target.suffix.lower()
    if kind not in ENCODERS:
        raise ConfigError(f"{target}: a run is shown as {', '.join(ENCODERS)}; give a file that ends so")
    frames = list(_frames(run))
    if not frames:
        raise ConfigError(f"{run.folder} has no pictures; they are kept unless trace.pictures is false")
    with file_errors(f"cannot write {target}"):
        replace_file(target, _video(frames, kind) if ENCODERS[kind] else _gif(frames))
    return target


def _gif(frames: Sequence[_Frame]) -> bytes:
    first, *others = (picture.quantize(128) for picture in _draw(frames, WIDTH))
    moving = io.BytesIO()
    times = [frame.shown for frame in frames]
    first.save(moving, "GIF", save_all=True, append_images=others, duration=times, loop=0, optimize=True)
    return moving.getvalue()


def _video(frames: Sequence[_Frame], kind: str) -> bytes:
    if shutil.which("ffmpeg") is None:
        raise ConfigError(f"{kind} needs ffmpeg: apt-get install ffmpeg; .gif needs no other program")
    with tempfile.TemporaryDirectory(prefix="guiagent-video-") as folder:
        listed = name = ""
        for number, picture in enumerate(_draw(frames, VIDEO_WIDTH)):
            name = f"{number}.png"
            picture.save(Path(folder, name))
            listed += f"file {name}\nduration {frames[number].shown}ms\n"
        # The last time counts only if a picture follows.
        Path(folder, "list").write_text(f"{listed}file {name}", "utf-8")
        line = FFMPEG.format(ENCODERS[kind], kind).split()
        try:
            subprocess.run(line, cwd=folder, input=b"", capture_output=True, check=True, timeout=LIMIT)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            told = (error.stderr or b"it was stopped: it took too long").decode("utf-8", "replace")
            raise ConfigError(
                f"ffmpeg made no {kind}: {told.splitlines()[0]}; .gif needs no ffmpeg"
            ) from None
        return Path(folder, f"video{kind}").read_bytes()


def _frames(run: StoredRun) -> Iterator[_Frame]:
    last = pointer = None
    for step in run.trajectory.steps:
        caption = f"{step.number}. {describe_step(step)}"
        box = None
        for found in step.found.values():
            box = box or found.box or (found.element.box if found.element else None)
            pointer = found.point
        if shot := step.before.screenshot:
            shown = min(LONGEST, max(ACTING, round(1000 * sum(step.seconds.values()))))
            yield _Frame(shot, caption, shown, pointer, box)
        if shot := step.after.screenshot:
            last = shot
            yield _Frame(shot, caption, SHOWING, pointer)
    if last:
        ended = verdict(run.trajectory.ending)
        yield _Frame(last, f"{ended.label}: {run.trajectory.task.full_text}", ENDING, pointer)


def _draw(frames: Sequence[_Frame], width: int) -> Iterator[Image]:
    """The frames as pictures of one size, into which later screens of other sizes are fitted."""
    from PIL import Image, ImageDraw, ImageFont, ImageOps

    first = frames[0].screen.size
    wide = min(width, first.width)
    high = round(wide * first.height / first.width)
    font = ImageFont.load_default(size=16)
    for frame in frames:
        with Image.open(io.BytesIO(frame.screen.data)) as opened:
            screen = opened.convert("RGB")
        pen, large = ImageDraw.Draw(screen), screen.width / wide
        if frame.mark:
            pen.rounded_rectangle(frame.mark.grow(4).edges, 8, outline=MARK, width=round(3 * large))
        if tip := frame.pointer:
            pen.polygon([(tip.x + x * large, tip.y + y * large) for x, y in ARROW], PAPER, INK, 2)
        whole = ImageOps.expand(ImageOps.pad(screen, (wide, high), color=PAPER), (0, 0, 0, BAR), PAPER)
        caption = shorten(frame.caption, max(20, wide // 9))
        ImageDraw.Draw(whole).text((12, high + BAR // 2), caption, INK, font, "lm")
        yield whole
