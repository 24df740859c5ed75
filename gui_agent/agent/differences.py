"""What visibly changed between two observations, in short plain lines."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass

from gui_agent.core.observation import Element, Observation, Screenshot
from gui_agent.core.texts import shorten

WORTH_TELLING = ("checked", "selected", "expanded", "pressed", "disabled", "invalid")
"""States whose change a person would notice and mention."""
SAME_PIXELS = 0.0005
"""Share of a small grey picture that may differ without anything having changed (a caret, rounding)."""
GREY_STEP = 24
"""Difference in brightness, of 255, from which a pixel counts as another one."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The change from one observation to the next."""

    lines: tuple[str, ...] = ()
    """Most telling first."""
    moved_on: bool = False
    """Another page or window."""
    pixels: bool = False
    """The picture changed although no element did."""

    @property
    def any(self) -> bool:
        return bool(self.lines) or self.pixels

    def summary(self, limit: int = 3) -> str:
        """The most telling lines in one."""
        if not self.lines:
            return "the picture changed" if self.pixels else "nothing visible changed"
        more = f" (and {len(self.lines) - limit} more)" if len(self.lines) > limit else ""
        return "; ".join(self.lines[:limit]) + more


def difference(before: Observation, after: Observation) -> Difference:
    """Compare two observations: place, values, states, what came and went, and the picture last."""
    lines: list[str] = []
    moved_on = before.place.url != after.place.url or before.place.app != after.place.app
    if moved_on:
        lines.append(f"now at {shorten(after.place.title or after.place.url or after.place.app, 60)}")
    elif before.place.title != after.place.title:
        lines.append(f'the title became "{shorten(after.place.title, 60)}"')
    lines += [f"notice: {notice}" for notice in after.notices if notice not in before.notices]
    old = {element.id: element for element in before.elements}
    for element in after.elements:
        if element.id in old:
            lines += _own_changes(old[element.id], element)
    lines += _came_and_went(before, after)
    pixels = not lines and before.elements == after.elements and _pictures_differ(before, after)
    return Difference(tuple(dict.fromkeys(lines)), moved_on, pixels or _scrolled(before, after))


def pictures_differ(before: Screenshot, after: Screenshot) -> bool:
    """Whether two pictures show something different; a blinking caret does not count."""
    if before.data == after.data:
        return False
    if before.size != after.size:
        return True
    from PIL import Image, ImageChops

    small = []
    for shot in (before, after):
        image = Image.open(io.BytesIO(shot.data))
        image.draft("L", (shot.size.width // 4, shot.size.height // 4))
        wide = max(1, shot.size.width // 4), max(1, shot.size.height // 4)
        small.append(image.convert("L").resize(wide, Image.Resampling.BOX))
    histogram = ImageChops.difference(small[0], small[1]).histogram()
    return sum(histogram[GREY_STEP:]) > SAME_PIXELS * small[0].width * small[0].height


def _pictures_differ(before: Observation, after: Observation) -> bool:
    if before.screenshot is None or after.screenshot is None:
        return False
    return pictures_differ(before.screenshot, after.screenshot)


def _scrolled(before: Observation, after: Observation) -> bool:
    return bool(before.more) and dict(before.more) != dict(after.more)


def _own_changes(old: Element, new: Element) -> list[str]:
    lines = []
    if old.value != new.value and "password" in new.states:
        lines.append(f"{new} was {'filled' if new.value else 'emptied'}")
    elif old.value != new.value:
        lines.append(f'{new} became "{shorten(new.value, 40)}"' if new.value else f"{new} became empty")
    if old.name != new.name and new.name:
        lines.append(f'"{shorten(old.name, 40)}" became "{shorten(new.name, 40)}"')
    for state in WORTH_TELLING:
        if (state in old.states) != (state in new.states):
            lines.append(f"{new} is {'' if state in new.states else 'no longer '}{state}")
    if "focused" in new.states and "focused" not in old.states:
        lines.append(f"{new} has the focus")
    return lines


def _came_and_went(before: Observation, after: Observation) -> list[str]:
    """Elements that appeared or went, those left out that were only built anew with the same content."""
    old_ids = {element.id for element in before.elements}
    new_ids = {element.id for element in after.elements}
    gone = [element for element in before.elements if element.id not in new_ids]
    came = [element for element in after.elements if element.id not in old_ids]
    rebuilt = Counter(map(_content, gone)) & Counter(map(_content, came))
    lines = [f"{element} appeared" for element in _without(came, Counter(rebuilt))]
    lines += [f"{element} went away" for element in _without(gone, Counter(rebuilt))]
    return lines


def _content(element: Element) -> tuple[str, str, str]:
    return element.role, element.name, element.value


def _without(elements: list[Element], rebuilt: Counter[tuple[str, str, str]]) -> list[Element]:
    kept = []
    for element in elements:
        if rebuilt[_content(element)] > 0:
            rebuilt[_content(element)] -= 1
        else:
            kept.append(element)
    # Dialogs and alerts first, then controls, then texts: that is what a person would mention.
    order = {"alertdialog": 0, "dialog": 0, "alert": 0, "status": 1}
    return sorted(kept, key=lambda e: order.get(e.role, 3 if e.is_text else 2))
