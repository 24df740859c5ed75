"""Parts of a screenshot, enlarged."""

from __future__ import annotations

import io

from gui_agent.core.geometry import Box, Size
from gui_agent.core.observation import Screenshot


def crop(shot: Screenshot, region: Box, larger: int = 1) -> Screenshot:
    """A part of a picture, enlarged; `region` is in its pixels and cut to its edges."""
    from PIL import Image

    inside = region.intersect(Box(0, 0, shot.size.width, shot.size.height)) or Box(0, 0, 1, 1)
    size = Size(inside.width * larger, inside.height * larger)
    with Image.open(io.BytesIO(shot.data)) as image:
        part = image.convert("RGB").crop((inside.left, inside.top, inside.right, inside.bottom))
    written = io.BytesIO()
    part.resize((size.width, size.height)).save(written, "PNG", compress_level=1)
    return Screenshot(written.getvalue(), size)
