"""One end for all the waits of a run."""

from __future__ import annotations

import math
import threading
from types import SimpleNamespace

import pytest

from gui_agent.core import deadline


def test_without_an_end_a_wait_has_its_own_limit() -> None:
    assert deadline.remaining(30.0) == 30.0
    assert deadline.remaining() == math.inf
    assert not deadline.is_over()


def test_the_earlier_of_two_ends_holds() -> None:
    with deadline.ends_in(5.0):
        with deadline.ends_in(60.0):
            assert deadline.remaining(30.0) <= 5.0
        with deadline.ends_in(1.0):
            assert deadline.remaining(30.0) <= 1.0
        assert deadline.remaining(30.0) > 1.0
    assert deadline.remaining() == math.inf


def test_cleaning_up_gets_a_little_when_the_time_is_over() -> None:
    with deadline.ends_in(0.0):
        assert deadline.is_over()
        assert (deadline.remaining(10.0), deadline.remaining(10.0, least=1.0)) == (0.0, 1.0)


def test_another_thread_is_not_bounded_by_the_run_of_this_one() -> None:
    seen: list[float] = []
    with deadline.ends_in(0.0):
        other = threading.Thread(target=lambda: seen.append(deadline.remaining(7.0)))
        other.start()
        other.join()
    assert seen == [7.0]


def test_the_clock_stands_still_while_the_person_holds_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(deadline, "time", SimpleNamespace(monotonic=lambda: now[0]))
    with deadline.ends_in(60.0), deadline.ends_in(5.0):
        with deadline.stop_clock(), deadline.stop_clock():
            now[0] += 30.0
            assert deadline.remaining() == 5.0
        assert deadline.remaining() == 5.0
        now[0] += 2.0
        assert deadline.remaining() == 3.0
    with deadline.ends_in(5.0):
        with deadline.stop_clock(), deadline.ends_in(1.0):
            assert deadline.remaining() == 1.0
        assert deadline.remaining() == 5.0
