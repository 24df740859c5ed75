"""Groups of roles: what people call them, and which suit which action."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from gui_agent.core.observation import Element
from gui_agent.core.texts import inverse


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Groups of roles. Each stands here once; where two differ, it is said why.

BOXES = word_set("checkbox radio switch")
"""What is ticked and has its label beside it."""
MENU_ITEMS = word_set("menuitem menuitemcheckbox menuitemradio")
TICKABLE = BOXES | word_set("menuitemcheckbox menuitemradio")
"""What is ticked, in menus too, where the name of the entry is its label."""
RADIOS = word_set("radio menuitemradio")
"""What is ticked and loses its tick only to another one."""
LATCHING = TICKABLE | {"togglebutton"}
"""What stays pressed: a button that does is not ticked in a person's words, but can be."""

TEXT_FIELDS = word_set("textbox searchbox")
"""Fields that keep a text as it was typed; a field for numbers may write it in its own way."""
TYPED_INTO = TEXT_FIELDS | {"spinbutton"}
"""Fields that take text for certain; a combobox may be a list that takes none."""
FIELDS = TYPED_INTO | {"combobox"}
"""Fields that a person fills in."""
WRITTEN_ON = FIELDS | word_set("document terminal")
"""What holds the words seen in it as its value."""
MEASURED = word_set("spinbutton slider")
"""What holds a number, which it may write in its own way."""
VALUED = FIELDS | word_set("listbox slider progressbar")
"""What has a value that is another thing than its name."""
LABELLED = FIELDS | BOXES | word_set("listbox slider textarea entry")
"""Controls that a text beside them may name."""

LISTS = word_set("listbox list tree menu table grid")
"""What shows the entries that are chosen from."""
SUGGESTING = word_set("combobox searchbox")
"""Fields that look at each key, as they may suggest what to type."""
DROPDOWNS = word_set("combobox listbox")
"""What may keep its options folded away."""
CHOOSERS = DROPDOWNS | {"radiogroup"}
"""What takes one of its options as its value."""
CHOICES = LISTS - {"table"} | word_set("combobox radiogroup tablist")
"""What a person chooses from; a table is read more often, and shares its name with the field above it."""
CELLS = word_set("cell gridcell")
HEADERS = word_set("columnheader rowheader")
ENTRIES = word_set("option listitem")
SELECTED = CELLS | word_set("option tab row treeitem")
ITEMS = MENU_ITEMS | CELLS | ENTRIES | {"treeitem"}
"""Entries of lists, menus, trees and tables."""
CHOSEN_ONCE = RADIOS | CELLS | word_set("tab option treeitem row")
"""What a click chooses, and leaves as it is where it was chosen already."""
BRANCHES = CELLS | word_set("row treeitem")
"""What trees, and tables with branches, are made of."""
ROWS = BRANCHES | word_set("listitem option article icon")
"""Things of which a screen shows many, each standing for a record of the person's."""
RECORDS = word_set("generic listitem row article")
"""What a page makes a record of: who means it may mean the texts in it."""
WITH_MENUS = ENTRIES | CELLS | word_set("treeitem row icon link button image img")
"""What may have a menu of its own on a page."""
IN_MENUS = MENU_ITEMS | word_set("menu option")
POPUPS = word_set("listbox menu tooltip")
"""What pops up and goes by itself."""
POPPED_UP = POPUPS | IN_MENUS
LISTLIKE = word_set("link generic button combobox")
"""As what a list that is drawn in place of a native one may appear."""
NAVIGATING = word_set("link tab menuitem treeitem")
"""What leads to another view; a heading or a column may have the same name."""
EXPANDERS = word_set("button togglebutton link")
"""What a section is unfolded with; with a pop-up it opens a menu."""
DIALOGS = word_set("dialog alertdialog")
NOTICES = DIALOGS | {"alert"}
"""What is put in front of a person to be read or answered; an alert may lie on the page and block nothing."""
ORIENTING = NOTICES | word_set("status heading")
"""What tells where one is, or that something has happened."""

BUTTONS = word_set("button image img menuitem link")
"""What may send a form off."""
PRESSED = word_set("button togglebutton menuitem tab img icon option")
"""What is operated and neither names a value nor is one; the text of a link may be one."""
ONE_PIECE = BOXES | word_set("button togglebutton link")
"""Controls whose parts say nothing that their name does not say."""
WORDED = ITEMS | BOXES | HEADERS | word_set("button togglebutton splitbutton tab link")
"""What is named by the words on it, and pictured by the icon on it."""
EMBEDDED = word_set("iframe frame")
GRAPHIC = word_set("img image")
OPERABLE = TICKABLE | FIELDS | word_set("button link tab option menuitem treeitem slider")
"""What a person means who clicks on a part of it."""
TYPED_AHEAD = word_set("listbox option list listitem tree treeitem menu menuitem combobox")
"""Go to the entry that begins with the text typed."""
TEXTLESS = TYPED_AHEAD | BOXES | word_set("button link tab slider togglebutton")
"""May have the keyboard and hold no text; what else has it, such as a canvas, may."""
OPENERS = word_set("button generic")
"""What may open a picker for a day or a colour, and is no field itself."""
INERT = VALUED | HEADERS | word_set("checkbox radio heading scrollbar menubar tablist separator paragraph")
"""What only takes the focus or changes a value when it is clicked; a switch may act at once."""
SENTENCE_NAMED = ROWS | word_set("link text tab generic")
"""What is often named by a sentence that only speaks of an action."""

