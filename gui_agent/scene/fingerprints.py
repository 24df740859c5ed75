"""Takes the fingerprint of an element, and measures how well an element matches one."""

from __future__ import annotations

from gui_agent.core.aiming import sole
from gui_agent.core.observation import Box, Element, Fingerprint, Observation, Size, on_one_line
from gui_agent.core.texts import label, normal
from gui_agent.elements.roles import OPERABLE
from gui_agent.elements.text import name_words
from gui_agent.scene._scene import Scene

NEIGHBOURS = 4
"""How many texts around an element its fingerprint keeps."""
KEPT_ATTRIBUTES = ("tag", "type", "placeholder", "href", "class", "color", "shape")


def neighbours(element: Element, observation: Observation) -> tuple[str, ...]:
    """The texts and names around an element, nearest first, without its own."""
    own = normal(element.name)
    others = [
        one for one in observation.elements if one.id != element.id and normal(one.name) not in ("", own)
    ]
    near = sorted(others, key=lambda one: element.box.gap(one.box))
    return tuple(dict.fromkeys(one.name for one in near[: NEIGHBOURS * 2]))[:NEIGHBOURS]


def rank_of(element: Element, observation: Observation) -> int:
    """1-based rank of the element among those of the same role and name."""
    alike = [e.id for e in observation.elements if (e.role, e.name) == (element.role, element.name)]
    return alike.index(element.id) + 1 if element.id in alike else 0


def fingerprint(element: Element, observation: Observation) -> Fingerprint:
    """The stored description of an element by which it can be found again."""
    return Fingerprint(
        role=element.role,
        name=element.name,
        label="" if element.name else Scene.from_screen(observation).label_of(element),
        neighbours=neighbours(element, observation),
        path=element.path,
        attributes={k: element.attributes[k] for k in KEPT_ATTRIBUTES if element.attributes.get(k)},
        box=element.box,
        screen=observation.size,
        rank=rank_of(element, observation),
    )


def same_element(element: Element, then: Fingerprint, now: Observation) -> bool:
    """Whether an element is certainly the one whose fingerprint was taken moments ago.

    Used between the actions of one batch, where at most small movements may have happened: role and name must
        be the same, and so must the label or the structural path.
    """
    alike = (element.role, normal(element.name)) == (then.role, normal(then.name))
    sure = element.path == then.path or bool(then.name)
    return alike and (sure or label(Scene.from_screen(now).label_of(element)) == label(then.label))


def has_same_words(one: Element, other: Element) -> bool:
    """Whether two names have the same words, in any order and with any marks, as `*a.txt` and `a.txt`."""
    mine, its = normal(one.name), normal(other.name)
    words = sorted(filter(str.isalnum, name_words(mine)))
    return mine == its or (bool(words) and words == sorted(filter(str.isalnum, name_words(its))))


def rebuilt_element(then: Element, before: Observation, now: Observation) -> Element | None:
    """The element now in place of one that is gone: the same among equal ones on its line, else the only one
    of its name on both screens, because lists reuse or rebuild their rows.
    """
    mark, line = fingerprint(then, before), _on_its_line(then, before)
    alike = [one for one in now.elements if one.path == then.path and same_element(one, mark, now)]
    there = [one for one in alike if line and line <= _on_its_line(one, now)]
    if alone := sole(there):
        return alone
    was, named = _called_so(then.name, before), _called_so(then.name, now)
    if len(was) != 1 or len(named) != 1:
        return None
    # A button says what it does, but not to which thing.
    acts = {named[0].role, then.role} <= OPERABLE
    is_there = named[0].role == then.role or named[0].box.contains(then.box.center)
    return named[0] if is_there and not acts else None


def _called_so(name: str, screen: Observation) -> list[Element]:
    return [one for one in screen.elements if name and normal(one.name) == normal(name)]


def _on_its_line(element: Element, observation: Observation) -> set[str]:
    near = (one for one in observation.elements if one.id != element.id and on_one_line(one.box, element.box))
    return {normal(one.name) for one in near if one.name}


def renamed_element(then: Element, now: Observation) -> Element | None:
    """The element that was here moments ago and now has a longer name, as `Replace All` for `Replace`."""
    there = [one for one in now.elements if then.path and (one.path, one.role) == (then.path, then.role)]
    same = there[0] if len(there) == 1 and there[0].box.contains(then.box.center) else then
    before, after = name_words(normal(then.name)), name_words(normal(same.name))
    return same if before and before != after and after[: len(before)] == before else None


def place_similarity(box: Box, screen: Size, then: Box | None, then_screen: Size | None) -> float:
    """How near two places are relative to the size of their screens, 1 (same) to 0 (a quarter away)."""
    if then is None or then_screen is None or not screen.width or not then_screen.width:
        return 0.0
    dx = box.center.x / screen.width - then.center.x / then_screen.width
    dy = box.center.y / screen.height - then.center.y / then_screen.height
    return max(0.0, 1.0 - 4.0 * float((dx * dx + dy * dy) ** 0.5))
