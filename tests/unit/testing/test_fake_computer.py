"""The fake computer behaves like a small real screen."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from gui_agent.core.actions import (
    Action,
    Back,
    Check,
    Choose,
    Click,
    Close,
    Hold,
    Navigate,
    Open,
    Press,
    Scroll,
    Swipe,
    Switch,
    TypeText,
    Upload,
)
from gui_agent.core.errors import ActionFailed, ComputerLost, Stale
from gui_agent.core.observation import Box, Observation, Point
from gui_agent.testing import (
    FakeComputer,
    World,
    button,
    checkbox,
    choice,
    field,
    form,
    row,
    screen,
    spot,
    text,
    when,
    widget,
)

FORM = screen(
    form(
        field("Name"),
        field("Password", states=["password"]),
        row(text("Country"), choice("Country", "Canada", "Chile")),
        checkbox("I agree"),
        checkbox("Red", role="radio"),
        checkbox("Blue", role="radio"),
        button("Send"),
        button("Locked", states=["disabled"]),
    ),
    title="Contact",
    url="https://a.example/form",
)
THANKS = screen(text("Thank you"), title="Done", url="https://a.example/thanks")


def computer() -> FakeComputer:
    rules = [
        when("click", "Send", go="thanks", on="form"),
        when("click", "Locked", go="thanks"),
        when("press", "ctrl+enter", go="thanks"),
        when("hold", "f5", go=lambda world: world.change("Send", name="Send now")),
    ]
    return FakeComputer({"form": FORM, "thanks": THANKS}, rules)


def at(fake: FakeComputer, name: str) -> Point:
    return spot(fake.observe(picture=False), name).point


def states(fake: FakeComputer, name: str) -> frozenset[str]:
    element = spot(fake.observe(picture=False), name).element
    assert element is not None
    return element.states


def test_a_rule_leads_to_another_screen_and_back_again() -> None:
    fake = computer()
    fake.perform(Click(at(fake, "Send")))
    assert fake.observe(picture=False).place.title == "Done"
    assert fake.settle().changed
    fake.perform(Back())
    assert fake.observe(picture=False).place.title == "Contact"
    with pytest.raises(ActionFailed, match="no screen before"):
        fake.perform(Back())
    assert [action.kind for action in fake.performed] == ["click", "back"]


def test_typing_goes_into_the_field_or_where_the_focus_is() -> None:
    fake = computer()
    fake.perform(TypeText("lost"))
    assert not fake.settle().changed
    fake.perform(TypeText("Ada", at(fake, "Name")))
    fake.perform(TypeText(" L"))
    fake.perform(Press(("Backspace",)))
    assert fake.value("Name") == "Ada "
    fake.perform(TypeText("Bob", at(fake, "Name"), replace=True))
    assert fake.value("Name") == "Bob"
    assert "focused" in states(fake, "Name")
    fake.perform(Press(("tab",)))
    assert "focused" in states(fake, "Password")


def test_a_password_shows_bullets_and_is_kept() -> None:
    fake = computer()
    fake.perform(TypeText("abc", at(fake, "Password")))
    element = spot(fake.observe(picture=False), "Password").element
    assert element is not None
    assert element.value == "•••"
    assert fake.value("Password") == "abc"


def test_a_rule_may_be_a_function_of_the_world() -> None:
    fake = computer()
    fake.perform(Hold(("F5",), 0.1))
    assert at(fake, "Send now")


def test_check_boxes_radio_buttons_and_lists() -> None:
    fake = computer()
    fake.perform(Click(at(fake, "I agree")))
    assert "checked" in states(fake, "I agree")
    fake.perform(Check(at(fake, "I agree"), on=True))
    assert "checked" in states(fake, "I agree")
    fake.perform(Check(at(fake, "I agree"), on=False))
    assert "checked" not in states(fake, "I agree")
    for name in ("Red", "Blue"):
        fake.perform(Click(at(fake, name)))
    assert "checked" in states(fake, "Blue")
    assert "checked" not in states(fake, "Red")
    country = spot(fake.observe(picture=False), "Country", "combobox").point
    fake.perform(Choose(country, "chile"))
    chosen = spot(fake.observe(picture=False), "Country", "combobox").element
    assert chosen is not None
    assert chosen.value == "Chile"
    with pytest.raises(ActionFailed, match="choose one of: Canada, Chile"):
        fake.perform(Choose(country, "Peru"))
    with pytest.raises(ActionFailed, match="cannot be ticked"):
        fake.perform(Check(at(fake, "Send")))


def test_a_disabled_button_does_nothing() -> None:
    fake = computer()
    fake.perform(Click(at(fake, "Locked")))
    assert fake.world.current == "form"


def test_chords_lead_on_and_unknown_keys_fail() -> None:
    fake = computer()
    fake.perform(Press(("ctrl", "Enter")))
    assert fake.world.current == "thanks"
    with pytest.raises(ActionFailed, match="no key"):
        fake.perform(Press(("entre",)))


@pytest.mark.parametrize("action", [Navigate("https://a.example/thanks"), Switch("don"), Open("thanks")])
def test_other_screens_are_reached_by_address_title_or_name(action: Action) -> None:
    fake = computer()
    fake.perform(action)
    assert fake.world.current == "thanks"
    fake.perform(Close())
    assert fake.world.current == "form"


def test_what_is_not_there_cannot_be_gone_to() -> None:
    fake = computer()
    with pytest.raises(ActionFailed, match="nowhere"):
        fake.perform(Navigate("https://nowhere.example"))
    with pytest.raises(ActionFailed, match="nowhere"):
        fake.start("nowhere")
    fake.start("https://a.example/thanks")
    assert fake.world.current == "thanks"


def test_scrolling_shows_what_hangs_out_below() -> None:
    fake = FakeComputer(screen(*(text(f"line {number}") for number in range(30))))
    top = fake.observe(picture=False)
    assert top.more == {"below": 600}
    assert top.elements[-1].name == "line 14"
    fake.perform(Scroll(Point(1, 1), down=5000))
    bottom = fake.observe(picture=False)
    assert bottom.more == {"above": 600}
    assert bottom.elements[-1].name == "line 29"
    assert fake.world.element_at(bottom.elements[-1].box.center) == bottom.elements[-1]
    fake.perform(Scroll(Point(1, 1), down=-5000))
    assert fake.observe(picture=False) == top


def test_what_lies_on_top_is_hit() -> None:
    cover = widget("dialog", "Cookies", box=Box(0, 0, 800, 600))
    fake = FakeComputer(screen(button("Send")))
    send = spot(fake.observe(picture=False), "Send")
    fake.perform(Click(send.point), send.element)
    fake.world.add(cover)
    with pytest.raises(Stale, match='dialog "Cookies" is now where button "Send" was'):
        fake.perform(Click(send.point), send.element)
    fake.world.remove("Cookies")
    fake.perform(Click(send.point), send.element)


def test_errors_come_when_they_were_planned() -> None:
    fake = FakeComputer(
        screen(button("A")),
        errors={("perform", 2): ActionFailed("jammed"), ("observe", 2): ComputerLost("gone")},
        unsupported=["swipe"],
    )
    fake.observe()
    with pytest.raises(ComputerLost, match="gone"):
        fake.observe()
    fake.perform(Click(Point(1, 1)))
    with pytest.raises(ActionFailed, match="jammed"):
        fake.perform(Click(Point(1, 1)))
    with pytest.raises(ActionFailed, match="cannot swipe"):
        fake.perform(Swipe(Point(1, 1), Point(2, 2)))
    assert len(fake.performed) == 1
    assert fake.calls == {"observe": 2, "perform": 3}


def test_a_screen_may_show_up_by_itself() -> None:
    fake = FakeComputer({"form": FORM, "thanks": THANKS}, after_looks={3: "thanks"})
    titles = [fake.observe(picture=False).place.title for _ in range(4)]
    assert titles == ["Contact", "Contact", "Done", "Done"]


def test_ids_differ_between_screens() -> None:
    fake = computer()
    before = {element.id for element in fake.observe(picture=False).elements}
    fake.world.show("thanks")
    assert before.isdisjoint(element.id for element in fake.observe(picture=False).elements)


def test_the_picture_shows_the_elements() -> None:
    fake = computer()
    first = fake.observe().screenshot
    fake.perform(Click(at(fake, "I agree")))
    second = fake.observe().screenshot
    assert first is not None
    assert second is not None
    assert first.data != second.data
    with Image.open(io.BytesIO(first.data)) as picture:
        assert picture.size == (800, 600)
        assert len(picture.crop((40, 20, 280, 48)).getcolors() or []) > 1


def test_uploading_shows_the_names() -> None:
    fake = FakeComputer(screen(field("File")))
    fake.perform(Upload(at(fake, "File"), ("a.txt", "b.txt")))
    assert fake.value("File") == "a.txt, b.txt"


def test_a_world_without_screens_and_unknown_names_are_mistakes_of_the_test() -> None:
    with pytest.raises(ValueError, match="at least one screen"):
        World({})
    world = World({"form": FORM})
    with pytest.raises(KeyError, match="no screen"):
        world.show("nowhere")
    with pytest.raises(KeyError, match="no element"):
        world.change("Nobody", value="x")


def test_nothing_overlaps_in_a_screen_that_was_laid_out() -> None:
    observation: Observation = FORM
    boxes = [element.box for element in observation.elements]
    for number, box in enumerate(boxes):
        assert all(box.intersect(other) is None for other in boxes[number + 1 :])
    assert len({element.path for element in observation.elements}) == len(boxes)
