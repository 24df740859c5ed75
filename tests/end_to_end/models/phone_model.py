"""A scripted model that operates phones: all it knows of the moment is the request that it was sent.

Like a model it has learned how apps are used: which buttons lead from a request such as `Delete the note ...`
to its end. What it says is decided by the words of the request alone: the task, its own plan of the last
time, what came of its last actions, and the list of elements, or the picture where it is sent nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

Want = tuple[str, ...]
"""A verb, what it is about, and a value."""
SEARCHES = 8
KNOWN: dict[str, tuple[Want, ...]] = {
    r"Turn the dark theme (on|off)": (
        ("open", "Settings"),
        ("tap", "Display"),
        ("check", "Dark theme", "{0}"),
    ),
    r"Let the screen turn when the phone is turned()": (
        ("open", "Settings"),
        ("tap", "Display"),
        ("check", "Auto-rotate screen", "on"),
    ),
    r"Turn Wi-Fi (on)": (
        *(("open", "Settings"), ("tap", "Network & internet"), ("tap", "Internet")),
        ("check", "Wi-Fi", "{0}"),
    ),
    r"Connect to the Wi-Fi (.+) with the password (.+)": (
        *(("open", "Settings"), ("tap", "Network & internet"), ("tap", "Internet"), ("tap", "{0}")),
        *(("fill", "Password", "{1}"), ("tap", "Connect")),
    ),
    r"Turn Wi-Fi on and join the open network (.+)": (
        *(("open", "Settings"), ("tap", "Network & internet"), ("tap", "Internet")),
        *(("check", "Wi-Fi", "on"), ("tap", "{0}")),
    ),
    r"Turn off the notifications of (.+)": (
        ("open", "Settings"),
        ("tap", "Notifications"),
        ("check", "{0}", "off"),
    ),
    r"Set the font size to (.+)": (
        ("open", "Settings"),
        ("tap", "Display"),
        ("tap", "Font size"),
        ("tap", "{0}"),
    ),
    r"Set the language of the phone to (.+)": (
        ("open", "Settings"),
        ("tap", "System"),
        ("tap", "Languages"),
        ("tap", "{0}"),
    ),
    r"Create the contact (.+) with the number (.+)": (
        *(("open", "Contacts"), ("tap", "Create contact")),
        *(("fill", "Name", "{0}"), ("fill", "Phone", "{1}"), ("tap", "Save")),
    ),
    r"Delete the contact (.+)": (
        *(("open", "Contacts"), ("tap", "{0}"), ("tap", "Delete"), ("tap", "Delete")),
    ),
    r"Change the number of (.+) to (.+)": (
        *(("open", "Contacts"), ("tap", "{0}"), ("tap", "Edit")),
        *(("fill", "Phone", "{1}"), ("tap", "Save")),
    ),
    r"Rename the contact (.+?) to (.+)": (
        *(("open", "Contacts"), ("tap", "{0}"), ("tap", "Edit")),
        *(("fill", "Name", "{1}"), ("tap", "Save")),
    ),
    r"Make (.+) a favorite contact": (("open", "Contacts"), ("tap", "{0}"), ("tap", "Add to favorites")),
    r"Send the message (.+) to (.+)": (
        ("open", "Messages"),
        *(("tap", "{1}"), ("fill", "Text message", "{0}"), ("tap", "Send SMS")),
    ),
    r"Send (.+) to (.+) and to (.+)": (
        ("open", "Messages"),
        *(("tap", "{1}"), ("fill", "Text message", "{0}"), ("tap", "Send SMS")),
        *(("back until", "{2}"), ("tap", "{2}"), ("fill", "Text message", "{0}"), ("tap", "Send SMS")),
    ),
    r"Allow Messages to work with SMS and send (.+) to (.+)": (
        *(("open", "Messages"), ("tap", "Allow")),
        *(("tap", "{1}"), ("fill", "Text message", "{0}"), ("tap", "Send SMS")),
    ),
    r"Delete the conversation with (.+)": (
        ("open", "Messages"),
        ("hold", "{0}"),
        ("tap", "Delete conversation"),
    ),
    r"Turn the alarm of (.+) (on|off)": (("open", "Clock"), ("check", "{0}", "{1}")),
    r"Set an alarm for (\d+):(\d+) called (.+)": (
        *(("open", "Clock"), ("tap", "Add alarm"), ("fill", "Hour", "{0}"), ("fill", "Minute", "{1}")),
        *(("fill", "Label", "{2}"), ("tap", "Save alarm")),
    ),
    r"Set an alarm for (\d+):(\d+) on (\w+) and (\w+)": (
        *(("open", "Clock"), ("tap", "Add alarm"), ("fill", "Hour", "{0}"), ("fill", "Minute", "{1}")),
        *(("check", "{2}", "on"), ("check", "{3}", "on"), ("tap", "Save alarm")),
    ),
    r"Delete the alarm of (.+)": (("open", "Clock"), ("hold", "{0}"), ("tap", "Delete alarm")),
    r"Write a note called (.+) with the text (.+)": (
        *(("open", "Notes"), ("tap", "New note")),
        *(("fill", "Title", "{0}"), ("fill", "Note", "{1}"), ("tap", "Save")),
    ),
    r"Change the text of the note (.+?) to (.+)": (
        *(("open", "Notes"), ("tap", "{0}"), ("fill", "Note", "{1}", "2"), ("tap", "Save")),
    ),
    r"Add (.+) at the end of the note (.+)": (
        *(("open", "Notes"), ("tap", "{1}"), ("append", "Note", "{0}", "2"), ("tap", "Save")),
    ),
    r"Delete the note (.+)": (
        *(("open", "Notes"), ("tap", "{0}"), ("tap", "More options"), ("tap", "Delete"), ("tap", "Delete")),
    ),
    r"Pin the note (.+)": (("open", "Notes"), ("hold", "{0}"), ("tap", "Pin")),
    r"Put (\d+) of (.+) into the cart of the shop": (
        *(("open", "Shop"), ("tap", "{1}"), ("tap", "Quantity"), ("tap", "{0}"), ("tap", "Add to cart")),
    ),
    r"Put (.+) into the cart of the shop": (("open", "Shop"), ("tap", "{0}"), ("tap", "Add to cart")),
    r"Search for (.+) in the shop and put (.+) into the cart": (
        *(("open", "Shop"), ("fill", "Search products", "{0}"), ("enter", "")),
        *(("tap", "{1}"), ("tap", "Add to cart")),
    ),
    r"Take (.+) out of the cart of the shop": (
        ("open", "Shop"),
        ("tap", "Cart"),
        ("tap", "Remove {0}"),
    ),
    r"Order what is in the cart of the shop for (.+), (.+), (.+)": (
        *(("open", "Shop"), ("tap", "Cart"), ("tap", "Check out"), ("fill", "Full name", "{0}")),
        *(("fill", "Street", "{1}"), ("fill", "City", "{2}"), ("tap", "Place order")),
    ),
    r"Put (.+) into the calendar as an all-day event on (\d+) .+": (
        *(("open", "Calendar"), ("tap", "New event"), ("fill", "Event title", "{0}")),
        *(("check", "All day", "on"), ("tap", "Date"), ("tap", "{1}"), ("tap", "Save")),
    ),
    r"Put (.+) into the calendar on (\d+) .+": (
        *(("open", "Calendar"), ("tap", "New event"), ("fill", "Event title", "{0}")),
        *(("tap", "Date"), ("tap", "{1}"), ("tap", "Save")),
    ),
    r"Delete the event (.+)": (("open", "Calendar"), ("tap", "{0}"), ("tap", "Delete event")),
    r"Add (.+) to the tasks": (("open", "Tasks"), ("fill", "New task", "{0}"), ("enter", "")),
    r"Mark the task (.+) as done": (("open", "Tasks"), ("check", "{0}", "on")),
    r"Mark the task (.+) as done and remove .*": (
        *(("open", "Tasks"), ("check", "{0}", "on"), ("tap", "Clear done")),
    ),
    r"Write a mail to (.+) about (.+) with the text (.+)": (
        *(("open", "Mail"), ("tap", "Compose"), ("fill", "To", "{0}")),
        *(("fill", "Subject", "{1}"), ("fill", "Message", "{2}"), ("tap", "Send")),
    ),
    r"Archive the mail (.+) without opening it": (("open", "Mail"), ("swipe", "{0}")),
    r"Reply (.+) to the mail (.+)": (
        *(("open", "Mail"), ("tap", "{1}"), ("tap", "Reply")),
        *(("fill", "Message", "{0}"), ("tap", "Send")),
    ),
}
"""What is asked, as a pattern of the whole task, and how that is done; an earlier one goes first."""


@dataclass(frozen=True)
class Thing:
    """Something in the list of a request."""

    mark: int
    role: str
    name: str


def wants(task: str) -> tuple[Want, ...]:
    """What is to be done for a task, with its values put in."""
    known = sorted(KNOWN, key=lambda pattern: -len(re.sub(r"\(.*?\)", "", pattern)))
    for pattern in known:
        found = re.fullmatch(pattern, task)
        if found:
            return tuple(tuple(part.format(*found.groups()) for part in want) for want in KNOWN[pattern])
    return ()


def texts(body: dict[str, Any]) -> list[str]:
    """The texts of a request, in order."""
    found = []
    for message in body["messages"]:
        content = message.get("content") or ""
        parts = [{"text": content}] if isinstance(content, str) else content
        found += [part["text"] for part in parts if "text" in part]
    return found


def decided(body: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the tool `decide` for a request."""
    said = texts(body)
    task = next(text for text in said if text.startswith("Task: ")).partition("\n")[0].removeprefix("Task: ")
    things = on_screen(said, _listed)
    calls = [call for message in body["messages"] for call in message.get("tool_calls") or ()]
    mine = calls[-1]["function"]["arguments"] if calls else ""
    plan = re.search(r"from (\d+) to (\d+), sought (\d+)", mine)
    start, place, sought = (int(plan[1]), int(plan[2]), int(plan[3])) if plan else (0, 0, 0)
    told = next((text for text in reversed(said) if "⟦outcome" in text), "")
    came = re.findall(r"^\d+\. .*", told.rpartition("⟦outcome")[2].partition("⟦screen")[0], re.MULTILINE)
    if start < place:  # what did not work is done again
        place = start + sum(not failed(line) for line in came)
        sought += place == start
    todo = wants(task)
    if not todo:
        return {"thought": "I do not know how.", "end": {"kind": "give_up", "reason": "not known"}}
    if sought >= SEARCHES:
        return {"thought": "", "end": {"kind": "give_up", "reason": f"no {todo[place][1]} in sight"}}
    actions: list[dict[str, Any]] = []
    begun = place
    while place < len(todo) and len(actions) < 5:
        verb, *given = todo[place]
        if verb == "back until" and not actions:
            if _found(things, given[0]) is None:
                return _decision([{"kind": "back"}], place, place, sought + 1)
            place, begun = place + 1, begun + 1
            continue
        step = _action(verb, given, things)
        if step is None and not actions:
            lists = [thing for thing in things if thing.role == "list"]
            at = {"at": {"mark": lists[-1].mark}} if lists else {}
            return _decision([{"kind": "scroll", "down": 500, **at}], place, place, sought + 1)
        if step is None or (actions and verb not in ("fill", "append", "check")):
            break
        actions.append(step)
        place += 1
        if verb not in ("fill", "append", "check"):
            break
    ended = place == len(todo)
    tries = sought if actions and begun == start else 0
    return _decision(actions, begun, place, tries, {"kind": "finish"} if ended and not actions else None)


