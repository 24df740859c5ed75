"""The answers of models that act in a language of their own, written as `gui_agent.models` reads them.

What is written is read back at once: an answer that would be read as another action is refused, so that no
model is trained on it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any, cast

from gui_agent.core import actions as do
from gui_agent.core.aiming import aim, places
from gui_agent.core.dialogue import Call, Part, Reply, Request, Tool, Turn
from gui_agent.core.errors import BadReply, ConfigError
from gui_agent.core.observation import Point, Screenshot, Size
from gui_agent.core.trajectory import End, Finish, Step
from gui_agent.elements.describe import describe_step
from gui_agent.models import messages
from gui_agent.models.codec import ModelView, prepare
from gui_agent.models.dialects import Dialect, PointerContext, qwen, uitars
from gui_agent.models.families import Family, family
from gui_agent.models.pictures import NOTCH, Space

TOOLS, JSON = "tools", "json"
FAMILIES = {"uitars": "ui-tars-1.5", "qwen": "qwen3-vl", "claude": "claude-2025-11"}
"""The family of models that each short name stands for."""
FAR = uitars.NOTCHES * NOTCH
Said = tuple[str, dict[str, Any]]
"""The name and the arguments of a call."""


def _table(lines: str) -> Mapping[str, str]:
    """The call for each kind of action or end, as `name argument=field ...`."""
    return dict(line.strip().split(": ", 1) for line in lines.strip().splitlines())


UITARS = _table("""
    click left 1: click point=at
    click left 2: left_double point=at
    click left 3: triple_click point=at
    click right 1: right_single point=at
    click middle 1: middle_click point=at
    move: hover point=at
    drag: drag start_point=at end_point=to
    scroll: scroll point=at direction=way
    scroll sideways: scroll point=at direction=way
    long_press: long_press point=at
    type: type content=text
    press: hotkey key=keys
    open: open_app app_name=name
    back: press_back
    wait: wait time=seconds
    finish: finished content=answer
    ask: call_user content=question
""")
QWEN = _table("""
    click left 1: left_click coordinate=at
    click left 2: double_click coordinate=at
    click left 3: triple_click coordinate=at
    click right 1: right_click coordinate=at
    click middle 1: middle_click coordinate=at
    move: mouse_move coordinate=at
    drag: left_click_drag start_coordinate=at coordinate=to
    swipe: swipe coordinate=at coordinate2=to
    scroll: scroll coordinate=at pixels=up
    scroll sideways: hscroll coordinate=at pixels=right
    long_press: long_press coordinate=at time=seconds
    type: type text=text
    press: key keys=keys
    open: open text=name
    navigate: visit_url url=url
    switch: switch_tab text=to
    back: history_back
    wait: wait time=seconds
    finish: answer text=answer
    finish plain: terminate status='success'
    give_up: terminate status='failure' text=reason
    ask: interact text=question
""")
CLAUDE = _table("""
    click left 1: left_click coordinate=at
    click left 2: double_click coordinate=at
    click left 3: triple_click coordinate=at
    click right 1: right_click coordinate=at
    click middle 1: middle_click coordinate=at
    move: mouse_move coordinate=at
    drag: left_click_drag start_coordinate=at coordinate=to
    scroll: scroll coordinate=at scroll_direction=way scroll_amount=notches
    scroll sideways: scroll coordinate=at scroll_direction=way scroll_amount=notches
    type: type text=text
    press: key text=chord
    hold: hold_key text=chord duration=seconds
    wait: wait duration=seconds
