"""Builds recordings in the form of MiniWoB++'s recorder: a page, and the events of a person on it."""

from __future__ import annotations

import copy
import json
from typing import Any

CLEAR, BLACK = "rgba(0, 0, 0, 0)", "rgb(0, 0, 0)"
Json = dict[str, Any]


class Page:
    """Makes nodes; each gets the next number and the next place below the one before."""

    def __init__(self) -> None:
        self._number = 1
        self._top = 50

    def node(self, tag: str, *children: Json, text: str = "", **more: Any) -> Json:
        """A node with its place, `box`, as (left, top, width, height)."""
        left, top, width, height = more.pop("box", None) or (5, self._top, 60, 12)
        self._number += 1
        self._top += 0 if children else 14
        made = {"tag": tag, "left": left, "top": top, "width": width, "height": height, "ref": self._number}
        made |= {"children": list(children), "id": "", "classes": "", "bgColor": CLEAR, "fgColor": BLACK}
        if tag == "t":
            made["ref"] = -self._number
        if not children:
            made["text"] = text
        return made | more

    def field(self, kind: str = "text", value: str | bool = "", **more: Any) -> Json:
        """An input."""
        return self.node(f"INPUT_{kind}", value=value, **more)


class Tape:
    """A recording while it is made."""

    def __init__(self, said: str, *nodes: Json, reward: float = 1, task: str = "some-page") -> None:
        area = {"tag": "DIV", "left": 0, "top": 50, "width": 160, "height": 160, "ref": 0, "id": "area"}
        area |= {"classes": "", "children": list(nodes), "bgColor": CLEAR, "fgColor": BLACK}
        self.body: Json = area | {
            "tag": "BODY",
            "id": "",
            "ref": 1,
            "top": 0,
            "height": 210,
            "children": [area],
        }
        self._said, self._reward, self._task = said, reward, task
        self._time = 0
        self._states: list[Json] = [{"time": 0, "action": None, "dom": copy.deepcopy(self.body)}]

    def event(self, kind: str, on: Json, *, wait: int = 100, **more: Any) -> None:
        """One event, as it is kept on its way down and on its way up."""
        self._time += wait
        if kind in ("mousedown", "mouseup", "click", "dblclick"):
            more = {"x": on["left"] + 3, "y": on["top"] + 3} | more
        on["recordingTarget"] = True
        for phase in (1, 3):
            action = {"type": kind, "timing": phase, **more}
            state = {"time": self._time, "action": action, "dom": copy.deepcopy(self.body)}
            self._states.append(state)
        del on["recordingTarget"]

    def click(self, on: Json, **more: Any) -> None:
        """Press and release the left button on something."""
        for kind in ("mousedown", "mouseup", "click"):
            self.event(kind, on, **more)

    def key(self, code: int, on: Json, *, character: int = 0) -> None:
        """Press and release a key."""
        self.event("keydown", on, keyCode=code, charCode=0)
        if character:
            self.event("keypress", on, keyCode=character, charCode=character)
        self.event("keyup", on, keyCode=code, charCode=0)

    def type(self, text: str, on: Json) -> None:
        """Type into something; `<` is Backspace. A field takes it."""
        for letter in text:
            self.event("keydown", on, keyCode=8 if letter == "<" else ord(letter.upper()), charCode=0)
            if letter != "<":
                self.event("keypress", on, keyCode=ord(letter), charCode=ord(letter))
            if "value" in on:
                on["value"] = on["value"][:-1] if letter == "<" else on["value"] + letter
            self.event("keyup", on, keyCode=0, charCode=0)

    def json(self) -> Json:
        """The recording as the server gets it."""
        last = {"time": self._time + 500, "action": None, "dom": copy.deepcopy(self.body)}
        done = {"taskName": self._task, "utterance": self._said, "reward": 0.9 * self._reward}
        return done | {"rawReward": self._reward, "states": [*self._states, last]}

    def text(self) -> str:
        """The recording as a file holds it."""
        return json.dumps(self.json())
