"""A scripted stand-in for a language model: it knows a way, and of the screen what the request shows.

A way is a list of steps, each one action: `click NAME`, `double`, `right`, `hold`, `swipe`, `open PROGRAM`,
`fill FIELD = TEXT`, `append FIELD = TEXT`, `choose FIELD = OPTION`, `tick`, `untick`, `key A+B`, `type TEXT`,
`back`. It points perfectly at what is listed and at nothing else. What is not listed it scrolls for, and what
did not work it does once more. Its plan, which the next request shows, is all that it remembers.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Literal, get_args

from gui_agent.elements.roles import DROPDOWNS, FIELDS, LATCHING, TEXT_FIELDS
from guiagent_eval.model_path.screen import ListedItem, find, is_refused, items_on_screen, outcomes, texts

Kind = Literal["perfect", "clumsy", "misled"]
KINDS: tuple[Kind, ...] = get_args(Kind)
BATCHED = ("fill", "tick", "untick", "choose", "append")
"""What changes so little that the next step may be planned with it."""
TRIES = 6
"""How often a step is tried, or its thing looked for, before the model gives up."""
SLIP = "slip: "
"""Beginning of the thought beside a decision that is wrong on purpose."""
_ROLES = {
    "fill": FIELDS | {"slider"},
    "append": TEXT_FIELDS,
    "tick": LATCHING,
    "untick": LATCHING,
    "choose": DROPDOWNS,
}
_AT_A_THING: Mapping[str, Mapping[str, Any]] = {
    "click": {"kind": "click"},
    "double": {"kind": "click", "clicks": 2},
    "right": {"kind": "click", "button": "right"},
    "hold": {"kind": "long_press"},
    "swipe": {"kind": "swipe", "to": {"x": 40, "y": 0}},
    "tick": {"kind": "check", "on": True},
    "untick": {"kind": "check", "on": False},
    "fill": {"kind": "type", "replace": True},
    "append": {"kind": "type", "replace": False},
    "choose": {"kind": "choose"},
}
_CHANGES = re.compile(r"\d+\. (type|tick|untick|turn|choose|press ctrl\+[vx])\b")


@dataclass(frozen=True)
class AnswerScript:
    """How a goal is done, and how the answers to its requests are wrong."""

    way: Sequence[str]
    kind: Kind = "perfect"
    other: Sequence[str] = ()
    """The way of another goal, which a misled model follows first."""


@dataclass(frozen=True)
class WayPlan:
    """All that the model remembers; as text, the numbers in order."""

    start: int = 0
    """The step with which the last answer began."""
    place: int = 0
    """The step after the last one of that answer."""
    tries: int = 0
    answers: int = 0
    corrected: int = 0
    """1 once a misled model knows that the other way was not asked for."""


def answer(body: Mapping[str, Any], script: AnswerScript) -> dict[str, Any]:
    """The message of a model in the Chat Completions format: a call of `decide`, or a verdict in words."""
    said = texts(body)
    if "tools" not in body:
        return {"role": "assistant", "content": _verdict(said, script.way)}
    plan, thought, decided = _decision(_last_plan(body, said), said, script)
    told = "plan " + " ".join(map(str, astuple(replace(plan, answers=plan.answers + 1))))
    function = {"name": "decide", "arguments": json.dumps({"thought": thought, "plan": [told], **decided})}
    call = {"id": f"call_{plan.answers}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _verdict(said: Sequence[str], way: Sequence[str]) -> str:
    """Done if the history has the steps of the way as such that worked, and nothing else changed a value."""
    worked = [line.casefold() for line in outcomes(said, "history") if not is_refused(line)]
    for step in way:
        words = _words_of(step).casefold()[:20]
        found = next((line for line in worked if words in line), None)
        if found is None:
            return f"MISSING: {step}"
        worked.remove(found)
    besides = next(filter(_CHANGES.match, worked), "")
    return f"MISSING: what was not asked for is done too: {besides}" if besides else "DONE"


def _words_of(step: str) -> str:
    """The words of a step that a line about it has: its value or keys, or the name of its thing."""
    rest = step.partition(" ")[2]
    name, _, value = rest.partition(" = ")
    told = value or re.sub(r"^[a-z]+:", "", name.partition(" @ ")[0])
    return "" if told.startswith("#") else told


def _decision(
    plan: WayPlan, said: Sequence[str], script: AnswerScript
) -> tuple[WayPlan, str, dict[str, Any]]:
    """The plan, the thought, and the other arguments of `decide`."""
    listed = items_on_screen(said)
    if script.other and not plan.corrected and "not done yet" in said[-1]:
        plan = WayPlan(answers=plan.answers, corrected=1)
    way = script.other if script.other and not plan.corrected else script.way
    thought = "" if way is script.way else SLIP + "another way"
    if script.kind == "clumsy" and plan.answers % 2 and (slip := _slip(plan, way, listed, said)):
        return replace(plan, start=plan.place), SLIP + slip[0], slip[1]
    if plan.tries >= TRIES:
        return plan, thought, {"end": {"kind": "give_up", "reason": f"no way to: {way[plan.place]}"}}
    actions = _batch(way[plan.place :], listed)
    if actions:
        return replace(plan, start=plan.place, place=plan.place + len(actions)), thought, {"actions": actions}
    plan = replace(plan, start=plan.place)
    if plan.place == len(way):
        return plan, thought, {"end": {"kind": "finish"}}
    # Farther down, or still to come.
    looked = {"kind": "scroll", "down": 500} if plan.tries % 2 else {"kind": "wait", "seconds": 1}
    return replace(plan, tries=plan.tries + 1), thought, {"actions": [looked]}


def _batch(steps: Sequence[str], listed: Sequence[ListedItem]) -> list[dict[str, Any]]:
    """The actions of the next steps that can be pointed at now and leave the screen as it is."""
    actions: list[dict[str, Any]] = []
    for step in steps[:5]:
        if (action := action_of(step, listed)) is None:
            break
        actions.append(action)
        if not step.startswith(BATCHED):
            break
    return actions


def _last_plan(body: Mapping[str, Any], said: Sequence[str]) -> WayPlan:
    """Where the model is, by its own last plan and the outcomes since."""
    written = [str(message["tool_calls"]) for message in body["messages"] if message.get("tool_calls")]
    found = re.search(r"plan (\d+) (\d+) (\d+) (\d+) (\d+)", written[-1]) if written else None
    plan = WayPlan(*map(int, found.groups())) if found else WayPlan()
    if plan.start == plan.place:
        return plan
    done = sum(not is_refused(line) for line in outcomes(said)[: plan.place - plan.start])
    reached = plan.start + done
    return replace(plan, start=reached, place=reached, tries=0 if reached == plan.place else plan.tries + 1)


def _slip(
    plan: WayPlan, way: Sequence[str], listed: Sequence[ListedItem], said: Sequence[str]
) -> tuple[str, dict[str, Any]] | None:
    """A wrong decision with its name, of each kind in turn; None where this kind cannot happen."""
    marks = {one.mark for one in listed}
    gone = {int(mark) for mark in re.findall(r"\[(\d+)\]", " ".join(said))} - marks
    turn = plan.answers // 2 + zlib.crc32(" ".join(way).encode())
    match turn % 5:
        case 0:
            return "wrong words", _click({"text": "What is nowhere on the screen"})
        case 1 if plan.place and (again := action_of(way[plan.place - 1], listed)):
            return "repetition", {"actions": [again]}
        case 2:
            return "missed mark", _click({"mark": max(marks, default=0) + 50})
        case 3 if plan.place < len(way):
            return "too early", {"end": {"kind": "finish"}}
        case 4 if gone:
            return "stale mark", _click({"mark": min(gone)})
    return None


def _click(at: Mapping[str, Any]) -> dict[str, Any]:
    return {"actions": [{"kind": "click", "at": at}]}


def action_of(step: str, listed: Sequence[ListedItem]) -> dict[str, Any] | None:
    """A step as an action; None if its thing is not listed."""
    verb, _, rest = step.partition(" ")
    match verb:
        case "key":
            return {"kind": "press", "keys": rest.split("+")}
        case "type":
            return {"kind": "type", "text": rest}
        case "open":
            return {"kind": "open", "name": rest}
        case "back":
            return {"kind": "back"}
    name, _, value = rest.partition(" = ")
    thing = find(listed, name, _ROLES.get(verb, ()))
    if thing is None:
        return None
    action = {**_AT_A_THING[verb], "at": thing.target}
    return {**action, "option" if verb == "choose" else "text": value} if value else action
