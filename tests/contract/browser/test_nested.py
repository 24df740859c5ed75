"""Forms inside frames, frames of other origins and shadow roots are operated like any other."""

from __future__ import annotations

from typing import Any

from gui_agent.core.actions import Check, Choose


def test_a_form_in_a_frame(desk: Any) -> None:
    desk.open("nested.html")
    desk.type("Street", "Elm 1", True)
    desk.use("Land", Choose, "Peru")
    desk.use("Fine", Check, True)
    desk.use("Post")
    assert "Elm 1Perutrue" in desk.text()


def test_a_form_in_a_shadow_root(desk: Any) -> None:
    desk.open("nested.html")
    desk.type("Card", "42", True)
    desk.use("Kind", Choose, "Giro")
    desk.use("Keep", Check, True)
    desk.use("Store")
    assert "42trueGiro" in desk.text()


def test_a_frame_of_another_origin(desk: Any) -> None:
    desk.open("nested.html")
    desk.use("Press")
    assert "pressed" in desk.text()
    desk.type("Remark", "über uns, 12")
    assert desk.find("Remark", "textbox").value == "über uns, 12"


def test_the_whole_text_is_read_and_nothing_is_scrolled(desk: Any) -> None:
    desk.open("nested.html")
    desk.js("document.body.insertAdjacentHTML('beforeend', '<p style=margin-top:3000px>Far below</p>')")
    whole = desk.computer.text()
    assert "Far below" in whole and "Far below" not in desk.text()
    for part in ("Fine", "Keep", "Press"):  # in a frame, in a shadow root, in a frame of another origin
        assert part in whole
    assert desk.js("scrollY") == 0
