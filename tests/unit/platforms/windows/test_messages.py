"""How the controls of classic programs get their names from the texts around them."""

from __future__ import annotations

from guiagent_platforms.windows.automation import UiaElement
from guiagent_platforms.windows.messages import BUTTON, EDIT, TEXT, label

from gui_agent.core.observation import Box


def one(control: int, box: Box, name: str = "") -> UiaElement:
    return UiaElement((box.left, box.top), control, box, {"name": name} if name else {})


def names(*siblings: UiaElement) -> list[str]:
    label(siblings)
    return [str(each.told.get("name", "")) for each in siblings if each.control == EDIT]


def test_the_text_beside_a_field_names_it_whatever_the_order() -> None:
    rows = [one(TEXT, Box(10, top, 60, 13), name) for top, name in ((12, "Rows:"), (42, "Columns:"))]
    fields = [one(EDIT, Box(80, top, 50, 20)) for top in (10, 40)]
    assert names(*rows, *fields) == ["Rows", "Columns"]
    assert names(*fields[::-1], *rows) == ["Columns", "Rows"]


def test_the_nearest_of_several_texts_in_a_line_counts() -> None:
    left, right = one(TEXT, Box(10, 10, 40, 20), "From"), one(TEXT, Box(130, 10, 40, 20), "To")
    assert names(left, right, one(EDIT, Box(60, 10, 60, 20)), one(EDIT, Box(180, 10, 60, 20))) == [
        "From",
        "To",
    ]


def test_texts_above_name_their_fields_though_all_texts_come_first() -> None:
    tops = (49, 98, 147)
    texts = [
        one(TEXT, Box(12, top, 123, 16), name)
        for top, name in zip(tops, ("Rows", "Columns", "Mines"), strict=True)
    ]
    assert names(*texts, *(one(EDIT, Box(12, top + 16, 61, 20)) for top in tops)) == [
        "Rows",
        "Columns",
        "Mines",
    ]


def test_a_text_above_counts_where_it_is_near() -> None:
    above, button = one(TEXT, Box(10, 10, 90, 15), "Notes:"), one(BUTTON, Box(10, 80, 50, 20), "OK")
    assert names(above, one(EDIT, Box(10, 30, 200, 40)), button, one(EDIT, Box(10, 110, 90, 20))) == [
        "Notes",
        "",
    ]