def _decision(
    actions: Sequence[dict[str, Any]], start: int, place: int, sought: int, end: Any = None
) -> dict[str, Any]:
    plan = f"from {start} to {place}, sought {sought}"
    return {"plan": plan, "actions": list(actions), "end": end}


def failed(line: str) -> bool:
    """Whether a step was told as one that did not work."""
    return any(word in line for word in ("FAILED", "nothing visible changed", "NOT as expected"))


Listed = TypeVar("Listed", bound=Thing)


def on_screen(said: Sequence[str], read: Callable[[str], Iterable[Listed]]) -> list[Listed]:
    """What is on the screen: the last whole list, and what was told since of how it changed.

    Args:
        read: the things in one line of the list.
    """
    things: dict[int, Listed] = {}
    for text in said:
        if "⟦screen" not in text:
            continue
        screen = text.rpartition("⟦screen")[2]
        if "as changes to the previous" not in text:
            things = {}
        for line in screen.splitlines():
            if line.startswith("No longer listed:"):
                for mark in re.findall(r"\[(\d+)\]", line):
                    things.pop(int(mark), None)
            else:
                things.update({thing.mark: thing for thing in read(line)})
    return [things[mark] for mark in sorted(things)]


def _listed(line: str) -> Iterator[Thing]:
    for mark, role, name in re.findall(r'\[(\d+)\]\*? (\w+)(?: "((?:[^"\\]|\\.)*)")?', line):
        yield Thing(int(mark), role, name.replace('\\"', '"'))


