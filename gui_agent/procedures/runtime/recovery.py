"""Chooses what to try next while the target of a step is not on the screen.

The search waits first. It then scrolls the page and its lists, loads more of a list, and turns its pages
forwards and backwards until it is back at its start. After that it looks behind the other tabs, and
finally waits once more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from gui_agent.core.actions import Click, Scroll
from gui_agent.core.aiming import sole
from gui_agent.core.observation import Element, Mark, Observation, Strict, on_one_line
from gui_agent.core.texts import label
from gui_agent.core.trajectory import Planned, Step
from gui_agent.elements.roles import TYPED_INTO
from gui_agent.elements.scroll_search import WAITS, Search, begin, next_move
from gui_agent.procedures.language.program import (
    Attribute,
    Captioned,
    Const,
    Holding,
    Mentioned,
    Rank,
    Selector,
    Untried,
    With,
    nodes,
)
from gui_agent.procedures.language.view import View

NEXT_PAGE = re.compile(
    "next page|older (posts|entries)|nächste seite|page suivante|página siguiente|pagina successiva|"
    "volgende pagina|próxima página"
)
PREVIOUS_PAGE = re.compile(
    "prev(ious)? page|newer (posts|entries)|vorherige seite|page précédente|página anterior|"
    "pagina precedente|vorige pagina"
)
NEXT = re.compile("next|older|weiter|nächste|suivant|siguiente|successivo|volgende|próximo")
PREVIOUS = re.compile("prev(ious)?|newer|zurück|vorherige|précédent|anterior|precedente|vorige")
MORE = re.compile(
    "((show|load|see|view) )?more( results)?|show all|mehr( anzeigen| laden)?|weitere anzeigen|"
    "(voir|afficher) plus|(ver|mostrar) más|mostra altro|meer (tonen|laden)|(ver|mostrar) mais"
)
_FORTH, _BACK = frozenset(">›»→"), frozenset("<‹«←")
_ARROWS = re.compile(r"[<>‹›«»←→\s]+")
_POSITION = re.compile(r"\b\d+\s*(?:of|/|von|de|sur|di|van)\s*\d+\b|\b\d+\s*[-–]\s*\d+\b", re.IGNORECASE)
_PRESSED = frozenset({"button", "link"})
_SEEKING = re.compile(r"search|find|filter|such|recherche|busca|cerca|zoek", re.IGNORECASE)
_FIELDS = TYPED_INTO - {"searchbox"} | {"radio"}


def next_page(view: View) -> Element | None:
    """The control that shows the next page of a list; None unless one certainly does."""
    return _turning(view, NEXT_PAGE, NEXT, _FORTH, "next")


def previous_page(view: View) -> Element | None:
    """The control that shows the previous page; None unless one certainly does."""
    return _turning(view, PREVIOUS_PAGE, PREVIOUS, _BACK, "prev")


def more(view: View) -> Element | None:
    """The control that shows more of a list; None if there is none, or several."""
    found = [e for e in _controls(view) if MORE.fullmatch(_words(e)) and "haspopup" not in e.states]
    return sole(found)


def _turning(
    view: View, plain: re.Pattern[str], bare: re.Pattern[str], arrows: frozenset[str], rel: str
) -> Element | None:
    """The one control with such a caption, or with such a word or arrow next to page marks."""
    controls = _controls(view)
    tests: Sequence[Callable[[Element], bool]] = (
        lambda e: e.attributes.get("rel") == rel or bool(plain.fullmatch(_words(e))),
        lambda e: (bool(bare.fullmatch(_words(e))) or _is_arrow(e, arrows)) and _among_pages(e, view),
    )
    for test in tests:
        found = [control for control in controls if test(control)]
        if found:
            # Equal controls above and below a list do the same.
            return found[0] if len({(e.role, _words(e)) for e in found}) == 1 else None
    return None


def _controls(view: View) -> list[Element]:
    return [e for e in view.elements if e.role in _PRESSED and "disabled" not in e.states]


def _words(element: Element) -> str:
    return label(_ARROWS.sub(" ", element.name))


def _is_arrow(element: Element, arrows: frozenset[str]) -> bool:
    marks = set(element.name.replace(" ", ""))
    return bool(marks) and marks <= arrows


def _among_pages(element: Element, view: View) -> bool:
    """Whether page numbers, its counterpart or a position are next to it and nothing is editable there."""
    beside = [e for e in view.elements if e.id != element.id and _near(element, e, view)]
    numbers = [e for e in beside if e.role in _PRESSED and e.name.strip().isdecimal()]
    if len(numbers) > 1:
        return True
    marks = any(_POSITION.search(e.name) for e in beside if e.is_text)
    counterpart = any(e.role in _PRESSED and _turns(e) for e in beside)
    return (marks or counterpart) and not any(_is_filled_in(e, view) for e in view.elements)


def _turns(element: Element) -> bool:
    words = _words(element)
    return bool(NEXT.fullmatch(words) or PREVIOUS.fullmatch(words)) or _is_arrow(element, _FORTH | _BACK)


def _near(element: Element, other: Element, view: View) -> bool:
    levels = view.levels_up(element, other)
    return on_one_line(element.box, other.box) or (levels is not None and levels <= 2)


def _is_filled_in(element: Element, view: View) -> bool:
    return element.role in _FIELDS and not any(_SEEKING.search(text) for text in view.captions(element))


MOST_PAGES = 20
"""Maximum pages to turn in one direction; a longer list has a search field."""

Phase = Literal["here", "more", "forth", "home", "back", "return", "tabs", "late"]
_ORDER: tuple[Phase, ...] = ("more", "forth", "home", "back", "return", "tabs")
_BY: Mapping[Phase, int] = {"more": 0, "forth": 1, "home": -1, "back": -1, "return": 1, "tabs": 0}
_HOME = "back to where the search began"
_WHY: Mapping[Phase, str] = {
    "more": "{}: show more",
    "forth": "{}: look on the next page",
    "home": _HOME,
    "back": "{}: look on the page before",
    "return": _HOME,
    "tabs": "{}: look behind the next tab",
}


@dataclass(frozen=True, slots=True)
class Hunt(Strict):
    """The progress of the search for the target of one step."""

    view: Search | None = None
    """The search on the current page; None before its first look."""
    phase: Phase = "here"
    leafed: int = 0
    """Pages between the start of the search and the current page; negative towards the first page."""
    pages: int = 1
    grown: int = 0
    """Number of times that more of the list was shown."""
    turned_at: int = -1
    """Pixels above the view where a control that turns pages was seen; -1 before one was seen."""
    tabs: tuple[int, ...] = ()
    brought: bool = False
    """Whether the search has scrolled to that control since the last page turn."""


def scrolls_for(sought: Selector | None) -> bool:
    """Whether scrolling may bring the target into view without bringing a wrong one into its place.

    The third of several changes as soon as the first is out of view, unless they are counted in a row or
    card that the task names.
    """
    if sought is None or sought.pick is None or sought.pick == Rank(Const("1")):
        return True
    return any(isinstance(test, With) and _names_what_was_asked(test) for test in sought.tests)


def leafs_for(sought: Selector | None) -> bool:
    """Whether the target may be on another page, which requires that the task names it."""
    if sought is None or sought.pick is not None or any(isinstance(n, Untried | Rank) for n in nodes(sought)):
        return False
    return any(_names_what_was_asked(test) for test in sought.tests)


def _names_what_was_asked(test: object) -> bool:
    match test:
        case Captioned(text=text) | Holding(text) | Attribute(text=text):
            return not isinstance(text, Const)
        case Mentioned():
            return True
        case With(anchor):
            return any(_names_what_was_asked(one) for one in anchor.tests)
    return False


def next_try(
    hunt: Hunt | None,
    screen: Observation,
    last: Step | None,
    what: str,
    *,
    scrolls: bool = True,
    leafs: bool = False,
) -> tuple[Planned, Hunt] | None:
    """The next thing to try, or None if all was tried and the view is back at its start.

    Args:
        hunt: the result for the previous try; None for the first.
        last: the previous step, if it belongs to this search.
        scrolls, leafs: which tries are allowed besides waiting, see `scrolls_for` and `leafs_for`.
    """
    if hunt is None:
        hunt, last = Hunt(), None
    if hunt.view is None:
        hunt = replace(hunt, view=begin(screen))
    if hunt.phase != "late":
        if leafs and _page_turner(hunt.phase, View(screen)) is not None:
            hunt = replace(hunt, turned_at=_above(screen))
        move = _on_this_page(hunt, screen, last, what, scrolls) or (
            _next_page_turn(hunt, screen, last, what) if leafs else None
        )
        if move is not None:
            return move
        hunt = replace(hunt, phase="late", view=Search(looks=1))
    assert hunt.view is not None
    found = next_move(hunt.view, screen, last, what, only_wait=True)
    return None if found is None else (found[0], replace(hunt, view=found[1]))


def _on_this_page(
    hunt: Hunt, screen: Observation, last: Step | None, what: str, scrolls: bool
) -> tuple[Planned, Hunt] | None:
    if hunt.phase in ("home", "return") or hunt.brought or hunt.view is None:
        return None
    waits = WAITS[:1] if hunt.phase == "here" else ()
    found = next_move(hunt.view, screen, last, what, waits=waits, only_wait=not scrolls)
    return None if found is None else (found[0], replace(hunt, view=found[1]))


def _next_page_turn(
    hunt: Hunt, screen: Observation, last: Step | None, what: str
) -> tuple[Planned, Hunt] | None:
    stuck = last is not None and isinstance(last.planned.action, Click) and _changed_nothing(last)
    if hunt.phase == "here":
        hunt = replace(hunt, phase="more")
    elif stuck and hunt.phase in ("forth", "back"):
        # the page did not turn after all
        hunt = replace(hunt, leafed=hunt.leafed - _BY[hunt.phase])
    for phase in _ORDER[_ORDER.index(hunt.phase) :]:
        here = replace(hunt, phase=phase)
        if _is_phase_over(here) or (stuck and phase == hunt.phase):
            continue
        control = _tab(here, screen) if phase == "tabs" else _page_turner(phase, View(screen))
        if control is not None:
            here = _after_turn(here, control, screen)
            return Planned(Click(Mark(control.id)), why=_WHY[phase].format(what)), here
        if hunt.turned_at >= 0 and not hunt.brought and hunt.turned_at != _above(screen):
            middle = screen.size.box.center
            scroll = Scroll(middle, down=hunt.turned_at - _above(screen))
            return Planned(scroll, why="to the control that turns the pages"), replace(here, brought=True)
    return None


def _is_phase_over(hunt: Hunt) -> bool:
    match hunt.phase:
        case "more":
            return hunt.grown >= MOST_PAGES
        case "forth":
            return hunt.leafed >= MOST_PAGES
        case "home":
            return hunt.leafed <= 0
        case "back":
            return hunt.leafed <= -MOST_PAGES
        case "tabs":
            return len(hunt.tabs) >= MOST_PAGES
    return hunt.leafed >= 0


def _tab(hunt: Hunt, screen: Observation) -> Element | None:
    tabs = [e for e in screen.elements if e.role == "tab" and "disabled" not in e.states]
    return next((e for e in tabs if "selected" not in e.states and e.id not in hunt.tabs), None)


def _page_turner(phase: Phase, view: View) -> Element | None:
    if phase in ("home", "back"):
        return previous_page(view)
    if phase in ("forth", "return"):
        return next_page(view)
    return more(view) or (next_page(view) if phase == "here" else None)


def _after_turn(hunt: Hunt, control: Element, screen: Observation) -> Hunt:
    looked = hunt.pages + (hunt.phase in ("forth", "back"))
    return replace(
        hunt,
        view=None,
        leafed=hunt.leafed + _BY[hunt.phase],
        pages=looked,
        grown=hunt.grown + (hunt.phase == "more"),
        turned_at=_above(screen),
        tabs=(*hunt.tabs, control.id) if hunt.phase == "tabs" else hunt.tabs,
        brought=False,
    )


def _changed_nothing(step: Step) -> bool:
    return _content(step.before) == _content(step.after)


def _content(screen: Observation) -> list[tuple[str, str, str]]:
    return [(element.role, element.name, element.value) for element in screen.elements]


def _above(screen: Observation) -> int:
    return screen.more.get("above", 0)
