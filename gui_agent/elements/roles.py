"""Groups of roles: what people call them, and which roles suit which action."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from gui_agent.core.observation import Element
from gui_agent.core.texts import inverse


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Groups of roles. Each is defined once; where two are similar, a comment gives the difference.

BOXES = word_set("checkbox radio switch")
"""Roles that are ticked and have their label beside them."""
MENU_ITEMS = word_set("menuitem menuitemcheckbox menuitemradio")
TICKABLE = BOXES | word_set("menuitemcheckbox menuitemradio")
"""Roles that are ticked, in menus too, where the entry's name is its label."""
RADIOS = word_set("radio menuitemradio")
"""Roles that are ticked, and lose the tick only to another one."""
LATCHING = TICKABLE | {"togglebutton"}
"""Roles that stay on or pressed; a person does not say "tick" for a toggle button, but it works."""

TEXT_FIELDS = word_set("textbox searchbox")
"""Fields that keep a text as it was typed; a number field may reformat it."""
TYPED_INTO = TEXT_FIELDS | {"spinbutton"}
"""Fields that certainly take text; a combobox may be a list that takes none."""
FIELDS = TYPED_INTO | {"combobox"}
"""Fields that a person fills in."""
WRITTEN_ON = FIELDS | word_set("document terminal")
"""Roles whose value is the text seen in them."""
MEASURED = word_set("spinbutton slider")
"""Roles with a number as value, which they may reformat."""
VALUED = FIELDS | word_set("listbox slider progressbar")
"""Roles whose value is different from their name."""
LABELLED = FIELDS | BOXES | word_set("listbox slider textarea entry")
"""Controls that a text beside them may name."""

LISTS = word_set("listbox list tree menu table grid")
"""Roles that show entries to choose from."""
SUGGESTING = word_set("combobox searchbox")
"""Fields that react to each key, because they may suggest what to type."""
DROPDOWNS = word_set("combobox listbox")
"""Roles that may hide their options until opened."""
CHOOSERS = DROPDOWNS | {"radiogroup"}
"""Roles that take one of their options as their value."""
CHOICES = LISTS - {"table"} | word_set("combobox radiogroup tablist")
"""Roles in which a person chooses; a table is more often read, and shares its name with the field
above it.
"""
CELLS = word_set("cell gridcell")
HEADERS = word_set("columnheader rowheader")
TABLED = CELLS | HEADERS | {"row"}
"""Parts of tables."""
ENTRIES = word_set("option listitem")
SELECTED = CELLS | word_set("option tab row treeitem")
ITEMS = MENU_ITEMS | CELLS | ENTRIES | {"treeitem"}
"""Entries of lists, menus, trees and tables."""
CHOSEN_ONCE = RADIOS | CELLS | word_set("tab option treeitem row")
"""Roles that a click selects, without effect if already selected."""
BRANCHES = CELLS | word_set("row treeitem")
"""Parts of trees, and of tables with branches."""
ROWS = BRANCHES | word_set("listitem option article icon")
"""Roles of which a screen shows many, each for one of the person's records."""
RECORDS = word_set("generic listitem row article")
"""Roles of records on a page; naming one may mean the texts in it."""
WITH_MENUS = ENTRIES | CELLS | word_set("treeitem row icon link button image img")
"""Roles that may have a context menu on a page."""
IN_MENUS = MENU_ITEMS | word_set("menu option")
POPUPS = word_set("listbox menu tooltip")
"""Roles that pop up and disappear by themselves."""
POPPED_UP = POPUPS | IN_MENUS
LISTLIKE = word_set("link generic button combobox")
"""Roles that a custom drop-down may have."""
NAVIGATING = word_set("link tab menuitem treeitem")
"""Roles that lead to another view; a heading or a column may have the same name."""
EXPANDERS = word_set("button togglebutton link")
"""Roles that expand a section; with a pop-up, they open a menu."""
DIALOGS = word_set("dialog alertdialog")
NOTICES = DIALOGS | {"alert"}
"""Roles shown to be read or answered; an alert may be on the page and block nothing."""
ORIENTING = NOTICES | word_set("status heading")
"""Roles that show the current place or report an event."""

