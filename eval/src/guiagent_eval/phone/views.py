"""The views of the simulated phone, one tree for both the pixels and the dumped hierarchy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from gui_agent.core.observation import Box, Point

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont
    from PIL.ImageFont import ImageFont as PlainFont

ROW = 72
"""Height of most rows in pixels."""
MARGIN = 16
LETTER = 22
NOWHERE = Box(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class PhoneView:
    """One view, as Android's accessibility tree describes it, and its look."""

    kind: str = "android.view.ViewGroup"
    text: str = ""
    box: Box = NOWHERE
    id: str = ""
    description: str = ""
    do: str = ""
    """The effect of a tap, in the words of its app; without it the view is not clickable."""
    hold: str = ""
    """The effect of a long press."""
    slide: str = ""
    """The effect of a swipe to the side."""
    flags: frozenset[str] = frozenset()
    """Some of: scrollable checkable checked disabled focused password selected."""
    children: tuple[PhoneView, ...] = ()
    fill: str = ""
    drawn_only: bool = False
    """Visible on the screen and missing in the hierarchy, as in a badly made Compose screen or a game."""
    package: str = ""
    hint: str = ""
    """The hint of a field, which dumps of most versions of Android omit."""


def row(title: str, do: str = "", *, note: str = "", action: PhoneView | None = None) -> PhoneView:
    """An entry of a list: the row is clickable, its texts are not; an action is at its right end."""
    texts = [PhoneView("android.widget.TextView", title, Box(MARGIN, 8, 480, 32), id="android:id/title")]
    if note:
        texts.append(
            PhoneView("android.widget.TextView", note, Box(MARGIN, 38, 480, 28), id="android:id/summary")
        )
    if action is not None:
        texts.append(replace(action, box=Box(440, 6, 84, 60)))
    box = Box(0, 0, 0, ROW)
    return PhoneView("android.widget.LinearLayout", box=box, do=do, children=tuple(texts))


def switch(title: str, do: str, on: bool, *, note: str = "") -> PhoneView:
    """An entry with a switch that has no text and takes no taps itself, as in the settings of phones."""
    whole = row(title, do, note=note)
    flags = frozenset({"checkable", *(["checked"] if on else [])})
    knob = PhoneView(
        "android.widget.Switch", box=Box(440, 16, 80, 40), id="android:id/switch_widget", flags=flags
    )
    return replace(whole, children=(*whole.children, knob))


def choice(kind: str, words: str, do: str, on: bool) -> PhoneView:
    """A box or a radio button (`CheckBox`, `RadioButton`) with its words."""
    flags = frozenset({"checkable", *(["checked"] if on else [])})
    return PhoneView(f"android.widget.{kind}", words, Box(MARGIN, 6, 400, 60), do=do, flags=flags)


def icon(words: str, do: str) -> PhoneView:
    """A button with a picture, whose words are only in the hierarchy."""
    box = Box(MARGIN, 6, 100, 60)
    return PhoneView("android.widget.ImageButton", "", box, description=words, do=do, fill="#cfe0ff")


def spinner(value: str, do: str, *, id: str = "") -> PhoneView:
    """A list that unfolds; its value is a text in it."""
    text = PhoneView("android.widget.TextView", value, Box(24, 12, 200, 40), id="android:id/text1")
    return PhoneView("android.widget.Spinner", "", Box(MARGIN, 6, 300, 60), id, do=do, children=(text,))


def grid(cells: Sequence[tuple[str, str, str]], across: int, height: int) -> list[PhoneView]:
    """Rows of cells side by side, each with its text, its description, and the effect of a tap."""
    wide = 520 // across
    made = [
        PhoneView(
            "android.widget.TextView",
            text,
            Box(10 + number % across * wide, 4, wide - 6, height - 8),
            do=do,
            description=told,
        )
        for number, (text, told, do) in enumerate(cells)
    ]
    lines = (tuple(made[start : start + across]) for start in range(0, len(made), across))
    return [PhoneView("android.view.ViewGroup", box=Box(0, 0, 0, height), children=line) for line in lines]


def label(words: str, *, id: str = "", height: int = 48) -> PhoneView:
    """A text without an effect."""
    return PhoneView("android.widget.TextView", words, Box(MARGIN, 0, 0, height), id=id)


def button(words: str, do: str, *, id: str = "", box: Box = NOWHERE, disabled: bool = False) -> PhoneView:
    """A button."""
    flags = frozenset({"disabled"} if disabled else ())
    box = box if box.area else Box(MARGIN, 6, 240, 60)
    return PhoneView("android.widget.Button", words, box, id=id, do=do, flags=flags, fill="#cfe0ff")


def edit(hint: str, id: str, value: str, *, focused: bool = False, password: bool = False) -> PhoneView:
    """A field; like on real phones, an empty one shows its hint as its text."""
    flags = {"focusable", *(["focused"] if focused else []), *(["password"] if password else [])}
    shown = "•" * len(value) if password else value
    box = Box(MARGIN, 6, 0, 60)
    made = PhoneView("android.widget.EditText", shown or hint, box, id, do=f"focus:{id}", hint=hint)
    return replace(made, flags=frozenset(flags), fill="#ffffff")


