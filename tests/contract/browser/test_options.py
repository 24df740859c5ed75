"""Choosing options and switching boxes on a real page."""

from __future__ import annotations

from typing import Any

import pytest

from gui_agent.core.actions import Check, Choose
from gui_agent.core.errors import ActionFailed


def test_an_option_is_chosen_by_keyboard(desk: Any) -> None:
    desk.open("forms.html")
    desk.use("Country", Choose, "Denmark")
    assert desk.value("country") == "Denmark"
    assert desk.js("changes") == ["country:true"]
    desk.use("Country", Choose, "brazil")
    assert desk.value("country") == "Brazil"


def test_a_long_list_is_walked_to_its_end(desk: Any) -> None:
    desk.open("forms.html")
    desk.js(
        "for (let n = 0; n < 200; n++) document.getElementById('country').add(new Option('Country ' + n))"
    )
    desk.look()
    desk.use("Country", Choose, "Country 150")
    assert desk.value("country") == "Country 150"


def test_a_missing_option_is_answered_with_those_there_are(desk: Any) -> None:
    desk.open("forms.html")
    with pytest.raises(ActionFailed, match=r'no option "Peru".*"Austria".*"Denmark"'):
        desk.use("Country", Choose, "Peru")
    assert desk.value("country") == "Austria"


def test_a_disabled_option_is_refused(desk: Any) -> None:
    desk.open("forms.html")
    with pytest.raises(ActionFailed, match="disabled"):
        desk.use("Country", Choose, "Atlantis")


def test_several_options_are_chosen_one_after_the_other(desk: Any) -> None:
    desk.open("forms.html")
    desk.use("Fruits", Choose, "Banana")
    desk.use("Fruits", Choose, "Date")
    chosen = "[...document.getElementById('fruits').selectedOptions].map((option) => option.text)"
    assert desk.js(chosen) == ["Banana", "Date"]
    assert desk.js("changes") == ["fruits:true", "fruits:true"]


def test_a_list_that_stands_open_is_clicked(desk: Any) -> None:
    desk.open("forms.html")
    desk.use("Size", Choose, "Medium")
    assert desk.value("size") == "Medium"


def test_a_field_with_suggestions_takes_one_of_them(desk: Any) -> None:
    desk.open("forms.html")
    desk.use("Pet", Choose, "dog")
    assert desk.value("pet") == "Dog"
    with pytest.raises(ActionFailed, match='"Cat", "Dog"'):
        desk.use("Pet", Choose, "Bird")


def test_a_list_built_by_the_page_is_opened_and_clicked(desk: Any) -> None:
    desk.open("forms.html")
    desk.use("Colour", Choose, "Green")
    assert desk.js("document.getElementById('colour').textContent") == "Green"


def test_a_menu_elsewhere_is_not_taken_for_the_list(desk: Any) -> None:
    desk.open("forms.html")
    desk.js("document.getElementById('colour').removeAttribute('aria-controls')")
    desk.use("Colour", Choose, "Red")
    assert desk.js("document.getElementById('colour').textContent") == "Red"


def test_a_built_list_without_the_option_names_those_it_has(desk: Any) -> None:
    desk.open("forms.html")
    with pytest.raises(ActionFailed, match=r'no option "Blue".*"Red", "Green", "Dark green"'):
        desk.use("Colour", Choose, "Blue")


def test_a_thing_without_options_says_so(desk: Any) -> None:
    desk.open("forms.html")
    with pytest.raises(ActionFailed, match="opened no list"):
        desk.use("Send", Choose, "Red")


@pytest.mark.parametrize(("name", "identity"), [("I agree", "agree"), ("Newsletter", "news")])
@pytest.mark.parametrize("on", [True, False])
def test_a_box_is_left_as_asked(desk: Any, name: str, identity: str, on: bool) -> None:
    desk.open("forms.html")
    desk.use(name, Check, on)
    assert desk.js(f"document.getElementById('{identity}').checked") is on
    desk.use(name, Check, on)
    assert desk.js(f"document.getElementById('{identity}').checked") is on


def test_a_switch_is_turned_and_read_back(desk: Any) -> None:
    desk.open("forms.html")
    desk.use("Dark mode", Check, True, role="switch")
    assert desk.js("document.getElementById('dark').getAttribute('aria-checked')") == "true"


def test_a_radio_button_is_chosen_but_not_switched_off(desk: Any) -> None:
    desk.open("forms.html")
    desk.use("Pro", Check, True)
    assert desk.js("document.getElementById('pro').checked") is True
    with pytest.raises(ActionFailed, match="another one of its group"):
        desk.use("Pro", Check, False)


def test_a_box_that_does_not_follow_is_reported(desk: Any) -> None:
    desk.open("forms.html")
    with pytest.raises(ActionFailed, match="did not become checked"):
        desk.use("Stuck", Check, True, role="switch")


def test_a_thing_that_is_no_box_is_not_checked(desk: Any) -> None:
    desk.open("forms.html")
    with pytest.raises(ActionFailed, match="click it instead"):
        desk.use("Send", Check, True)