BUTTONS = word_set("button image img menuitem link")
"""Roles that may send a form."""
PRESSED = word_set("button togglebutton menuitem tab img icon option")
"""Roles that are operated, and are neither a value nor its name; a link's text may be a value."""
ONE_PIECE = BOXES | word_set("button togglebutton link")
"""Controls whose parts add nothing to their name."""
WORDED = ITEMS | BOXES | HEADERS | word_set("button togglebutton splitbutton tab link")
"""Roles named by the words on them, and pictured by the icon on them."""
EMBEDDED = word_set("iframe frame")
GRAPHIC = word_set("img image")
OPERABLE = TICKABLE | FIELDS | word_set("button link tab option menuitem treeitem slider")
"""Roles that a click on one of their parts means."""
TYPED_AHEAD = word_set("listbox option list listitem tree treeitem menu menuitem combobox")
"""Roles that jump to the entry that begins with the typed text."""
TEXTLESS = TYPED_AHEAD | BOXES | word_set("button link tab slider togglebutton")
"""Roles that may have the focus but take no text; other focused elements, such as a canvas, may take some."""
OPENERS = word_set("button generic")
"""Roles that may open a picker for a date or a colour without being a field themselves."""
SUGGESTED = word_set("option listbox scrollbar grid gridcell")
"""Roles in a list of suggestions; a menu and a hint have others."""
INERT = VALUED | HEADERS | word_set("checkbox radio heading scrollbar menubar tablist separator paragraph")
"""Roles that only take the focus or change a value when clicked; a switch may act at once."""
SENTENCE_NAMED = ROWS | word_set("link text tab generic")
"""Roles often named by a sentence that only mentions an action."""

UNNAMED = word_set("text label generic paragraph listitem")
"""Roles without an accessible name; their text is used instead."""
PASSIVE = word_set("text generic heading listbox list paragraph region form")
"""Roles that usually do nothing when clicked."""

OPERATED = (OPERABLE | GRAPHIC) - ENTRIES - {"link", "treeitem"}
"""Roles in a record that say nothing about which record it is; a link often contains its name."""
LABELLING = CELLS | HEADERS | word_set("text term label")
"""Roles that can label a control beside them."""
CAPTIONS = LABELLING | BOXES | {"heading"}
"""Roles that can name a field; a heading names the only field below it."""
SURFACES = word_set(
    "application canvas dialog alertdialog document figure form graphic grid group iframe image img list"
    " listbox main pane region section table toolbar tree window"
)
"""Roles whose own name says nothing about what is at a point inside them."""
AREAS = SURFACES | word_set("generic slider scrollbar")
"""Roles in which it may matter where the pointer is."""
HOLDERS = word_set(
    "row list listitem group region form dialog alertdialog heading article section table grid toolbar"
    " tabpanel navigation main banner window document cell gridcell"
)
"""Roles that a click means only if no control inside is meant; unlike a surface, it may be a row or a
cell.
"""
OPAQUE = SURFACES - word_set("document img") | word_set("treegrid tablist menubar scrollbar listitem")
"""Roles that may show more than they report; a page reports its text, and a picture has none."""
SCROLLED = word_set("listbox tree treegrid grid")
"""Roles that scroll by themselves if their contents do not fit."""
UNPRESSED = (HOLDERS - ROWS) | GRAPHIC | word_set("text label paragraph")
"""Roles that a click by name means only if nothing clickable has the name."""
FRAMES = DIALOGS | word_set("toolbar menubar tablist tree grid table status")
"""Roles that contain operable elements and, without a name, are nothing by themselves."""


_WORDS: dict[str, dict[str, Any]] = tomllib.loads(
    files("gui_agent.elements").joinpath("nouns.toml").read_text("utf-8")
)
NOUNS: dict[str, str] = inverse(_WORDS["nouns"])
"""Singular noun to the role it names; several words are separated by one space."""

PICTURES: dict[str, frozenset[str]] = {
    picture: word_set(names) for picture, names in inverse(_WORDS["pictures"]).items()
}
"""A picture to the words in the names of buttons with it: `trash can` to `delete`."""
COLOURS: dict[str, str] = inverse(_WORDS["colours"])
"""The shade of a colour that a page tells to the colour as people say it."""
REGIONS: dict[str, str] = inverse(_WORDS["regions"])
"""Unnamed parts of a screen that a person may mention, with the pattern of paths and roles inside them; an
empty pattern means whatever is in front.
"""

