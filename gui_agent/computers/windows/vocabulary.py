"""What UI Automation calls kinds of controls, and what they are called in observations."""

from __future__ import annotations

from collections.abc import Collection

ROLES: dict[int, str] = {
    50000: "button",
    50001: "calendar",
    50002: "checkbox",
    50003: "combobox",
    50004: "textbox",
    50005: "link",
    50006: "img",
    50007: "option",
    50008: "listbox",
    50009: "menu",
    50010: "menubar",
    50011: "menuitem",
    50012: "progressbar",
    50013: "radio",
    50014: "scrollbar",
    50015: "slider",
    50016: "spinbutton",
    50017: "status",
    50018: "tablist",
    50019: "tab",
    50020: "text",
    50021: "toolbar",
    50022: "tooltip",
    50023: "tree",
    50024: "treeitem",
    50025: "custom",
    50026: "group",
    50027: "thumb",
    50028: "grid",
    50029: "row",
    50030: "document",
    50031: "splitbutton",
    50032: "dialog",
    50033: "group",
    50034: "rowgroup",
    50035: "columnheader",
    50036: "table",
    50037: "titlebar",
    50038: "separator",
}
"""Control types by their ids."""
SILENT = frozenset(("group", "rowgroup", "separator", "thumb", "scrollbar", "titlebar", "tooltip", "custom"))
"""Roles that say something only when they have a name of their own."""
HOLDERS = frozenset(("dialog", "toolbar", "menubar", "tablist", "tree", "grid", "table", "status"))
"""Roles that hold things to operate and are none themselves."""
ON, MIXED = 1, 2
"""States of what can be ticked."""
EXPANDED, LEAF = 1, 3
"""States of what can be opened: 0 is closed, 2 in part."""


def role_of(control: int, patterns: Collection[str]) -> str:
    """The ARIA role of a control type; a button that stays down is a toggle."""
    role = ROLES.get(control, "custom")
    if role == "button" and "toggle" in patterns:
        return "togglebutton"
    if role == "custom" and "invoke" in patterns:
        return "button"
    if role == "document" and "value" in patterns:
        return "textbox"
    return role
