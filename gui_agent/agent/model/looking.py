"""Showing the screen again to a model that asks for it before it decides."""

from __future__ import annotations

import io

from gui_agent.core import dialogue
from gui_agent.core.dialogue import Call, Part, Reply, Result, Results
from gui_agent.core.geometry import Box, Size
from gui_agent.core.observation import Observation, Screenshot

LARGER = 2
"""How many times a region is enlarged."""


def looked(reply: Reply, observation: Observation) -> tuple[dialogue.Turn, ...]:
    """The answer to calls that only want to see; nothing when the model only wants to be asked again."""
    if not reply.calls:
        return ()
    return (Results(tuple(Result(call.id, _shown(call, observation)) for call in reply.calls)),)


def _shown(call: Call, observation: Observation) -> tuple[Part, ...]:
    """The region asked for, enlarged, and then the whole screen: points are on the last picture."""
    shot = observation.screenshot
    if shot is None:
        return ("There is no picture of this screen; go by the texts.",)
    return (crop(shot, call.region, LARGER), "And the whole screen:", shot) if call.region else (shot,)


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
