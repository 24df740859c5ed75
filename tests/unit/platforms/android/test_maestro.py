"""Flows of Maestro become demonstrations; what they leave open is said line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui_agent.core.actions import Back, Click, LongPress, Press, TypeText
from gui_agent.core.conditions import TextGone, TextShown
from gui_agent.core.errors import ConfigError
from gui_agent.procedures.importers.files import read_recording

pytest.importorskip("yaml")

FLOW = """
appId: com.android.contacts
name: Create the contact Ada
env:
  NUMBER: "555"
---
- launchApp:
    clearState: true
- tapOn: Create contact
- tapOn:
    id: com.android.contacts:id/name
- inputText: Ada
- tapOn: {text: Phone, index: 1}
- inputText: ${NUMBER}
- runFlow: steps/save.yaml
- runFlow: ../outside.yaml
- runFlow: {when: {visible: Rate us}, commands: [{tapOn: Later}]}
- tapOn: {point: 50%,50%}
- tapOn: {text: Tip, optional: true}
- tapOn: Item.*
- inputText: ${output.name}
- evalScript: ${1 + 1}
- longPressOn: Ada
- pressKey: Enter
- back
- assertNotVisible: Create contact
- waitForAnimationToEnd
"""


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    folder = tmp_path / "flows"
    (folder / "steps").mkdir(parents=True)
    (folder / "flow.yaml").write_text(FLOW, "utf-8")
    (folder / "steps/save.yaml").write_text("appId: x\n---\n- tapOn: Save\n- assertVisible: Ada\n", "utf-8")
    (tmp_path / "outside.yaml").write_text("appId: x\n---\n- tapOn: Outside\n", "utf-8")
    return folder / "flow.yaml"


def test_the_steps_of_a_flow_and_of_those_in_it_are_kept(flow: Path) -> None:
    shown = read_recording(flow).demonstration
    assert (shown.task, shown.platform) == ("Create the contact Ada", "android")
    kinds = [type(step.action) for step in shown.steps]
    assert kinds == [Click, TypeText, TypeText, Click, LongPress, Press, Back]
    assert shown.start == "com.android.contacts"
    name, number = shown.steps[1].action, shown.steps[2].action
    assert isinstance(name, TypeText) and name.at is not None
    assert (name.text, name.at.attributes) == ("Ada", {"id": "com.android.contacts:id/name"})
    assert isinstance(number, TypeText) and number.at is not None
    assert (number.text, number.at.name, number.at.rank) == ("555", "Phone", 2)
    assert shown.steps[3].expect == (TextShown("Ada"),)
    assert shown.steps[-1].expect == (TextGone("Create contact"),)


def test_what_a_flow_leaves_open_is_said_and_never_run(flow: Path) -> None:
    remarks = {one.source.partition(":")[0] + " " + one.reason for one in read_recording(flow).remarks}
    for part in (
        "launchApp the app is not reset to its initial state",
        "runFlow this flow is not in the folder of the recording",
        "runFlow conditions are not supported",
        "tapOn the recording has only coordinates, which do not fit other screens",
        "tapOn it is optional, so it is not learned",
        "tapOn a pattern, which may mean several things",
        "inputText a variable whose value is not in the recording",
        "evalScript this command has no equivalent",
    ):
        assert part in remarks
    assert "Outside" not in str(read_recording(flow).demonstration)


@pytest.mark.parametrize(
    "text", ["a: [", "just: a table", "- 1\n- {}", "!!python/object/apply:os.getcwd []", "{}"]
)
def test_what_is_no_flow_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=r"a\.yaml") as told:
        read_recording(path)
    assert "\n" not in str(told.value)
