"""Scores the elements of a screen against words: which could be meant, how likely, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from gui_agent.core.observation import TEXT, Element, Observation, Words, within, within_any
from gui_agent.core.texts import label, normal
from gui_agent.elements import roles, tuning
from gui_agent.elements.text import PARTLY, VERY, compare, identifier_words, likeness, name_words
from gui_agent.scene import Scene
from gui_agent.scene.structure import TABLE_ROWS

_TELLING = ("class", "color", "shape", "icon", "type", "id", "src")
"""Attributes whose words tell what an icon shows."""
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
"""How sure each way of naming is, and its place: by the very text, by nearly the same, by a part of it."""
A_PART = 7
"""The place in `_WAYS` from which on the words are a part of what is said only."""
FILLING = ("type", "set", "choose", "check")
"""What is done to fields only."""
_READING = re.compile(r"[\s:]+[^\w\s]?\d[\d.,]*\s?\S{0,3}$")
"""The value that a label tells of its control, as in `Volume: 30 %`."""
WHOLE = 5
"""Letters of a word that may be the beginning of what a page calls a field."""
_SQUARE, _LARGEST_ICON = 2.0, 64
"""How much wider than high an icon is at most, and its largest height in pixels."""
_MARKS = " :*.?…"
_ROLE_FACTORS = (1.0, tuning.UNTOLD_ROLE, tuning.WRONG_ROLE)
"""Factors for what is of the kind that is named, may be called so, and is not."""

ORDER = (
    "of the kind you name, and no text where a value is given, before what is not but has the whole name",
    "by its whole name or label; then a description or value, a plural or slip, a part, a hint in a field",
    "surely of the kind you name, before what may only be called so",
    "in the dialog in front, before behind it",
    "made for the action: a button before a field, a field before a text",
    "enabled, before disabled",
    "in an open menu, in what has popped up or in the window in front, before elsewhere",
    "in the same upper and lower case",
)
"""Which of several things is meant: the first of these in which two differ decides. What is in sight comes
before what has to be scrolled to only where the first five tell nothing apart."""
_KIND = 5
"""How many of them count beyond what is in sight, and for things that are counted."""
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
"""The keys that a menu writes behind the name of an entry."""
_ACTING = roles.BUTTONS | roles.EXPANDERS
"""What does something when it is clicked, and says what by its name."""
UPLOADING = 0.88
"""How well a button suits an upload that may open the dialog for files; a field for files surely does."""
SLID_TO = 0.85
"""How well a slider suits typing, which sets it; a field for the same number beside it surely does."""
_UNSUITED: dict[str, float] = {"type": 0.5, "set": 0.65, "check": 0.65, "choose": 0.65, "upload": 0.7}


@dataclass(frozen=True, slots=True)
class Candidate:
    """An element that could be meant."""

    element: Element
    score: float
    """How surely the words mean it, 0 to 1; it tells apart only what has one rank."""
    rank: tuple[float, ...]
    """Where it stands in `ORDER`: the lower, the rather it is meant."""
    how: str
    """The ways that found it."""

    @property
    def order(self) -> tuple[tuple[float, ...], float]:
        """What candidates are sorted by, the best first."""
        return self.rank, -self.score

    @property
    def kind(self) -> tuple[float, ...]:
        """The rank without the state that it happens to be in."""
        return self.rank[:_KIND]


def candidates(words: Words, observation: Observation, verb: str) -> list[Candidate]:
    """All elements above the floor, best first; things that are one and the same are listed once."""
    scene = Scene.of(observation)
    labels = _labels(words, scene, verb) if words.text else {}
    dialog = scene.layers.dialog
    front = {one.id for one in scene.layers.entries or scene.layers.in_active_window}
    scored: list[Candidate] = []
    for element in observation.elements:
        if verb in FILLING and element.is_text and scene.records.is_header(element):
            continue  # it names a column of what is shown, and no field to be filled in
        behind = dialog is not None and scene.layers.is_behind(element, dialog)
        beside = labels.get(element.id, "")
        one = candidate_of(words, element, verb, beside, behind=behind, front=element.id in front)
        scored += [one] if one is not None else []
    if words.role:
        scored = _without_parts(scored, words.role)
    # Of a thing and its wrapping that fit equally well the inner one comes first.
    scored.sort(key=lambda c: (c.order, c.element.box.area))
    return _once(scored, {normal(text) for text in labels.values()})


def _without_parts(scored: list[Candidate], role: str) -> list[Candidate]:
    """Leave out parts of what has the role: a cell may be called a row, but not one of the row itself."""
    wholes = [one.element for one in scored if roles.is_a(one.element, role)]
    return [one for one in scored if one.element in wholes or not within_any(one.element, wholes)]


def _misfit(element: Element, role: str) -> int:
    """0 for what is of the kind that a role names, or if none is named; 1 if it may be called so; else 2."""
    if not role or roles.is_a(element, role):
        return 0
    return 1 if roles.could_be(element, role) else 2


def candidate_of(
    words: Words, element: Element, verb: str, beside: str = "", *, behind: bool = False, front: bool = True
) -> Candidate | None:
    """An element with its place in the order; None when it is not meant at all."""
    suits, misfit = suitability(element, verb), _misfit(element, words.role)
    if misfit and words.role in roles.BOXES and element.role in roles.FIELDS:
        return None  # what is ticked is never taken for what is written in
    if words.text:
        fit, naming, how = _by_text(words, element, beside, verb, tuning.SAME if behind else tuning.FLOOR)
        fit *= suits * _ROLE_FACTORS[misfit]
        worse = naming > 0 or words.text.strip(_MARKS) != element.name.strip(_MARKS)
        how += f", but a {element.role}" * bool(misfit)
    else:
        fits = suits >= UPLOADING and not element.is_text
        fit = tuning.ROLE_ONLY * (misfit < 2) if words.role else tuning.NO_WORDS * suits * fits
        naming, how = 0, words.role or f"fits {verb}"
        worse = "multiline" in element.states and roles.canonical(words.role) == "textbox"
    wrong, off = misfit == 2 or (element.is_text and verb in FILLING), "disabled" in element.states
    rank = (wrong, naming, misfit == 1, behind, -suits, off, not front, worse)
    return Candidate(element, fit, rank, how) if fit >= tuning.FLOOR else None


def _labels(words: Words, scene: Scene, verb: str) -> dict[int, str]:
    """The texts that label controls and carry the words, by the ids of the controls."""
    text = words.text
    near = [
        one
        for one in scene.screen.elements
        if one.role in roles.LABELLING
        and one.name
        and (likeness(text, one.name) >= tuning.FLOOR or _is_said_by_label(text, one.name))
    ]
    return _labelled_by(near, words, scene, verb) if near else {}


def _labelled_by(near: list[Element], words: Words, scene: Scene, verb: str) -> dict[int, str]:
    """The controls that some texts label, by their ids."""
    found: dict[int, str] = {}
    fields = [one for one in scene.screen.controls if _is_labelled(one, verb)]
    taken = {label(one.name): one.id for one in fields if one.name}
    for element in fields:
        if not _takes_label(element, near, words, scene, verb):
            continue
        beside = scene.label_of(element) or _label_of_value(element, near)
        if element.name and taken.get(label(beside), element.id) != element.id:
            continue  # It is the label of another field, whose name it is.
        if any(one.name == beside and _is_in_reach(one, element) for one in near):
            shown = element.role in roles.MEASURED and _is_said_by_label(words.text, beside)
            found[element.id] = words.text if shown else beside
    return found


def _is_in_reach(text: Element, control: Element) -> bool:
    return control.box.gap(text.box) <= tuning.LABEL_REACH


def _may_miss_box(words: Words, verb: str) -> bool:
    """Whether an action may be meant for something else than a box of that name, such as its row."""
    return not words.role and verb not in ("check", "read")


def _takes_label(box: Element, near: list[Element], words: Words, scene: Scene, verb: str) -> bool:
    """Whether a text beside a box is its label, and not the row that it selects, or another one's label."""
    if box.role not in roles.BOXES:
        return True
    if _may_miss_box(words, verb) and scene.tree.part_around(box, TABLE_ROWS):
        return False
    return not box.name or any(one.name.startswith(f"{box.name} ") for one in near)


