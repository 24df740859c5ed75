"""What changed between two screens is told in a person's words."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.agent.differences import difference, pictures_differ
from gui_agent.core.geometry import Box, Size
from gui_agent.core.observation import Observation
from gui_agent.testing import FakeComputer, button, checkbox, dialog, field, screen, text
from gui_agent.testing.computer import draw

FORM = screen(field("Name"), checkbox("I agree"), button("Send"), title="Contact", url="http://a.test/form")


def changed(number: int, screen_: Observation = FORM, **attributes: object) -> Observation:
    elements = tuple(replace(e, **attributes) if e.id == number else e for e in screen_.elements)  # type: ignore[arg-type]
    return replace(screen_, elements=elements)


def test_equal_screens_have_no_difference() -> None:
    assert not difference(FORM, FORM).any
    assert difference(FORM, FORM).summary() == "nothing visible changed"


def test_a_new_value_is_told_with_the_field() -> None:
    assert difference(FORM, changed(1, value="Ada")).summary() == 'textbox "Name" became "Ada"'


def test_a_ticked_box_is_told() -> None:
    assert (
        difference(FORM, changed(2, states=frozenset({"checked"}))).summary()
        == 'checkbox "I agree" is checked'
    )


def test_another_address_counts_as_moved_on() -> None:
    after = screen(text("Thank you"), title="Thanks", url="http://a.test/thanks")
    change = difference(FORM, after)
    assert change.moved_on
    assert change.lines[0] == "now at Thanks"


def test_a_dialog_is_told_before_its_buttons() -> None:
    with_dialog = screen(
        field("Name"),
        checkbox("I agree"),
        button("Send"),
        dialog("Sure?", button("Yes")),
        title="Contact",
        url="http://a.test/form",
    )
    assert difference(FORM, with_dialog).lines[0] == 'dialog "Sure?" appeared'


def test_elements_built_anew_with_the_same_content_are_no_change() -> None:
    rebuilt = replace(FORM, elements=tuple(replace(e, id=e.id + 100) for e in FORM.elements))
    assert not difference(FORM, rebuilt).lines


def test_a_long_list_of_changes_is_cut_and_counted() -> None:
    rows = [text(f"row {n}") for n in range(9)]
    form = (field("Name"), checkbox("I agree"), button("Send"))
    after = screen(*form, *rows, title="Contact", url="http://a.test/form")
    assert difference(FORM, after).lines == ('text "row 0", text "row 1", text "row 2" and 6 more appeared',)


def test_only_the_picture_changed() -> None:
    before = FakeComputer(screen(size=Size(200, 200))).observe()
    painted = screen(button("x", box=Box(50, 50, 80, 80)), size=Size(200, 200))
    after = replace(before, screenshot=draw(painted))
    change = difference(before, after)
    assert change.pixels
    assert change.summary() == "only the picture changed"


def test_a_caret_is_no_change_of_the_picture() -> None:
    plain = screen(size=Size(800, 600))
    caret = screen(text("|", box=Box(100, 100, 1, 12)), size=Size(800, 600))
    assert not pictures_differ(draw(plain), draw(caret))
    assert not pictures_differ(draw(plain), draw(plain))


def test_scrolling_without_elements_is_a_change() -> None:
    before = replace(screen(), more={"below": 500})
    assert difference(before, replace(before, more={"above": 100, "below": 400})).any
