"""The pictures of a report: each distinct one once, encoded small enough for a page that opens fast."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from gui_agent.core.geometry import Box
from gui_agent.core.observation import Observation

_GRADES = ((40, 1280, 80), (120, 1024, 70), (10**9, 800, 60))
"""Up to this many pictures: this wide in pixels, of this WebP quality. About 6 MB at the most."""
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

    def __init__(self, observations: Iterable[Observation]) -> None:
        distinct: dict[bytes, Observation] = {}
        for observation in observations:
            if observation.screenshot is not None:
                distinct.setdefault(observation.screenshot.data, observation)
        width, quality = next(grade[1:] for grade in _GRADES if len(distinct) <= grade[0])
        named = [(f"p{number}", seen) for number, seen in enumerate(distinct.values(), start=1)]
        with ThreadPoolExecutor(2) as pool:
            made = list(pool.map(lambda item: _embed(item[0], item[1], width, quality), named))
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


def _embed(key: str, observation: Observation, width: int, quality: int) -> Picture | None:
    from PIL import Image

    shot = observation.screenshot
    if shot is None:
        return None
    try:
        image = Image.open(io.BytesIO(shot.data)).convert("RGB")
    except (OSError, SyntaxError, ValueError):
        return None
    size = image.size
    if image.width > width:
        image = image.resize(
            (width, max(1, round(image.height * width / image.width))), Image.Resampling.LANCZOS
        )
    data = io.BytesIO()
    image.save(data, "WEBP", quality=quality, method=2)
    uri = "data:image/webp;base64," + base64.b64encode(data.getvalue()).decode("ascii")
    grey_width = min(_SMALL, image.width)
    grey = image.convert("L").resize(
        (grey_width, max(1, round(image.height * grey_width / image.width))), Image.Resampling.BOX
    )
    return Picture(key, uri, *size, grey.tobytes(), grey_width)
