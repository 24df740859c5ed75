"""A macro of mobilerun, recorded on the simulated phone, is learned and run with other values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from guiagent_eval.phone import PhoneServer, SimulatedPhone
from guiagent_eval.phone.views import every
from phones import adb_server, any_adb

from gui_agent.cli import call
from gui_agent.core.actions import Back, Click, LongPress, TypeText
from gui_agent.core.errors import ConfigError
from gui_agent.procedures.importers.files import read_recording

pytestmark = pytest.mark.nightly

NAMES = ("resource_id", "class", "text", "content_description", "clickable", "enabled", "focused", "bounds")


class Macro:
    """What mobilerun writes of a person's or an agent's steps: an action each, with the screen before it."""

    def __init__(self, phone: SimulatedPhone) -> None:
        self.phone = phone
        self.actions: list[dict[str, Any]] = []

    def add(self, kind: str, **given: Any) -> None:
        state = {
            "phone_state": {"package": self.phone.front.package, "activity": "Main"},
            "screen": {"width": self.phone.size.width, "height": self.phone.size.height},
            "nodes": [_node(view) for view in every([self.phone.window()])],
        }
        self.actions.append({"action_type": kind, **given, "pre_state": state, "screen": state["screen"]})

    def tap(self, name: str) -> None:
        views = every([self.phone.window()])
        at = next(one.box.center for one in views if name in (one.text, one.description))
        self.add("tap", x=at.x, y=at.y)
        self.phone.tap(at)

    def write(self, path: Path, description: str) -> None:
        head = {"macro_schema_version": "2.0", "version": "2.0", "description": description}
        path.write_text(json.dumps({**head, "total_actions": 1, "actions": self.actions}), "utf-8")


def _node(view: Any) -> dict[str, Any]:
    box = view.box
    edges = {"left": box.left, "top": box.top, "right": box.right, "bottom": box.bottom}
    told = (view.id, view.kind, view.text, view.description, bool(view.do), True, False, edges)
    return dict(zip(NAMES, told, strict=True))


@pytest.fixture
def macro(tmp_path: Path) -> Path:
    made = Macro(SimulatedPhone())
    made.add("start_app", package="com.android.contacts", activity=None)
    made.phone.launch("com.android.contacts")
    made.tap("Create contact")
    made.tap("Name")
    made.add("input_text", text="Ada", clear=False)
    made.phone.type("Ada")
    made.tap("Save")
    made.add("wait", duration=1.0)
    made.write(tmp_path / "macro.json", "Create the contact 'Ada'")
    return tmp_path / "macro.json"


def test_places_become_names(macro: Path) -> None:
    shown = read_recording(macro).demonstration
    assert (shown.task, shown.start, shown.platform) == (
        "Create the contact 'Ada'",
        "com.android.contacts",
        "android",
    )
    first, name, save = (step.action for step in shown.steps)
    assert isinstance(first, Click) and first.at.name == "Create contact"
    assert isinstance(name, TypeText) and name.at is not None and name.at.name == "Name"
    assert isinstance(save, Click) and save.at.name == "Save"


@pytest.fixture
def adb() -> Iterator[None]:
    with adb_server(any_adb()):
        yield


def test_a_macro_is_run_again_with_other_values(
    adb: None, macro: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with PhoneServer(SimulatedPhone()) as server:
        assert call(["learn", str(macro)]) == 0
        options = ["--on", f"android:{server.address}", "--observe", "tree", "--quiet"]
        assert call(["run", "Create the contact 'Zoë'", *options]) == 0
        people = server.phone.apps["com.android.contacts"].people  # type: ignore[attr-defined]
        assert "Zoë" in people and "Ada" not in people


def test_what_a_macro_leaves_open_is_said(tmp_path: Path) -> None:
    made = Macro(SimulatedPhone())
    made.add("tap", x=5000, y=5000)
    made.add("swipe", start_x=270, start_y=900, end_x=270, end_y=300, duration_ms=300)
    made.add("swipe", start_x=75, start_y=170, end_x=76, end_y=170, duration_ms=1000)
    made.add("type_secret", secret_id="MAIL", clear=True)
    made.add("key_press", keycode=4)
    made.add("press_lever")
    made.write(tmp_path / "macro.json", "Try all")
    read = read_recording(tmp_path / "macro.json")
    assert [type(one.action) for one in read.demonstration.steps] == [LongPress, TypeText, Back]
    assert "${secret:MAIL}" in str(read.demonstration)
    assert [one.line for one in read.remarks] == [1, 2, 6]
    (tmp_path / "macro.json").write_text('{"macro_schema_version": "1.0", "actions": []}', "utf-8")
    with pytest.raises(ConfigError, match="record it again"):
        read_recording(tmp_path / "macro.json", "x")
