"""The context of a control: its form, its dialog, the focus, a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gui_agent.agent.guard import words
from gui_agent.agent.guard._lexicon import editable, fold, identifier_words
from gui_agent.agent.guard.fields import field_kind, field_kinds
from gui_agent.core.observation import Box, Element, Observation, Point
from gui_agent.elements.roles import BUTTONS, SURFACES, TICKABLE
from gui_agent.scene import Scene
from gui_agent.scene.structure import DIALOGS, FORMS, is_in_form

ICON = 100
"""Largest side of an icon, in pixels; a larger picture may be a drawing surface."""
_SET = TICKABLE | {"combobox"}
"""Roles of controls that take a value besides fields."""
DIALOG_LENGTH = 400
"""Longest text of a dialog, in characters."""
FEW, ASKING = 12, 6
"""Most elements, and most controls, of a window that only asks a question."""
SLIDING = 150
"""How far (px) the text that explains a slider may be from it."""
NEARBY = 40
"""How far (px) from a point on a canvas a text still counts as next to it."""

_AROUND_BUTTON = 3
"""Levels from a control up to the container of its companions, if no form or dialog groups them."""
_DEEP = 4
"""Down to this depth, the structure groups nothing."""


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """The fields that belong to a control, and which kinds are among them."""

    all: tuple[Element, ...]
    kinds: frozenset[str]


def holds_others(element: Element) -> bool:
    """Whether the element may contain other things, so that a click inside it may mean one of those."""
    small = element.box.width <= ICON and element.box.height <= ICON
    return element.role in SURFACES and not (small and element.role in BUTTONS)


def companions(element: Element, observation: Observation) -> tuple[Element, ...]:
    """The elements of the same form or dialog; without one, those nearest in the structure."""
    scene = Scene.from_screen(observation)
    tree = scene.tree
    if part := tree.part_around(element, FORMS | DIALOGS):
        return tree.elements_below(part)
    around = scene.layers.notice_at(element.box.center)
    if around is not None:
        return tuple(other for other in observation.elements if around.box.encloses(other.box))
    steps = tree.steps(element)
    beside = tree.elements_in(steps[:-_AROUND_BUTTON] if len(steps) > _DEEP else ())
    return tuple(other for other in beside if not tree.part_around(other, FORMS))


def fields_with(element: Element, observation: Observation) -> FieldGroup:
    """The fields that are sent together with a control."""
    all_ = tuple(e for e in companions(element, observation) if editable(e) or e.role == "combobox")
    fields = [*filter(editable, all_)]
    if len(fields) > 1 and all("atspi" in one.source for one in fields):
        # A desktop program shows how many characters a password has. If other fields exist, an empty password
        # field is not in use.
        fields = [one for one in fields if one.value or field_kind(one, observation) != "password"]
    kinds = {field_kind(one, observation) for one in fields}
    return FieldGroup(all_, frozenset(kinds) - {""})


def question_around(element: Element, observation: Observation) -> str:
    """The texts of the dialog around an element, or of a small window, without the names of its controls.

    Empty when the element is in neither.
    """
    scene = Scene.from_screen(observation)
    dialog = scene.layers.notice_at(element.box.center)
    part = scene.tree.part_around(element, DIALOGS)
    if element.does.question or dialog is None:
        below = _texts(scene.tree.elements_below(part), scene) if part else ""
        return element.does.question or below or small_window(observation)
    inside = [one for one in observation.elements if is_inside(one, dialog)]
    return _texts(inside, scene, dialog.name, dialog.description)


def small_window(observation: Observation) -> str:
    """The texts of a desktop window with a few buttons and no fields, which may only ask a question."""
    elements = observation.elements
    if observation.place.url or observation.place.commands or len(elements) > FEW:
        return ""
    if len(observation.controls) > ASKING or any(editable(one) for one in elements):
        return ""
    found = _texts(elements, Scene.from_screen(observation))
    return found if len(found) <= DIALOG_LENGTH else ""


def focused_element(observation: Observation) -> Element | None:
    """The element that has the focus; the innermost if several claim it."""
    own = [element for element in observation.elements if "focused" in element.states]
    return observation.focus if not own else min(own, key=lambda e: e.box.area, default=None)


def submits(element: Element) -> bool:
    """Whether the page itself says that this button sends its form."""
    if element.does.form.submits:  # by its own handler
        return True
    # Outside a form, `type=submit` is only HTML's default.
    inside = bool(element.does.form.sends) or is_in_form(element)
    return element.attributes.get("type") in ("submit", "image") and inside


def texts_around(point: Point, observation: Observation, within: Box | None, reach: int = NEARBY) -> str:
    """The texts on and next to a point, nearest first; `within` excludes texts outside that box."""
    spot = Box(point.x, point.y, 1, 1)
    near = [
        (element.box.gap(spot), element.name)
        for element in observation.elements
        if element.name
        and not holds_others(element)
        and element.box.gap(spot) <= reach
        and (within is None or within.intersect(element.box) is not None)
    ]
    return "\n".join(name for _, name in sorted(near))


def at_point(point: Point, observation: Observation) -> Element | None:
    """The smallest element at a point; controls come before texts and containers."""
    around = [element for element in observation.elements if element.box.contains(point)]
    return min(around, key=lambda e: (holds_others(e), e.is_text, e.box.area), default=None)


def elements_slid(element: Element, observation: Observation) -> tuple[Element, ...]:
    """What sliding an element activates: one button per name, its own or nearby, that mentions sliding."""
    named = (element.name, identifier_words(element.attributes.get("class", "")))
    near = texts_around(element.box.center, observation, None, SLIDING).split("\n")
    said = dict.fromkeys(text for text in (*named, *near) if words.slides(text))
    return tuple(replace(element, role="button", name=text, value="") for text in said)


def _texts(around: Sequence[Element], scene: Scene, *titles: str) -> str:
    """Titles and texts without what fields are called, which is not what a dialog asks."""
    labels = {one.name or scene.label_of(one) for one in around if editable(one) or one.role in _SET}
    texts = [one.name for one in around if one.is_text or one.role == "heading"]
    return "\n".join(dict.fromkeys(one for one in (*titles, *texts) if one and one not in labels))


def is_inside(element: Element, container: Element) -> bool:
    return element.id != container.id and container.box.encloses(element.box)


def icon_meanings(element: Element) -> tuple[str, ...]:
    """Meanings of the icon of an element without words."""
    if words.has_letters(element.name):
        return ()
    named = element.attributes.get("class", "")
    return words.icon_meanings(element.does.icon, element.name, element.description, named)


def has_recipient(element: Element, observation: Observation) -> bool:
    """Whether a field next to the element names a recipient."""
    fields = fields_with(element, observation).all
    named = fold(" ".join(f"{field.name} {field.attributes.get('type', '')}" for field in fields))
    return "email" in named or any("recipient" in field_kinds(field.name) for field in fields)
