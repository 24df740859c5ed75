"""Groups of roles: what people call them, and which suit which action."""

from __future__ import annotations

from functools import cache

from gui_agent.core.observation import Element


def word_set(words: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(words.split())


_NOUNS: dict[str, str] = {
    "button": "button, push button",
    "link": "link, hyperlink",
    "textbox": "textbox, text box, field, text field, input, input field, input box, text input, entry, box,"
    " edit, editor",
    "textarea": "textarea, text area",
    "searchbox": "searchbox",
    "spinbutton": "spinbutton, spinner, number field",
    "checkbox": "checkbox, check box, tick box, tickbox",
    "radio": "radio, radio button",
    "switch": "switch, toggle",
    "combobox": "combobox, combo box, dropdown, drop-down, dropdown list, drop-down list, dropdown menu,"
    " drop-down menu, select",
    "listbox": "listbox, list box, list",
    "option": "option, choice",
    "tab": "tab",
    "menu": "menu",
    "menuitem": "menuitem, menu item",
    "slider": "slider",
    "row": "row, line",
    "cell": "cell, table cell",
    "icon": "icon, symbol",
    "img": "img, image, picture, photo",
    "heading": "heading, headline, header, section",
    "listitem": "listitem, list item, item, entry in the list",
    "treeitem": "treeitem, tree item, folder, node",
    "dialog": "dialog, window, pop-up, popup",
    "canvas": "canvas",
    "text": "text, word, label, paragraph",
}

NOUNS: dict[str, str] = {noun: role for role, nouns in _NOUNS.items() for noun in nouns.split(", ")}
"""Singular noun to the role it names; several words are separated by one space."""

_ALIKE: dict[str, str] = {
    "button": "togglebutton splitbutton",
    "textbox": "searchbox combobox spinbutton textarea entry edit date time",
    "searchbox": "textbox combobox",
    "spinbutton": "textbox",
    "checkbox": "menuitemcheckbox",
    "radio": "menuitemradio",
    "combobox": "listbox",
    "listbox": "combobox list tree grid",
    "menu": "menubar menuitem",
    "menuitem": "menuitemcheckbox menuitemradio",
    "cell": "gridcell columnheader rowheader",
    "icon": "img image graphic",
    "img": "image graphic figure canvas icon",
    "dialog": "alertdialog window",
    "text": "paragraph label statictext",
}
"""Roles that a person calls by the same noun."""

_PERHAPS: dict[str, str] = {
    "button": "menuitem generic",
    "link": "generic",
    "checkbox": "switch",
    "switch": "checkbox togglebutton",
    "option": "radio menuitem menuitemradio listitem treeitem generic",
    "tab": "generic",
    "menu": "button",
    "menuitem": "option link listitem generic",
    "row": "listitem treeitem generic",
    "icon": "button link clickable generic",
    "heading": "tab button columnheader",
    "listitem": "option menuitem treeitem row generic",
    "treeitem": "listitem button generic",
    "text": "heading cell gridcell listitem",
}
"""Roles that a person may call so when nothing has the role; `generic` can be clicked and says no more."""

_SUITS: dict[str, frozenset[str]] = {
    verb: word_set(roles)
    for verb, roles in {
        "type": "textbox searchbox combobox spinbutton slider textarea entry edit date time terminal",
        "check": "checkbox radio switch menuitemcheckbox menuitemradio togglebutton",
        "choose": "combobox listbox radiogroup list tree grid menu tablist",
        "upload": "button textbox file",
    }.items()
}
_UNSUITED: dict[str, float] = {"type": 0.5, "check": 0.65, "choose": 0.65, "upload": 0.7}
_CONTAINERS = word_set(
    "row list listitem group region form dialog alertdialog heading article section table grid toolbar"
    " tabpanel navigation main banner window document cell gridcell"
)


def canonical(noun: str) -> str:
    """The role that a noun names; a role names itself."""
    return NOUNS.get(noun.casefold(), noun.casefold())


@cache
def alike(role: str) -> frozenset[str]:
    """The ARIA roles that a person means by this role or noun."""
    meant = canonical(role)
    return word_set(_ALIKE.get(meant, "")) | {meant}


@cache
def perhaps(role: str) -> frozenset[str]:
    """The ARIA roles that a person may mean by this role or noun when nothing has the role itself."""
    return word_set(_PERHAPS.get(canonical(role), ""))


def is_a(element: Element, role: str) -> bool:
    """Whether the element is what a person would call by this role or noun."""
    if canonical(role) == "textarea":
        return element.role == "textarea" or (element.role == "textbox" and "multiline" in element.states)
    if "textbox" in alike(role) and "editable" in element.states:
        return True
    return element.role in alike(role)


def could_be(element: Element, role: str) -> bool:
    """Whether the element may be what was asked for although it says that it is something else."""
    return element.role in perhaps(role)


def suitability(element: Element, verb: str) -> float:
    """How well the kind of element suits the action, as a factor from 0 to 1."""
    if verb in _SUITS:
        suited = element.role in _SUITS[verb] or _has_what_it_takes(element, verb)
        return 1.0 if suited else _UNSUITED[verb]
    if verb == "scroll":
        return 1.0 if "scrollable" in element.states else 0.9
    if verb == "read":
        return 1.0 if element.value or not element.is_text else 0.85
    if element.is_text:
        return 0.85
    return 0.9 if element.role in _CONTAINERS else 1.0


def _has_what_it_takes(element: Element, verb: str) -> bool:
    if verb == "type":
        # A cell with a row and a column is one of a spreadsheet.
        return "editable" in element.states or {"row", "column"} <= element.attributes.keys()
    if verb == "check":
        return not element.is_text and bool({"checked", "mixed"} & element.states)
    if verb == "upload":
        return element.attributes.get("type") == "file"
    return verb == "choose" and "haspopup" in element.states
