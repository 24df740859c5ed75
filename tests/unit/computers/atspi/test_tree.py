"""Objects of a program become nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gui_agent.computers.atspi.bounds import Action, Details, WindowLayout
from gui_agent.computers.atspi.program import AccessibleProgram
from gui_agent.computers.atspi.tables import Cell
from gui_agent.computers.atspi.tree import cell_nodes, listed_items, nodes
from gui_agent.computers.atspi.vocabulary import Role, State
from gui_agent.computers.desktop.parts import Node, Window
from gui_agent.core.observation import Box
from tests.unit.computers.atspi.trees import ROOT, SHOWN, at, row, tree

PROGRAM = AccessibleProgram(ROOT, "notes", 7, "gtk", "3.24")
WINDOW = Window(1, "Notes", "notes", 7, Box(0, 0, 400, 300), active=True)
GTK4 = AccessibleProgram(ROOT, "notes", 7, "GTK", "4.8")
JAVA = AccessibleProgram(ROOT, "notes", 7, "J2SE-access-bridge", "1.1")
FRAME = row(1, None, Role.FRAME, "Notes")
PLACE = Box(10, 10, 80, 20)


def see(
    *rows: tuple[Any, ...],
    windows: tuple[Window, ...] = (WINDOW,),
    boxes: dict[int, Box] | None = None,
    program: AccessibleProgram = PROGRAM,
    **details: dict[int, Any],
) -> list[Node]:
    seen = tree(FRAME, *rows, gtk4=program.gtk4)
    places = {1: WINDOW.box, **dict.fromkeys(range(2, 10), PLACE), **(boxes or {})}
    known = {name: {at(number): value for number, value in told.items()} for name, told in details.items()}
    told = Details({at(number): box for number, box in places.items()}, **known)
    own = [window for window in windows if window.pid == PROGRAM.pid]
    scene = WindowLayout.from_program(program, seen, told, windows, own)
    return nodes(program, seen, listed_items(seen), told, scene)


def test_a_button_is_seen_where_it_is() -> None:
    (node,) = see(row(2, 1, Role.BUTTON, "Send", description="Sends it"))
    assert (node.role, node.name, node.box, node.window) == ("button", "Send", PLACE, 1)
    assert (node.key, node.description, node.states) == (at(2), "Sends it", frozenset())


def test_panels_and_nameless_texts_are_not_seen() -> None:
    assert see(row(2, 1, Role.PANEL, "Panel"), row(3, 2, Role.LABEL)) == []


def test_what_another_window_covers_is_not_seen() -> None:
    over = Window(2, "Over", "other", 8, Box(0, 0, 200, 200))
    assert see(row(2, 1, Role.BUTTON, "Send"), windows=(WINDOW, over)) == []
    assert see(row(2, 1, Role.BUTTON, "Send"), windows=(over, WINDOW))


def test_what_is_scrolled_out_of_its_pane_is_not_seen() -> None:
    pane = row(2, 1, 49)
    assert see(pane, row(3, 2, Role.BUTTON, "Send"), boxes={2: Box(0, 100, 400, 200)}) == []
    strip = Box(PLACE.left, PLACE.bottom - 4, PLACE.width, 100)
    assert see(pane, row(3, 2, Role.BUTTON, "Send"), boxes={2: strip}) == []


def test_items_of_a_menu_are_seen_only_when_it_has_dropped_down() -> None:
    menu = (row(2, 1, Role.MENU_BAR), row(3, 2, Role.MENU, "File"), row(4, 3, Role.MENU_ITEM, "Save"))
    dropped = Box(0, 30, 100, 50)
    assert [node.name for node in see(*menu, boxes={4: dropped})] == ["File"]
    popup = Window(2, "", "notes", 7, Box(0, 30, 120, 200), popup=True)
    found = see(*menu, windows=(WINDOW, popup), boxes={4: dropped})
    assert [(node.name, node.window) for node in found] == [("File", 1), ("Save", 2)]


def test_a_thing_is_called_by_the_texts_in_it_and_these_are_not_told_twice() -> None:
    found = see(row(2, 1, Role.LIST_ITEM), row(3, 2, Role.PANEL), row(4, 3, Role.LABEL, "Inbox"))
    assert [(node.role, node.name) for node in found] == [("option", "Inbox")]


def test_a_field_is_called_by_its_label() -> None:
    (node,) = see(row(2, 1, Role.TEXT), labels={2: "Name"}, values={2: "Ada"})
    assert (node.role, node.name, node.value) == ("textbox", "Name", "Ada")


def test_a_field_without_a_label_is_called_like_the_wrapping_that_is_hardly_larger() -> None:
    wrapping = row(2, 1, Role.PANEL, "Font Name")
    (node,) = see(wrapping, row(3, 2, Role.TEXT), boxes={2: Box(10, 10, 100, 20)})
    assert node.name == "Font Name"
    (far,) = see(wrapping, row(3, 2, Role.TEXT), boxes={2: Box(0, 0, 400, 300)})
    assert far.name == ""


def test_a_drop_down_list_is_not_called_by_what_is_chosen() -> None:
    (node,) = see(row(2, 1, Role.COMBO_BOX, "PNG"), values={2: "PNG"}, labels={})
    assert (node.name, node.value) == ("", "PNG")


def test_an_icon_is_called_by_its_text() -> None:
    (node,) = see(row(2, 1, Role.ICON, interfaces=("Text", "Component")), values={2: "list.txt"})
    assert (node.role, node.name, node.value) == ("icon", "list.txt", "")


def test_actions_and_keys_are_told() -> None:
    (node,) = see(row(2, 1, Role.MENU, "File"), actions={2: (Action("Click", "<Alt>f"),)})
    assert (node.attributes["actions"], node.attributes["keys"]) == ("Click", "alt+f")


def test_marked_up_hints_are_told_as_plain_text() -> None:
    (node,) = see(row(2, 1, Role.BUTTON, "Go", description="<p style='a'>Goes &amp; stops</p>"))
    assert node.description == "Goes & stops"


def test_a_dialog_is_told_when_it_waits_for_an_answer() -> None:
    dialog = row(2, None, Role.DIALOG, "Save?")
    above = Window(2, "Save?", "notes", 7, Box(50, 50, 100, 100))
    assert [node.role for node in see(dialog, windows=(WINDOW, above))] == []
    modal = row(2, None, Role.DIALOG, "Save?", states=(*SHOWN, State.MODAL))
    assert [(node.role, node.box) for node in see(modal, windows=(WINDOW, above))] == [("dialog", above.box)]


def test_cells_are_called_as_people_call_them() -> None:
    seen = tree(FRAME, row(2, 1, Role.TABLE, "Sheet"))
    table = seen.items[at(2)]
    scene = WindowLayout([WINDOW], [WINDOW])
    cells = [
        Cell(2, 1, PLACE, "42", 1 << State.FOCUSED | 1 << State.EDITABLE),
        Cell(2, 27, Box(100, 10, 80, 20)),
    ]
    first, second = cell_nodes(seen, table, cells, scene, WINDOW)
    assert (first.name, first.value, first.states) == ("B3", "42", {"focused", "selected"})
    assert (second.name, second.value) == ("AB3", "")
    assert first.attributes == {"row": "3", "column": "B"}
    assert first.path.rsplit("/", 1)[0] == second.path.rsplit("/", 1)[0]


def test_cells_under_another_window_are_not_seen() -> None:
    seen = tree(FRAME, row(2, 1, Role.TABLE, "Sheet"))
    over = Window(2, "Over", "other", 8, Box(0, 0, 95, 300))
    scene = WindowLayout([WINDOW, over], [WINDOW])
    cells = [Cell(0, 0, PLACE), Cell(0, 1, Box(100, 10, 80, 20))]
    assert [node.name for node in cell_nodes(seen, seen.items[at(2)], cells, scene, WINDOW)] == ["B1"]


def test_the_text_on_a_box_is_not_told_twice() -> None:
    found = see(row(2, 1, Role.CHECK_BOX, "Urgent"), row(3, 2, Role.LABEL, "Urgent"))
    assert [(node.role, node.name) for node in found] == [("checkbox", "Urgent")]


def test_names_that_gtk_4_makes_of_its_classes_are_none() -> None:
    (node,) = see(row(2, 1, Role.BUTTON, "GtkButton"), row(3, 2, Role.LABEL, "Send"), program=GTK4)
    assert node.name == "Send"
    tabs = (row(2, 1, Role.TAB, "Tab"), row(3, 2, Role.LABEL, "Privacy"))
    assert [node.name for node in see(*tabs, program=GTK4)] == ["Privacy"]
    (field,) = see(row(2, 1, Role.TEXT, "EditorSearchEntry"), program=GTK4)
    assert field.name == ""


def test_a_button_that_gtk_4_names_twice_is_called_by_its_text() -> None:
    (node,) = see(row(2, 1, Role.BUTTON, "× ×"), program=GTK4)
    assert node.name == "×"
    assert see(row(2, 1, Role.BUTTON, "× ×"))[0].name == "× ×"
    (marked,) = see(row(2, 1, Role.BUTTON, "Replace _All Replace All"), program=GTK4)
    assert marked.name == "Replace All"
    (different,) = see(row(2, 1, Role.BUTTON, "Open Open recent"), program=GTK4)
    assert different.name == "Open Open recent"


def test_what_is_scrolled_out_of_a_view_of_qt_is_not_seen() -> None:
    rows = (row(2, 1, Role.FILLER), row(3, 2, Role.FILLER), row(4, 3, Role.CHECK_BOX, "Below"))
    boxes = {2: Box(10, 10, 380, 100), 3: Box(10, 10, 380, 900), 4: Box(10, 150, 80, 20)}
    assert see(*rows, boxes=boxes, program=AccessibleProgram(ROOT, "notes", 7, "Qt", "5.15")) == []
    assert see(*rows, boxes=boxes)


def test_entries_of_a_closed_drop_down_list_do_not_lie_on_a_menu_that_is_open_there() -> None:
    rows = (
        row(2, 1, Role.MENU, "Image"),
        row(3, 2, Role.MENU_ITEM, "Rotate Right"),
        row(4, 1, Role.COMBO_BOX, "Zoom"),
        row(10, 4, Role.LIST),
        row(11, 10, Role.LIST_ITEM, "200%"),
    )
    popup = Window(2, "", "notes", 7, Box(10, 30, 200, 200), popup=True)
    closed = {3: Box(10, 40, 200, 20), 11: Box(0, 40, 300, 15)}
    found = see(*rows, windows=(WINDOW, popup), boxes=closed)
    assert [node.name for node in found] == ["Image", "Rotate Right", "Zoom"]
    opened = closed | {10: Box(10, 30, 200, 200), 11: Box(10, 40, 200, 15)}
    assert "200%" in [node.name for node in see(*rows, windows=(WINDOW, popup), boxes=opened)]


def test_what_gtk_4_shows_in_a_popover_is_where_the_window_of_the_popover_is() -> None:
    rows = (
        row(2, 1, Role.COMBO_BOX, "Country"),
        row(3, 2, Role.PANEL),
        row(4, 3, Role.LABEL, "Canada"),
        row(5, 2, Role.PANEL, "GtkPopover"),
        row(6, 5, Role.LIST_ITEM, "Norway"),
    )
    boxes = {5: Box(20, 20, 100, 150), 6: Box(25, 60, 80, 20)}
    popup = Window(2, "", "notes", 7, Box(40, 80, 100, 152), popup=True)
    found = see(*rows, program=GTK4, windows=(WINDOW, popup), boxes=boxes, labels={2: "Country"})
    option = next(node for node in found if node.name == "Norway")
    assert (option.box, option.window) == (Box(45, 121, 80, 20), 2)
    assert "Canada" not in [node.name for node in found]
    assert [node.name for node in see(*rows, program=GTK4, boxes=boxes, labels={2: "Country"})] == ["Country"]


def test_entries_that_java_calls_labels_are_entries() -> None:
    fruit = (row(2, 1, Role.LIST, "Fruit"), row(3, 2, Role.LABEL, "Plum"))
    assert [(node.role, node.name) for node in see(*fruit)] == [("listbox", "Fruit"), ("option", "Plum")]
    nature = (row(2, 1, Role.TREE, "Nature"), row(3, 2, Role.LABEL, "Animals"), row(4, 3, Role.LABEL, "Dog"))
    assert [node.role for node in see(*nature)] == ["tree", "treeitem", "treeitem"]


def test_items_of_a_menu_that_java_draws_into_the_window_are_where_the_menu_is() -> None:
    menu = (
        row(2, 1, Role.MENU, "Insert"),
        row(3, 2, Role.MENU_ITEM, "Picture"),
        row(4, 2, Role.MENU_ITEM, "Shape"),
        row(5, 1, Role.POPUP_MENU),
    )
    boxes = {3: Box(11, 20, 70, 20), 4: Box(11, 40, 70, 20), 5: Box(10, 37, 72, 44)}
    found = {node.name: node.box for node in see(*menu, program=JAVA, boxes=boxes)}
    assert (found["Picture"], found["Shape"]) == (Box(11, 39, 70, 20), Box(11, 59, 70, 20))


def test_items_of_a_menu_that_a_page_draws_are_seen() -> None:
    page = row(2, 1, Role.DOCUMENT_WEB, "Page")
    menu = (page, row(3, 2, Role.MENU), row(4, 3, Role.MENU_ITEM, "Circle"))
    assert "Circle" in [node.name for node in see(*menu)]


def test_a_list_beside_a_scroll_bar_holds_more_than_is_in_sight() -> None:
    rows = (row(2, 1, Role.LIST, "Fruit"), row(3, 1, 48), row(4, 1, Role.LIST, "Colours"))
    boxes = {2: Box(10, 10, 100, 100), 3: Box(112, 10, 12, 100), 4: Box(10, 150, 100, 100)}
    found = {node.name: node for node in see(*rows, boxes=boxes)}
    assert "scrollable" in found["Fruit"].states
    assert "scrollable" not in found["Colours"].states


def test_what_can_be_unfolded_is_clicked_at_its_arrow() -> None:
    line = {2: Box(10, 10, 380, 120)}
    (node,) = see(row(2, 1, Role.TOGGLE_BUTTON, "More", states={*SHOWN, State.EXPANDABLE}), boxes=line)
    assert node.box == Box(10, 10, 48, 24)
    (plain,) = see(row(2, 1, Role.TOGGLE_BUTTON, "Bold"), boxes=line)
    assert plain.box == line[2]


def test_a_list_with_a_text_field_can_be_written_in() -> None:
    qt = replace(PROGRAM, toolkit="Qt")
    boxes = {3: Box(10, 50, 80, 20)}
    lists = row(2, 1, Role.COMBO_BOX, "100 %", count=2), row(3, 1, Role.COMBO_BOX, "Red", count=1)
    found = see(*lists, boxes=boxes, program=qt, labels={2: "Zoom", 3: "Colour"})
    assert [(one.name, "editable" in one.states) for one in found] == [("Zoom", True), ("Colour", False)]
    assert not any("editable" in one.states for one in see(*lists, boxes=boxes))


def test_a_nameless_switch_in_a_row_of_a_list_is_called_as_the_row() -> None:
    rows = (
        row(2, 1, Role.LIST),
        row(3, 2, Role.LIST_ITEM, "Dark mode"),
        row(4, 3, Role.PANEL),
        row(5, 4, Role.CHECK_BOX, index=0),
        row(6, 4, Role.CHECK_BOX, "Use system default", index=1),
    )
    boxes = {4: Box(10, 10, 80, 20), 5: Box(10, 10, 20, 20), 6: Box(40, 10, 40, 20)}
    found = see(*rows, boxes=boxes, program=GTK4)
    assert [one.name for one in found if one.role == "checkbox"] == ["Dark mode", "Use system default"]
