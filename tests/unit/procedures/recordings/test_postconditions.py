"""What an action changed is told as conditions."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.core.conditions import StateIs, TextGone, TextShown, TitleIs, UrlIs, ValueIs
from gui_agent.core.observation import Box, Element, Observation, Place
from gui_agent.procedures.recordings.from_run import postconditions, title_pattern, url_pattern
from gui_agent.testing import button, checkbox, field, row, screen, text


def changed(observation: Observation, name: str, **changes: object) -> Observation:
    elements = tuple(replace(e, **changes) if e.name == name else e for e in observation.elements)  # type: ignore[arg-type]
    return replace(observation, elements=elements)


def own(observation: Observation, name: str) -> int:
    return next(e.id for e in observation.elements if e.name == name)


def test_a_typed_value_is_expected_in_its_field() -> None:
    before = screen(field("Name"), button("Send"))
    after = changed(before, "Name", value="Ada")
    found = postconditions(before, after, own(before, "Name"))
    assert [(c.of.name, c.value) for c in found if isinstance(c, ValueIs)] == [("Name", "Ada")]


def test_a_password_is_not_kept() -> None:
    before = changed(screen(field("Password")), "Password", states=frozenset({"password"}))
    after = changed(before, "Password", value="•••")
    assert postconditions(before, after, own(before, "Password")) == ()


def test_a_ticked_box_is_expected_to_be_ticked() -> None:
    before = screen(checkbox("I agree"))
    after = changed(before, "I agree", states=frozenset({"checked"}))
    found = postconditions(before, after, own(before, "I agree"))
    assert [(c.state, c.on) for c in found if isinstance(c, StateIs)] == [("checked", True)]


def test_texts_that_come_and_go_are_told_but_no_clock() -> None:
    before = screen(text("Write to us"), button("Send"))
    after = screen(text("Thank you"), text("12:45"), text("Order 884213"), text("Memory: 33.1 MB"))
    found = postconditions(before, after)
    assert TextShown("Thank you") in found
    assert TextGone("Write to us") in found
    assert not any(one in str(c) for c in found for one in ("12:45", "884213", "33.1"))


def test_what_the_title_or_a_field_still_shows_is_not_gone() -> None:
    before = screen(button("Archive"), button("Draft"), button("Note"), field("Path"))
    after = changed(screen(field("Path")), "Path", value="/home/ada/Draft")
    found = postconditions(before, replace(after, place=Place(title="Archive")))
    assert [c for c in found if isinstance(c, TextGone)] == [TextGone("Note")]


def test_a_name_that_several_elements_still_spell_together_is_not_gone() -> None:
    before = screen(button("Add book"), button("Leave"))
    after = screen(row(button("Add"), text("Book")))
    assert [c for c in postconditions(before, after) if isinstance(c, TextGone)] == [TextGone("Leave")]


def test_what_lies_under_an_opened_menu_is_not_gone() -> None:
    before = screen(button("Action"), text("Filename"), text("Opening"))
    heading = before.elements[1]
    item = Element(
        9, "menuitem", "Extract", Box(heading.box.left, heading.box.top + 7, heading.box.width, 25)
    )
    found = postconditions(before, replace(before, elements=(before.elements[0], item)))
    assert TextShown("Extract") in found
    assert [c for c in found if isinstance(c, TextGone)] == [TextGone("Opening")]


def test_address_and_title_lose_what_differs_every_time() -> None:
    before = replace(screen(text("a")), place=Place(title="List", url="https://x.org/list"))
    after = replace(screen(text("a")), place=Place(title="Order 17", url="https://x.org/orders/17?token=abc"))
    found = postconditions(before, after)
    assert UrlIs("https://x.org/orders/*") in found
    assert TitleIs("Order *") in found
    assert url_pattern("https://x.org/a[1]") == "https://x.org/a?1]"
    assert title_pattern("Inbox (3)") == "Inbox (*)"
