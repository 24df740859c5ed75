"""What changed between two screens is told in a person's words."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.agent.differences import difference
from gui_agent.agent.pictures import pictures_differ
from gui_agent.core.observation import Box, Element, Observation, Size
from gui_agent.core.trajectory import Found
from gui_agent.testing import FakeComputer, button, checkbox, dialog, field, screen, text, widget
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


def _drawn(observation: Observation, *painted: Element) -> Observation:
    """The observation with a picture of these things."""
    return replace(observation, screenshot=draw(screen(*painted, size=observation.size)))


def test_the_picture_counts_although_a_flag_of_an_element_differs() -> None:
    board = widget("canvas", "Board", box=Box(20, 20, 200, 200))
    before = _drawn(screen(board))
    clicked = replace(board, id=1, states=frozenset({"new"}), attributes={"class": "hot"})
    after = _drawn(screen(clicked), button("x", box=Box(60, 60, 40, 40)))
    change = difference(before, after, [Found(Box(60, 60, 40, 40).center, before.elements[0])])
    assert change.pixels and change.summary() == "only the picture changed"


def test_what_was_dragged_is_said_to_have_moved() -> None:
    jon, list_ = button("Jon", box=Box(20, 20, 80, 20)), text("Invited:", box=Box(300, 20, 80, 20))
    before = screen(jon, list_)
    after = screen(replace(jon, box=Box(300, 60, 80, 20)), list_)
    found = [Found(jon.box.center, before.elements[0])]
    assert difference(before, after, found).lines == ('button "Jon" moved',)


def test_a_popup_that_closed_is_told_before_the_page_behind_it() -> None:
    behind = [widget("link", name) for name in ("Home", "Shop", "Account", "Help")]
    before = screen(dialog("10 % off!", button("×")))
    after = screen(*behind)
    found = [Found(before.elements[1].box.center, before.elements[1])]
    told = difference(
        before, replace(after, elements=tuple(replace(e, id=e.id + 50) for e in after.elements)), found
    )
    assert told.lines[0] == 'dialog "10 % off!" closed'
    assert told.lines[1] == 'button "×" went away'


def test_a_switch_and_an_emptied_selection_are_named_as_such() -> None:
    switch = widget("switch", "Lower at night")
    chosen = widget("listbox", "Available tags Choose tags by selecting them", value="Novel")
    before = screen(switch, chosen)
    after = screen(replace(switch, states=frozenset({"checked"})), replace(chosen, value=""))
    assert difference(before, after).lines == (
        'nothing is selected in listbox "Available tags Choose tags by selec…them"',
        'switch "Lower at night" is on',
    )


def test_a_name_that_comes_into_sight_is_no_new_name() -> None:
    cut, whole = button("", box=Box(0, 0, 80, 5)), button("Boreas ▾", box=Box(0, 0, 80, 20))
    before = replace(screen(cut), more={"above": 400})
    after = replace(screen(whole), more={"above": 0, "below": 400})
    assert difference(before, after).lines[0] == "scrolled 400 px up"
    assert not any("became" in line for line in difference(before, after).lines)


def test_how_far_a_page_scrolled_comes_before_what_that_brought_into_sight() -> None:
    before = replace(screen(button("Order")), more={"below": 129})
    footer = tuple(replace(e, id=9) for e in screen(text("Footer")).elements)
    after = replace(before, elements=footer, more={"above": 129})
    assert difference(before, after).lines == (
        "scrolled 129 px down",
        'text "Footer" appeared',
        'button "Order" went away',
    )


def test_on_another_page_what_is_there_is_told_and_not_what_went() -> None:
    other = screen(text("Record was saved."), title="List", url="http://a.test/list")
    other = replace(other, elements=tuple(replace(e, id=e.id + 50) for e in other.elements))
    assert difference(FORM, other).lines == ("now at List", 'text "Record was saved." appeared')


def test_a_screen_without_a_window_is_called_so() -> None:
    before = screen(button("OK"), title="Notes", app="zim")
    assert difference(before, screen()).lines[0] == "no window is open any more"


def test_of_a_long_text_the_part_that_is_new_is_told() -> None:
    head = "Shopping Created Sunday 22 November 2026"
    note = widget("textbox", "Page", value=head)
    before = screen(note)
    (line,) = difference(before, screen(replace(note, value=f"{head} two lemons"))).lines
    assert line.endswith('two lemons"') and line.startswith('textbox "Page" became "…')
    (gone,) = difference(screen(replace(note, value=f"{head} two lemons")), before).lines
    assert gone.endswith('November 2026"')
    (blank,) = difference(before, screen(replace(note, value=head + "\n"))).lines
    assert blank == 'in textbox "Page" only spaces or line breaks changed'


def test_a_toggle_that_is_checked_and_pressed_is_told_once() -> None:
    bold = widget("togglebutton", "Bold")
    on = replace(bold, states=frozenset({"checked", "pressed"}))
    assert difference(screen(bold), screen(on)).lines == ('togglebutton "Bold" is checked',)
    pressed = replace(bold, states=frozenset({"pressed"}))
    assert difference(screen(bold), screen(pressed)).lines == ('togglebutton "Bold" is pressed',)


def test_a_field_of_a_page_that_was_built_anew_became_empty_and_did_not_come_and_go() -> None:
    before = Observation(Size(800, 600), (Element(1, "textbox", "Member", Box(0, 0, 90, 20), value="Ada"),))
    after = Observation(Size(800, 600), (Element(9, "textbox", "Member", Box(0, 0, 90, 20)),))
    assert difference(before, after).lines == ('textbox "Member" became empty',)


def test_two_long_names_that_begin_alike_are_told_apart_by_their_ends() -> None:
    box = checkbox("Select this object for an action - Collected works 12")
    (line,) = difference(screen(box), screen(replace(box, states=frozenset({"checked"})))).lines
    assert line == 'checkbox "Select this object for an actio…works 12" is checked'


def test_a_menu_that_opened_is_told_before_what_follows_a_selection() -> None:
    bold = replace(widget("togglebutton", "Bold"), states=frozenset({"checked"}))
    menu = [widget("menuitem", name) for name in ("Cut", "Copy", "Paste", "Delete")]
    after = screen(replace(bold, states=frozenset()), *menu)
    assert difference(screen(bold), after).lines[0].startswith('menuitem "Cut", menuitem "Copy"')


def test_what_opened_in_front_of_what_was_clicked_comes_before_what_it_hides() -> None:
    hidden = [button(name) for name in ("Open", "Sort", "Filter", "Search")]
    change = difference(screen(*hidden), screen(button("Type")), [Found(hidden[0].box.center, hidden[0])])
    renumbered = screen(button("Type"))
    renumbered = replace(renumbered, elements=tuple(replace(e, id=50) for e in renumbered.elements))
    change = difference(
        screen(*hidden), renumbered, [Found(hidden[0].box.center, screen(*hidden).elements[0])]
    )
    assert change.lines[0] == 'button "Type" appeared'