def _found(things: Sequence[Thing], name: str, roles: str = "") -> Thing | None:
    fits = [
        one for one in things if one.name.casefold() == name.casefold() and (not roles or one.role in roles)
    ]
    return min(fits, key=lambda one: one.role in ("text", "heading", "textbox"), default=None)


def _action(verb: str, given: Sequence[str], things: Sequence[Thing]) -> dict[str, Any] | None:
    if verb == "open":
        return {"kind": "open", "name": given[0]}
    if verb == "enter":
        return {"kind": "press", "keys": ["enter"]}
    if verb in ("fill", "append"):
        fields = [one for one in things if one.role == "textbox"]
        field = _found(fields, given[0])
        if field is None and len(given) > 2 and len(fields) >= int(given[2]):
            field = fields[int(given[2]) - 1]
        typed = {"kind": "type", "text": given[1], "replace": verb == "fill"}
        return {**typed, "at": {"mark": field.mark}} if field else None
    thing = _found(things, given[0])
    if thing is None:
        return None
    at = {"mark": thing.mark}
    if verb == "check":
        return {"kind": "check", "at": at, "on": given[1] == "on"}
    if verb == "swipe":
        return {"kind": "swipe", "at": at, "to": {"x": 40, "y": 0}}
    return {"kind": "long_press" if verb == "hold" else "click", "at": at}


