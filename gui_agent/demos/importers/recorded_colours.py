"""Colours as CSS computes them, by their CSS names: as the snapshot of a live page gives them."""

from __future__ import annotations

import re
from functools import cache, lru_cache

_RGB = re.compile(r"rgba?\(\s*([\d.]+),\s*([\d.]+),\s*([\d.]+)(?:,\s*([\d.]+))?\s*\)")
FAINT = 0.1
"""Opacity up to which a colour is not seen."""
VIVID = 60
"""From this distance between its strongest and its weakest part on a colour is no shade of grey."""
Rgb = tuple[float, float, float]


@lru_cache(maxsize=2000)
def rgb(text: str) -> Rgb | None:
    """Red, green and blue of a computed colour; None when it is transparent or written in another way."""
    found = _RGB.fullmatch(text)
    if found is None or float(found[4] or 1) <= FAINT:
        return None
    return float(found[1]), float(found[2]), float(found[3])


def is_vivid(text: str) -> bool:
    """Whether a colour tells a thing apart."""
    parts = rgb(text)
    return parts is not None and max(parts) - min(parts) > VIVID


def colour_hex(text: str) -> str:
    """The colour as `#rrggbb`; empty when it is transparent."""
    parts = rgb(text)
    return "" if parts is None else "#" + "".join(f"{round(part):02x}" for part in parts)


@lru_cache(maxsize=2000)
def colour_name(text: str) -> str:
    """The CSS name nearest to a colour as people see it; empty when it is transparent."""
    parts = rgb(text)
    return "" if parts is None else min(_named(), key=lambda pair: _distance(parts, pair[1]))[0]


def _distance(one: Rgb, other: Rgb) -> float:
    """The `redmean` approximation of a perceived difference."""
    mean = (one[0] + other[0]) / 2 / 256
    red, green, blue = ((a - b) ** 2 for a, b in zip(one, other, strict=True))
    return (2 + mean) * red + 4 * green + (2 + 255 / 256 - mean) * blue


@cache
def _named() -> tuple[tuple[str, Rgb], ...]:
    """The names of CSS, each colour once, under the name that comes first in the alphabet."""
    from PIL import ImageColor

    known: dict[Rgb, str] = {}
    for name in sorted(ImageColor.colormap):
        if "grey" in name or name in ("cyan", "magenta"):
            continue
        red, green, blue = ImageColor.getrgb(name)[:3]
        known.setdefault((float(red), float(green), float(blue)), name)
    return tuple((name, parts) for parts, name in known.items())
