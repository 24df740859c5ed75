"""Scores the elements of a screen against words: which of them may be meant, how likely, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from gui_agent.core.observation import (
    TEXT,
    Element,
    Observation,
    Words,
    is_part_of,
    is_part_of_any,
    on_one_line,
)
from gui_agent.core.texts import label, normal
from gui_agent.elements import roles, tuning
from gui_agent.elements.text import PARTLY, VERY, compare, identifier_words, likeness, name_words
from gui_agent.scene import Scene
from gui_agent.scene.structure import TABLE_ROWS

_TELLING = ("class", "color", "shape", "icon", "type", "id", "src")
"""Attributes whose words may say what an icon shows."""
_WAYS = {
    "name": (tuning.NAME, 0, 4, 7),
    "label beside it": (tuning.LABEL, 0, 4, 7),
    "description": (tuning.DESCRIPTION, 2, 5, 8),
    "hint": (tuning.DESCRIPTION, 8, 8, 9),
    "value": (tuning.VALUE, 3, 6, 9),
    "text typed into it": (tuning.VALUE, 9, 9, 9),
    "option": (tuning.OPTION, 10, 10, 10),
    "icon": (tuning.ICON, 11, 11, 11),
}
"""How much each way of naming counts, and its rank if the text is equal, nearly equal, or a part."""
A_PART = 7
"""The rank in `_WAYS` from which the words are only a part of the text."""
FILLING = ("type", "set", "choose", "check")
"""Verbs whose target must be a field."""
_READING = re.compile(r"[\s:]+[^\w\s]?\d[\d.,]*\s?\S{0,3}$")
"""The value in a label, as in `Volume: 30 %`."""
WHOLE = 5
"""Fewest letters of a word that may be the beginning of a page's name for a field."""
_SQUARE, _LARGEST_ICON = 2.0, 64
"""How much wider than high an icon may be, and its largest height in pixels."""
_MARKS = " :*.?…"
_ROLE_FACTORS = (1.0, tuning.UNTOLD_ROLE, tuning.WRONG_ROLE)
"""Factors for an element that has the named role, may be called so, or neither."""

ORDER = (
    "An element of the kind you name (no text, if you give a value) comes before one of another "
    "kind that has the whole name.",
    "The whole name or label comes first, then a description or value, a plural or typo, a part of "
    "the name, the hint in a field.",
    "An element that is certainly of the kind you name comes before one that is only possibly of that kind.",
    "An element in the dialog in front comes before one behind it.",
    "An element made for the action comes first: a button before a field, a field before a text.",
    "An enabled element comes before a disabled one.",
    "An element in an open menu, in a pop-up or in the window in front comes before one elsewhere.",
    "A name in the same upper and lower case comes first.",
)
"""Which of several elements is meant: the first of these in which two differ decides. Elements in sight come
before those that need scrolling only if the first five are equal.
"""
_KIND = 5
"""How many of them count for elements out of sight, and for counted ones such as "the second"."""
_SUITS: dict[str, frozenset[str]] = {
    "set": roles.SET_BY_TYPING | roles.LATCHING | roles.CHOICES,
    "type": roles.SET_BY_TYPING,
    "check": roles.LATCHING,
    "choose": roles.CHOICES,
    "upload": roles.word_set("button textbox file"),
}
_CHORD = re.compile(
    r"(?<=\S)\s+(?:(?:(?:Ctrl|Shift|Alt|Cmd|Meta|[⌘⇧⌥⌃])\s?\+?\s?)+(?:\w+|[^\w\s])|F\d\d?|Del)$"
)
"""The shortcut that a menu shows after the name of an entry."""
_ACTING = roles.BUTTONS | roles.EXPANDERS
"""Roles that act when clicked and say in their name what they do."""
UPLOADING = 0.88
"""How well a button suits an upload that may open the file dialog; a file input suits fully."""
SLID_TO = 0.85
"""How well a slider suits typing, which sets it; a number field next to it suits fully."""
READ_ONLY = 0.9
"""How well a field that only shows its value, or opens a list, suits typing; it may still open a calendar."""
_UNSUITED: dict[str, float] = {"type": 0.5, "set": 0.65, "check": 0.65, "choose": 0.65, "upload": 0.7}
"""How well any other element suits a verb, as a factor from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An element that could be meant."""

    element: Element
    score: float
    """How surely the words mean it, 0 to 1; it only decides between elements of equal rank."""
    rank: tuple[float, ...]
    """Its position in each entry of `ORDER`; the lowest rank wins."""
    how: str
    """How it was found."""

    @property
    def order(self) -> tuple[tuple[float, ...], float]:
        """Sort key of candidates, best first."""
        return self.rank, -self.score

    @property
    def kind(self) -> tuple[float, ...]:
        """The rank without the element's current state."""
        return self.rank[:_KIND]


