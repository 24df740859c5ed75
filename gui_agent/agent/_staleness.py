"""Checks whether a planned target is still the intended one on a later screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gui_agent.agent.pictures import same_there
from gui_agent.core.errors import Ambiguous, NotFound, Stale
from gui_agent.core.observation import EYES, Element, Mark, Observation, Point, Target, Words
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Found
from gui_agent.elements.describe import describe_place
from gui_agent.elements.roles import GRAPHIC
from gui_agent.scene import Part, Scene
from gui_agent.scene.fingerprints import (
    fingerprint,
    has_same_words,
    rebuilt_element,
    renamed_element,
    same_element,
)

DRAWN = GRAPHIC | {"canvas"}
DRAWINGS = frozenset(("svg",))

Locate = Callable[[Target, Observation], Found]
Pair = tuple[Element | None, Element | None]
"""The intended element when the action was planned, and the element the target means now."""


def target_now(
    target: Target,
    decided: Observation,
    now: Observation,
    locate: Locate,
    worked_on: Sequence[Point] = (),
    is_end: bool = False,
) -> Target:
    """The target on a screen later than the decision's, as a mark if its element was renamed.

    Args:
        worked_on: the targets of the decision's earlier actions; a drawing there may look different now.
        is_end: a drag ends at the target; on a drawing, that is a place rather than a thing.

    Raises:
        NotFound: it is out of sight.
        Stale: another element is there now.
    """
    if isinstance(target, Mark):
        found = _by_mark(target, decided, now)
    elif isinstance(target, Point):
        found = _by_point(target, decided, now, [*worked_on, *[target] * is_end])
    else:
        found = _by_words(target, decided, now, locate)
    if not isinstance(found, tuple):
        return found
    then, same = found
    if then and same and _is_same(then, same, decided, now):
        return target
    hidden = [one for one in now.beyond if then and (one.role, one.name) == (then.role, then.name)]
    if hidden and same is None:
        raise NotFound(f"{then} is not in sight", hidden)
    was = _in_words(then, decided) if then else "no listed element"
    is_now = _in_words(same, now) if same else "covered or gone"
    raise Stale(f"{target} was {was} when this was planned and is {is_now} now; look again")


def _in_words(element: Element, screen: Observation) -> str:
    return describe_place(fingerprint(element, screen))


def _is_same(then: Element, same: Element, decided: Observation, now: Observation) -> bool:
    is_kept = then.id == same.id and then.role == same.role and has_same_words(then, same)
    return is_kept or same_element(same, fingerprint(then, decided), now)


def _by_mark(target: Mark, decided: Observation, now: Observation) -> Target | Pair:
    then, same = decided.by_id(target.mark), now.by_id(target.mark)
    gone = then if then and not (same and has_same_words(then, same)) else None
    again = gone and (rebuilt_element(gone, decided, now) or renamed_element(gone, now))
    return Mark(again.id) if again else (then, same)


def _by_point(
    target: Point, decided: Observation, now: Observation, worked_on: Sequence[Point]
) -> Target | Pair:
    then, same = _element_at(target, decided), _element_at(target, now)
    alone = decided.windows == now.windows if now.windows else decided.place == now.place
    if not (then or same) and alone:
        return target
    drawing = _drawing(same, now)
    if drawing and drawing in [_drawing(_element_at(point, decided), decided) for point in worked_on]:
        return target
    # A drawing, or an element from another source than before, is compared by its looks.
    is_listed = then and same and then.source == same.source and not _drawing(then, decided)
    return target if not is_listed and same_there(decided, now, target) else (then, same)


def _drawing(element: Element | None, screen: Observation) -> Part:
    """The drawing that an element is, or is a part of; empty for other elements."""
    if element is None:
        return ()
    part = Scene.from_screen(screen).tree.part_around(element, DRAWINGS)
    return part or ((element.path,) if element.role in DRAWN else ())


def _by_words(target: Words, decided: Observation, now: Observation, locate: Locate) -> Target | Pair:
    try:
        then = locate(target, decided).element
    except (NotFound, Ambiguous):
        then = None
    wanted = normal(target.text)
    if then is None:
        return target  # it may name something that has appeared since
    if normal(then.name) != wanted and any(normal(one.name) == wanted for one in now.elements):
        return target  # now something has exactly this name, which before was only similar
    fuller = renamed_element(then, now)
    return Mark(fuller.id) if fuller else (then, locate(target, now).element or then)


def _element_at(point: Point, screen: Observation) -> Element | None:
    """The element at a point. A text that only OCR found inside a program's listed elements is part of a
    drawing.
    """
    there = screen.smallest_at(point)
    is_read = there and there.is_text and there.is_from_picture
    return None if is_read and any(EYES.isdisjoint(e.source.split("+")) for e in screen.elements) else there
