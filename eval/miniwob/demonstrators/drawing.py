"""Colours and drawn shapes: finding, counting and naming them."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

from PIL import Image, ImageColor

from demonstrators.script import NotSeen, Script
from demonstrators.seeing import click, fill, groups, like, named, nth, only, submit, those
from gui_agent.core.observation import Element, Observation
from gui_agent.core.trajectory import Trajectory

SIZES = ("small", "large")
LARGE = 16
"""Minimum height of a large drawing, in pixels."""
FIGURES = {"circle": "circle", "rect": "rectangle", "rectangle": "rectangle", "triangle": "triangle"}


def coloured_box(task: str, screen: Observation) -> Script:
    """Click the box of the named colour."""
    (colour,) = groups(r"Click on the (\w+) colored box", task)
    boxes = [one for one in those(screen, "img", "generic") if _painted(colour)(one)]
    # The instruction may contain a small patch of the colour, too.
    boxes.sort(key=lambda box: -box.box.area)
    yield click(nth(boxes, 1, f"{colour} box"))


def colour_named(shown: Trajectory) -> str:
    """The named colour."""
    return re.sub(r".* the (\w+) .*", r"\1", shown.task.text)


def shades(task: str, screen: Observation) -> Script:
    """Click every box whose colour is a shade of the named one, in reading order, then submit."""
    (colour,) = groups(r"shades of (\w+)", task)
    for box in [one for one in those(screen, "img", "generic") if _shade(screen, one) == colour]:
        screen = yield click(box)
    yield submit(screen)


def shade_named(shown: Trajectory) -> str:
    """The colour whose shades are wanted."""
    return groups(r"shades of (\w+)", shown.task.text)[0]


def shape(task: str, screen: Observation) -> Script:
    """Click the first shape that matches the description."""
    fits = _described(groups(r"Click on an? (.*)", task)[0])
    yield click(like(screen, fits, "shape"))


def shape_count(task: str, screen: Observation) -> Script:
    """Count the shapes that match the description, and click the button with the number."""
    words = groups(r"How many (.*) are there", task)[0]
    fits = _described(words[:-1])
    drawn = [one for one in screen.elements if one.role != "button" and fits(one)]
    yield click(named(screen, str(len(drawn)), "button"))


def which_words(shown: Trajectory) -> str:
    """The kinds of words that describe the shape: size, colour, and kind."""
    words = re.sub(r"(Click on an? | are there|How many |\?)", "", shown.task.text).split()
    size = any(word in SIZES for word in words)
    kind = words[-1] if len(words[-1].rstrip("s")) > 1 else "character"
    return f"{size} {len(words) - size > 1} {kind}"


def figure_name(task: str, screen: Observation) -> Script:
    """Click the button with the name of the figure."""
    drawn = like(screen, lambda one: "shape" in one.attributes, "figure")
    yield click(named(screen, _kind(drawn).replace("digit", "number").title(), "button"))


def what_it_was(shown: Trajectory) -> str:
    """The text of the right button."""
    found = shown.steps[-1].found["at"].element
    return found.name if found else ""


def grid_point(task: str, screen: Observation) -> Script:
    """Click the point of a grid at the coordinates, which run from the left and from the bottom."""
    x, y = (int(number) for number in groups(r"\((-?\d+),(-?\d+)\)", task))
    points = [one for one in screen.elements if one.attributes.get("shape") == "circle"]
    columns = sorted({one.box.left for one in points})
    rows = sorted({one.box.top for one in points}, reverse=True)
    place = columns[x + len(columns) // 2], rows[y + len(rows) // 2]
    yield click(like(screen, lambda one: one.box.corner == place, "point"))


def crooked_text(task: str, screen: Observation) -> Script:
    """Type the letters from left to right, then submit."""
    letters = sorted(those(screen, "text"), key=lambda one: one.box.center.x)
    screen = yield fill(only(screen, "textbox"), "".join(one.name for one in letters))
    yield submit(screen)


def _painted(colour: str) -> Callable[[Element], bool]:
    wanted = ImageColor.getrgb(colour)

    def fits(element: Element) -> bool:
        painted = element.attributes.get("fill") or element.attributes.get("color", "")
        return bool(painted) and ImageColor.getrgb(painted) == wanted

    return fits


def _shade(screen: Observation, element: Element) -> str:
    """red, green or blue: the most frequent colour in the middle of the element."""
    if screen.screenshot is None:
        raise NotSeen("colours are seen in the picture only")
    with Image.open(io.BytesIO(screen.screenshot.data)) as picture:
        middle = element.box.center
        parts = picture.convert("RGB").getpixel((middle.x, middle.y))
    assert isinstance(parts, tuple)
    return max(zip(parts, ("red", "green", "blue"), strict=True))[1]


def _kind(element: Element) -> str:
    """circle, rectangle, triangle, digit or letter."""
    drawn = element.attributes.get("shape", "")
    if drawn == "text":
        return "digit" if element.name.isdigit() else "letter"
    return FIGURES.get(drawn, drawn)


def _described(words: str) -> Callable[[Element], bool]:
    """Whether an element matches the words, such as `small red digit`."""
    *adjectives, noun = words.split()
    size = next((word for word in adjectives if word in SIZES), "")
    colour = next((word for word in adjectives if word not in SIZES), "")

    def fits(element: Element) -> bool:
        if "shape" not in element.attributes:
            return False
        height = int(element.attributes["size"].split("x")[1])
        kind = _kind(element)
        is_kind = {"item": True, "shape": kind in FIGURES.values()}.get(noun, noun in (kind, element.name))
        is_size = not size or (height >= LARGE) == (size == "large")
        return is_kind and is_size and (not colour or _painted(colour)(element))

    return fits
