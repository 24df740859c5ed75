"""Compares pictures of a screen, and paints over parts of them."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gui_agent.core.observation import Box, Observation, Point, Screenshot
from gui_agent.elements.image_regions import image_of

if TYPE_CHECKING:
    from PIL.Image import Image

ASIDE, OVERHANG = 2, 5
"""How far (px) letters may extend beyond the box of their line: at the sides, and above or below."""
PAINT = "#6b7280"
"""The colour that covers a secret."""
MARK, LABEL_SIZE = "#d01030", 14
"""Colour of the frames around the choices of a question, and the size of their numbers in pixels."""
GREY_STEP = 24
"""Difference in brightness, of 255, from which a pixel counts as changed."""
FAR_SHARE = 0.0003
"""Share of the whole picture that may differ without counting: rounding errors, a shadow."""
SQUARES_AROUND = 12
"""Pixels around a point that must look the same for it to be the same place."""
NEAR_PIXELS = 12
"""How many pixels may differ around a target without counting."""
CARET = (3, 48)
"""Largest width and height of a lone bar that counts as a blinking text cursor."""
TILE = 16
"""Side (px) of the squares in which an animated part of a picture is masked."""
REACH = 4
"""How many squares around an animated one are masked too, because its movement soon reaches them."""


def pictures_differ(
    before: Screenshot,
    after: Screenshot,
    near: Sequence[Box] = (),
    again: Screenshot | None = None,
    restless: Sequence[Box] = (),
) -> bool:
    """Whether two pictures show something different; a blinking text cursor does not count.

    Args:
        near: areas around the targets, where a smaller difference counts.
        again: a picture taken later, without an action in between; differences between it and `after` are
            ongoing and do not count.
        restless: areas in which things were seen to move by themselves.
    """
    if before.data == after.data:
        return False
    if before.size != after.size:
        return True
    changed = _difference_mask(before, after)
    enough = FAR_SHARE * changed.width * changed.height
    if again is not None and again.size == after.size:
        restless_now = _difference_mask(after, again)
        # Where an animation will be next is unknown, but each look shows about the same amount of change.
        enough = max(enough, _count(restless_now))
        _cover_restless(changed, restless_now)
    for box in restless:
        changed.paste(0, box.edges)
    edges = [box.edges for box in near]
    return _is_more_than_caret(changed, enough) or any(
        _is_more_than_caret(changed.crop(edge), NEAR_PIXELS) for edge in edges
    )


def same_there(one: Observation, other: Observation, at: Point) -> bool:
    """Whether two screens look the same around a point; False if one of them has no picture."""
    before, after = one.screenshot, other.screenshot
    if before is None or after is None or before.size != after.size:
        return False
    around = (at.x - SQUARES_AROUND, at.y - SQUARES_AROUND, at.x + SQUARES_AROUND, at.y + SQUARES_AROUND)
    return before.data == after.data or not _is_more_than_caret(
        _difference_mask(before, after).crop(around), 0
    )


def _is_more_than_caret(changed: Image, enough: float) -> bool:
    around = changed.getbbox()
    if around is None:
        return False
    caret = around[2] - around[0] <= CARET[0] and around[3] - around[1] <= CARET[1]
    return not caret and _count(changed) > enough


def _difference_mask(one: Screenshot, other: Screenshot) -> Image:
    from PIL import ImageChops

    grey = [image_of(shot.data) for shot in (one, other)]
    # The brightest band of the difference: red and green of the same brightness are not the same.
    bands = ImageChops.difference(*grey).split()
    most = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    return most.point([255 * (level >= GREY_STEP) for level in range(256)])


def _cover_restless(changed: Image, restless: Image) -> None:
    from PIL import Image, ImageFilter

    wide = -(-restless.width // TILE), -(-restless.height // TILE)
    whole = Image.new("L", (wide[0] * TILE, wide[1] * TILE))
    whole.paste(restless)
    tiles = whole.reduce(TILE).point([255 * (level > 0) for level in range(256)])
    spread = tiles.filter(ImageFilter.MaxFilter(2 * REACH + 1)).resize(whole.size, Image.Resampling.NEAREST)
    changed.paste(0, mask=spread.crop((0, 0, *changed.size)))


def _count(changed: Image) -> int:
    return changed.histogram()[255]


def paint_over(
    picture: Screenshot,
    boxes: Iterable[Box],
    windows: Mapping[int, Box] | None = None,
    hidden: Collection[int] = (),
) -> Screenshot | None:
    """The picture with these regions painted over, in its own format.

    Args:
        windows: outlines of the windows by id, lowest first.
        hidden: ids of windows to paint over, except where another window covers them.

    Returns:
        None if the picture is damaged: a picture that cannot be painted over is not shown.
    """
    from PIL import ImageDraw

    seen = _decode(picture)
    if seen is None:
        return None
    shown = seen.copy()
    pen = ImageDraw.Draw(shown)
    screen = Box(0, 0, seen.width, seen.height)
    for number, box in (windows or {}).items():
        part = box.intersect(screen)
        if part is None or not hidden:
            continue
        corners = part.edges
        if number in hidden:
            pen.rectangle((*corners[:2], corners[2] - 1, corners[3] - 1), fill=PAINT)
        else:
            shown.paste(seen.crop(corners), corners[:2])
    for box in boxes:
        if box.area:
            edges = (box.left - ASIDE, box.top - OVERHANG, box.right - 1 + ASIDE, box.bottom - 1 + OVERHANG)
            pen.rectangle(edges, fill=PAINT)
    sink = io.BytesIO()
    if picture.media_type == "image/png":
        shown.save(sink, "PNG", compress_level=1)
    else:
        shown.save(sink, picture.media_type.removeprefix("image/").upper(), quality=85)
    return replace(picture, data=sink.getvalue())


def number_boxes(picture: Screenshot, boxes: Mapping[int, Box | None]) -> Screenshot | None:
    """The picture as PNG with a frame around each box and its number at its left; None has no frame.

    Returns:
        None when the picture is damaged.
    """
    from PIL import ImageDraw, ImageFont

    shown = _decode(picture)
    if shown is None:
        return None
    pen, font = ImageDraw.Draw(shown), ImageFont.load_default(LABEL_SIZE)
    for number, box in boxes.items():
        if box is None:
            continue
        frame, width = box.grow(2), round(pen.textlength(str(number), font=font)) + 6
        pen.rectangle(frame.edges, outline=MARK, width=2)
        # Where there is no room at its left, the number lies on the frame.
        x, y = max(0, frame.edges[0] - width), max(0, frame.edges[1])
        pen.rectangle((x, y, x + width, y + LABEL_SIZE + 2), fill=MARK)
        pen.text((x + 3, y), str(number), fill="white", font=font)
    sink = io.BytesIO()
    shown.save(sink, "PNG", compress_level=1)
    return Screenshot(sink.getvalue(), picture.size)


def _decode(picture: Screenshot) -> Image | None:
    """The picture in RGB; None if it is damaged."""
    try:
        return image_of(picture.data)
    except (OSError, SyntaxError, ValueError):
        return None
