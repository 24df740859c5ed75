"""A run as an animation: each action with its mark and sentence, then the screen after it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Box, Screenshot
from gui_agent.core.os_errors import replace_file, why
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Step
from gui_agent.elements.describe import describe_step
from gui_agent.trace.lines import verdict
from gui_agent.trace.reader import StoredRun

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH = 800
"""Width of the animation in pixels; larger screens are scaled down, smaller ones are not scaled up."""
BAR = 36
"""Height in pixels of the text line below the screen."""
ACTING, SHOWING, ENDING = 900, 700, 2500
"""Milliseconds: for an action before it is done, for its effect, for the last picture."""
INK, PAPER, MARK = "#ffffff", "#1d2733", "#d01030"


@dataclass(frozen=True, slots=True)
class _Frame:
    screen: Screenshot
    caption: str
    shown: int
    """Milliseconds."""
    mark: Box | None = None


def write_gif(run: StoredRun, target: Path) -> Path:
    """Write a run, read with its pictures, as a GIF readable by its owner; returns its path."""
    frames = list(_frames(run))
    if not frames:
        raise ConfigError(f"{run.folder} has no pictures; they are kept unless trace.pictures is false")
    first, *others = (_draw(frame) for frame in frames)
    moving = io.BytesIO()
    times = [frame.shown for frame in frames]
    first.save(moving, "GIF", save_all=True, append_images=others, duration=times, loop=0, optimize=True)
    try:
        replace_file(target, moving.getvalue())
    except OSError as error:
        raise ConfigError(f"cannot write {target}: {why(error)}") from error
    return target


def _frames(run: StoredRun) -> Iterator[_Frame]:
    last: Screenshot | None = None
    for step in run.trajectory.steps:
        caption = f"{step.number}. {describe_step(step)}"
        if step.before.screenshot is not None:
            yield _Frame(step.before.screenshot, caption, ACTING, _box_to_mark(step))
        if step.after.screenshot is not None:
            last = step.after.screenshot
            yield _Frame(last, caption, SHOWING)
    if last is not None:
        ended = verdict(run.trajectory.ending)
        yield _Frame(last, f"{ended.label}: {run.trajectory.task.full_text}", ENDING)


def _box_to_mark(step: Step) -> Box | None:
    found = next(iter(step.found.values()), None)
    if found is None:
        return None
    around = found.box or (found.element.box if found.element else None)
    return around or Box(found.point.x - 12, found.point.y - 12, 24, 24)


def _draw(frame: _Frame) -> Image:
    from PIL import Image, ImageDraw, ImageFont

    with Image.open(io.BytesIO(frame.screen.data)) as opened:
        screen = opened.convert("RGB")
    share = min(1.0, WIDTH / screen.width)
    if frame.mark is not None:
        box = frame.mark
        edges = (box.left - 4, box.top - 4, box.right + 4, box.bottom + 4)
        ImageDraw.Draw(screen).rounded_rectangle(edges, 8, outline=MARK, width=max(2, round(3 / share)))
    small = screen.resize((round(screen.width * share), round(screen.height * share)))
    whole = Image.new("RGB", (small.width, small.height + BAR), PAPER)
    whole.paste(small, (0, 0))
    font = ImageFont.load_default(size=16)
    caption = shorten(frame.caption, max(20, small.width // 9))
    ImageDraw.Draw(whole).text((12, small.height + BAR // 2), caption, INK, font, "lm")
    return whole.quantize(128)