def judged(text: str) -> str:
    """The verdict on a run that is told as done: by its last step."""
    history = text.rpartition("⟦history")[2].partition("⟦")[0]
    last = (re.findall(r"^\d+\. .*", history, re.MULTILINE) or ["1. nothing: FAILED"])[-1]
    return f"MISSING: {last}" if failed(last) else "DONE"


def through_tools(body: dict[str, Any], number: Callable[[], int]) -> dict[str, Any]:
    """The answer of a service whose model calls functions."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if "tools" in body:
        function = {"name": "decide", "arguments": json.dumps(decided(body))}
        message["tool_calls"] = [{"id": f"call_{number()}", "type": "function", "function": function}]
    else:
        message["content"] = judged(texts(body)[-1])
    usage = {"prompt_tokens": 900, "completion_tokens": 20}
    finish = "tool_calls" if "tools" in body else "stop"
    return {"choices": [{"index": 0, "finish_reason": finish, "message": message}], "usage": usage}


Word = tuple[str, int, int]
"""A text on a picture, and its middle as thousandths of the width and the height."""
Move = tuple[str, Any]
"""tap, hold, type, open, enter, back, up or done, and where or what."""


def through_pictures(
    body: dict[str, Any], seen: Callable[[], Sequence[Word]], say: Callable[[Sequence[Move]], str]
) -> dict[str, Any]:
    """The answer of a service whose model sees nothing but the picture; its own answers are its memory."""
    said = texts(body)
    if said[-1].startswith("A task was given to an agent"):
        content = judged(said[-1])
    else:
        task = next(text for text in said if "Task: " in text).partition("Task: ")[2].partition("\n")[0]
        todo = wants(task)
        mine = [str(message["content"]) for message in body["messages"] if message["role"] == "assistant"]
        searched = [UP in one for one in mine]
        content = say(list(_moves(todo, len(mine) - sum(searched), seen, searched)))
    usage = {"prompt_tokens": 900, "completion_tokens": 20}
    message = {"role": "assistant", "content": content}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": usage}


UP = "I look farther down."


def _moves(
    todo: Sequence[Want], place: int, seen: Callable[[], Sequence[Word]], searched: Sequence[bool]
) -> Iterator[Move]:
    if place >= len(todo) or (all(searched[-SEARCHES:]) and len(searched) >= SEARCHES):
        yield "done", place >= len(todo)
        return
    verb, *given = todo[place]
    if verb in ("open", "enter"):
        yield verb, given[0]
        return
    spot = next(((x, y) for word, x, y in seen() if _alike(word, given[0])), None)
    if spot is None:
        yield "up", None
        return
    yield ("hold" if verb == "hold" else "tap"), spot
    if verb == "fill":
        yield "type", given[1]


def _alike(read: str, wanted: str) -> bool:
    """Whether what was read off a picture is a name, but for blanks and the like."""
    one, other = ("".join(filter(str.isalnum, text)).casefold() for text in (read, wanted))
    return one == other


def in_qwen(moves: Sequence[Move]) -> str:
    """Moves as the tool calls that Qwen-VL writes for phones."""
    calls: list[dict[str, Any]] = []
    for kind, what in moves:
        match kind:
            case "tap" | "hold":
                calls.append({"action": "click" if kind == "tap" else "long_press", "coordinate": list(what)})
            case "type":
                calls.append({"action": "type", "text": what})
            case "open":
                calls.append({"action": "open", "text": what})
            case "enter":
                calls.append({"action": "system_button", "button": "Enter"})
            case "up":
                calls.append({"action": "swipe", "coordinate": [500, 800], "coordinate2": [500, 300]})
            case _:
                calls.append({"action": "terminate", "status": "success" if what else "failure"})
    said = [json.dumps({"name": "mobile_use", "arguments": call}) for call in calls]
    told = UP if any(kind == "up" for kind, _ in moves) else "I do it."
    return told + "\n" + "\n".join(f"<tool_call>\n{call}\n</tool_call>" for call in said)
