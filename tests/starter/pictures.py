"""Everyday work with pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.end_to_end.desktop.effects import Effect
from tests.starter.documents import picture
from tests.starter.work import Work

GIMP = ("gimp",)
OPEN = 'open "gimp {file}"; wait for "(imported)" up to 90 seconds; '
EXPORT = (
    '; choose File > Export As...; type "~/{new}" into "Name"; click "Export"; '
    'wait for "Compression level" up to 30 seconds; click "Export"'
)
BLUE, CYAN = (0, 0, 255), (0, 255, 255)


def shows(name: str, holds: Callable[[Any], object]) -> Effect:
    """A picture is as it should be."""

    def effect(home: Path) -> object:
        from PIL import Image

        with Image.open(home / name) as found:
            return holds(found)

    return effect


def corner(found: Any) -> object:
    """The colour of a picture in its top left corner."""
    return found.convert("RGB").getpixel((0, 0))


def _changed(name: str, task: str, menu: str, holds: Callable[[Any], object]) -> Work:
    """A picture is changed by one entry of a menu and exported."""
    return Work(
        name,
        f"{task} the picture {{file}} and save it as {{new}}",
        f"{OPEN}choose {menu}{EXPORT}",
        ({"file": "flag.png", "new": "out.png"}, {"file": "logo.png", "new": "web.png"}),
        {"file": "sign.png", "new": "print.png"},
        lambda v: shows(v["new"], holds),
        GIMP,
        {"{file}": picture},
    )


PICTURES = (
    _changed(
        "mirror-picture", "Mirror", "Image > Transform > Flip Horizontally", lambda i: corner(i) == BLUE
    ),
    _changed(
        "turn-picture",
        "Turn to the right",
        "Image > Transform > Rotate 90° clockwise",
        lambda i: i.width == 40 and i.height >= 80,
    ),
    _changed("invert-picture", "Invert the colours of", "Colors > Invert", lambda i: corner(i) == CYAN),
    _changed(
        "grey-picture", "Turn into greyscale", "Image > Mode > Grayscale", lambda i: i.mode in ("L", "LA")
    ),
    Work(
        "make-picture",
        "Make a new picture of {width} by {height} pixels and save it as {new}",
        'open GIMP; wait for "File" up to 90 seconds; choose File > New...; type "{width}" into "Width"; '
        'press Tab; type "{height}" into "Height"; press Tab; click "OK"; '
        'wait for "[Untitled]" up to 30 seconds' + EXPORT,
        (
            {"width": "200", "height": "100", "new": "blank.png"},
            {"width": "320", "height": "240", "new": "card.png"},
        ),
        {"width": "150", "height": "90", "new": "label.png"},
        lambda v: shows(v["new"], lambda found: found.size == (int(v["width"]), int(v["height"]))),
        GIMP,
    ),
    Work(
        "scale-picture",
        "Scale the picture {file} to a width of {width} pixels and save it as {new}",
        OPEN
        + 'choose Image > Scale Image...; type "{width}" into "Width"; press Tab; click "Scale"'
        + EXPORT,
        (
            {"file": "flag.png", "width": "400", "new": "out.png"},
            {"file": "logo.png", "width": "360", "new": "web.png"},
        ),
        {"file": "sign.png", "width": "240", "new": "print.png"},
        lambda v: shows(v["new"], lambda found: found.width == int(v["width"])),
        GIMP,
        {"{file}": picture},
    ),
    Work(
        "export-jpeg",
        "Save the picture {file} as the JPEG {jpeg}",
        OPEN + 'choose File > Export As...; type "~/{jpeg}" into "Name"; click "Export"; '
        'wait for "Quality" up to 30 seconds; click "Export"',
        ({"file": "flag.png", "jpeg": "out.jpg"}, {"file": "logo.png", "jpeg": "web.jpg"}),
        {"file": "sign.png", "jpeg": "print.jpg"},
        lambda v: shows(v["jpeg"], lambda found: found.format == "JPEG"),
        GIMP,
        {"{file}": picture},
    ),
)
