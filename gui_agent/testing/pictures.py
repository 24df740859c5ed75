"""Drawing an observation: plain boxes with their names, enough for a report or a picture comparison."""

from __future__ import annotations

import io

from gui_agent.core.observation import Element, Observation, Screenshot

_FILL = {
    "button": "#dbe7ff",
    "textbox": "#ffffff",
    "combobox": "#ffffff",
    "dialog": "#fff7e0",
    "checkbox": "#ffffff",
    "radio": "#ffffff",
}


def draw(observation: Observation) -> Screenshot:
    """The screen as a PNG of exactly `observation.size`; secrets stand as bullets, as on a real screen."""
    from PIL import Image, ImageDraw

    size = observation.size
    picture = Image.new("RGB", (size.width, size.height), "#f4f4f4")
    pen = ImageDraw.Draw(picture)
    for element in observation.elements:
        box = element.box
        edges = (box.left, box.top, max(box.left, box.right - 1), max(box.top, box.bottom - 1))
        if not element.is_text and element.role != "link":
            outline = "#2050c0" if "focused" in element.states else "#808080"
            pen.rectangle(edges, fill=_FILL.get(element.role), outline=outline)
        if "checked" in element.states:
            pen.line((*edges[:2], *edges[2:]), fill="#000000", width=2)
        pen.text(_text_place(element), _caption(element), fill="#000000")
    data = io.BytesIO()
    picture.save(data, "PNG", compress_level=1)
    return Screenshot(data.getvalue(), size)


def _caption(element: Element) -> str:
    shown = element.value or element.name if element.role in ("textbox", "combobox") else element.name
    # Pillow's built-in font has only Latin letters; the rest would raise.
    return shown.replace("•", "*").encode("latin-1", "replace").decode("latin-1")


def _text_place(element: Element) -> tuple[int, int]:
    box = element.box
    if element.role in ("checkbox", "radio"):
        return box.right + 6, box.top + 2
    return box.left + 6, box.top + 6
