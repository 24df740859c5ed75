"""Recognises a small piece of a picture again, by a difference hash of an element's looks.

The hash is the one that N. Krawetz described as dHash: a 9 x 8 grey miniature, one bit for each pixel that is
brighter than its right neighbour. It survives small changes of size, colour and contrast.
"""

from __future__ import annotations

import io
from functools import lru_cache
from typing import TYPE_CHECKING

from gui_agent.core.observation import Box, Screenshot, Size

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH, HEIGHT = 8, 8
"""Size of the hash in bits."""
CHANCE = 0.5
"""Share of bits in which two unrelated pictures agree."""


def crop_hash(screenshot: Screenshot, box: Box) -> str:
    """The hash of the picture inside the box, as 16 hexadecimal digits; empty if the box is outside."""
    seen = box.intersect(screenshot.size.box)
    if seen is None:
        return ""
    piece = _decode(screenshot.data).crop(seen.edges)
    grey = piece.convert("L").resize((WIDTH + 1, HEIGHT)).tobytes()
    bits = 0
    for row in range(HEIGHT):
        for column in range(WIDTH):
            place = row * (WIDTH + 1) + column
            bits = bits << 1 | (grey[place] > grey[place + 1])
    return f"{bits:016x}"


def crop_likeness(one: str, other: str) -> float:
    """How similar two hashes are: 1 if equal, 0 for chance similarity, or if one is missing."""
    if not one or not other:
        return 0.0
    differing = (int(one, 16) ^ int(other, 16)).bit_count()
    same = 1.0 - differing / (WIDTH * HEIGHT)
    return max(0.0, (same - CHANCE) / (1.0 - CHANCE))


def image_of(data: bytes) -> Image:
    """A picture in any form, as colours. Raises OSError: it is damaged."""
    from PIL import Image

    return Image.open(io.BytesIO(data)).convert("RGB")


_decode = lru_cache(maxsize=4)(image_of)
"""Keeps the last few pictures, because many elements of one screen are compared."""


def crop(shot: Screenshot, region: Box, larger: int = 1) -> Screenshot:
    """A part of a picture, enlarged; `region` is in its pixels and cut to its edges."""
    inside = region.intersect(shot.size.box) or Box(0, 0, 1, 1)
    size = Size(inside.width * larger, inside.height * larger)
    part = image_of(shot.data).crop(inside.edges)
    written = io.BytesIO()
    part.resize((size.width, size.height)).save(written, "PNG", compress_level=1)
    return Screenshot(written.getvalue(), size)
