"""Recordings in the style of the DevTools Recorder become demonstrations; nothing is lost silently."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from gui_agent.core.actions import (
    Check,
    Choose,
    Click,
    Close,
    Move,
    Navigate,
    Press,
    Recorded,
    Scroll,
    TypeText,
    Wait,
)
from gui_agent.core.aiming import aim, places
from gui_agent.core.conditions import Shown, TitleIs, UrlIs
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Fingerprint
from gui_agent.procedures.importers import Imported, import_devtools


def recording(*steps: dict[str, Any], start: str = "https://shop.example/") -> str:
    head = [
        {"type": "setViewport", "width": 1280, "height": 720, "deviceScaleFactor": 1, "isMobile": False},
        {
            "type": "navigate",
            "url": start,
            "assertedEvents": [{"type": "navigation", "url": start, "title": "Shop"}],
        },
    ]
    return json.dumps({"title": "Buy shoes", "timeout": 5000, "steps": [*head, *steps]})


def on(kind: str, *selectors: str, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "target": "main",
        "selectors": [[selector] for selector in selectors],
        "offsetX": 3,
        "offsetY": 4,
        **more,
    }


def actions(imported: Imported) -> list[object]:
    """The actions, with the attributes of their targets left out: those are tested apart."""
    return [bare(step.action) for step in imported.demonstration.steps]


def selected(role: str, name: str) -> Fingerprint:
    return Fingerprint(role, name, attributes={"selector": f'aria/{name}[role="{role}"]'})


def bare(action: Recorded) -> object:
    if isinstance(action, Wait):
        return action
    return aim(action, {name: replace(at, attributes={}) for name, at in places(action).items()})


def test_a_recording_becomes_a_demonstration() -> None:
    imported = import_devtools(
        recording(
            on("click", "aria/User name", "#user", 'xpath///*[@id="user"]'),
            on("change", "aria/User name", "#user", 'xpath///*[@id="user"]', value="ada"),
            {"type": "keyDown", "target": "main", "key": "Tab"},
            {"type": "keyUp", "target": "main", "key": "Tab"},
            on("change", "aria/Remember", "input[type=checkbox]", value="on"),
            on("click", 'aria/Log in[role="button"]', "form > button.primary"),
            on("doubleClick", "text/Red shoes", "li:nth-of-type(2)"),
            on("hover", "aria/Menu", "nav"),
            on("change", "aria/Size", "select#size", value="42"),
            on("click", "aria/More", button="secondary"),
            {"type": "scroll", "target": "main", "x": 0, "y": 300},
            {"type": "navigate", "url": "https://shop.example/basket"},
            {"type": "close"},
        ),
        source="shop.json",
    )
    demonstration = imported.demonstration
    assert (demonstration.task, demonstration.start) == ("Buy shoes", "https://shop.example/")
    assert demonstration.origin == "import shop.json"
    assert actions(imported) == [
        TypeText("ada", Fingerprint("textbox", "User name", path='*[@id="user"]'), replace=True),
        Press(("tab",)),
        Check(Fingerprint("checkbox", "Remember")),
        Click(Fingerprint("button", "Log in", path="form/button")),
        Click(Fingerprint("listitem", "Red shoes"), clicks=2),
        Move(Fingerprint("", "Menu")),
        Choose(Fingerprint("combobox", "Size"), "42"),
        Click(Fingerprint("", "More"), "right"),
        Scroll(Fingerprint("", ""), 300, 0),
        Navigate("https://shop.example/basket"),
        Close(),
    ]
    assert imported.complete
    assert [remark.line for remark in imported.remarks] == [11, 13]


def test_asserted_navigation_becomes_a_post_condition() -> None:
    event = {"type": "navigation", "url": "https://shop.example/?q=*", "title": "Results"}
    imported = import_devtools(recording(on("click", "aria/Find", assertedEvents=[event])))
    assert imported.demonstration.steps[0].expect == (
        UrlIs("https://shop.example/[?]q=[*]"),
        TitleIs("Results"),
    )


def test_waiting_for_an_element_becomes_a_post_condition() -> None:
    imported = import_devtools(
        recording(
            on("click", "aria/Find"),
            on("waitForElement", 'aria/Results[role="heading"]'),
            on("waitForElement", 'aria/Busy[role="status"]', visible=False),
        )
    )
    assert imported.demonstration.steps[0].expect == (
        Shown(selected("heading", "Results"), on=True),
        Shown(selected("status", "Busy"), on=False),
    )


def test_held_keys_are_part_of_the_chord_and_of_the_click() -> None:
    imported = import_devtools(
        recording(
            {"type": "keyDown", "key": "Control"},
            {"type": "keyDown", "key": "a"},
            {"type": "keyUp", "key": "a"},
            on("click", "aria/Row"),
            {"type": "keyUp", "key": "Control"},
            {"type": "keyDown", "key": "Alt"},
            {"type": "keyUp", "key": "Alt"},
        )
    )
    assert actions(imported) == [
        Press(("ctrl", "a")),
        Click(Fingerprint("", "Row"), modifiers=("ctrl",)),
        Press(("alt",)),
    ]


def test_a_selector_through_shadow_trees_means_its_last_part() -> None:
    step = {"type": "click", "selectors": [["#host", "aria/Inner"], ["#host", "button"]], "frame": [0, 1]}
    at = import_devtools(recording(step)).demonstration.steps[0].action
    assert isinstance(at, Click)
    assert (at.at.name, at.at.role, at.at.attributes["frame"]) == ("Inner", "button", "0/1")


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ({"type": "waitForExpression", "expression": "true"}, "waitForExpression"),
        ({"type": "emulateNetworkConditions"}, "emulateNetworkConditions"),
        ({"type": "customStep", "name": "x", "parameters": {}}, "customStep"),
        ({"type": "click", "selectors": []}, "without selectors"),
        ({"type": "click", "selectors": 5}, "format of a recording"),
        (on("waitForElement", "aria/Row", count=3), "number of elements"),
        ({"kind": "click"}, "format of a recording"),
        ("click", "not a step"),
    ],
)
def test_what_has_no_counterpart_is_listed(step: Any, reason: str) -> None:
    imported = import_devtools(recording(on("click", "aria/Start"), step))
    assert len(imported.demonstration.steps) == 1
    assert [remark.line for remark in imported.remarks] == [4]
    assert reason in imported.remarks[0].reason
    assert not imported.complete


def test_an_element_known_by_a_selector_only_is_listed() -> None:
    imported = import_devtools(recording(on("click", "div > div:nth-of-type(3)")))
    assert imported.complete
    assert "selector" in imported.remarks[0].reason


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"steps": []}', '{"steps": 3}'])
def test_another_file_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        import_devtools(text)


def test_a_secret_is_referenced_and_never_kept() -> None:
    imported = import_devtools(recording(on("change", "aria/Password", "#p", value="hunter2")))
    [step] = imported.demonstration.steps
    assert isinstance(step.action, TypeText)
    assert step.action.text == "${secret:PASSWORD}"
    assert "hunter2" not in f"{imported}"


@pytest.mark.parametrize(
    ("selector", "role"),
    [("div.row > input.default", ""), ("input[type=submit]", "button"), ("input[type=text]", "textbox")],
)
def test_an_input_of_an_unknown_type_may_be_a_button(selector: str, role: str) -> None:
    both = on("click", "aria/Save")
    both["selectors"].append([selector])
    (step,) = import_devtools(recording(both), "Save it", "file").demonstration.steps
    assert isinstance(step.action, Click)
    assert isinstance(step.action.at, Fingerprint)
    assert (step.action.at.role, step.action.at.name) == (role, "Save")
