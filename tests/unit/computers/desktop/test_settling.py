"""A screen is waited for until it has changed and come to rest, and not longer."""

from __future__ import annotations

import pytest
from fakes import FakeDevice, window

from gui_agent.computers.desktop.settling import ENOUGH, POLL, SettleTimes, Settling, Waits
from gui_agent.core.observation import Size

SIZE = Size(64, 64)
WAITS = Waits(grace=0.3, quiet=0.1, cap=1.0)


class Clock:
    """Time that passes only while something waits, so that no other work on the machine counts."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


CLOCK = Clock()


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gui_agent.computers.desktop.settling.time", CLOCK)


class Film(FakeDevice):
    """Shows pictures by the clock: each change has its time, in seconds since the action."""

    def __init__(self, *changes: float, moving: bool = False) -> None:
        super().__init__(window(1, active=True), size=SIZE)
        self._changes = changes
        self._moving = moving
        self.began = CLOCK.now

    def pixels(self) -> bytes:
        passed = CLOCK.now - self.began
        number = sum(1 for change in self._changes if change <= passed)
        shade = int(passed * 1000) % 256 if self._moving else number
        return bytes([shade]) * (4 * SIZE.width * SIZE.height)


def settled(film: Film, patience: SettleTimes | None = None) -> tuple[float, bool, bool]:
    settling = Settling(film, patience or SettleTimes(WAITS))
    film.began = CLOCK.now + 10  # nothing has changed yet
    settling.arm()
    film.began = CLOCK.now
    result = settling.settle(film.shown[0])
    return result.seconds, result.quiet, result.changed


def test_it_ends_soon_after_the_last_change() -> None:
    seconds, quiet, changed = settled(Film(0.05, 0.1, 0.15))
    assert quiet and changed
    assert 0.25 <= seconds < 0.25 + 3 * POLL


def test_a_late_first_change_is_waited_for() -> None:
    seconds, _, changed = settled(Film(0.2))
    assert changed and 0.3 <= seconds < 0.3 + 3 * POLL


def test_without_any_change_it_ends_after_the_grace() -> None:
    seconds, quiet, changed = settled(Film())
    assert quiet and not changed
    assert WAITS.grace <= seconds < WAITS.grace + 2 * POLL


def test_a_screen_that_never_rests_is_given_up_at_the_cap() -> None:
    seconds, quiet, changed = settled(Film(moving=True))
    assert not quiet and changed
    assert WAITS.cap <= seconds < WAITS.cap + 2 * POLL


def test_a_program_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    film = Film()
    monkeypatch.setattr(film, "caught_up", lambda *_: False)
    settling = Settling(film, SettleTimes(WAITS))
    settling.arm()
    settling.settle(film.shown[0])
    assert settling.frozen == "editor"


def test_the_cap_follows_what_a_program_usually_takes() -> None:
    patience = SettleTimes(Waits(0.3, 0.1, 3.0))
    for _ in range(ENOUGH - 1):
        patience.note("slow", 0.7)
    assert patience.waits("slow").cap == 3.0
    patience.note("slow", 0.7)
    assert patience.waits("slow").cap == pytest.approx(1.4)
    assert patience.waits("other").cap == 3.0


def test_the_cap_never_grows_and_never_gets_too_short() -> None:
    patience = SettleTimes(Waits(0.3, 0.1, 3.0), known={"quick": 0.01, "slow": 60.0, "usual": 1.0})
    assert [patience.waits(app).cap for app in ("quick", "slow", "usual")] == [1.0, 3.0, 2.0]