def _is_labelled(element: Element, verb: str) -> bool:
    is_field = element.role in roles.LABELLED or "editable" in element.states
    return is_field or (verb in FILLING and _leads_nowhere(element))


def _is_said_by_label(text: str, label_text: str) -> bool:
    return normal(_READING.sub("", label_text)) == normal(text)


def _label_of_value(element: Element, near: list[Element]) -> str:
    """The text that tells the value of a slider, wherever it stands: `Volume: 30` below the one at 30."""
    value = normal(element.value) if element.role in roles.MEASURED else ""
    found = [e for e in near if value and value in normal(e.name).split()]
    return found[0].name if len(found) == 1 else ""


def options(element: Element) -> list[str]:
    """The options of a list as far as they are known, also while it is closed."""
    return [*filter(None, element.attributes.get("options", "").split("\n"))]


def _by_text(words: Words, element: Element, beside: str, verb: str, least: float) -> tuple[float, int, str]:
    """How surely the words name an element, their place in `_WAYS`, and the ways by which they do."""
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
    if element.role in roles.BOXES and best < tuning.SWITCH and _may_miss_box(words, verb):
        best = 0.0
    return best, naming, how


def _likenesses(words: Words, element: Element, beside: str, verb: str) -> dict[str, tuple[float, int]]:
    """How well each text of an element answers to the words, see `compare`."""
    # A click on what was just searched for means the result, not the field that it was typed into.
    pointed = verb == "click" and element.role in roles.TYPED_INTO
    option = max((likeness(words.text, one) for one in options(element)), default=0.0)
    found = {
        "name": _name_likeness(words, element),
        "label beside it": compare(words.text, beside),
        "hint" if verb in FILLING else "description": compare(words.text, element.description),
        "text typed into it" if pointed else "value": compare(words.text, element.value),
        # A list is not meant by half a name of one.
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
    """With the role as part of the name too: `tab 2` may be a tab called `2`, or `Tab 2`."""
    name = element.name
    if element.role in roles.IN_MENUS and (bare := _CHORD.sub("", name)) != name:
        words, name = replace(words, text=_CHORD.sub("", words.text)), bare
    plain = compare(words.text, name)
    if not words.role or plain[0] >= 1.0 - tuning.OTHER_CASE:
        return plain
    with_role = max(compare(f"{words.role} {words.text}", name), compare(f"{words.text} {words.role}", name))
    return with_role if with_role[0] >= tuning.SAME else plain


def _by_icon(words: Words, element: Element, verb: str) -> float:
    """A thing without any words is known by the words of its class, such as `icon-trash`.

    So is a thing whose icon was asked for, and a field by what its form and the button that sends it say.
    """
    if element.is_text or not (element.attributes or element.name):
        return 0.0
    parts, asked = _hidden_words(words, element, verb), normal(words.text).split()
    if asked and parts.issuperset(asked):
        return tuning.ICON
    means = roles.PICTURES.get(normal(words.text))
    if means and (pictured := _by_picture(means, element, parts)):
        return pictured
    # `titlebar` is what a page calls its field for the title.
    word = asked[0] if len(asked) == 1 and not element.name and element.role in roles.TYPED_INTO else ""
    return tuning.ICON if len(word) >= WHOLE and any(part.startswith(word) for part in parts) else 0.0


def _hidden_words(words: Words, element: Element, verb: str) -> set[str]:
    """The words that the page has for an element and does not show."""
    given = ""
    if not element.name:
        given = " ".join(element.attributes.get(key, "") for key in _TELLING)
    elif words.role and roles.canonical(words.role) in ("icon", "img"):
        given = element.does.icon
    if element.role in roles.TYPED_INTO:
        given += f" {element.attributes.get('name', '')}"
        # A click on `Save` means the button that sends the form, and no field beside it.
        if verb in FILLING or (words.role and roles.is_a(element, words.role)):
            given += f" {element.does.form.default or ''}"
    return _lower_words(given)


def _by_picture(means: frozenset[str], element: Element, parts: set[str]) -> float:
    """How surely an icon shows a picture, by what that means; `parts` are its hidden words."""
    small, own = _is_icon(element), normal(element.name)
    drawn = _lower_words(element.does.icon) | ({own, *parts} if small else set())
    if drawn & means:
        return tuning.ICON
    # A part of the name says less, and so does a button without a name that tells that it opens a menu.
    menu = "menu" in means and not own and "haspopup" in element.states
    return tuning.PERHAPS_ICON if small and (menu or means.intersection(own.split()[:2])) else 0.0


def _lower_words(identifiers: str) -> set[str]:
    return {*map(str.lower, identifier_words(identifiers))}


def _is_icon(element: Element) -> bool:
    return element.box.width <= _SQUARE * element.box.height <= _SQUARE * _LARGEST_ICON


def _once(scored: Iterable[Candidate], labels: set[str]) -> list[Candidate]:
    """Leave out what is only a part or a wrapping of a better candidate, and texts that are its label."""
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
    if within(better, element):
        return True
    if (better.role, element.role) == ("combobox", "listbox") and "expanded" in better.states:
        return own == whole
    if not (within(element, better) or better.box.encloses(element.box) or element.box.encloses(better.box)):
        return False
    return own in whole if element.is_text else own == whole


_CLICKED = (
    dict.fromkeys(roles.HOLDERS | roles.UNPRESSED, 0.9)
    | dict.fromkeys(roles.GRAPHIC | roles.TYPED_INTO, 0.95)
    | {"generic": 0.97, TEXT: 0.85}
)
"""How well a role suits a click, where it does not fully; `generic` is such as the bar of a dialog beside the
button of its name."""


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
    if element.role in _SUITS[verb] or _has_what_it_takes(element, verb):
        return UPLOADING if verb == "upload" else 1.0
    # A link of nearly the same name is no field.
    return 0.0 if verb in FILLING and leads_away(element.does.link) else _UNSUITED[verb]


def _has_what_it_takes(element: Element, verb: str) -> bool:
    if verb == "set":
        return any(_has_what_it_takes(element, way) for way in ("type", "check", "choose"))
    if verb == "type":
        # A cell with a row and a column is one of a spreadsheet.
        cell = {"row", "column"} <= element.attributes.keys()
        opens = element.role == "generic" and "haspopup" in element.states
        return "editable" in element.states or cell or opens or element.attributes.get("type") == "color"
    if verb == "check":
        return not element.is_text and bool({"checked", "mixed"} & element.states)
    return verb == "choose" and ("haspopup" in element.states or _leads_nowhere(element))


def leads_away(address: str) -> bool:
    """Whether a link with this address leads to another place, and is no button in a link's dress."""
    return bool(address) and not address.startswith(("#", "javascript:"))


def _leads_nowhere(element: Element) -> bool:
    return bool(element.does.link) and not leads_away(element.does.link)
