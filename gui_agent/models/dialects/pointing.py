"""Dialects of models that only point: a pair of numbers, a box, or a small JSON object."""

from __future__ import annotations

import re
from collections.abc import Callable

from gui_agent.core.actions import Click
from gui_agent.core.errors import BadReply
from gui_agent.core.parsing import parse_json
from gui_agent.models import _fields as fields
from gui_agent.models.dialects import Dialect, PointerContext, Saying, qwen
from gui_agent.models.pictures import Space

_THINK = re.compile(r"<(think|thinking)>(.*?)</\1>", re.DOTALL)
_NUMBER = r"\s*-?\d+(?:\.\d+)?\s*"
_PAIR = re.compile(rf"[\[(]({_NUMBER},{_NUMBER})[\])]")
_FOUR = re.compile(rf"[\[(]({_NUMBER}(?:,{_NUMBER}){{3}})[\])]")
_CORNERS = re.compile(rf"\(({_NUMBER},{_NUMBER})\)\s*,\s*\(({_NUMBER},{_NUMBER})\)")
_OBJECT = re.compile(r"\{[^{}]*\}")


def read_pair(text: str, where: PointerContext) -> Saying:
    """Parse the last `(x, y)` or `[x, y]` of an answer."""
    thought, said = _split_thought(text)
    found = _PAIR.findall(said)
    if not found:
        raise BadReply("there is no point in the answer; write it as (x, y)")
    return Saying(thought, (Click(where.space.point(*fields.pair(found[-1], "point"))),))


def read_box(text: str, where: PointerContext) -> Saying:
    """Parse the last box of an answer, `[[x1,y1,x2,y2]]` or two corners; its centre is the point."""
    thought, said = _split_thought(text)
    boxes = [*_FOUR.findall(said), *(",".join(corners) for corners in _CORNERS.findall(said))]
    if not boxes:
        return read_pair(text, where)
    return Saying(thought, (Click(where.space.point(*fields.pair(boxes[-1], "box"))),))


def read_object(text: str, where: PointerContext) -> Saying:
    """Parse the last JSON object with `x` and `y`."""
    thought, said = _split_thought(text)
    for written in reversed(_OBJECT.findall(said)):
        try:
            given = parse_json(written)
        except ValueError:
            continue
        if "x" in given and "y" in given:
            at = where.space.point(fields.number(given, "x"), fields.number(given, "y"))
            return Saying(thought, (Click(at),))
    return read_pair(text, where)


def _split_thought(text: str) -> tuple[str, str]:
    thought = " ".join(inner.strip() for _, inner in _THINK.findall(text))
    return thought, _THINK.sub("", text)


def _no_actions(space: Space, platform: str) -> str:
    return "Find what is described on the picture."


def _asking(form: str) -> Callable[[Space, str], str]:
    def ask(space: Space, what: str) -> str:
        size = f"The picture's height is {space.height:g} and its width is {space.width:g}."
        return (
            f"You find elements on a screen. {size} Answer with {form} and nothing else.\nFind this: {what}"
        )

    return ask


PAIR = Dialect("point", read_pair, _no_actions, _asking("the middle of the element as (x,y)"))
GTA1 = Dialect("GTA1 point", read_pair, _no_actions, _asking("exactly one coordinate pair (x,y)"))
BOXES = Dialect("box", read_box, _no_actions, _asking("the element's box as [[x1,y1,x2,y2]]"))
HOLO = Dialect(
    "Holo point",
    read_object,
    _no_actions,
    _asking('one JSON object {"action": "click_absolute", "x": x, "y": y}'),
)
JEDI = Dialect("Jedi tool call", qwen.read, _no_actions, qwen.CALLS.point)