def candidates(words: Words, observation: Observation, verb: str) -> list[Candidate]:
    """All elements above the floor, best first, each thing listed once."""
    scene = Scene.from_screen(observation)
    labels = _labels(words, scene, verb) if words.text else {}
    dialog = scene.layers.dialog
    front = {one.id for one in scene.layers.entries or scene.layers.in_active_window}
    scored: list[Candidate] = []
    for element in observation.elements:
        behind = dialog is not None and scene.layers.is_behind(element, dialog)
        beside = labels.get(element.id, "")
        one = candidate_of(words, element, verb, beside, behind=behind, front=element.id in front)
        scored += [one] if one is not None else []
    if words.role:
        scored = _without_parts(scored, words.role)
    # Of an element and its equally good wrapper, the inner one comes first.
    scored.sort(key=lambda c: (c.order, c.element.box.area))
    return _without_duplicates(scored, {normal(text) for text in labels.values()})


def coloured_candidates(words: Words, observation: Observation, verb: str) -> list[Candidate]:
    """Those of the colour that the words begin with: `the blue button Save`, `the green tick`."""
    said, _, rest = words.text.partition(" ")
    if not rest or said.casefold() not in roles.COLOURS.values():
        return []
    plain = candidates(_with_noun_as_role(replace(words, text=rest)), observation, verb)
    told = [(one, one.element.attributes.get("color", "")) for one in plain]
    shown = [one for one, shade in told if roles.COLOURS.get(shade) == said.casefold()]
    return shown or [one for one, shade in told if not shade]


def _with_noun_as_role(words: Words) -> Words:
    """`button Save` as the button called Save."""
    noun, _, name = words.text.partition(" ")
    is_role = not words.role and noun.casefold() in roles.NOUNS
    return replace(words, role=roles.NOUNS[noun.casefold()], text=name) if is_role else words


def _without_parts(scored: list[Candidate], role: str) -> list[Candidate]:
    """Leave out parts of an element that has the role: a cell may be called a row, but not inside a row."""
    wholes = [one.element for one in scored if roles.is_a(one.element, role)]
    return [one for one in scored if one.element in wholes or not is_part_of_any(one.element, wholes)]


def _misfit(element: Element, role: str) -> int:
    """0 if the element has the named role (or none is named), 1 if it may be called so, else 2."""
    return _doubt(element, role) if role and not roles.is_a(element, role) else 0


def _doubt(element: Element, role: str) -> int:
    """The misfit of an element that does not report the role, 0 if its name has it, as in `Main menu`."""
    if roles.could_be(element, role):
        *_, said = normal(element.name or element.description).split() or [""]
        return int(roles.NOUNS.get(said) != roles.canonical(role))
    return 1 if roles.canonical(role) in ("icon", "button") and _is_drawn_switch(element) else 2


def _is_drawn_switch(element: Element) -> bool:
    """Whether it shows only an icon, whose tool tip says what it switches."""
    nameless = not element.name and bool(element.description)
    return nameless and element.role in roles.LATCHING and _is_icon(element)


def candidate_of(
    words: Words, element: Element, verb: str, beside: str = "", *, behind: bool = False, front: bool = True
) -> Candidate | None:
    """An element as a candidate with its rank; None if it cannot be meant."""
    suits, misfit = suitability(element, verb), _misfit(element, words.role)
    if misfit and words.role in roles.BOXES and element.role in roles.FIELDS:
        return None  # a box to tick is never taken for a field to type into
    if words.text:
        fit, naming, how = _by_text(words, element, beside, verb, tuning.SAME if behind else tuning.FLOOR)
        fit *= suits * _ROLE_FACTORS[misfit]
        worse = naming > 0 or words.text.strip(_MARKS) != element.name.strip(_MARKS)
        how += f", but a {element.role}" * bool(misfit)
    else:
        fits = suits >= UPLOADING and not element.is_text
        fit = tuning.ROLE_ONLY * (misfit < 2) if words.role else tuning.NO_WORDS * suits * fits
        naming, how = 0, words.role or f"fits {verb}"
        special = "multiline" in element.states or element.role == "searchbox"
        worse = special and roles.canonical(words.role) == "textbox"
    wrong, off = misfit == 2 or _is_unfit(element, verb), "disabled" in element.states
    rank = (wrong, naming, misfit == 1, behind, -suits, off, not front, worse)
    return Candidate(element, fit, rank, how) if fit >= tuning.FLOOR else None


