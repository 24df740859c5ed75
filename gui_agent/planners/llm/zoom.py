"""Shows the screen again to a model that asks for it before it decides."""

from __future__ import annotations

from gui_agent.core import dialogue
from gui_agent.core.dialogue import Call, Part, Reply, Results, ToolResult
from gui_agent.core.observation import Observation
from gui_agent.elements.image_regions import crop

LARGER = 2
"""How many times a region is enlarged."""


def looked(reply: Reply, observation: Observation) -> tuple[dialogue.Turn, ...]:
    """The answer to calls that only want to see."""
    return (Results(tuple(ToolResult(call.id, _shown(call, observation)) for call in reply.calls)),)


def _shown(call: Call, observation: Observation) -> tuple[Part, ...]:
    """The region asked for, enlarged, and then the whole screen: points are on the last picture."""
    shot = observation.screenshot
    if shot is None:
        return ("There is no picture of this screen; go by the texts.",)
    return (crop(shot, call.region, LARGER), "And the whole screen:", shot) if call.region else (shot,)
