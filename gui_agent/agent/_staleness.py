"""Checks whether a planned target is still the intended one on a later screen."""

from __future__ import annotations

from collections.abc import Callable

from gui_agent.agent.pictures import same_there
from gui_agent.core.errors import Ambiguous, NotFound, Stale
from gui_agent.core.observation import EYES, Element, Mark, Observation, Point, Target, Words
from gui_agent.core.texts import normal
from gui_agent.elements.roles import GRAPHIC
from gui_agent.scene.fingerprints import fingerprint, rebuilt_element, renamed_element, same_element

DRAWN = GRAPHIC | {"canvas"}


Locate = Callable[[Target, Observation], Element | None]
Pair = tuple[Element | None, Element | None]
"""The intended element when the action was planned, and the element the target means now."""


def target_now(target: Target, decided: Observation, now: Observation, locate: Locate) -> Target:
    """The target on a screen later than the decision's, as a mark if its element was renamed.

    Raises:
        NotFound: it is out of sight.
        Stale: another element is there now.
    """
    if isinstance(target, Mark):
        found = _by_mark(target, decided, now)
    elif isinstance(target, Point):
        found = _by_point(target, decided, now)
    else:
        found = _by_words(target, decided, now, locate)
    if not isinstance(found, tuple):
        return found
    then, same = found
    if then and same and same_element(same, fingerprint(then, decided), now):
        return target
    hidden = [one for one in now.beyond if then and (one.role, one.name) == (then.role, then.name)]
    if hidden and same is None:
        raise NotFound(f"{then} is not in sight", hidden)
    was, is_now = then or "no listed element", same or "covered or gone"
    raise Stale(f"{target} was {was} when this was planned and is {is_now} now; look again")


def _by_mark(target: Mark, decided: Observation, now: Observation) -> Target | Pair:
    then, same = decided.by_id(target.mark), now.by_id(target.mark)
    gone = then if then and not (same and normal(same.name) == normal(then.name)) else None
    again = gone and (rebuilt_element(gone, decided, now) or renamed_element(gone, now))
    return Mark(again.id) if again else (then, same)


def _by_point(target: Point, decided: Observation, now: Observation) -> Target | Pair:
    then, same = _element_at(target, decided), _element_at(target, now)
    alone = decided.windows == now.windows if now.windows else decided.place == now.place
    if not (then or same) and alone:
        return target
    # A drawing, or an element from another source than before, is compared by its looks.
    is_listed = then and same and then.source == same.source and then.role not in DRAWN
    return target if not is_listed and same_there(decided, now, target) else (then, same)


def _by_words(target: Words, decided: Observation, now: Observation, locate: Locate) -> Target | Pair:
    try:
        then = locate(target, decided)
    except (NotFound, Ambiguous):
        then = None
    wanted = normal(target.text)
    if then is None:
        return target  # it may name something that has appeared since
    if normal(then.name) != wanted and any(normal(one.name) == wanted for one in now.elements):
        return target  # now something has exactly this name, which before was only similar
    fuller = renamed_element(then, now)
    return Mark(fuller.id) if fuller else (then, locate(target, now) or then)


def _element_at(point: Point, screen: Observation) -> Element | None:
    """The element at a point. A text that only OCR found inside a program's listed elements is part of a
    drawing.
    """
    there = screen.smallest_at(point)
    is_read = there and there.is_text and there.is_from_picture
    return None if is_read and any(EYES.isdisjoint(e.source.split("+")) for e in screen.elements) else there
