"""The kinds of widgets: the plain commands that set one, and what the application must then hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """One row of the matrix."""

    commands: str
    """What a person would say; `FILE` stands for the path of a small text file."""
    state: Any
    """What the page's own code has kept of it afterwards."""


KINDS = {
    "text field": Kind('type "Ada Lovelace" into "Name"', "Ada Lovelace"),
    "text area": Kind('type "See you soon" into "Notes"', "See you soon"),
    "number": Kind('set "Amount" to 42', 42),
    "check box": Kind('tick "I agree"', True),
    "switch": Kind('switch on "Wi-Fi"', True),
    "radio group": Kind('choose "Card" in "Payment"', "Card"),
    "select": Kind('choose "Canada" in "Country"', "Canada"),
    "combobox": Kind('choose "Norway" in "Destination"', "Norway"),
    "multi-select": Kind('choose "Red" in "Colours", choose "Blue" in "Colours"', ["Red", "Blue"]),
    "tag field": Kind('type "urgent" into "Tags", press Enter', ["urgent"]),
    "slider": Kind('set "Volume" to 70', 70),
    "rating": Kind('set "Rating" to 4', 4),
    "date": Kind('set "Birthday" to "2026-03-14"', "2026-03-14"),
    "time": Kind('set "Alarm" to "14:30"', "14:30"),
    "range": Kind(
        'set "Start date" to "2026-03-10", set "End date" to "2026-03-20"', ["2026-03-10", "2026-03-20"]
    ),
    "colour": Kind('set "Colour" to "#ff0000"', "#ff0000"),
    "tabs": Kind('click the tab "Details"', "Details"),
    "accordion": Kind('open "More options"', "More options"),
    "tree": Kind('expand "Documents", click "Invoices"', "Invoices"),
    "menu": Kind("choose File > Export > PDF", "PDF"),
    "dialog": Kind('click "Delete", click "Confirm"', True),
    "table": Kind('click "Edit" in the row of "Bea"', "Bea"),
    "sort": Kind('click "Age"', "Age"),
    "pages": Kind('click "3"', 3),
    "upload": Kind('upload "FILE" to "Receipt"', "receipt.txt"),
    "toast": Kind('click "Save", check "Profile saved" is shown', True),
    "tooltip": Kind('hover over "Help", check "More information" is shown', True),
    "cascader": Kind('click "Place", click "Norway", click "Oslo"', ["Norway", "Oslo"]),
    "rich text": Kind('type "Dear all" into "Body"', "Dear all"),
    "splitter": Kind("drag the separator by 100,0", True),
    "carousel": Kind('click "Next"', 1),
    "drag list": Kind('drag "Apple" to "Cherry"', True),
}
"""By name. A library's page shows those that the library has."""
