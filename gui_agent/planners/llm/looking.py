"""What a model may ask to see before it decides: a part of the picture, or more text than is in sight.

None of it is an action: nothing is sent to the device, and no step of the run is used up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gui_agent.core import dialogue
from gui_agent.core.dialogue import Call, Part, Reply, Results, Tool, ToolResult
from gui_agent.core.errors import ActionFailed
from gui_agent.core.geometry import Box
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Situation
from gui_agent.core.texts import normal
from gui_agent.elements.image_regions import crop
from gui_agent.planners.llm.prompts import untrusted
from gui_agent.planners.llm.rendering import screen_text

LARGER = 2
"""How many times a part of the picture is enlarged."""
PAGE = 8_000
"""Characters of one answer at most."""
AROUND = 2
"""Lines before and after one that holds the words that are looked for."""
_CORNER = {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}}

LOOK = Tool(
    "look",
    "See a part of the picture enlarged. Costs no step.",
    {"type": "object", "properties": {"from": _CORNER, "to": _CORNER}, "required": ["from", "to"]},
)
READ = Tool(
    "read",
    "Read all text in front, also what has to be scrolled to. Costs no step.",
    {
        "type": "object",
        "properties": {
            "find": {"type": "string", "description": "only the lines around these words"},
            "part": {"type": "integer", "description": "of a long text, 1 is the first part"},
        },
    },
)
LOOKING = (LOOK, READ)


def only_looks(reply: Reply) -> bool:
    """Whether a reply wants nothing but to see more."""
    names = {tool.name for tool in LOOKING}
    return bool(reply.calls) and all(call.look or call.name in names for call in reply.calls)


def looked(reply: Reply, situation: Situation) -> dialogue.Turn:
    """The answers to the calls of such a reply."""
    return Results(tuple(ToolResult(call.id, _shown(call, situation)) for call in reply.calls))


def _shown(call: Call, situation: Situation) -> tuple[Part, ...]:
    if call.error:
        return (call.error,)
    if call.name == READ.name:
        return (_read(call.arguments, situation),)
    shot = situation.observation.screenshot
    if shot is None:
        return ("There is no picture of this screen; go by the texts.",)
    region = call.region or _region(call.arguments, situation.observation)
    # Points are on the last picture, so the whole screen follows.
    return (crop(shot, region, LARGER), "And the whole screen:", shot) if region else (shot,)


def _region(given: Mapping[str, Any], observation: Observation) -> Box | None:
    """The part between two corners, None when they span nothing."""
    one, other = given.get("from"), given.get("to")
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return None
    try:
        (left, right), (top, bottom) = (sorted((int(one[side]), int(other[side]))) for side in ("x", "y"))
    except (KeyError, TypeError, ValueError):
        return None
    part = Box(left, top, right - left, bottom - top)
    return part.intersect(Box(0, 0, observation.size.width, observation.size.height))


def _read(given: Mapping[str, Any], situation: Situation) -> str:
    text = _whole(situation)
    lines = [line for line in (" ".join(line.split()) for line in text.splitlines()) if line]
    wanted = given.get("find")
    if isinstance(wanted, str) and wanted.strip():
        places = [number for number, line in enumerate(lines) if normal(wanted) in normal(line)]
        if not places:
            return f"Nothing there holds these words; {len(lines)} lines were searched."
        near = sorted({n for place in places for n in range(place - AROUND, place + AROUND + 1)})
        lines = [lines[number] for number in near if 0 <= number < len(lines)]
    text = "\n".join(lines) or "Nothing."
    parts = -(-len(text) // PAGE)
    number = given.get("part")
    number = min(max(1, number), parts) if isinstance(number, int) else 1
    told = untrusted(text[(number - 1) * PAGE : number * PAGE], "text")
    return f"Part {number} of {parts}:\n{told}" if parts > 1 else told


def _whole(situation: Situation) -> str:
    """All text there is; where the computer reads no further than the screen, that of the list."""
    if situation.text is not None:
        try:
            return situation.text()
        except ActionFailed as failure:
            return f"It cannot be read now: {failure}"
    return screen_text(situation.observation, situation.task.text, 10 * PAGE)
