"""Measures a model's coordinate convention by asking for known points on a test picture."""

from __future__ import annotations

import io
import statistics
from dataclasses import dataclass, replace

from gui_agent.core.dialogue import Asked, Request
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Box, Point, Screenshot, Size
from gui_agent.models.families import FAMILIES, QWEN2_LARGE, QWEN3, THOUSAND, UNIT, Family
from gui_agent.models.pictures import Space
from gui_agent.models.remote import RemoteModel

SCREEN = Size(1280, 800)
SIDE = 48
SPOTS: tuple[tuple[str, str, Point], ...] = (
    ("red", "#d62728", Point(150, 120)),
    ("green", "#2ca02c", Point(1120, 90)),
    ("blue", "#1f4fd6", Point(640, 410)),
    ("yellow", "#f2c200", Point(210, 690)),
    ("purple", "#8e3bc4", Point(1060, 650)),
)
TOLERANCE = SIDE / 2
"""Maximum error in pixels; a point further away misses the square."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One question of the probe: the target, the model's answer, its error."""

    what: str
    at: Point
    written: tuple[float, float] | None = None
    error: float | None = None
    """Pixels, by the family's convention; None if the point was outside the picture or missing."""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Probe:
    """The result of probing a model."""

    model: str
    family: str
    expected: str
    shots: tuple[Shot, ...]
    convention: str
    """The convention that fits best; empty if none does."""
    error: float | None
    """Median error in pixels by that convention."""
    families: tuple[str, ...] = ()
    """Families with the same dialect that use that convention."""

    @property
    def fits(self) -> bool:
        """Whether the family's own convention hits the squares."""
        errors = [shot.error for shot in self.shots if shot.error is not None]
        return len(errors) * 2 > len(self.shots) and statistics.median(errors) <= TOLERANCE


def test_picture() -> Screenshot:
    """A grey picture with five coloured squares."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (SCREEN.width, SCREEN.height), "#e8e8e8")
    draw = ImageDraw.Draw(image)
    for _, colour, at in SPOTS:
        box = Box(at.x - SIDE // 2, at.y - SIDE // 2, SIDE, SIDE)
        draw.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), fill=colour, outline="black")
    written = io.BytesIO()
    image.save(written, "PNG", compress_level=1)
    return Screenshot(written.getvalue(), SCREEN)


def probe(model: RemoteModel) -> Probe:
    """Ask a model for the centre of each square; costs one call for each."""
    picture = test_picture()
    spaces = conventions(model)
    own = next(iter(spaces))
    shots = tuple(_ask(model, picture, colour, at, spaces[own]) for colour, _, at in SPOTS)
    best, error = _best(shots, spaces)
    named = _alike(model.family, spaces[best]) if best else ()
    return Probe(model.name, model.family.name, own, shots, best, error, named)


def conventions(model: RemoteModel) -> dict[str, Space]:
    """All known coordinate conventions, the family's own first."""
    rule = model.family.rule
    own = model.family.space(SCREEN, model.view.cap)
    named = {
        f"pixels of the picture sent ({rule.size(SCREEN).width}x{rule.size(SCREEN).height})": _pixels(
            rule.size(SCREEN)
        ),
        "pixels of the screen": _pixels(SCREEN),
        "a grid of 1000 x 1000": Space(SCREEN, *THOUSAND, grid=True),
        "parts of 1": Space(SCREEN, *UNIT, grid=True),
        "pixels after rounding to 28": _pixels(QWEN2_LARGE.size(SCREEN)),
        "pixels after rounding to 32": _pixels(QWEN3.size(SCREEN)),
    }
    first = next((name for name, space in named.items() if space == own), own.sentence())
    return {first: own, **{name: space for name, space in named.items() if name != first}}


def _alike(own: Family, space: Space) -> tuple[str, ...]:
    """The families with the same dialect whose coordinates match `space`, the most similar first."""
    grid = (space.width, space.height) if space.grid else None
    speaks = (own.dialect, own.tool, own.only_points)
    rows = [
        row for row in FAMILIES if row.grid == grid and (row.dialect, row.tool, row.only_points) == speaks
    ]
    return tuple(row.name for row in sorted(rows, key=lambda row: row.tools != own.tools))


def _pixels(size: Size) -> Space:
    return Space(SCREEN, size.width, size.height)


def _ask(model: RemoteModel, picture: Screenshot, colour: str, at: Point, own: Space) -> Shot:
    shot = Shot(f"the {colour} square", at)
    try:
        numbers = model.numbers(Request("point", (Asked((f"the middle of {shot.what}", picture)),)))
    except BadReply as error:
        return replace(shot, fault=str(error))
    if not numbers:
        return replace(shot, fault="no point was named")
    try:
        return replace(shot, written=numbers[0], error=_distance(own.point(*numbers[0]), at))
    except BadReply as error:
        return replace(shot, written=numbers[0], fault=str(error))


def _best(shots: tuple[Shot, ...], spaces: dict[str, Space]) -> tuple[str, float | None]:
    told = [(shot.written, shot.at) for shot in shots if shot.written is not None]
    errors: dict[str, float] = {}
    for name, space in spaces.items():
        try:
            distances = [_distance(space.point(*written), at) for written, at in told]
        except BadReply:
            continue
        if distances:
            errors[name] = statistics.median(distances)
    if not errors:
        return "", None
    best = min(errors, key=lambda name: errors[name])
    return (best if errors[best] <= TOLERANCE else ""), round(errors[best], 1)


def _distance(one: Point, other: Point) -> float:
    return float(((one.x - other.x) ** 2 + (one.y - other.y) ** 2) ** 0.5)
