"""The work of reading a text grows with its length, whatever is in it."""

from __future__ import annotations

import sys
import time
from types import FrameType
from typing import Any

import pytest

from gui_agent.planners.commands import Unparsed, parse
from gui_agent.planners.commands.parser import LONGEST_TEXT

PIECES = [
    "a, b, ",
    "a and b and ",
    "word ",
    "then ",
    "please, ",
    "set a, ",
    "set x, a to ",
    "choose a, b in c, ",
    "drag a to b, c to d ",
    "fill a with b, c with ",
    "open a and b, ",
    "in the row of x, ",
    "save and close, ",
    "1. ",
    '"a", ',
    "'a 'b ",
    "File > ",
    "x\n",
]


def calls_to_read(text: str) -> int:
    """The functions that are called while a text is read."""
    count = 0

    def counted(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    parse.cache_clear()
    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        parse(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("verb", ["", "type "])
@pytest.mark.parametrize("piece", PIECES)
def test_four_times_the_text_is_at_most_six_times_the_work(piece: str, verb: str) -> None:
    short, long = (verb + (piece * (size // len(piece) + 1))[:size] for size in (500, 2_000))
    assert calls_to_read(long) < 6 * max(calls_to_read(short), 100_000)


@pytest.mark.nightly
@pytest.mark.parametrize("piece", PIECES)
def test_the_longest_text_is_read_within_seconds(piece: str) -> None:
    began = time.process_time()
    parse((piece * LONGEST_TEXT)[:LONGEST_TEXT])
    assert time.process_time() - began < 5


def test_a_text_in_which_nothing_ends_is_told_to_need_quotes() -> None:
    said = parse("choose a, b in c, " * 600)
    assert not isinstance(said, Unparsed)
    said = parse("type " + "a, b, " * 1_500)
    assert isinstance(said, Unparsed)
    assert "too long" in said.reason and "quotes" in said.hint