def _labels(words: Words, scene: Scene, verb: str) -> dict[int, str]:
    """The texts that label controls and contain the words, by the ids of the controls."""
    text = words.text
    near = [
        one
        for one in scene.screen.elements
        if one.role in roles.CAPTIONS
        and one.name
        and (likeness(text, one.name) >= tuning.FLOOR or _is_said_by_label(text, one.name))
    ]
    return _labelled_by(near, words, scene, verb) if near else {}


def _labelled_by(near: list[Element], words: Words, scene: Scene, verb: str) -> dict[int, str]:
    """The labels of controls found among some texts, by the ids of the controls."""
    found: dict[int, str] = {}
    fields = [one for one in scene.screen.controls if _is_labelled(one, verb)]
    taken = {label(one.name): one for one in fields if one.name}
    for element in fields:
        if not _takes_label(element, near, words, scene, verb):
            continue
        beside = scene.label_of(element) or _label_of_value(element, near)
        if _is_of_another(taken.get(label(beside), element), element, verb):
            continue
        if any(one.name == beside and _is_in_reach(one, element) for one in near):
            shown = element.role in roles.MEASURED and _is_said_by_label(words.text, beside)
            found[element.id] = words.text if shown else beside
    return found


def _is_unfit(element: Element, verb: str) -> bool:
    """Whether no value can be given to an element in this way, whatever it is called."""
    return verb in FILLING and (element.is_text or (verb == "choose" and element.role in roles.BOXES))


def _is_of_another(owner: Element, element: Element, verb: str) -> bool:
    """Whether a text is the label of another field, its owner, which has it as its name."""
    if owner is element or element.name:
        return owner is not element
    able = "disabled" not in owner.states and suitability(owner, verb) == 1.0
    return able and on_one_line(owner.box, element.box)


def _is_in_reach(text: Element, control: Element) -> bool:
    return control.box.gap(text.box) <= tuning.LABEL_REACH


def _may_miss_box(words: Words, verb: str, box: Element) -> bool:
    """Whether an action may mean something other than a checkbox of that name, such as its row."""
    return not words.role and verb not in ("check", "read") and not _is_drawn_switch(box)


def _takes_label(box: Element, near: list[Element], words: Words, scene: Scene, verb: str) -> bool:
    """Whether a text next to a box is its label, not the row that it selects or another box's label."""
    if box.role not in roles.BOXES:
        return True
    if _may_miss_box(words, verb, box) and scene.tree.part_around(box, TABLE_ROWS):
        return False
    return not box.name or any(one.name.startswith(f"{box.name} ") for one in near)


def _is_labelled(element: Element, verb: str) -> bool:
    is_field = element.role in roles.LABELLED or "editable" in element.states
    return is_field or (verb in FILLING and _leads_nowhere(element))


def _is_said_by_label(text: str, label_text: str) -> bool:
    return normal(_READING.sub("", label_text)) == normal(text)


def _label_of_value(element: Element, near: list[Element]) -> str:
    """The text anywhere that shows the value of a slider: `Volume: 30` for the one at 30."""
    value = normal(element.value) if element.role in roles.MEASURED else ""
    found = [e for e in near if value and value in normal(e.name).split()]
    return found[0].name if len(found) == 1 else ""


def options(element: Element) -> list[str]:
    """The known options of a list, even while it is closed."""
    return [*filter(None, element.attributes.get("options", "").split("\n"))]