VERBS = set(" ".join(_WORDS["verbs"].values()).split())
"""First words in the names of controls that act."""

_SIDES = ("top", "bottom", "left", "right")
_CORNER = {"upper": "top", "lower": "bottom"} | dict.fromkeys(
    ("corner", "side", "of", "the", "page", "screen"), ""
)


def sides(place: str) -> frozenset[str]:
    """The sides of the screen that a phrase names, as `upper right corner` does; empty for any other
    phrase.
    """
    named = frozenset(_CORNER.get(word, word) for word in place.split()) - {""}
    return named if named.issubset(_SIDES) else frozenset()


ROLE_WORDS = (
    HOLDERS
    | SURFACES
    | SCROLLED
    | FRAMES
    | EMBEDDED
    | ORIENTING
    | POPPED_UP
    | HEADERS
    | CELLS
    | LATCHING
    | INERT
    | OPERABLE
    | LABELLED
) | word_set(
    "splitbutton generic term label gridcell article combobox spinbutton progressbar radiogroup terminal"
)
"""The roles that a message mentions; beside a quoted name, each of them is understood as a kind of
element.
"""

_HELD = {"listitem": "/li", "row": "/tr"}
"""HTML tag in which a text may count as this role."""


def canonical(noun: str) -> str:
    """The role that a noun names; a role names itself."""
    return NOUNS.get(noun.casefold(), noun.casefold())


SET_BY_TYPING = FIELDS | word_set("slider textarea entry edit date time terminal")
UNFOLDS = word_set("combobox listbox radiogroup option")
"""Lists of options that a click only opens."""
TAKES_TEXT = CELLS | word_set("combobox document terminal canvas application table")
"""Roles that take typed text although they are not fields."""
ONE_WORD_COMMANDS = word_set("button menuitem generic")
"""Roles for which one word (such as "Order") is already a command."""
DRAG_ACTIVATED = word_set("slider switch button")
"""Roles that a drag may activate."""
TITLES = word_set("heading paragraph")
LISTED = ROWS | ITEMS | ONE_PIECE | TITLES
"""Roles whose new position proves that a drag worked."""
DIALOG_ANSWERS = word_set("button link generic")
"""Roles that answer the question of a dialog."""

KNOWN = frozenset().union(*(one for one in tuple(globals().values()) if isinstance(one, frozenset)))
KNOWN |= word_set(
    "application article banner blockquote caption code complementary contentinfo definition "
    "deletion directory emphasis feed figure group insertion log main mark marquee math meter "
    "navigation none note paragraph presentation progressbar region rowgroup scrollbar search "
    "separator status strong subscript superscript tab tabpanel term text time timer toolbar window "
    "panel pane canvas video audio label iframe menubar entry spinner splitbutton togglebutton "
    "terminal document checkbox radio switch slider spinbutton heading details"
)
"""All known names of roles."""


@cache
def synonymous_roles(role: str) -> frozenset[str]:
    """The ARIA roles that a person means by this role or noun."""
    meant = canonical(role)
    return frozenset({meant, *_WORDS["alike"].get(meant, ())})


@cache
def possible_roles(role: str) -> frozenset[str]:
    """The ARIA roles that a person may mean by this role or noun if nothing has the role itself."""
    return frozenset(_WORDS["perhaps"].get(canonical(role), ()))


def is_a(element: Element, role: str) -> bool:
    """Whether a person would call the element by this role or noun."""
    if canonical(role) == "textarea":
        return element.role == "textarea" or (element.role == "textbox" and "multiline" in element.states)
    if "textbox" in synonymous_roles(role) and "editable" in element.states:
        return True
    return element.role in synonymous_roles(role)


def could_be(element: Element, role: str) -> bool:
    """Whether the element may have the wanted role although it reports another one."""
    if canonical(role) == "button" and element.role == "link" and "fill" in element.attributes:
        return True  # A page may draw a link as a button.
    held = _HELD.get(canonical(role), "")
    return element.role in possible_roles(role) or (bool(held) and element.is_text and held in element.path)
