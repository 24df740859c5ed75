"""Each room of the product has a budget of lines and modules, which only shrinks.

A change that needs more than its room has takes it from another room in the same change: no other rule bounds
the sum. What shrank is taken off the table at once, so that it stays away.
"""

from __future__ import annotations

from collections import Counter

import pytest
from syntax_trees import HARNESS, MODULES, PLATFORMS, name_of

ROOMS = {
    # room: (lines, modules, aim in lines)
    "agent": (7_855, 35, 6_000),
    "api": (1_855, 6, 1_100),
    "cli": (4_753, 24, 3_700),
    "computers": (14_960, 72, 14_922),
    "core": (3_171, 19, 2_700),
    "elements": (1_401, 10, 1_359),
    "integrations": (2_662, 11, 1_900),
    "memory": (1_923, 8, 1_700),
    "models": (3_624, 20, 3_300),
    "planners": (6_577, 33, 5_800),
    "procedures": (13_072, 51, 10_500),
    "server": (448, 2, 448),
    "skills": (500, 3, 500),
    "testing": (1_290, 5, 1_289),
    "trace": (2_316, 9, 2_100),
    "wiring": (1_635, 9, 1_400),
    "": (667, 6, 610),
    HARNESS.name: (19_290, 101, 15_060),
    PLATFORMS.name: (9_897, 37, 9_899),
}
"""What each room may have; the room without a name is the modules beside the rooms."""
OUTSIDE = {HARNESS.name, PLATFORMS.name}
SLACK = 40
"""Lines by which a room may be below its budget before the budget is to be lowered."""


def room_of(name: str) -> str:
    return name.partition("/")[0] if "/" in name else ""


LINES: Counter[str] = Counter()
for path in MODULES:
    LINES[room_of(name_of(path))] += len(path.read_text("utf-8").splitlines())
COUNTS = Counter(room_of(name_of(path)) for path in MODULES)


def test_every_room_has_a_budget() -> None:
    assert set(ROOMS) == set(LINES)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_keeps_within_its_budget(room: str) -> None:
    lines, modules, _ = ROOMS[room]
    assert LINES[room] <= lines, f"take {LINES[room] - lines} lines from this room, or give it another one's"
    assert COUNTS[room] <= modules, f"take {COUNTS[room] - modules} modules from this room"


@pytest.mark.parametrize("room", ROOMS)
def test_what_a_room_gave_up_stays_away(room: str) -> None:
    lines, modules, aim = ROOMS[room]
    lowest = max(aim, LINES[room])
    assert lines - lowest <= SLACK, f"lower its budget to {lowest}"
    assert modules == COUNTS[room], f"lower its budget to {COUNTS[room]} modules"


def test_the_product_and_what_lies_outside_stay_below_their_sums() -> None:
    """The sums that each package may have today; what only moved from one into the other is in both."""
    product = {room: budget for room, budget in ROOMS.items() if room not in OUTSIDE}
    assert sum(lines for lines, _, _ in product.values()) <= 68_709
    assert sum(aim for _, _, aim in product.values()) <= 59_328
    assert ROOMS[HARNESS.name][0] <= 19_300
    assert ROOMS[PLATFORMS.name][0] <= 9_899