def _by_text(words: Words, element: Element, beside: str, verb: str, least: float) -> tuple[float, int, str]:
    """How surely the words name an element, the rank of that in `_WAYS`, and the ways of naming."""
    ways: list[tuple[int, float, str]] = []
    for way, (likely, whole) in _likenesses(words, element, beside, verb).items():
        weight, *places = _WAYS[way]
        if likely >= least and weight * likely >= tuning.FLOOR:
            ways.append((places[whole], -weight * likely, way))
    if not ways:
        icon = _by_icon(words, element, verb)
        ways = [(_WAYS["icon"][1] + (icon == tuning.PERHAPS_ICON), -icon, "icon")]
    (naming, worst, way), *others = sorted(ways)
    best, how = -worst, f"{'exact' if -worst >= 0.98 * _WAYS[way][0] else 'similar'} {way}"
    if others:
        best, how = best + tuning.AGREEMENT * (1.0 - best), f"{how} and {others[0][2]}"
    if element.role in roles.BOXES and best < tuning.SWITCH and _may_miss_box(words, verb, element):
        best = 0.0
    return best, naming, how


def _likenesses(words: Words, element: Element, beside: str, verb: str) -> dict[str, tuple[float, int]]:
    """How well each text of an element matches the words, see `compare`."""
    # A click on a search term means the result, not the field with the typed term.
    pointed = verb == "click" and element.role in roles.TYPED_INTO
    option = max((likeness(words.text, one) for one in options(element)), default=0.0)
    found = {
        "name": _name_likeness(words, element),
        "label beside it": compare(words.text, beside),
        "hint" if verb in FILLING else "description": compare(words.text, element.description),
        "text typed into it" if pointed else "value": compare(words.text, element.value),
        # Half the name of an option does not name a list.
        "option": (option if option >= tuning.SAME else 0.0, VERY),
    }
    if verb == "click" and element.role in _ACTING:
        longer = [way for way, (likely, whole) in found.items() if likely and whole == PARTLY]
        found |= {way: (0.0, PARTLY) for way in longer if _acts_otherwise(words.text, way, element)}
    return found


def _acts_otherwise(asked: str, way: str, element: Element) -> bool:
    """Whether a longer name begins with a verb that was not asked for: `Cart` is not `Add to cart`."""
    said = element.description if way == "description" else element.name
    first, *others = name_words(normal(said)) or [""]
    return bool(others) and first in roles.VERBS and first not in name_words(normal(asked))


def _name_likeness(words: Words, element: Element) -> tuple[float, int]:
    """How well the name matches, also with the role as a part of it: `tab 2` may be a tab `2`, or `Tab 2`."""
    name = element.name
    if element.role in roles.IN_MENUS and (bare := _CHORD.sub("", name)) != name:
        words, name = replace(words, text=_CHORD.sub("", words.text)), bare
    plain = compare(words.text, name)
    if not words.role or plain[0] >= 1.0 - tuning.OTHER_CASE:
        return plain
    with_role = max(compare(f"{words.role} {words.text}", name), compare(f"{words.text} {words.role}", name))
    return with_role if with_role[0] >= tuning.SAME else plain


def _by_icon(words: Words, element: Element, verb: str) -> float:
    """How well the icon or hidden words of an element match.

    Words of the class, such as `icon-trash`, name an element without a name, or one whose icon was asked for.
    A text field is also named by its form's words and by the button that sends it.
    """
    if element.is_text:
        return 0.0
    parts, asked = _hidden_words(words, element, verb), normal(words.text).split()
    if asked and parts.issuperset(asked):
        return tuning.ICON
    means = roles.PICTURES.get(normal(words.text))
    if means and (pictured := _by_picture(means, element, parts)):
        return pictured
    # A page may call its title field `titlebar`.
    if len(asked) != 1 or len(asked[0]) < WHOLE or element.name or element.role not in roles.TYPED_INTO:
        return 0.0
    return tuning.ICON if any(part.startswith(asked[0]) for part in parts) else 0.0


def _hidden_words(words: Words, element: Element, verb: str) -> set[str]:
    """The words for an element that the screen does not show: of its icon, and those that the page has."""
    given = element.does.icon
    if not element.name:
        given = " ".join([given, *(element.attributes.get(key, "") for key in _TELLING)])
    elif roles.canonical(words.role) not in ("icon", "img"):
        given = ""
    if element.role in roles.TYPED_INTO:
        given += f" {element.attributes.get('name', '')}"
        # A click on `Save` means the button that sends the form, not a field next to it.
        if verb in FILLING or (words.role and roles.is_a(element, words.role)):
            given += f" {element.does.form.default or ''}"
    return _lower_words(given)


