"""The list of elements that a model reads: rows whole, what is in front first, nothing said twice."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.core.observation import Box, Effects, Element, Observation, Size
from gui_agent.planners.llm.listing import list_lines
from gui_agent.planners.llm.rendering import screen_text

SIZE = Size(1000, 700)
Spot = tuple[int, int, int, int]


def look(*things: tuple[str, str, Spot], **facts: object) -> Observation:
    """A screen of things given as role, name and box; a `*` before the name marks what is new."""
    elements = tuple(
        Element(number, role, name.lstrip("*"), Box(*box), states=frozenset(["new"] * name.startswith("*")))
        for number, (role, name, box) in enumerate(things, start=1)
    )
    return replace(Observation(SIZE, elements), **facts)  # type: ignore[arg-type]


def lines(observation: Observation, task: str = "t", most: int = 5_000) -> list[str]:
    return list_lines(observation, task, most)[0]


def test_what_holds_a_table_does_not_join_its_rows() -> None:
    cells = [
        ("gridcell", name, (10 + 100 * column, 100 + 30 * row, 90, 28))
        for row, city in enumerate(("Oslo", "Turin"))
        for column, name in enumerate((city, str(row)))
    ]
    table = look(("generic", "Cities", (0, 90, 900, 400)), ("grid", "Trips", (0, 95, 900, 390)), *cells)
    assert lines(table) == [
        '[1] generic "Cities"',
        '[2] grid "Trips"',
        "[3] Oslo | [4] 0",
        "[5] Turin | [6] 1",
    ]


def test_a_thing_as_tall_as_two_rows_does_not_make_them_one() -> None:
    cells = [("cell", f"{row}", (100, 100 + 20 * row, 90, 18)) for row in range(2)]
    assert lines(look(("button", "Styles", (920, 100, 40, 40)), *cells)) == [
        '[1] button "Styles"',
        '[2] cell "0"',
        '[3] cell "1"',
    ]
    merged = look(
        ("rowheader", "Both", (0, 100, 90, 60)),
        *[("cell", c, (100, 100 + 20 * n, 90, 18)) for n, c in enumerate("abc")],
    )
    assert lines(merged)[1:] == ['[2] cell "a"', '[3] cell "b"', '[4] cell "c"']


def test_the_controls_in_a_row_stand_in_it_and_a_blank_cell_around_one_does_not() -> None:
    row = look(
        ("checkbox", "Select", (5, 104, 16, 16)),
        ("cell", "Lab", (40, 100, 90, 24)),
        ("cell", "", (140, 100, 90, 24)),
        ("img", "active: true", (150, 104, 16, 16)),
    )
    assert lines(row) == ['[1] checkbox "Select" | [2] Lab | [4] img "active: true"']


def test_what_only_lies_on_the_line_of_a_row_is_no_part_of_it() -> None:
    row = look(
        ("checkbox", "Select", (0, 104, 16, 16)),
        ("link", "Edit", (50, 104, 30, 16)),
        ("cell", "lamp", (120, 100, 90, 24)),
        ("button", "Apply", (600, 102, 60, 20)),
    )
    assert lines(row) == ['[1] checkbox "Select" | [2] link "Edit" | [3] lamp', '[4] button "Apply"']


def test_empty_cells_of_a_spreadsheet_are_told_in_one() -> None:
    cells = [("gridcell", f"{c}1", (50 * n, 100, 48, 20)) for n, c in enumerate("ABCDEFG")]
    filled = look(*cells)
    one = replace(filled.elements[1], value="18")
    sheet = replace(filled, elements=(filled.elements[0], one, *filled.elements[2:]))
    assert lines(sheet) == ['[1] A1 | [2] B1 = "18" | [3] to [7] empty cells C1 to G1']


def test_what_is_in_the_dialog_in_front_is_not_mixed_with_what_lies_behind() -> None:
    page = look(
        ("button", "Left", (0, 200, 90, 30)),
        ("dialog", "Save", (200, 100, 400, 300)),
        ("textbox", "Name", (220, 200, 200, 30)),
        ("button", "Right", (800, 200, 90, 30)),
        ("button", "OK", (220, 300, 90, 30)),
    )
    assert lines(page) == [
        '[2] dialog "Save"',
        '[3] textbox "Name"',
        '[5] button "OK"',
        "Behind it:",
        '[1] button "Left"',
        '[4] button "Right"',
    ]


def test_of_several_windows_the_one_in_front_comes_first() -> None:
    things = ("button", "Behind", (0, 200, 90, 30)), ("button", "Next", (320, 200, 90, 30))
    windows = {1: Box(0, 0, 900, 600), 2: Box(300, 100, 200, 300)}
    assert lines(look(*things, windows=windows)) == ['[2] button "Next"', "Behind it:", '[1] button "Behind"']
    hint = look(*things, windows=windows, hints=frozenset({2}))
    assert "Behind it:" not in lines(hint), "what a hint lies over is in front all the same"
    alone = {1: Box(300, 100, 200, 300), 2: Box(0, 0, 900, 600)}
    assert "Behind it:" not in lines(look(*things, windows=alone))


def test_where_all_is_new_nothing_is_marked_and_texts_do_not_crowd_out_controls() -> None:
    texts = [("text", f"*{letter}", (400, 20 * n, 20, 18)) for n, letter in enumerate("BCDEFGHIJKLM")]
    back = look(*[("menuitem", f"*Menu {n}", (0, 20 * n, 90, 18)) for n in range(4)], *texts)
    told = lines(back, most=100)
    assert sum("menuitem" in line for line in told) == 4
    assert not any("]*" in line for line in lines(back))
    some = look(("button", "A", (0, 0, 90, 18)), ("button", "*B", (0, 30, 90, 18)))
    assert lines(some) == ['[1] button "A"', '[2]* button "B"']


def test_labels_on_either_side_and_blank_texts_are_left_out() -> None:
    form = look(
        ("radio", "Small", (0, 0, 20, 20)),
        ("text", "Small", (25, 0, 60, 20)),
        ("text", "City:", (0, 40, 60, 20)),
        ("textbox", "City", (70, 40, 90, 20)),
        ("text", " ", (0, 80, 9, 9)),
        ("text", "Note", (0, 120, 60, 20)),
    )
    assert lines(form) == ['[1] radio "Small"', '[4] textbox "City"', "[6] Note"]


def test_a_long_text_that_is_being_written_is_shown_longer_than_a_name() -> None:
    written = "word " * 50
    note = Element(1, "textbox", "Note", Box(0, 0, 300, 90), value=written, states=frozenset({"multiline"}))
    assert written.strip() in lines(Observation(SIZE, (note,)))[0]


def test_an_empty_screen_says_so() -> None:
    assert "Nothing is open" in screen_text(Observation(SIZE), "t")


def test_what_stands_beside_a_table_in_another_part_of_the_page_is_no_part_of_its_rows() -> None:
    row = Element(1, "row", "draft.txt 8", Box(288, 120, 480, 30), path="html/body/div[2]/table/tr[1]")
    name = Element(
        2, "link", "draft.txt", Box(290, 120, 120, 30), path="html/body/div[2]/table/tr[1]/td[1]/a"
    )
    size = Element(3, "cell", "8", Box(480, 120, 60, 30), path="html/body/div[2]/table/tr[1]/td[2]")
    branch = Element(4, "link", "photos", Box(20, 124, 240, 22), path="html/body/div[1]/ul/li/a")
    lines, _ = list_lines(Observation(Size(800, 600), (branch, row, name, size)), "t")
    assert lines == ['[4] link "photos"', '[2] link "draft.txt" | [3] 8']


def test_the_strokes_of_a_drawing_are_one_line() -> None:
    drawing = Element(1, "img", "A house", Box(0, 0, 100, 100))
    strokes = [Element(n, "img", "", Box(10 * n, 10, 8, 8)) for n in range(2, 8)]
    assert list_lines(Observation(Size(800, 600), (drawing, *strokes)), "t")[0] == [
        '[1] img "A house"',
        "[2] img and 5 more of them",
    ]


def test_line_breaks_of_a_value_are_shown() -> None:
    note = Element(1, "textbox", "Note", Box(0, 0, 100, 100), value="alpha\nbeta\n")
    assert list_lines(Observation(Size(800, 600), (note,)), "t")[0] == ['[1] textbox "Note" = "alpha↵beta"']


def test_what_a_page_says_to_stand_in_a_row_is_in_it_however_wide_the_columns() -> None:
    """A box to tick and a link stand far from the first cell with a text of its own."""
    found = look(
        ("checkbox", "Select", (5, 104, 16, 16)),
        ("link", "Edit", (30, 104, 40, 16)),
        ("cell", "Chen", (400, 100, 90, 28)),
    )
    paths = (
        "body/table/tbody/tr[2]/td[1]/input",
        "body/table/tbody/tr[2]/td[2]/a",
        "body/table/tbody/tr[2]/td[3]",
    )
    rows = replace(
        found, elements=tuple(replace(e, path=p) for e, p in zip(found.elements, paths, strict=True))
    )
    assert lines(rows) == ['[1] checkbox "Select" | [2] link "Edit" | [3] Chen']


def test_a_value_follows_its_label() -> None:
    def named(number: int, role: str, name: str, path: str, *labels: str) -> Element:
        box = Box(100 * (number % 4), 30 * (number // 4), 90, 20)
        return Element(number, role, name, box, path=f"body/{path}", labels=labels)

    details = (
        named(4, "rowheader", "Version", "table[1]/tr[1]/th[1]"),
        named(5, "rowheader", "Status", "table[1]/tr[1]/th[2]", "Version"),
        named(6, "cell", "process", "table[1]/tr[1]/td[2]", "Status"),
        named(8, "text", "Kind", "dl/dt"),
        named(9, "text", "bug", "dl/dd", "Kind"),
        named(12, "columnheader", "Name", "table[2]/tr[1]/th[1]"),
        named(16, "cell", "Ada", "table[2]/tr[2]/td[1]", "Name"),
        named(17, "button", "Delete", "table[2]/tr[2]/td[2]/button"),
    )
    assert lines(Observation(SIZE, details)) == [
        "[4] Version | [5] Status: [6] process",
        "[8] Kind: [9] bug",
        '[12] columnheader "Name"',
        '[16] Ada | [17] button "Delete"',
    ]


def test_a_control_without_a_name_is_listed_by_its_label_or_its_icon() -> None:
    form = look(
        ("text", "Heated Bed", (10, 10, 90, 20)),
        ("checkbox", "", (110, 12, 16, 16)),
        ("button", "", (10, 100, 20, 20)),
        ("img", "", (300, 300, 20, 20)),
    )
    label, box, button, shape = form.elements
    bin_ = replace(button, does=Effects(icon="fa fa-trash"))
    red = replace(shape, attributes={"color": "red", "shape": "circle"})
    assert lines(replace(form, elements=(label, box, bin_, red))) == [
        '[2] checkbox for "Heated Bed"',
        "[3] button (fa fa-trash) at the point (20, 110)",
        "[4] img (red circle) at the point (310, 310)",
    ]


def test_the_lines_of_a_grid_are_one_line() -> None:
    grid = [("img", "", (10, 10 * n, 400, 1)) for n in range(58)]
    told = lines(look(("button", "Deploy", (500, 0, 60, 20)), *grid))
    assert told == ['[1] button "Deploy"', "[2] img and 57 more of them"]
