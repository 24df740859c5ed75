"""Reads the instruction and finds elements on the screen for the scripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from demonstrators.script import NotSeen
from gui_agent.core.actions import Check, Click, Move, Scroll, TypeText
from gui_agent.core.observation import Element, Mark, Observation, Target
from gui_agent.core.texts import label


def quoted(task: str) -> list[str]:
    """The texts in double quotes."""
    return re.findall(r'"(.*?)"', task)


def groups(pattern: str, task: str) -> tuple[str, ...]:
    """The groups that the pattern matches in the instruction.

    Raises:
        NotSeen: the instruction is of another kind.
    """
    found = re.search(pattern, task)
    if found is None:
        raise NotSeen(f"the instruction does not read like {pattern!r}")
    return found.groups()


def several(listed: str) -> list[str]:
    """The members of a list such as `a, b, c`; none for `nothing`."""
    return [] if listed == "nothing" else listed.split(", ")


def rank(task: str) -> int:
    """The number of the first `nth` in the instruction."""
    return int(groups(r"(\d+)(?:st|nd|rd|th)\b", task)[0])


def those(screen: Observation, *roles: str) -> list[Element]:
    """The elements of these roles, in reading order."""
    return [element for element in screen.elements if element.role in roles]


def maybe(screen: Observation, name: str, *roles: str) -> Element | None:
    """The first element with exactly this name and one of the roles; without roles, any element but text."""
    for element in screen.elements:
        if element.name == name and (element.role in roles if roles else not element.is_text):
            return element
    return None


def seen(screen: Observation, word: str) -> bool:
    """Whether the word is anywhere on the screen."""
    return any(word in element.name for element in screen.elements)


def named(screen: Observation, name: str, *roles: str) -> Element:
    """The first element with exactly this name and one of the roles.

    Raises:
        NotSeen: there is none.
    """
    found = maybe(screen, name, *roles)
    if found is None:
        raise NotSeen(f"{' or '.join(roles) or 'thing'} {name!r} is not on the screen")
    return found


def nth(elements: Sequence[Element], number: int, what: str = "thing") -> Element:
    """The element at this place, counted from 1.

    Raises:
        NotSeen: there are fewer.
    """
    if not 1 <= number <= len(elements):
        raise NotSeen(f"there is no {what} number {number}")
    return elements[number - 1]


def only(screen: Observation, *roles: str) -> Element:
    """The first element of these roles.

    Raises:
        NotSeen: there is none.
    """
    return nth(those(screen, *roles), 1, " or ".join(roles))


def like(screen: Observation, fits: Callable[[Element], bool], what: str) -> Element:
    """The first element that fits.

    Raises:
        NotSeen: none does.
    """
    return nth([element for element in screen.elements if fits(element)], 1, what)


def labelled(screen: Observation, text: str, *roles: str) -> Element:
    """The field that the text names: by its name, or the nearest one to a text that has this word.

    Raises:
        NotSeen: there is none.
    """
    fields = those(screen, *(roles or ("textbox",)))
    words = [
        element for element in screen.elements if element not in fields and label(text) in label(element.name)
    ]
    exact = [element for element in words if label(element.name) == label(text)] or words
    for field in fields:
        if label(text) in (label(field.name), label(field.description)):
            return field
    if not exact or not fields:
        raise NotSeen(f"no field is labelled {text!r}")
    return min(fields, key=lambda field: field.box.gap(exact[0].box))


def of_class(screen: Observation, word: str) -> list[Element]:
    """The icons and rows of this kind, in reading order."""
    return [element for element in screen.elements if word in element.attributes.get("class", "").split()]


def only_list(screen: Observation) -> Element:
    """The part of the screen that scrolls.

    Raises:
        NotSeen: nothing scrolls.
    """
    return like(screen, lambda element: "scrollable" in element.states, "list")


def click(element: Element, *modifiers: str) -> Click[Target]:
    """A click on the element."""
    return Click(Mark(element.id), modifiers=modifiers)


def tick(element: Element) -> Check[Target]:
    """A tick in the element."""
    return Check(Mark(element.id))


def fill(element: Element, text: str, *, anew: bool = False) -> TypeText[Target]:
    """Type the text into the element; `anew` first removes the old text."""
    return TypeText(text, Mark(element.id), replace=anew)


def hover(element: Element) -> Move[Target]:
    """Move the pointer onto the element."""
    return Move(Mark(element.id))


def scroll(element: Element, down: int) -> Scroll[Target]:
    """Turn the wheel over the element."""
    return Scroll(Mark(element.id), down)


def submit(screen: Observation, name: str = "Submit") -> Click[Target]:
    """Click the button that submits."""
    return click(named(screen, name))
