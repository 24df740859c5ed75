"""Differences of pictures are found exactly, and places that change by themselves are left out."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.computers.desktop.settling import FADES, SIDE, Restless, differences
from gui_agent.core.observation import Size

SIZE = Size(100, 70)
BLACK = bytes(4 * SIZE.width * SIZE.height)


def painted(*places: tuple[int, int], value: int = 200) -> bytes:
    picture = np.zeros((SIZE.height, SIZE.width, 4), np.uint8)
    for x, y in places:
        picture[y, x] = value
    return picture.tobytes()


def test_the_same_picture_has_no_differences() -> None:
    assert differences(BLACK, bytes(BLACK), SIZE) is None


@given(st.sets(st.tuples(st.integers(0, SIZE.width - 1), st.integers(0, SIZE.height - 1)), min_size=1))
def test_every_changed_pixel_is_counted_in_its_tile(places: set[tuple[int, int]]) -> None:
    counts = differences(BLACK, painted(*places), SIZE)
    assert counts is not None
    assert counts.shape == (3, 4)
    expected = np.zeros_like(counts)
    for x, y in places:
        expected[y // SIDE, x // SIDE] += 1
    assert (counts == expected).all()


def test_a_screen_of_another_size_is_all_different() -> None:
    counts = differences(BLACK[:400], BLACK, SIZE)
    assert counts is not None and counts.all()


def test_a_caret_is_left_out_after_it_has_blinked() -> None:
    restless, left = Restless(), []
    on, off = painted((5, 5)), BLACK
    for turn in range(6):
        before, now = (off, on) if turn % 2 == 0 else (on, off)
        counts = differences(before, now, SIZE)
        assert counts is not None
        restless.note(counts, now, SIZE, turn * 0.5)
        left.append(int(restless.unexplained_changes(counts, turn * 0.5).sum()))
    assert left[0] == 1
    assert left[-1] == 0


def test_a_progress_bar_is_left_out_after_a_second_and_what_changes_once_is_not() -> None:
    restless, left = Restless(), []
    before = BLACK
    for turn in range(12):
        now = painted(*((x, 60) for x in range(64, 65 + turn)), *([(5, 5)] if turn == 11 else []))
        counts = differences(before, now, SIZE)
        assert counts is not None
        restless.note(counts, now, SIZE, turn * 0.2)
        left.append(restless.unexplained_changes(counts, turn * 0.2))
        before = now
    assert left[0].sum() == 1
    assert left[10].sum() == 0
    assert np.argwhere(left[11]).tolist() == [[0, 0]]


def test_a_place_that_stayed_quiet_is_watched_again() -> None:
    restless = Restless()
    counts = differences(BLACK, painted((5, 5)), SIZE)
    assert counts is not None
    restless.idle(counts, 0.0)
    assert restless.unexplained_changes(np.zeros_like(counts), 1.0).sum() == 0
    assert restless.unexplained_changes(counts, 2.0).sum() == 0
    assert restless.unexplained_changes(np.zeros_like(counts), 2.1 + FADES).sum() == 0
    assert restless.unexplained_changes(counts, 2.2 + FADES).sum() == 1


def test_when_the_whole_screen_moves_nothing_is_left_out() -> None:
    restless = Restless()
    counts = np.full((3, 4), 9)
    restless.idle(counts, 0.0)
    assert restless.unexplained_changes(counts, 0.1).sum() == counts.sum()


def test_what_a_busy_program_draws_late_is_not_taken_for_a_place_that_changes_by_itself() -> None:
    restless = Restless()
    late = differences(BLACK, painted(*((x, y) for x in range(20) for y in range(20))), SIZE)
    assert late is not None
    restless.idle(late, 0.0)
    assert restless.unexplained_changes(late, 0.1).sum() == 400


def test_what_is_typed_at_a_blinking_caret_is_seen() -> None:
    restless = Restless()
    caret = differences(BLACK, painted(*((5, y) for y in range(10))), SIZE)
    word = differences(BLACK, painted(*((x, y) for x in range(10) for y in range(10))), SIZE)
    assert caret is not None and word is not None
    restless.idle(caret, 0.0)
    assert restless.unexplained_changes(caret, 0.5).sum() == 0
    assert restless.unexplained_changes(word, 0.6).sum() == 100
