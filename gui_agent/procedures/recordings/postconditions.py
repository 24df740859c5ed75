"""What an action changed, as typed conditions that can be checked the next time."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gui_agent.core.conditions import Condition, StateIs, TextGone, TextShown, TitleIs, UrlIs, ValueIs
from gui_agent.core.observation import Element, Observation
from gui_agent.core.targets import Fingerprint
from gui_agent.core.texts import normal
from gui_agent.elements.fingerprints import fingerprint

TEXTS = 6
"""How many appeared texts are kept, and as many gone ones: enough to tell pages apart."""
OTHER_VALUES = 4
LASTING_STATES = ("checked", "selected", "pressed", "expanded", "collapsed", "disabled", "invalid")
"""States that tell what an action did; focus and hover come and go."""
_VOLATILE = re.compile(
    r"\d{1,2}:\d{2}|\b\d{4}-\d{2}-\d{2}\b|\b[0-9a-f]{8,}\b|\d{4,}|\bago\b|\bjust now\b|^\W*\d[\d.,%\s]*$",
    re.IGNORECASE,
)
_URL_PARTS = re.compile(r"(?<=[/=])(?:\d+|[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]+)*)(?=[/?&#.]|$)")


def volatile(text: str) -> bool:
    """Whether a text looks like a clock, counter or identifier, which differs every time."""
    return bool(_VOLATILE.search(text))


def url_pattern(url: str) -> str:
    """The address with numbers, identifiers and query values replaced by `*`."""
    address, _, query = url.partition("?")
    path = re.sub(r"([\[*?])", "?", _URL_PARTS.sub("\0", address)).replace("\0", "*")
    return path.rstrip("*") + "*" if query else path


def title_pattern(title: str) -> str:
    """The title with its numbers replaced by `*`."""
    return re.sub(r"\d+", "*", re.sub(r"[\[\]?]", "?", title))


def postconditions(
    before: Observation, after: Observation, element: int = 0
) -> tuple[Condition[Fingerprint], ...]:
    """What changed between two screens, the element acted on first.

    Args:
        element: id of the element acted on, 0 when there was none.
    """
    found: list[Condition[Fingerprint]] = []
    then = {e.id: e for e in before.elements}
    own = after.by_id(element) if element else None
    if own is not None and own.id in then:
        found += _changes(then[own.id], own, after)
    others = [e for e in after.elements if e.id != element and e.id in then and e.value != then[e.id].value]
    found += [ValueIs(fingerprint(e, after), e.value) for e in others[:OTHER_VALUES] if not volatile(e.value)]
    if after.place.url and url_pattern(after.place.url) != url_pattern(before.place.url):
        found.append(UrlIs(url_pattern(after.place.url)))
    if after.place.title and title_pattern(after.place.title) != title_pattern(before.place.title):
        found.append(TitleIs(title_pattern(after.place.title)))
    found += [TextShown(text) for text in _new(after.elements, before.elements)]
    found += [TextGone(text) for text in _new(before.elements, after.elements)]
    return tuple(found)


def _changes(then: Element, now: Element, screen: Observation) -> list[Condition[Fingerprint]]:
    mark = fingerprint(now, screen)
    found: list[Condition[Fingerprint]] = []
    if now.value != then.value and "password" not in now.states:
        found.append(ValueIs(mark, now.value))
    found += [
        StateIs(mark, state, on=state in now.states)
        for state in LASTING_STATES
        if (state in now.states) != (state in then.states)
    ]
    return found


def _new(there: Sequence[Element], not_there: Sequence[Element]) -> list[str]:
    """Names on the first screen that are nowhere on the second, without what differs every time."""
    known = " | ".join(normal(e.name) for e in not_there)
    fresh = [e.name for e in there if e.name and normal(e.name) not in known]
    lasting = [name for name in dict.fromkeys(fresh) if not volatile(name) and len(name) < 120]
    return lasting[:TEXTS]
