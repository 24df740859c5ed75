"""A scripted model that does tasks on applications: it knows the way, and of the screen what it is sent.

It points perfectly at what is listed and at nothing else; what is not listed it scrolls for, and what did not
work it does once more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.end_to_end.models import phone_model
from tests.end_to_end.models.phone_model import failed, judged, on_screen, texts

BATCHED = ("fill", "tick", "untick", "choose")
"""What changes so little that the next step may be planned with it."""
TRIES = 6
"""How often a step is tried, or its thing looked for, before the model gives up."""
_PART = re.compile(r"\[(\d+)\]\*?\s?(.*?)(?= \| \[\d+\]|$)")
_CONTROL = re.compile(r'([a-z]+)(?: "((?:[^"\\]|\\.)*)")?(?:$| = | \(| at the point | options: )')
_TEXTBOX = ("textbox", "searchbox", "spinbutton", "combobox")


@dataclass(frozen=True)
class Thing(phone_model.Thing):
    """Something in the list of a request, and the line it stands in."""

    line: str


@dataclass(frozen=True)
class Memory:
    """What the model keeps in its plan: the step that it began with, the one after the last, and tries."""

    start: int = 0
    place: int = 0
    tries: int = 0

    def __str__(self) -> str:
        return f"from {self.start} to {self.place}, tried {self.tries}"


def answer(body: dict[str, Any], way: Sequence[str], number: Callable[[], int]) -> dict[str, Any]:
    """The answer of a service to a request."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if "tools" in body:
        function = {"name": "decide", "arguments": json.dumps(decided(body, way))}
        message["tool_calls"] = [{"id": f"call_{number()}", "type": "function", "function": function}]
    else:
        message["content"] = judged(texts(body)[-1])
    finish = "tool_calls" if "tools" in body else "stop"
    usage = {"prompt_tokens": 900, "completion_tokens": 20}
    return {"choices": [{"index": 0, "finish_reason": finish, "message": message}], "usage": usage}


def decided(body: dict[str, Any], way: Sequence[str]) -> dict[str, Any]:
    """The next actions: as many as can be pointed at now and leave the screen as it is."""
    said = texts(body)
    memory = _remembered(body, said)
    if memory.tries >= TRIES:
        why = f"no way to: {way[memory.place]}"
        return {"thought": "", "end": {"kind": "give_up", "reason": why}}
    things = listed(said)
    place, actions = memory.place, []
    while place < len(way) and len(actions) < 5:
        action = _action(way[place], things)
        if action is None:
            break
        actions.append(action)
        place += 1
        if not way[place - 1].startswith(BATCHED):
            break
    if not actions and place < len(way):
        # Farther down, or still to come.
        looked = {"kind": "scroll", "down": 500} if memory.tries % 2 else {"kind": "wait", "seconds": 1}
        return _said([looked], Memory(place, place, memory.tries + 1))
    if not actions:
        return _said([], memory, {"kind": "finish"})
    return _said(actions, Memory(memory.place, place, memory.tries))


def _said(actions: Sequence[dict[str, Any]], memory: Memory, end: Any = None) -> dict[str, Any]:
    return {"plan": str(memory), "actions": list(actions), "end": end}


def _remembered(body: dict[str, Any], said: Sequence[str]) -> Memory:
    """Where the model is, by its own last plan and what came of it."""
    calls = [call for message in body["messages"] for call in message.get("tool_calls") or ()]
    mine = calls[-1]["function"]["arguments"] if calls else ""
    plan = re.search(r"from (\d+) to (\d+), tried (\d+)", mine)
    if plan is None:
        return Memory()
    start, place, tries = (int(part) for part in plan.groups())
    if start == place:
        return Memory(place, place, tries)
    told = next((text for text in reversed(said) if "⟦outcome" in text), "")
    came = re.findall(r"^\d+\. .*", told.rpartition("⟦outcome")[2].partition("⟦screen")[0], re.MULTILINE)
    done = sum(not _refused(line) for line in came)
    return Memory(start + done, start + done, 0 if done == place - start else tries + 1)


def _refused(line: str) -> bool:
    """Whether something has to be done again: keys may well show nothing."""
    return failed(line) and "nothing visible changed" not in line


def listed(said: Sequence[str]) -> list[Thing]:
    """What is on the screen, with the lines that it stands in."""
    return on_screen(said, _in_line)


def _in_line(line: str) -> Iterator[Thing]:
    for mark, told in _PART.findall(line) if line.startswith("[") else ():
        control = _CONTROL.match(told)
        # A text stands there as it is; one small word may be a role or a text.
        role, name = (control[1], control[2] or "") if control else ("text", told)
        shown = name.replace('\\"', '"') or (told if told == role else "")
        yield Thing(int(mark), role, shown, line)


def find(things: Sequence[Thing], words: str, roles: Sequence[str] = ()) -> Thing | None:
    """The thing that some words of the way mean, None when nothing that is listed fits."""
    words, _, row = words.partition(" @ ")
    role, colon, name = words.partition(":")
    if colon and re.fullmatch("[a-z]+", role):
        roles = (role,)
    else:
        name = words
    fits = [one for one in things if (not roles or one.role in roles) and (not row or row in one.line)]
    ordinal = re.fullmatch(r"#(-?\d+)", name)
    if ordinal:
        place = int(ordinal[1])
        return fits[place - (place > 0)] if fits and -len(fits) <= place <= len(fits) else None
    wanted = _plain(name)
    exact = [one for one in fits if _plain(one.name) == wanted]
    near = [one for one in fits if wanted and wanted in _plain(one.name)]
    return min(exact or near, key=lambda one: one.role in ("text", "heading"), default=None)


def _plain(name: str) -> str:
    return " ".join(name.casefold().rstrip(" :*").split())


def _action(step: str, things: Sequence[Thing]) -> dict[str, Any] | None:
    """A step as an action, None when its thing is not listed."""
    verb, _, rest = step.partition(" ")
    if verb == "key":
        return {"kind": "press", "keys": rest.split("+")}
    if verb == "type":
        return {"kind": "type", "text": rest}
    name, _, value = rest.partition(" = ")
    roles: Sequence[str] = ()
    if verb == "fill" and ":" not in name:
        roles = (*_TEXTBOX, "slider")
    if verb in ("tick", "untick"):
        roles = ("checkbox", "switch", "radio", "togglebutton")
    if verb == "choose":
        roles = ("combobox", "listbox")
    thing = find(things, name if verb in ("fill", "choose") else rest, roles)
    if thing is None:
        return None
    at = {"mark": thing.mark}
    if verb == "fill":
        return {"kind": "type", "at": at, "text": value, "replace": True}
    if verb == "choose":
        return {"kind": "choose", "at": at, "option": value}
    if verb in ("tick", "untick"):
        return {"kind": "check", "at": at, "on": verb == "tick"}
    return {
        "kind": "click",
        "at": at,
        "clicks": 2 if verb == "double" else 1,
        "button": "right" if verb == "right" else "left",
    }