""")
_TABLES: Mapping[Dialect | None, Mapping[str, str]] = {uitars.LINES: UITARS, qwen.CALLS: QWEN, None: CLAUDE}
_ENDS = {"finish": "DONE", "give_up": "FAILED", "ask": "ASK"}
"""How an answer begins that ends the task, for models whose actions have no end."""
COMPUTER = Tool(
    "computer",
    "Use mouse and keyboard on the screen of the last picture.",
    {"type": "object", "properties": {"action": {"type": "string"}}, "required": ["action"]},
)
"""Claude's own tool, which its provider's service describes to the model."""


class Unwritable(Exception):
    """A language has no words for a step, so its run is left out."""


@dataclass(frozen=True, slots=True)
class Language:
    """How a family of models says what it does on a picture."""

    family: Family

    @property
    def calls(self) -> bool:
        """Whether its answers are calls of a tool, and not text."""
        return self.family.dialect is None

    @property
    def _view(self) -> ModelView:
        return ModelView(self.family.name, self.family, self.family.tool_wire or "chat")

    def request(self, turns: Sequence[Turn], system: str, platform: str) -> Request:
        """A conversation as such a model gets it: with its actions explained, and in its coordinates."""
        asked = Request("plan", tuple(turns), system, computer=True, platform=platform)
        return prepare(asked, self._view.for_request(asked))

    def part_in_size(self, part: Part) -> Part:
        """A part of a message, a screenshot in the size to which the coordinates belong."""
        if isinstance(part, str):
            return part
        media, code = self._view.picture(part)
        return Screenshot(base64.b64decode(code), self.family.rule.size(part.size), cast(Any, media))

    def reply(self, number: int, thought: str, step: Step | None, end: End | None, size: Size) -> Reply:
        """The answer that takes a step, or that ends the run.

        Args:
            number: of the answer, for the ids of its calls.
            size: of the screen.

        Raises:
            Unwritable: the language has no words for it.
        """
        space = self.family.space(size)
        far = FAR if self.family.dialect is uitars.LINES else 0
        acts = [] if step is None else [*_parts_of(step, far)]
        ended = [] if end is None else [type(end)(_words_of(end))]
        write = self._as_calls if self.calls else self._as_text
        try:
            reply, read = write(number, thought, acts, ended, space)
        except (KeyError, BadReply):
            reply, read = Reply(), []
        if read != [*(_on_grid(act, space) for act in acts), *ended]:
            told = "" if step is None else describe_step(step)
            raise Unwritable(f"{self.family.name} has no words for {told.partition(' ')[0] or 'this end'}")
        return reply

    def _as_text(
        self, number: int, thought: str, acts: Sequence[Any], ended: Sequence[End], space: Space
    ) -> tuple[Reply, list[Any]]:
        """A text, and what it is read as."""
        dialect = self.family.dialect
        assert dialect is not None
        said = [_call_for(one, _TABLES[dialect], space) for one in (*acts, *ended)]
        text = (_lines if dialect is uitars.LINES else _calls_text)(thought, said)
        read = dialect.read(text, PointerContext(space))
        return Reply(text), [*read.proposals, *filter(None, [read.end])]

    def _as_calls(
        self, number: int, thought: str, acts: Sequence[Any], ended: Sequence[End], space: Space
    ) -> tuple[Reply, list[Any]]:
        """Calls of the computer tool, and what they are read as; an end is text."""
        said = [_call_for(one, CLAUDE, space) for one in acts]
        made = [
            Call(f"call_{number}_{n}", COMPUTER.name, {"action": name, **given})
            for n, (name, given) in enumerate(said)
        ]
        blocks = [{"id": one.id, "name": one.name, "input": one.arguments} for one in made]
        view = replace(self._view, space=space)
        read = chain.from_iterable(messages.call(block, view, None).proposals for block in blocks)
        text = "".join(f"{_ENDS[end.kind]}: {_words_of(end)}" for end in ended).removesuffix(": ")
        return Reply(text or thought, calls=tuple(made), stop="calls" if made else "end"), [*read, *ended]


def language(name: str) -> Language | None:
    """The language of a form of answers; None for the forms of guiagent's own planner, `tools` and `json`.

    Raises:
        ConfigError: there is no such form.
    """
    if name in (TOOLS, JSON):
        return None
    found = family("", FAMILIES.get(name, name))
    if found.dialect not in _TABLES or not (found.dialect or found.tool_wire == "messages"):
        known = ", ".join((JSON, TOOLS, *FAMILIES))
        raise ConfigError(f"--answers {name}: guiagent does not write that language; use one of {known}")
    return Language(found)


def _parts_of(step: Step, far: int = 0) -> Iterator[Any]:
    """A step in the actions that these languages share.

    Args:
        far: pixels of every scroll, in a language that has a direction and no distance; 0 elsewhere.
    """
    match step.action:
        case do.TypeText(text, at, replaces):
            yield from [] if at is None else [do.Click(at)]
            yield from [do.Press(("ctrl", "a"))] if replaces else []
            yield do.TypeText(text) if text else do.Press(("delete",))
        case do.Check(at, on):
            box = step.found["at"].element
            yield from [] if box and ("checked" in box.states) == on else [do.Click(at)]
        case do.Scroll(at, down, right) if far:
            yield do.Scroll(at, *(far * ((one > 0) - (one < 0)) for one in (down, right)))
        case do.Press(keys, times):
            yield from [do.Press(keys)] * times
        case act:
            yield act


def _on_grid(act: Any, space: Space) -> Any:
    """An action at the points to which its coordinates lead back, at most a pixel away."""
    return aim(act, {name: space.point(*space.units(point)) for name, point in places(act).items()})


def _words_of(end: End) -> str:
    """The answer, the reason or the question of an end."""
    return str(getattr(end, fields(end)[0].name))


def _call_for(one: Any, table: Mapping[str, str], space: Space) -> Said:
    """The call for an action or an end. Raises KeyError: the language has none."""
    known = {field.name: getattr(one, field.name) for field in fields(one)}
    kind = one.kind
    match one:
        case do.Click(_, button, clicks):
            kind = f"click {button} {clicks}"
        case do.Scroll(_, down, right):
            kind, amount = ("scroll", down) if down else ("scroll sideways", right)
            known["up"], known["notches"] = -down, abs(amount) / NOTCH
            known["way"] = (("down", "up") if down else ("right", "left"))[amount < 0]
        case Finish("") if "finish plain" in table:
            kind = "finish plain"
        case do.Press(keys) | do.Hold(keys):
            known["chord"] = "+".join(keys)
    name, *given = table[kind].split()
    return name, {key: _value(known, field, space) for key, field in (one.split("=") for one in given)}


def _value(known: Mapping[str, Any], name: str, space: Space) -> Any:
    value = name.strip("'") if name.startswith("'") else known[name]
    return space.units(value) if isinstance(value, Point) else value


def _lines(thought: str, said: Sequence[Said]) -> str:
    calls = (f"{name}({', '.join(map(_argument, given.items()))})" for name, given in said)
    return f"Thought: {thought}\nAction: " + "\n\n".join(calls)


_ESCAPES = str.maketrans({"\\": r"\\", "'": r"\'", "\n": r"\n", "\t": r"\t"})


def _argument(pair: tuple[str, Any]) -> str:
    name, value = pair
    if isinstance(value, tuple):
        value = " ".join(map(str, value)) if name == "key" else f"<point>{value[0]:g} {value[1]:g}</point>"
    return f"{name}='{str(value).translate(_ESCAPES)}'"


def _calls_text(thought: str, said: Sequence[Said]) -> str:
    made = [{"name": "computer_use", "arguments": {"action": name, **given}} for name, given in said]
    calls = (f"<tool_call>\n{json.dumps(one, ensure_ascii=False)}\n</tool_call>" for one in made)
    return "\n".join([*filter(None, [thought]), *calls])
