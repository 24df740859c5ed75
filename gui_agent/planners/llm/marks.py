"""Set-of-mark drawing: the numbers of the elements on the picture (after Yang et al. 2023)."""

from __future__ import annotations

import io

from gui_agent.core.observation import Observation, Screenshot

_COLORS = ("#d81b60", "#1e88e5", "#2e7d32", "#8e24aa", "#e65100")


def draw_marks(observation: Observation) -> Screenshot | None:
    """The screenshot with a frame and the number on every control, None when there is no screenshot."""
    shot = observation.screenshot
    if shot is None:
        return None
    from PIL import Image, ImageDraw

    with Image.open(io.BytesIO(shot.data)) as image:
        drawn = image.convert("RGB")
    pen = ImageDraw.Draw(drawn)
    for element in observation.controls:
        box, color = element.box, _COLORS[element.id % len(_COLORS)]
        pen.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), outline=color, width=2)
        label = str(element.id)
        top = max(0, box.top - 11)
        pen.rectangle((box.left, top, box.left + 6 * len(label) + 3, top + 11), fill=color)
        pen.text((box.left + 2, top), label, fill="white")
    written = io.BytesIO()
    drawn.save(written, "PNG", compress_level=1)
    return Screenshot(written.getvalue(), shot.size)
