"""Painting over what a picture of the screen must not show."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from gui_agent.core.geometry import Box
from gui_agent.core.observation import Screenshot

PAINT = "#6b7280"


def painted(
    picture: Screenshot,
    boxes: Iterable[Box],
    windows: Mapping[int, Box] | None = None,
    hidden: Collection[int] = (),
) -> Screenshot | None:
    """The picture with these regions painted over, in its own format.

    Args:
        windows: outlines of the windows by id, lowest first.
        hidden: ids of windows that are painted over as far as no other lies upon them.

    Returns:
        None when the picture is damaged: what cannot be painted over is not shown.
    """
    from PIL import Image, ImageDraw

    try:
        seen = Image.open(io.BytesIO(picture.data)).convert("RGB")
    except (OSError, SyntaxError, ValueError):
        return None
    shown = seen.copy()
    pen = ImageDraw.Draw(shown)
    screen = Box(0, 0, seen.width, seen.height)
    for number, box in (windows or {}).items():
        part = box.intersect(screen)
        if part is None or not hidden:
            continue
        corners = (part.left, part.top, part.left + part.width, part.top + part.height)
        if number in hidden:
            pen.rectangle((*corners[:2], corners[2] - 1, corners[3] - 1), fill=PAINT)
        else:
            shown.paste(seen.crop(corners), corners[:2])
    for box in boxes:
        if box.area:
            pen.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), fill=PAINT)
    sink = io.BytesIO()
    if picture.media_type == "image/png":
        shown.save(sink, "PNG", compress_level=1)
    else:
        shown.save(sink, picture.media_type.removeprefix("image/").upper(), quality=85)
    return replace(picture, data=sink.getvalue())
