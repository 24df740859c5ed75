"""What is wrong with a piece of JSON is said in one line that names the deepest useful place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gui_agent.core import codec
from gui_agent.core.errors import ConfigError
from gui_agent.core.trajectory import Decision, Demonstration


def acting(**action: Any) -> dict[str, Any]:
    return {"planned": [{"action": action}]}


CASES: list[tuple[Any, Any, str]] = [
    (
        Demonstration,
        {"task": "x", "steps": [{"action": {"kind": "clik", "at": {"role": "button", "name": "x"}}}]},
        'at steps.0.action: "clik" is not an action; did you mean "click"? Known: click, move, drag',
    ),
    (
        Demonstration,
        {"task": "x", "steps": [{"action": {"kind": "click", "at": {"role": "button", "nam": "x"}}}]},
        'at steps.0.action.at.nam: unknown key "nam"; did you mean "name"? (and 1 more fault)',
    ),
    (Decision, acting(kind="click", at={"markk": 3}), 'at planned.0.action.at.markk: unknown key "markk"'),
    (Decision, acting(kind="click", at={"markk": 3}), 'in a target; did you mean "mark"?'),
    (Decision, acting(kind="click", at=3), 'a target is {"mark": 3}, {"text": "Send"} or'),
    (Decision, acting(kind="click", at={"x": 1}), "at planned.0.action.at.y: it is missing"),
    (Decision, acting(kind="click", at={"mark": "a"}), "at planned.0.action.at.mark: input should be"),
    (Decision, acting(kind="click", at={"mark": 1, "text": "a"}), "not several at once"),
    (Decision, acting(at={"mark": 1}), 'at planned.0.action: "kind" is missing'),
    (Decision, acting(kind="click"), "at planned.0.action.at: it is missing"),
    (
        Decision,
        acting(kind="click", at={"mark": 1}, buton="left"),
        'did you mean "button"? Known: at, button',
    ),
    (
        Decision,
        acting(kind="click", at={"mark": 1}, button="lft"),
        "at planned.0.action.button: input should",
    ),
    (Decision, acting(kind="press", keys="ctrl"), "at planned.0.action.keys: input should be a valid array"),
    (Decision, {"end": {"kind": "done"}}, 'at end: "done" is not an end; known: finish, give_up, ask'),
    (Decision, {"planed": []}, 'at planed: unknown key "planed"; did you mean "planned"?'),
    (
        Decision,
        {"planned": [{"action": {"kind": "back"}, "expect": [{"kind": "text_showm", "text": "x"}]}]},
        'at planned.0.expect.0: "text_showm" is not a condition; did you mean "text_shown"?',
    ),
    (
        Decision,
        {"planned": [{"action": {"kind": "back"}, "expect": [{"kind": "shown", "of": {"role": 1}}]}]},
        "at planned.0.expect.0.of.role: input should be a valid string",
    ),
    (Decision, [1], "at the top level: input should be an object"),
    (Decision, {"notes": {"click": 3}}, "at notes.click: input should be a valid string"),
]


@pytest.mark.parametrize(("kind", "value", "said"), CASES)
def test_faults(kind: Any, value: Any, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        codec.decode(kind, json.dumps(value), source="demo.json")
    message = str(caught.value)
    assert message.startswith("demo.json: at ")
    assert said in message
    assert "\n" not in message
    assert len(message) < 300


def test_what_is_no_json_is_said_so() -> None:
    with pytest.raises(ConfigError, match=r"demo\.json: at the top level: not valid JSON"):
        codec.decode(Decision, "{", source="demo.json")