UNNAMED = word_set("text label generic paragraph listitem")
"""To which a page gives no name: what it says is what it is known by."""
PASSIVE = word_set("text generic heading listbox list paragraph region form")
"""What usually does nothing when it is clicked."""

OPERATED = (OPERABLE | GRAPHIC) - ENTRIES - {"link", "treeitem"}
"""What stands in a record and says nothing about which one it is; a link often holds its name."""
LABELLING = CELLS | HEADERS | word_set("text term label")
"""What can label a control beside it."""
SURFACES = word_set(
    "application canvas dialog alertdialog document figure form graphic grid group iframe image img list"
    " listbox main pane region section table toolbar tree window"
)
"""What says by its own name nothing of what lies at a point inside it."""
HOLDERS = word_set(
    "row list listitem group region form dialog alertdialog heading article section table grid toolbar"
    " tabpanel navigation main banner window document cell gridcell"
)
"""What is meant by a click only when no control inside it is; unlike a surface, it may be a row or a cell."""
OPAQUE = SURFACES - word_set("document img") | word_set("treegrid tablist menubar scrollbar listitem")
"""What may show more than it tells by itself; a page tells its text, and a picture is no text."""
SCROLLED = word_set("listbox tree treegrid grid")
"""What is scrolled by itself, where there is more of it than can be seen."""
UNPRESSED = (HOLDERS - ROWS) | GRAPHIC | word_set("text label paragraph")
"""What is clicked by a name only when nothing that is there to be clicked has it."""
FRAMES = DIALOGS | word_set("toolbar menubar tablist tree grid table status")
"""What holds things to operate and, without a name, is no thing by itself."""


_WORDS: dict[str, dict[str, Any]] = tomllib.loads(
    files("gui_agent.elements").joinpath("nouns.toml").read_text("utf-8")
)
NOUNS: dict[str, str] = inverse(_WORDS["nouns"])
"""Singular noun to the role it names; several words are separated by one space."""

PICTURES: dict[str, frozenset[str]] = {
    picture: word_set(names) for picture, names in inverse(_WORDS["pictures"]).items()
}
"""A picture to the words in the names of buttons with it: `trash can` to `delete`."""
REGIONS: dict[str, str] = inverse(_WORDS["regions"])
"""Parts of a screen that a person names without a name of theirs, with what the paths and roles in them have;
a part without such a mark is whatever is in front."""

VERBS = set(" ".join(_WORDS["verbs"].values()).split())
"""With which the name of a control begins that does something."""

_SIDES = ("top", "bottom", "left", "right")
_CORNER = {"upper": "top", "lower": "bottom"} | dict.fromkeys(
    ("corner", "side", "of", "the", "page", "screen"), ""
)


def sides(place: str) -> frozenset[str]:
    """The sides of the screen that a place names, as `upper right corner` does; empty for any other place."""
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
"""The roles that a message names: beside a quoted name each of them is understood as a kind of thing."""

_HELD = {"listitem": "/li", "row": "/tr"}
"""As part of which tag of a page a text may be called so."""


def canonical(noun: str) -> str:
    """The role that a noun names; a role names itself."""
    return NOUNS.get(noun.casefold(), noun.casefold())


SET_BY_TYPING = FIELDS | word_set("slider textarea entry edit date time terminal")
UNFOLDS = word_set("combobox listbox radiogroup option")
"""Lists of options that a click only unfolds."""
TAKES_TEXT = CELLS | word_set("combobox document terminal canvas application table")
"""What takes typed text though it is no field."""
ONE_WORD_COMMANDS = word_set("button menuitem generic")
"""What a single word names that is harmless elsewhere, such as Order."""
DRAG_ACTIVATED = word_set("slider switch button")
"""What a drag may activate."""
TITLES = word_set("heading paragraph")
LISTED = ROWS | ITEMS | ONE_PIECE | TITLES
"""What is seen on the list to be elsewhere when it was moved."""
DIALOG_ANSWERS = word_set("button link generic")
"""What answers a dialog that asks."""

KNOWN = frozenset().union(*(one for one in tuple(globals().values()) if isinstance(one, frozenset)))
KNOWN |= word_set(
    "application article banner blockquote caption code complementary contentinfo definition "
    "deletion directory emphasis feed figure group insertion log main mark marquee math meter "
    "navigation none note paragraph presentation progressbar region rowgroup scrollbar search "
    "separator status strong subscript superscript tab tabpanel term text time timer toolbar window "
    "panel pane canvas video audio label iframe menubar entry spinner splitbutton togglebutton "
    "terminal document checkbox radio switch slider spinbutton heading details"
)
"""All that a role may be called."""


@cache
def alike(role: str) -> frozenset[str]:
    """The ARIA roles that a person means by this role or noun."""
    meant = canonical(role)
    return frozenset({meant, *_WORDS["alike"].get(meant, ())})


@cache
def perhaps(role: str) -> frozenset[str]:
    """The ARIA roles that a person may mean by this role or noun when nothing has the role itself."""
    return frozenset(_WORDS["perhaps"].get(canonical(role), ()))


def is_a(element: Element, role: str) -> bool:
    """Whether the element is what a person would call by this role or noun."""
    if canonical(role) == "textarea":
        return element.role == "textarea" or (element.role == "textbox" and "multiline" in element.states)
    if "textbox" in alike(role) and "editable" in element.states:
        return True
    return element.role in alike(role)


def could_be(element: Element, role: str) -> bool:
    """Whether the element may be what was asked for although it says that it is something else."""
    held = _HELD.get(canonical(role), "")
    return element.role in perhaps(role) or (bool(held) and element.is_text and held in element.path)
