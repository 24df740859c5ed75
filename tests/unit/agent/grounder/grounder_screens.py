"""Small screens made by hand."""

from __future__ import annotations

from gui_agent.core.observation import Box, Element, Observation, Size


def element(
    number: int, role: str, name: str = "", box: tuple[int, int, int, int] = (0, 0, 0, 0), **more: object
) -> Element:
    """An element; without a box it stands on its own line, 30 pixels below the one before."""
    place = box if any(box) else (10, 30 * number, 100, 20)
    states = more.pop("states", "")
    return Element(number, role, name, Box(*place), states=frozenset(str(states).split()), **more)  # type: ignore[arg-type]


def screen(*elements: Element) -> Observation:
    """A screen of 800 x 600 pixels."""
    return Observation(Size(800, 600), elements)


def people() -> Observation:
    """A table of three people, each row with a name, a checkbox and two icons."""
    found = []
    for row, name in enumerate(["Ada", "Bob", "Cem"]):
        top, path = 100 + 40 * row, f"body/table/tr[{row + 1}]"
        number = 10 * (row + 1)
        found += [
            element(number, "text", name, (10, top, 60, 20), path=f"{path}/td[1]/text"),
            element(number + 1, "checkbox", "", (100, top, 20, 20), path=f"{path}/td[2]/input"),
            element(number + 2, "button", "Edit", (150, top, 40, 20), path=f"{path}/td[3]/button[1]"),
            element(number + 3, "button", "Delete", (200, top, 40, 20), path=f"{path}/td[3]/button[2]"),
        ]
    return screen(*found)
