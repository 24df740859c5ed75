"""The pictures of a report: each distinct one once, encoded small enough for a page that opens fast."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_agent.core.geometry import Box
from gui_agent.core.observation import Observation

if TYPE_CHECKING:
    from PIL import Image

_GRADES = ((1280, 80), (1024, 70), (800, 60), (640, 45))
"""Width in pixels and WebP quality, best first."""
_BUDGET = 9_000_000
"""Bytes for all pictures together: one that does not fit its share, and all after it, get the next grade."""
_SMALL = 320
"""Width in pixels of the grey copies that are compared for changes."""
_DIFFERENT = 12
"""Grey levels of 256 from which a pixel counts as changed; below is noise of the encoder."""
_WHOLE = 0.7
"""Share of the picture from which a change is no longer worth outlining."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One embedded picture."""

    key: str
    """Unique within the report."""
    uri: str
    width: int
    """Size of the screen it shows, in screenshot pixels: marks are drawn in these."""
    height: int
    grey: bytes
    grey_width: int


class Gallery:
    """Finds the embedded picture of an observation."""

    def __init__(self, observations: Iterable[Observation], *, budget: int = _BUDGET) -> None:
        distinct: dict[bytes, Observation] = {}
        for observation in observations:
            if observation.screenshot is not None:
                distinct.setdefault(observation.screenshot.data, observation)
        named = [(f"p{number}", seen) for number, seen in enumerate(distinct.values(), start=1)]
        encoder = _Encoder(budget // max(1, len(distinct)))
        with ThreadPoolExecutor(2) as pool:
            made = list(pool.map(lambda item: _embed(item[0], item[1], encoder), named))
        self._pictures = dict(zip(distinct, made, strict=True))

    def of(self, observation: Observation) -> Picture | None:
        """The picture of a screen; None when none was taken, or it is damaged."""
        shot = observation.screenshot
        return self._pictures.get(shot.data) if shot else None

    def __len__(self) -> int:
        return sum(picture is not None for picture in self._pictures.values())


def changed(before: Picture | None, after: Picture | None) -> Box | None:
    """The region that differs between two pictures; None when nothing does, nearly everything, or unknown."""
    from PIL import Image, ImageChops

    if before is None or after is None or before.key == after.key:
        return None
    if (before.width, before.height, len(before.grey)) != (after.width, after.height, len(after.grey)):
        return None
    size = (before.grey_width, len(before.grey) // before.grey_width)
    difference = ImageChops.difference(
        Image.frombytes("L", size, before.grey), Image.frombytes("L", size, after.grey)
    )
    edges = difference.point([255 if level >= _DIFFERENT else 0 for level in range(256)]).getbbox()
    if edges is None or (edges[2] - edges[0]) * (edges[3] - edges[1]) > _WHOLE * size[0] * size[1]:
        return None
    scale = before.width / size[0]
    left, top = max(0, round((edges[0] - 1) * scale)), max(0, round((edges[1] - 1) * scale))
    right = min(before.width, round((edges[2] + 1) * scale))
    bottom = min(before.height, round((edges[3] + 1) * scale))
    return Box(left, top, right - left, bottom - top)


class _Encoder:
    """Encodes pictures for a page, each within the same share of its budget."""

    def __init__(self, share: int) -> None:
        self._share = share
        self._grade = 0

    def encode(self, image: Image.Image) -> bytes:
        """The picture as WebP."""
        grade = self._grade
        while True:
            data = _encoded(image, *_GRADES[grade])
            if len(data) <= self._share or grade == len(_GRADES) - 1:
                self._grade = max(self._grade, grade)
                return data
            grade += 1


def _embed(key: str, observation: Observation, encoder: _Encoder) -> Picture | None:
    from PIL import Image

    shot = observation.screenshot
    if shot is None:
        return None
    try:
        image = Image.open(io.BytesIO(shot.data)).convert("RGB")
    except (OSError, SyntaxError, ValueError):
        return None
    uri = "data:image/webp;base64," + base64.b64encode(encoder.encode(image)).decode("ascii")
    width = min(_SMALL, image.width)
    height = max(1, round(image.height * width / image.width))
    grey = image.convert("L").resize((width, height), Image.Resampling.BOX)
    return Picture(key, uri, *image.size, grey.tobytes(), width)


def _encoded(image: Image.Image, width: int, quality: int) -> bytes:
    if image.width > width:
        image = image.resize((width, max(1, round(image.height * width / image.width))), reducing_gap=2.0)
    data = io.BytesIO()
    image.save(data, "WEBP", quality=quality, method=1)
    return data.getvalue()
