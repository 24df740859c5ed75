"""The picture size for each family of models, and the only conversion of its coordinates to pixels.

Every convention is one pair of numbers laid over the screenshot: the size of the sent picture, or a
fixed grid such as 1000 x 1000.
"""

from __future__ import annotations

import base64
import io
import math
from dataclasses import dataclass, replace
from functools import lru_cache

from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Box, Point, Screenshot, Size

_FAR = 1e9
NOTCH = 120
"""Pixels that one notch of the wheel scrolls."""


@dataclass(frozen=True, slots=True)
class PictureRule:
    """The size of the picture for a screen: at most `most` pixels in total and `edge` on the long side, sides
    that are multiples of `factor`, the aspect ratio kept."""

    most: int = 4_000_000
    edge: int = 8000
    factor: int = 1
    least: int = 3136

    def size(self, screen: Size, cap: Size | None = None) -> Size:
        """The size to send; `cap` is the maximum size that the provider reported."""
        if cap is not None:
            scale = min(1.0, cap.width / screen.width, cap.height / screen.height)
            fits = int(screen.width * scale) * int(screen.height * scale)
            return replace(self, most=min(self.most, fits)).size(screen)
        if self.factor > 1:
            return self._rounded_size(screen)
        area, long = screen.width * screen.height, max(screen.width, screen.height)
        scale = min(1.0, math.sqrt(self.most / area), self.edge / long)
        return Size(max(1, int(screen.width * scale)), max(1, int(screen.height * scale)))

    def _rounded_size(self, screen: Size) -> Size:
        """The resizing of the Qwen2-VL image processor, done here so that the server need not resize."""
        step, sides = self.factor, (screen.width, screen.height)
        width, height = (max(step, round(side / step) * step) for side in sides)
        if width * height > self.most:
            shrink = math.sqrt(screen.width * screen.height / self.most)
            width, height = (max(step, math.floor(side / shrink / step) * step) for side in sides)
        elif width * height < self.least:
            grow = math.sqrt(self.least / (screen.width * screen.height))
            width, height = (math.ceil(side * grow / step) * step for side in sides)
        return Size(width, height)


@dataclass(frozen=True, slots=True)
class Space:
    """A model's coordinates over one screenshot: `width` x `height` of its units cover the whole `screen`."""

    screen: Size
    width: float
    height: float
    grid: bool = False
    """Whether units are those of a fixed grid, whose last line is the picture's edge, and not pixels."""

    def point(self, x: float, y: float) -> Point:
        """The screenshot pixel for a model's coordinates."""
        # NaN, infinity and endless digits are outside of every picture, and reported as such.
        x, y = (max(-_FAR, min(_FAR, value)) for value in (x, y))
        inside = (
            (0 <= x <= self.width and 0 <= y <= self.height)
            if self.grid
            else (0 <= x < self.width and 0 <= y < self.height)
        )
        if not inside:
            raise BadReply(f"({x:g}, {y:g}) is outside the picture; {self.sentence()}")
        return Point(
            self._pixel(x, self.width, self.screen.width), self._pixel(y, self.height, self.screen.height)
        )

    def _pixel(self, value: float, units: float, pixels: int) -> int:
        middle = 0.0 if self.grid else 0.5
        return min(pixels - 1, math.floor((value + middle) * pixels / units))

    def box(self, left: float, top: float, right: float, bottom: float) -> Box:
        first, last = (
            self.point(left, top),
            self.point(min(right, self.width - 1), min(bottom, self.height - 1)),
        )
        if last.x <= first.x or last.y <= first.y:
            raise BadReply(f"the region ({left:g}, {top:g}, {right:g}, {bottom:g}) is empty")
        return Box(first.x, first.y, last.x - first.x, last.y - first.y)

    def units(self, point: Point) -> tuple[float, float]:
        """The model's coordinates for a pixel of the screenshot."""
        middle = 0.5 if self.grid else 0.0
        x = (point.x + middle) * self.width / self.screen.width
        y = (point.y + middle) * self.height / self.screen.height
        if self.grid:
            return (round(x, 4), round(y, 4)) if self.width <= 1 else (round(x), round(y))
        return int(x), int(y)

    def sentence(self) -> str:
        """A sentence that tells a model what its coordinates are."""
        if self.grid:
            return (
                f"x goes from 0 at the left edge of the picture to {self.width:g} at the right one, "
                f"y from 0 at the top to {self.height:g} at the bottom"
            )
        return f"x and y are pixels of the picture, which is {self.width:g} wide and {self.height:g} high"


def picture(shot: Screenshot, size: Size) -> tuple[str, str]:
    """The screenshot in the size to send: its media type and base64 data."""
    if shot.size == size:
        return shot.media_type, base64.b64encode(shot.data).decode("ascii")
    return "image/png", _resize(shot.data, size)


@lru_cache(maxsize=32)
def _resize(data: bytes, size: Size) -> str:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        smaller = image.convert("RGB").resize((size.width, size.height), Image.Resampling.LANCZOS)
    written = io.BytesIO()
    smaller.save(written, "PNG", compress_level=1)
    return base64.b64encode(written.getvalue()).decode("ascii")
