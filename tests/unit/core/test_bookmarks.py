"""Planners find what they wrote, and never what another one wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from gui_agent.core.codec import encode
from gui_agent.core.observation import STRICT, Observation, Size
from gui_agent.core.trajectory import Decision, Turn, bookmark


@dataclass(frozen=True, slots=True)
class Place:
    line: int
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Other:
    name: str
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


def turn(written: str) -> Turn:
    return Turn(Decision(bookmark=written), Observation(Size(1, 1)))


def test_a_planner_reads_what_it_wrote() -> None:
    assert bookmark(Place, turn(encode(Place(7)).decode())) == Place(7)


def test_nothing_is_read_of_what_others_wrote_or_of_nothing() -> None:
    assert bookmark(Place, turn(encode(Other("x")).decode())) is None
    assert bookmark(Place, turn("")) is None and bookmark(Place, turn("{")) is None
    assert bookmark(Other, turn(encode(Other("x")).decode())) == Other("x")