def _by_picture(means: frozenset[str], element: Element, parts: set[str]) -> float:
    """How surely an icon shows a picture, by what that picture means; `parts` are the icon's hidden words."""
    small, own = _is_icon(element), normal(element.name or element.description)
    drawn = _lower_words(element.does.icon)
    if "hamburger" not in means:
        drawn -= {"menu"}  # Such an icon shows three lines.
    if (drawn | ({own, *parts} if small else set())) & means:
        return tuning.ICON
    # A part of the name says less, as does an unnamed button that only says that it opens a menu.
    menu = "menu" in means and not element.name and "haspopup" in element.states
    return tuning.PERHAPS_ICON if small and (menu or means.intersection(own.split()[:2])) else 0.0


def _lower_words(identifiers: str) -> set[str]:
    return {*map(str.lower, identifier_words(identifiers))}


def _is_icon(element: Element) -> bool:
    return element.box.width <= _SQUARE * element.box.height <= _SQUARE * _LARGEST_ICON


def _without_duplicates(scored: Iterable[Candidate], labels: set[str]) -> list[Candidate]:
    """Leave out parts and wrappers of better candidates, and texts that label them."""
    kept: list[Candidate] = []
    for candidate in scored:
        if not any(_same_thing(candidate.element, better.element, labels) for better in kept):
            kept.append(candidate)
    return kept


def _same_thing(element: Element, better: Element, labels: set[str]) -> bool:
    own, whole = normal(element.name), normal(better.name)
    labels_it = element.role in roles.LABELLING and better.role in roles.LABELLED
    if labels_it and (own in labels or (own and own in whole)):
        return _is_in_reach(element, better)
    if is_part_of(better, element):
        return True
    if not (
        is_part_of(element, better) or better.box.encloses(element.box) or element.box.encloses(better.box)
    ):
        return False
    return own in whole if element.is_text else own == whole


_CLICKED = (
    dict.fromkeys(roles.HOLDERS | roles.UNPRESSED, 0.9)
    | dict.fromkeys(roles.GRAPHIC | roles.TYPED_INTO, 0.95)
    | {"generic": 0.97, TEXT: 0.85}
)
"""How well a role suits a click, if not fully; a `generic` may be a dialog's bar beside the button of its
name.
"""


def suitability(element: Element, verb: str) -> float:
    """How well the kind of element suits the action, as a factor from 0 to 1."""
    if verb in _SUITS:
        return _suitability_to_fill(element, verb)
    if verb == "scroll":
        return 1.0 if "scrollable" in element.states else 0.9
    if verb == "read":
        return 1.0 if element.value or not element.is_text else 0.85
    return _CLICKED.get(element.role, 1.0)


def _suitability_to_fill(element: Element, verb: str) -> float:
    if verb == "upload" and element.attributes.get("type") == "file":
        return 1.0
    if verb == "type" and element.role == "slider":
        return SLID_TO
    if verb == "type" and element.role in roles.FIELDS and "editable" not in element.states:
        only_offers = element.role == "combobox" and element.attributes.get("toolkit") == "Qt"
        return _UNSUITED[verb] if only_offers else READ_ONLY
    if element.role in _SUITS[verb] or _has_what_it_takes(element, verb):
        return UPLOADING if verb == "upload" else 1.0
    # A link with nearly the same name is no field.
    return 0.0 if verb in FILLING and leads_away(element.does.link) else _UNSUITED[verb]


def _has_what_it_takes(element: Element, verb: str) -> bool:
    if verb == "set":
        return any(_has_what_it_takes(element, way) for way in ("type", "check", "choose"))
    if verb == "type":
        # A cell with a row and a column belongs to a spreadsheet.
        cell = {"row", "column"} <= element.attributes.keys()
        opens = element.role == "generic" and "haspopup" in element.states
        return "editable" in element.states or cell or opens or element.attributes.get("type") == "color"
    if verb == "check":
        return not element.is_text and bool({"checked", "mixed"} & element.states)
    return verb == "choose" and ("haspopup" in element.states or _leads_nowhere(element))


def leads_away(address: str) -> bool:
    """Whether a link leads to another place, instead of being a button made of a link."""
    return bool(address) and not address.startswith(("#", "javascript:"))


def _leads_nowhere(element: Element) -> bool:
    return bool(element.does.link) and not leads_away(element.does.link)