def shift(view: PhoneView, left: int, top: int) -> PhoneView:
    """The view moved, with everything in it."""
    box = Box(view.box.left + left, view.box.top + top, view.box.width, view.box.height)
    return replace(view, box=box, children=tuple(shift(child, left, top) for child in view.children))


def clip(view: PhoneView, area: Box) -> PhoneView | None:
    """The part of a view inside an area; None if there is none."""
    box = view.box.intersect(area)
    if box is None:
        return None
    return replace(view, box=box, children=tuple(filter(None, (clip(one, area) for one in view.children))))


def column(rows: Iterable[PhoneView], area: Box, scroll: int = 0) -> tuple[tuple[PhoneView, ...], int]:
    """The rows one below the other, as far as they are in the area, and the total height."""
    placed, top = [], 0
    for one in rows:
        width = one.box.width or area.width - 2 * one.box.left
        wide = replace(one, box=Box(one.box.left, one.box.top, width, one.box.height))
        placed.append(clip(shift(wide, area.left, area.top + top - scroll), area))
        top += max(one.box.bottom, ROW if one.do else one.box.bottom)
    return tuple(filter(None, placed)), top


def topmost_view_at(views: Iterable[PhoneView], point: Point, takes: str = "do") -> PhoneView | None:
    """The topmost view at a point that takes taps, or `hold`, `slide`, `scrollable`."""
    for view in reversed(tuple(views)):
        if not view.box.contains(point):
            continue
        inner = topmost_view_at(view.children, point, takes)
        if inner is not None:
            return inner
        wanted = takes in view.flags if takes == "scrollable" else getattr(view, takes)
        if wanted and "disabled" not in view.flags:
            return view
    return None


def every(views: Iterable[PhoneView]) -> Iterator[PhoneView]:
    """All views, depth first."""
    for view in views:
        yield view
        yield from every(view.children)


def hierarchy(root: PhoneView, rotation: int, *, hints: bool = False) -> str:
    """The output of `uiautomator dump`; with hints, that of the server of uiautomator2."""
    return (
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
        f'<hierarchy rotation="{rotation}">{_node(root, 0, root.package, hints)}</hierarchy>'
    )


def _node(view: PhoneView, index: int, package: str, hints: bool) -> str:
    flags, package = view.flags, view.package or package
    said: dict[str, str | bool] = {
        "index": str(index),
        "text": view.text,
        "resource-id": view.id,
        "class": view.kind,
        "package": package,
        "content-desc": view.description,
        "checkable": "checkable" in flags,
        "checked": "checked" in flags,
        "clickable": bool(view.do),
        "enabled": "disabled" not in flags,
        "focusable": bool(view.do) or "focusable" in flags,
        "focused": "focused" in flags,
        "scrollable": "scrollable" in flags,
        "long-clickable": bool(view.hold),
        "password": "password" in flags,
        "selected": "selected" in flags,
        **({"hint": view.hint} if hints else {}),
        "bounds": f"[{view.box.left},{view.box.top}][{view.box.right},{view.box.bottom}]",
    }
    written = " ".join(
        f"{key}={quoteattr(str(value).lower() if isinstance(value, bool) else value)}"
        for key, value in said.items()
    )
    inner = "".join(
        _node(child, number, package, hints)
        for number, child in enumerate(child for child in view.children if not child.drawn_only)
    )
    return f"<node {written}>{inner}</node>"


def draw(picture: Image, views: Iterable[PhoneView], dark: bool) -> None:
    """Paint the views onto a picture."""
    from PIL import ImageDraw

    pen = ImageDraw.Draw(picture)
    for view in views:
        _paint(pen, view, "#f0f0f0" if dark else "#101010")


def _paint(pen: ImageDraw, view: PhoneView, ink: str) -> None:
    box = view.box
    if not box.area:
        return
    edges = (box.left, box.top, box.right - 1, box.bottom - 1)
    if view.fill:
        pen.rectangle(edges, fill=view.fill, outline="#2050c0" if "focused" in view.flags else "#808080")
        ink = "#101010"
    elif view.do:
        pen.line((box.left, box.bottom - 1, box.right, box.bottom - 1), fill="#a0a0a0")
    if "checkable" in view.flags:
        side = edges if not view.text else (box.right - 50, box.top + 8, box.right - 8, box.bottom - 9)
        pen.rectangle(side, outline="#606060", fill="#30a050" if "checked" in view.flags else "#b0b0b0")
    if view.description and not view.text and view.fill:  # A picture, as well as possible.
        pen.ellipse(
            (box.left + 30, box.top + 12, box.right - 30, box.bottom - 12), outline="#2050c0", width=3
        )
    if view.text:
        color = "#909090" if "disabled" in view.flags else ink
        pen.text(
            (box.left + 8, box.top + max(2, (box.height - LETTER) // 2)), view.text, fill=color, font=_font()
        )
    for child in view.children:
        _paint(pen, child, ink)


@cache
def _font() -> FreeTypeFont | PlainFont:
    from PIL import ImageFont

    try:
        return ImageFont.truetype("DejaVuSans.ttf", LETTER)
    except OSError:
        return ImageFont.load_default(LETTER)
