"""The trial of `guiagent doctor --screen`, on a platform on which it must hold in all parts."""

from __future__ import annotations

import pytest
from private import needs

from gui_agent.cli.screen_check import Trial
from gui_agent.computers.virtual.computer import VirtualComputer


def test_all_parts_hold_on_a_private_display(desktop: VirtualComputer) -> None:
    needs("mousepad")
    found = list(Trial(desktop).findings())
    assert [one.what for one in found if one.state != "ok"] == [], found
    assert len(found) == 12


@pytest.mark.nightly  # waits for what does not come
def test_a_part_that_does_not_hold_is_named_and_the_others_go_on(
    desktop: VirtualComputer, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("mousepad")
    typed = type(desktop.device).type_text
    monkeypatch.setattr(
        type(desktop.device), "type_text", lambda device, text: typed(device, text.replace("你", "?"))
    )
    found = {one.what: one for one in Trial(desktop).findings()}
    wrong = found["100 characters of any script arrive"]
    assert wrong.state == "missing" and wrong.detail.startswith('from character 4 on "?好')
    assert found["the clipboard keeps any text"].state == "ok"


def test_without_an_editor_nothing_more_is_tried(
    desktop: VirtualComputer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui_agent.cli.screen_check.EDITORS", {"x11": "no-such-editor-here"})
    (only,) = Trial(desktop).findings()
    assert only.state == "missing" and "no-such-editor-here" in only.detail
