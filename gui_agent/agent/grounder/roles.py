"""What people call the kinds of things on a screen, and which kinds suit which action."""

from __future__ import annotations

from functools import cache

from gui_agent.core.observation import Element

_CLICKED = frozenset(("link", "button", "option", "tab", "menuitem", "listitem", "row"))


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

_WORDS_ALIKE: dict[str, str] = {
    "button": "button menuitem togglebutton splitbutton",
    "textbox": "textbox searchbox combobox spinbutton textarea entry edit date time",
    "searchbox": "searchbox textbox combobox",
    "spinbutton": "spinbutton textbox",
    "checkbox": "checkbox menuitemcheckbox switch",
    "radio": "radio menuitemradio",
    "switch": "switch checkbox togglebutton",
    "combobox": "combobox listbox",
    "listbox": "listbox combobox list tree grid",
    "option": "option radio menuitem menuitemradio listitem treeitem",
    "menu": "menu menubar menuitem",
    "menuitem": "menuitem menuitemcheckbox menuitemradio option",
    "row": "row listitem treeitem",
    "cell": "cell gridcell columnheader rowheader",
    "icon": "icon img image graphic button link generic clickable",
    "img": "img image graphic figure canvas icon",
    "heading": "heading tab button columnheader",
    "listitem": "listitem option menuitem treeitem row",
    "treeitem": "treeitem listitem button",
    "dialog": "dialog alertdialog window",
    "text": "text paragraph heading label cell gridcell listitem statictext",
}

_SUITS: dict[str, frozenset[str]] = {
    verb: word_set(roles)
    for verb, roles in {
        "type": "textbox searchbox combobox spinbutton textarea entry edit date time terminal",
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
    """The ARIA roles that a person may mean by this role or noun."""
    meant = canonical(role)
    return word_set(_WORDS_ALIKE.get(meant, meant)) | {meant}


def is_a(element: Element, role: str) -> bool:
    """Whether the element is what a person would call by this role or noun."""
    family = alike(role)
    if canonical(role) == "textarea":
        return element.role in family or (element.role == "textbox" and "multiline" in element.states)
    if "textbox" in family and "editable" in element.states:
        return True
    return element.role in family


def could_be(element: Element, role: str) -> bool:
    """Whether the element can be clicked, does not say what it is, and may be what was asked for."""
    return element.role == "generic" and bool(alike(role) & _CLICKED)


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
        return "editable" in element.states
    if verb == "check":
        return not element.is_text and bool({"checked", "mixed"} & element.states)
    if verb == "upload":
        return element.attributes.get("type") == "file"
    return verb == "choose" and "haspopup" in element.states
