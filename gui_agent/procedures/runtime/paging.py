"""Controls that leaf through a list: known by what they are called and by what stands beside them.

Nothing else is ever pressed in a search. A `Next` that leads through the pages of a form is none of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gui_agent.core.observation import Element
from gui_agent.core.texts import label
from gui_agent.procedures.language.view import View, same_line

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
_FIELDS = frozenset({"textbox", "spinbutton", "radio"})


def next_page(view: View) -> Element | None:
    """The control that shows the next page of a list; None when there is none that surely does."""
    return _turning(view, NEXT_PAGE, NEXT, _FORTH, "next")


def previous_page(view: View) -> Element | None:
    """The control that shows the page before; None when there is none that surely does."""
    return _turning(view, PREVIOUS_PAGE, PREVIOUS, _BACK, "prev")


def more(view: View) -> Element | None:
    """The control that shows more of a list; None when there is none, or several."""
    found = [e for e in _controls(view) if MORE.fullmatch(_words(e)) and "haspopup" not in e.states]
    return found[0] if len(found) == 1 else None


def _turning(
    view: View, plain: re.Pattern[str], bare: re.Pattern[str], arrows: frozenset[str], rel: str
) -> Element | None:
    """The one control that is called so, or by such a word or arrow with the marks of paging beside it."""
    controls = _controls(view)
    tests: Sequence[Callable[[Element], bool]] = (
        lambda e: e.attributes.get("rel") == rel or bool(plain.fullmatch(_words(e))),
        lambda e: (bool(bare.fullmatch(_words(e))) or _is_arrow(e, arrows)) and _among_pages(e, view),
    )
    for test in tests:
        found = [control for control in controls if test(control)]
        if found:
            # The same control above and below a list does the same.
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
    """Whether page numbers stand beside it, or its counterpart or a position where nothing is filled in."""
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
    return same_line(element, other) or (levels is not None and levels <= 2)


def _is_filled_in(element: Element, view: View) -> bool:
    """Whether it is a field of a form, and not one to search with."""
    return element.role in _FIELDS and not any(_SEEKING.search(text) for text in view.captions(element))
