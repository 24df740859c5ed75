"""Points, marks and words become one element, or an answer that says why not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from grounder_screens import element, people, screen
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.agent.grounder.candidates import ORDER
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Box, Effects, Mark, Observation, Place, Point, Size, Target, Words
from gui_agent.core.trajectory import Found
from gui_agent.scene import Scene

NAMES = st.sampled_from(
    ["Send", "Save", "Save as", "Cancel", "Name", "First name", "Country", "OK", "Delete all"]
)


def locate(target: Target, observation: Observation, verb: str = "click") -> Found:
    return ScreenGrounder().locate(target, observation, verb=verb)


def found_id(target: Target, observation: Observation, verb: str = "click") -> int:
    element_found = locate(target, observation, verb).element
    assert element_found is not None
    return element_found.id


def test_an_option_is_chosen_in_a_link_that_leads_nowhere_and_never_in_one_of_nearly_the_same_name() -> None:
    """Old pages build a list of a link; the link to the page `Customers` is no field."""
    away, here = Effects(link="/customers/"), Effects(link="javascript:void(0)")
    menu = replace(element(1, "link", "Customers", (300, 0, 90, 30)), does=away)
    label = element(2, "text", "Customer", (10, 200, 80, 20))
    listed = replace(element(3, "link", "None", (10, 225, 400, 30)), does=here)
    for verb in ("choose", "set"):
        assert found_id(Words("Customer"), screen(menu, label, listed), verb) == 3
        with pytest.raises(NotFound):
            found_id(Words("Customer"), screen(menu), verb)
    assert found_id(Words("Customer"), screen(menu)) == 1


def test_a_point_finds_the_smallest_control_under_it() -> None:
    row = element(1, "row", "Ada", (0, 0, 400, 40))
    button = element(2, "button", "Delete", (300, 5, 50, 30))
    text = element(3, "text", "Delete", (310, 10, 20, 10))
    found = locate(Point(315, 15), screen(row, button, text))
    assert found.element == button
    assert found.point == Point(315, 15)


def test_a_point_on_nothing_is_kept_as_it_is() -> None:
    found = locate(Point(5, 5), screen(element(1, "button", "Send", (100, 100, 50, 20))))
    assert (found.element, found.point) == (None, Point(5, 5))


@given(st.integers(-2000, 3000), st.integers(-2000, 3000))
def test_a_point_is_used_as_given_or_refused_but_never_moved(x: int, y: int) -> None:
    inside = 0 <= x < 800 and 0 <= y < 600
    if inside:
        assert locate(Point(x, y), screen()).point == Point(x, y)
    else:
        with pytest.raises(NotFound, match="outside the picture of 800 x 600"):
            locate(Point(x, y), screen())


@pytest.mark.parametrize("words", [Words("Send"), Words(role="button"), Words("Send", near="Ada")])
def test_where_no_page_is_open_it_is_said_how_to_open_one(words: Words) -> None:
    nowhere = Observation(Size(800, 600), place=Place(url="about:blank"))
    with pytest.raises(NotFound, match="no page is open; say where to begin with --url"):
        locate(words, nowhere)
    with pytest.raises(NotFound, match="nothing with a name on the screen"):
        locate(words, Observation(Size(800, 600)))


def test_a_mark_is_found_by_its_number() -> None:
    assert found_id(Mark(2), screen(element(1, "button", "A"), element(2, "button", "B"))) == 2


def test_a_mark_that_is_gone_names_what_it_may_have_become() -> None:
    grounder = ScreenGrounder()
    grounder.locate(Mark(1), screen(element(1, "button", "Save")))
    with pytest.raises(NotFound, match='element 1, button "Save", is gone; it may now be element 7'):
        grounder.locate(Mark(1), screen(element(7, "button", "Save")))
    with pytest.raises(NotFound, match="no element 99"):
        grounder.locate(Mark(99), screen(element(7, "button", "Save")))


def test_an_exact_name_beats_names_that_contain_it() -> None:
    shown = screen(
        element(1, "button", "Resend"), element(2, "button", "Send all"), element(3, "button", "Send")
    )
    assert found_id(Words("Send"), shown) == 3
    assert found_id(Words("send"), shown) == 3


def test_send_is_not_found_in_resend() -> None:
    with pytest.raises(NotFound) as caught:
        locate(Words("Send"), screen(element(1, "button", "Resend")))
    assert 'no "Send" here; nearest: button "Resend"' in str(caught.value)
    assert [e.id for e in caught.value.candidates] == [1]


def test_a_word_that_changes_the_meaning_is_not_overlooked() -> None:
    with pytest.raises(NotFound):
        locate(Words("Delete"), screen(element(1, "button", "Delete all")))
    with pytest.raises(NotFound):
        locate(Words("Account"), screen(element(1, "button", "Delete account")))


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Countries", "Country"),
        ("Submit", "Submit form"),
        ("e-mail", "Email"),
        ("Adress", "Address"),
        ("Telefone number", "Telephone number"),
        ("name", "Name:"),
        ("Save as", "Save as…"),
        ("log in", "Login"),
    ],
)
def test_small_differences_in_a_name_do_not_matter(said: str, name: str) -> None:
    assert found_id(Words(said), screen(element(1, "button", name), element(2, "button", "Other"))) == 1


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Sned", "Send"),
        ("Save", "Cave"),
        ("First name", "Name"),
        ("Last name", "First name"),
        ("Item 12", "Item 13"),
        ("Yes", "Yet"),
        ("Bob", "Rob"),
    ],
)
def test_other_names_are_not_taken(said: str, name: str) -> None:
    with pytest.raises(NotFound, match="nearest"):
        locate(Words(said), screen(element(1, "button", name)))


def test_two_of_the_same_are_ambiguous_and_both_are_named() -> None:
    shown = screen(element(1, "button", "Delete"), element(2, "button", "Delete"))
    with pytest.raises(Ambiguous, match="say which") as caught:
        locate(Words("Delete"), shown)
    assert [e.id for e in caught.value.candidates] == [1, 2]


def test_of_two_of_the_same_the_one_that_can_be_used_is_meant() -> None:
    shown = screen(element(1, "button", "Delete", states="disabled"), element(2, "button", "Delete"))
    assert found_id(Words("Delete"), shown) == 2


def test_of_two_of_the_same_the_one_with_the_exact_case_is_meant() -> None:
    assert found_id(Words("ok"), screen(element(1, "button", "OK"), element(2, "button", "ok"))) == 2


def test_the_dialog_is_the_one_in_front_whatever_it_is_called() -> None:
    asked = Words("Create", role="button", near="dialog", relation="for")
    behind = element(1, "button", "Create", (600, 500, 80, 30))
    inside = [
        element(2, "dialog", "New plan", (200, 100, 300, 200)),
        element(3, "button", "Create", (400, 250, 80, 30)),
    ]
    assert locate(asked, screen(behind, *inside)).element == inside[1]
    with pytest.raises(NotFound, match='no "dialog" here'):
        locate(asked, screen(behind))


def test_of_two_of_the_same_the_one_in_the_dialog_in_front_is_meant() -> None:
    shown = screen(
        element(1, "button", "Delete", (10, 10, 50, 20)),
        element(2, "dialog", "Sure?", (200, 200, 300, 200)),
        element(3, "button", "Delete", (250, 300, 50, 20)),
    )
    assert found_id(Words("Delete"), shown) == 3


def test_the_menu_bar_of_the_window_below_lies_behind_a_dialog_and_a_menu_of_the_dialog_does_not() -> None:
    shown = screen(
        element(1, "menuitem", "Insert", (10, 10, 50, 20)),
        element(2, "dialog", "Insert Table", (200, 100, 300, 200)),
        element(3, "button", "Insert", (400, 250, 80, 30)),
        element(4, "menuitem", "Copy", (460, 310, 80, 20)),
    )
    windows = {7: Box(0, 0, 800, 600), 8: Box(200, 100, 300, 200), 9: Box(450, 290, 100, 60)}
    shown = replace(shown, windows=windows)
    assert found_id(Words("Insert"), shown) == 3
    assert found_id(Words("Copies"), shown) == 4


def test_an_entry_of_a_menu_that_only_its_window_tells_comes_before_the_button_of_its_name() -> None:
    shown = screen(
        element(1, "menuitem", "Node", (10, 10, 50, 20), states="focused"),
        element(2, "button", "Move Up", (400, 40, 24, 20)),
        element(3, "menuitem", "Move Up", (20, 60, 80, 20)),
        element(4, "menuitem", "Rename", (20, 80, 80, 20)),
    )
    menu = {7: Box(0, 0, 800, 600), 8: Box(10, 50, 120, 60)}
    assert found_id(Words("Move Up"), replace(shown, windows=menu)) == 3


def test_the_uppermost_window_is_in_front_whatever_its_role() -> None:
    shown = screen(
        element(1, "button", "Replace", (10, 10, 50, 20)), element(2, "button", "Replace", (250, 150, 50, 20))
    )
    windows = {7: Box(0, 0, 800, 600), 8: Box(200, 100, 300, 200), 9: Box(240, 140, 90, 20)}
    assert found_id(Words("Replace"), replace(shown, windows=windows, hints=frozenset({9}))) == 2


def test_behind_a_dialog_only_the_very_name_is_found() -> None:
    def shown(name: str) -> Observation:
        return screen(
            element(1, "button", name, (10, 10, 50, 20)),
            element(2, "dialog", "Replace", (200, 200, 300, 200)),
            element(3, "button", "Close", (250, 300, 50, 20)),
            element(4, "option", "Canada (CA)", (200, 420, 80, 20)),
        )

    assert found_id(Words("Document"), shown("Document")) == 1
    assert found_id(Words("Canada"), shown("Document")) == 4
    with pytest.raises(NotFound):
        locate(Words("Document"), shown("Document map"))


def test_a_switch_is_not_clicked_for_a_small_part_of_its_name() -> None:
    shown = screen(element(1, "checkbox", "Qt interface"))
    with pytest.raises(NotFound):
        locate(Words("Qt"), shown)
    assert found_id(Words("Qt", "checkbox"), shown) == 1
    assert found_id(Words("Qt"), shown, "check") == 1


def test_a_quoted_number_is_a_name_and_a_spoken_one_may_be_a_rank() -> None:
    links = [element(i, "link", name) for i, name in enumerate(["Home", "News", "Shop", "4"], start=1)]
    assert found_id(Words("4", "link"), screen(*links)) == 4
    with pytest.raises(NotFound, match='no "2" link here'):
        locate(Words("2", "link"), screen(*links))
    assert found_id(Words("link 2", "link"), screen(*links)) == 2
    assert found_id(Words("link 4", "link"), screen(*links[2:], *links[:2])) == 4


def test_an_exact_name_is_meant_and_not_a_description_of_the_same_words() -> None:
    shown = screen(
        element(1, "link", "Countries", (10, 10, 50, 20)),
        element(2, "link", "Add", (80, 10, 50, 20), description="Countries"),
        element(3, "link", "Change", (150, 10, 50, 20), description="Countries"),
    )
    assert found_id(Words("Countries"), shown) == 1


def test_a_slider_takes_a_value() -> None:
    assert found_id(Words("Volume"), screen(element(1, "slider", "Volume")), "type") == 1


def test_a_disabled_control_is_found_but_said_to_be_disabled() -> None:
    assert "disabled" in locate(Words("Send"), screen(element(1, "button", "Send", states="disabled"))).how


def test_the_verb_says_what_kind_is_likely() -> None:
    shown = screen(
        element(1, "button", "Country"), element(2, "textbox", "Country"), element(3, "checkbox", "Country")
    )
    assert found_id(Words("Country"), shown, "type") == 2
    assert found_id(Words("Country"), shown, "check") == 3
    with pytest.raises(Ambiguous, match="say which"):
        locate(Words("Country"), shown, "click")


def test_a_field_without_a_name_is_found_by_the_label_beside_or_above_it() -> None:
    shown = screen(
        element(1, "text", "Name", (10, 10, 50, 20)),
        element(2, "textbox", "", (80, 10, 100, 20)),
        element(3, "text", "Country:", (10, 60, 60, 20)),
        element(4, "combobox", "", (10, 85, 100, 20)),
    )
    assert found_id(Words("Name"), shown, "type") == 2
    assert found_id(Words("Country"), shown, "choose") == 4
    assert found_id(Words("Name"), shown, "click") == 2


def test_a_placeholder_and_a_value_are_names_too() -> None:
    shown = screen(
        element(1, "textbox", "", description="Search the shop"),
        element(2, "combobox", "Size", value="Large"),
    )
    assert found_id(Words("Search the shop"), shown, "type") == 1
    assert found_id(Words("Large"), shown) == 2


def test_text_is_clicked_when_no_control_has_the_name() -> None:
    assert found_id(Words("lorem"), screen(element(1, "text", "lorem"), element(2, "text", "ipsum"))) == 1


def test_the_control_wins_over_its_own_text() -> None:
    shown = screen(
        element(1, "link", "More", (10, 10, 100, 20), path="body/a"),
        element(2, "text", "More", (12, 12, 50, 15), path="body/a/text"),
        element(3, "checkbox", "I agree", (10, 50, 20, 20)),
        element(4, "text", "I agree", (35, 50, 80, 20)),
    )
    assert found_id(Words("More"), shown) == 1
    assert found_id(Words("I agree"), shown) == 3
    assert found_id(Words("I agree"), shown, "check") == 3


def test_kinds_and_ranks_are_counted_in_reading_order() -> None:
    shown = people()
    assert found_id(Words(role="checkbox", ordinal=2), shown) == 21
    assert found_id(Words(role="button", ordinal=-1), shown) == 33
    assert found_id(Words("Delete", ordinal=2), shown) == 23
    assert found_id(Words("checkbox 3", "checkbox"), shown) == 31
    with pytest.raises(NotFound, match="no 4th checkbox here, only 3"):
        locate(Words(role="checkbox", ordinal=4), shown)


def test_the_only_one_of_its_kind_needs_no_name() -> None:
    shown = screen(element(1, "button", "Send"), element(2, "textbox", ""))
    assert found_id(Words(role="textbox"), shown, "type") == 2
    assert found_id(Words(), shown, "type") == 2
    with pytest.raises(NotFound, match="no checkbox here"):
        locate(Words(role="checkbox"), shown)


def test_a_text_area_and_a_text_field_are_told_apart_but_counted_together() -> None:
    shown = screen(element(1, "textbox", ""), element(2, "textbox", "", states="multiline editable"))
    assert found_id(Words(role="textbox"), shown) == 1
    assert found_id(Words(role="textarea"), shown) == 2
    assert found_id(Words(role="textbox", ordinal=2), shown) == 2


def test_a_kind_at_the_end_of_the_words_is_understood() -> None:
    shown = screen(
        element(1, "button", "Send"), element(2, "link", "Send"), element(3, "tab", "Start button")
    )
    assert found_id(Words("Send button"), shown) == 1
    assert found_id(Words("Start button"), shown) == 3
    with pytest.raises(NotFound, match='no "Save button" here'):
        locate(Words("Save button"), shown)


def test_a_wrong_kind_is_forgiven_for_an_exact_name_only() -> None:
    shown = screen(element(1, "link", "More"), element(2, "link", "Something more"))
    assert found_id(Words("More", "button"), shown) == 1
    with pytest.raises(NotFound):
        locate(Words("Something", "button"), shown)


def test_an_icon_without_a_name_is_known_by_its_class() -> None:
    shown = screen(
        element(1, "img", "", attributes={"class": "icon trash"}),
        element(2, "img", "", attributes={"class": "star"}),
    )
    assert found_id(Words("trash", "icon"), shown) == 1


def test_the_point_avoids_a_control_that_covers_the_middle() -> None:
    below = element(1, "button", "ONE", (100, 100, 100, 40))
    above = element(2, "button", "TWO", (130, 90, 60, 60))
    point = locate(Words("ONE"), screen(below, above)).point
    assert below.box.contains(point)
    assert not above.box.contains(point)


def test_two_ways_that_agree_are_surer_than_one() -> None:
    alone = screen(element(1, "textbox", "", description="Email address"))
    both = screen(
        element(2, "text", "Email address", (10, 40, 90, 20)),
        element(1, "textbox", "", (110, 40, 100, 20), description="Email address"),
    )
    words = Words("Email address")
    assert locate(words, both, "type").score > locate(words, alone, "type").score


@given(st.lists(NAMES, min_size=1, max_size=8), NAMES)
def test_what_is_found_has_the_name_and_what_is_not_found_was_not_there(
    names: list[str], wanted: str
) -> None:
    shown = screen(*(element(i, "button", name) for i, name in enumerate(names, start=1)))
    try:
        found = locate(Words(wanted), shown)
    except Ambiguous as error:
        assert names.count(wanted) != 1
        assert len(error.candidates) > 1
    except NotFound:
        assert wanted not in names
    else:
        assert found.element is not None
        assert 0 < found.score <= 1
        if wanted in names:
            assert found.element.name == wanted


@given(
    st.permutations([element(1, "button", "Send"), element(2, "link", "Home"), element(3, "textbox", "Name")])
)
def test_the_order_of_elements_does_not_decide_about_names(order: list[object]) -> None:
    shown = screen(*order)  # type: ignore[arg-type]
    assert found_id(Words("Send"), shown) == 1
    assert found_id(Words("Name"), shown, "type") == 3


@given(st.integers(0, 700), st.integers(0, 500), st.integers(1, 100), st.integers(1, 100))
def test_the_point_lies_on_the_element(left: int, top: int, width: int, height: int) -> None:
    found = locate(Words("X"), screen(element(1, "button", "X", (left, top, width, height))))
    assert Box(left, top, width, height).contains(found.point)


def test_of_a_search_field_with_a_lens_and_a_button_the_button_is_clicked() -> None:
    shown = screen(
        element(1, "img", "Search", (10, 100, 20, 20)),
        element(2, "textbox", "Search", (40, 100, 100, 20), states="editable"),
        element(3, "button", "Search", (150, 100, 60, 20)),
    )
    assert ScreenGrounder().locate(Words("Search"), shown).element == shown.elements[2]


@pytest.mark.parametrize("said", ["file", "drag/drop files and/or folders here", "choose files"])
def test_the_only_place_for_files_is_meant_by_words_that_say_no_more(said: str) -> None:
    shown = screen(
        element(1, "button", "Browse", (10, 100, 60, 20), attributes={"type": "file"}),
        element(2, "button", "Send", (150, 100, 60, 20)),
    )
    assert ScreenGrounder().locate(Words(said), shown, verb="upload").element == shown.elements[0]
    with pytest.raises(NotFound):
        ScreenGrounder().locate(Words("Passport"), shown, verb="upload")


def test_a_text_in_an_entry_of_a_list_may_be_called_the_item() -> None:
    shown = screen(element(1, "text", "old.txt", path="body/ul/li[2]/span"), element(2, "text", "Name"))
    assert ScreenGrounder().locate(Words("old.txt", "listitem"), shown).element == shown.elements[0]


def test_a_click_does_not_fall_on_a_field_where_a_button_says_the_word_with_a_reservation() -> None:
    field = element(1, "combobox", "Replace with:", states="haspopup")
    button = element(2, "button", "Replace All")
    with pytest.raises(Ambiguous, match='nothing has exactly the name "Replace"'):
        locate(Words("Replace"), screen(field, button))
    assert found_id(Words("Replace"), screen(field)) == 1
    assert found_id(Words("Replace"), screen(field, button), "type") == 1


@pytest.mark.parametrize("role", ["text", "heading", "img", "region"])
@pytest.mark.parametrize("kind", ["button", "link", "tab"])
def test_what_can_be_clicked_comes_before_a_title_of_its_name_in_whatever_case(role: str, kind: str) -> None:
    title, control = element(1, role, "Log in", (0, 0, 200, 40)), element(2, kind, "Log In", (0, 99, 80, 30))
    assert found_id(Words("Log in"), screen(title, control)) == 2
    assert found_id(Words("Log in", role), screen(title, control)) == 1
    off = element(2, kind, "Log In", (0, 100, 80, 30), states="disabled")
    assert found_id(Words("Log in"), screen(title, off)) == 2
    front = element(3, "dialog", "Account", (0, 0, 200, 50))
    assert found_id(Words("Log in"), screen(title, control, front)) == 1


def test_the_order_in_which_things_are_meant_is_documented() -> None:
    documented = (Path(__file__).parents[4] / "docs" / "commands.md").read_text("utf-8")
    assert "\n".join(f"{place}. {what}" for place, what in enumerate(ORDER, start=1)) in documented


LADDER = {
    "the whole name before a part of it": ("Save", "click", "text: Save", "button: Save as"),
    "the whole name before a plural": ("Room", "click", "button: Room: disabled", "button: Rooms"),
    "a name before a description": ("Send", "click", "button: SEND: disabled", "link: Add:: Send"),
    "a description before a part": ("Send", "click", "button: Go:: Send", "link: Send a copy"),
    "a part before a hint": ("Email", "type", "textbox: Email address", "textbox: Contact:: Email"),
    "what is pressed before a field": ("City", "click", "link: CITY: disabled", "textbox: City"),
    "what is pressed before a heading": ("Log in", "click", "button: LOG IN: disabled", "heading: Log in"),
    "what takes a value before a text": ("Priority", "choose", "combobox: Priority of it", "text: Priority"),
    "a field before a text": ("City", "click", "textbox: CITY: disabled", "text: City"),
    "enabled before disabled": ("Send", "click", "button: SEND", "button: Send: disabled"),
    "the very case before another": ("ok", "click", "button: ok", "button: OK"),
}


@pytest.mark.parametrize(("said", "verb", "better", "worse"), LADDER.values(), ids=LADDER)
@pytest.mark.parametrize("turned", [False, True])
def test_the_first_difference_in_the_order_decides(
    said: str, verb: str, better: str, worse: str, turned: bool
) -> None:
    both = []
    for number, words in enumerate((better, worse), start=1):
        role, name, states, description = (*(part.strip() for part in words.split(":")), "", "")[:4]
        both.append(element(number, role, name, states=states, description=description))
    assert found_id(Words(said), screen(*(both[::-1] if turned else both)), verb) == 1


def test_of_two_of_the_same_the_one_in_what_has_popped_up_is_meant() -> None:
    shown = screen(element(1, "link", "Pause"), element(2, "link", "Pause", attributes={"notice": "popup"}))
    assert found_id(Words("Pause"), shown) == 2


@pytest.mark.parametrize(
    ("said", "in_sight", "beyond", "scrolls"),
    [
        ("Save", "button: Save a copy", "button: Save", True),
        ("Save", "text: Save", "button: Save", True),
        ("Save", "button: SAVE", "button: Save", False),
        ("Save", "button: Save", "button: Save", False),
        ("Save", "button: Save it for later", "button: Save a copy", False),
    ],
)
def test_what_is_out_of_sight_is_meant_when_it_is_better_by_name_or_kind(
    said: str, in_sight: str, beyond: str, scrolls: bool
) -> None:
    near, far = (element(n, *one.split(": ")) for n, one in enumerate((in_sight, beyond), start=1))
    shown = Observation(Size(800, 600), (near,), beyond=(far,))
    if not scrolls:
        assert found_id(Words(said), shown) == 1
    else:
        with pytest.raises(NotFound, match="not in sight") as caught:
            locate(Words(said), shown)
        assert caught.value.candidates == (far,)


@pytest.mark.parametrize(
    ("said", "expected"),
    [("Save", 1), ("Save As", 2), ("Save Ctrl+S", 1), ("Rename", 3), ("Copy", 4), ("Move to Trash", 5)],
)
def test_the_keys_behind_an_entry_of_a_menu_are_no_part_of_its_name(said: str, expected: int) -> None:
    names = ("Save Ctrl+S", "Save As… Ctrl+Shift+S", "Rename F2", "Copy ⌘C", "Move to Trash Del")
    entries = [element(n, "menuitem", name, (0, 20 * n, 90, 20)) for n, name in enumerate(names, start=1)]
    found = ScreenGrounder().locate(Words(said), screen(*entries), verb="click").element
    assert found is not None and found.id == expected


@pytest.mark.parametrize(
    ("said", "name"),
    [("Cart", "Add to cart"), ("Account", "Close account"), ("Form", "Submit form"), ("Korb", "Öffne Korb")],
)
def test_a_longer_name_that_begins_with_another_verb_is_not_meant(said: str, name: str) -> None:
    with pytest.raises(NotFound, match=f'nearest: button "{name}"'):
        locate(Words(said), screen(element(1, "button", name)))


@pytest.mark.parametrize(("said", "name"), [("Submit", "Submit form"), ("basket", "Shopping basket")])
def test_a_longer_name_without_another_verb_is_meant(said: str, name: str) -> None:
    assert found_id(Words(said), screen(element(1, "button", name))) == 1


def test_a_field_is_meant_whatever_its_name_begins_with() -> None:
    shown = screen(element(1, "textbox", "Choose a name", states="editable"))
    assert found_id(Words("name"), shown, "type") == 1


def test_a_longer_name_is_not_meant_where_the_very_name_was_on_an_earlier_screen() -> None:
    grounder = ScreenGrounder()
    grounder.locate(Words("Settings"), screen(element(1, "link", "Settings")))
    with pytest.raises(NotFound, match="was on an earlier screen"):
        grounder.locate(Words("Settings"), screen(element(2, "link", "Settings of the shop")))
    assert found_id(Words("Settings"), screen(element(2, "link", "Settings of the shop"))) == 2


def test_a_button_that_is_called_a_menu_is_the_menu() -> None:
    bar = [element(1, "button", "Save"), element(2, "button", "Main menu"), element(3, "button", "Close")]
    assert found_id(Words(role="menu"), screen(*bar)) == 2
    with pytest.raises(Ambiguous):
        locate(Words(role="menu"), screen(*bar, element(4, "button", "View menu")))


def test_a_small_nameless_button_is_the_icon_that_its_tool_tip_names() -> None:
    gtk = {"toolkit": "gtk"}
    bar = [
        element(1, "radio", "", (10, 10, 36, 33), description="Calendar", attributes=gtk),
        element(2, "togglebutton", "", (50, 10, 36, 33), description="Favorite", attributes=gtk),
        element(3, "togglebutton", "", (90, 10, 36, 33), description="Trashed", attributes=gtk),
        element(4, "radio", "", (130, 10, 36, 33), description="Done", attributes=gtk),
    ]
    for number, said in enumerate(("calendar icon", "heart", "trash can", "green tick"), start=1):
        name = said.removesuffix(" icon")
        assert found_id(Words(name, "icon" if name != said else ""), screen(*bar)) == number


def test_the_text_is_the_area_that_can_be_written_in() -> None:
    shown = screen(
        element(1, "text", "12 words"),
        element(2, "text", "Thursday"),
        element(3, "textbox", "", (0, 100, 600, 200), states="multiline editable", value="First frost"),
        element(4, "textbox", "", (0, 320, 600, 230), states="multiline"),
    )
    assert found_id(Words(role="text"), shown) == 3
    with pytest.raises(Ambiguous):
        locate(Words(role="text"), shown, "read")


def test_text_goes_into_the_list_that_has_a_field() -> None:
    qt = {"toolkit": "Qt"}
    label = element(1, "text", "Prefix:", (10, 10, 60, 20))
    closed = element(2, "combobox", "", (80, 10, 100, 20), states="haspopup", attributes=qt)
    written = element(3, "combobox", "", (80, 34, 100, 20), states="haspopup editable", attributes=qt)
    assert found_id(Words("Prefix"), screen(label, closed, written), "choose") == 2
    named = screen(replace(closed, name="Prefix"), replace(written, name="Prefix"))
    assert found_id(Words("Prefix"), named, "type") == 3


def test_a_nameless_button_in_the_group_of_a_field_is_not_between_it_and_its_label() -> None:
    label = element(1, "text", "Title:", (10, 10, 60, 20), path="dialog/group[1]/text[1]")
    opens = element(2, "button", "", (80, 10, 50, 20), path="dialog/group[1]/group[1]/button[1]")
    field = element(3, "textbox", "", (140, 10, 300, 20), path="dialog/group[1]/group[1]/textbox[2]")
    assert found_id(Words("Title"), screen(label, opens, field), "set") == 3
    other = replace(opens, name="Go")
    assert Scene.from_screen(screen(label, opens, field)).label_of(field) == "Title:"
    assert Scene.from_screen(screen(label, other, field)).label_of(field) == ""


def test_a_text_that_is_the_name_of_a_field_labels_no_nameless_one_on_its_line() -> None:
    label = element(1, "text", "Prefix:", (10, 10, 60, 20))
    kind = element(2, "combobox", "", (80, 10, 100, 20), states="haspopup")
    field = element(3, "combobox", "Prefix:", (190, 10, 100, 20), states="haspopup editable")
    assert found_id(Words("Prefix"), screen(label, kind, field), "set") == 3
    assert found_id(Words("Prefix"), screen(label, kind), "set") == 2
    off = replace(field, states=frozenset({"disabled"}))
    assert found_id(Words("Prefix"), screen(label, kind, off), "choose") == 2
