"""Two runs side by side, aligned by the screens they were on, and where a run went wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from guiagent_eval.practice.beside import align, first_difference, first_fault

from gui_agent.cli import call

from . import conftest as made

Keep = Callable[..., Path]


def numbers(one: list[made.Step], other: list[made.Step]) -> list[tuple[int, int]]:
    pairs = align(one, other)
    return [(pair.one.number if pair.one else 0, pair.other.number if pair.other else 0) for pair in pairs]


def test_steps_on_the_same_screen_stand_beside_each_other() -> None:
    good, longer = made.steps("Ada"), made.steps("Ada", wrong=True)
    assert numbers(good, longer) == [(1, 1), (0, 2), (2, 3)]
    assert first_difference(align(good, longer)) == 0
    assert first_difference(align(good, made.steps("Ada"))) is None


def test_where_a_run_went_wrong_is_named_without_a_model() -> None:
    good = made.trajectory("Ada", made.steps("Ada"))
    assert first_fault(good) is None and first_fault(good, good) is None
    lost = first_fault(made.trajectory("Ada", made.steps("Ada", wrong=True)))
    assert lost is not None and (lost.step, lost.why) == (1, "unexpected: said")
    other = first_fault(made.trajectory("Ada", made.steps("Eve")), good)
    assert other is not None and (other.step, "never was" in other.why) == (1, True)
    again = [made.clicked(number, "Reset", made.form("")) for number in (1, 2)]
    circle = first_fault(made.trajectory("Ada", again))
    assert circle is not None and (circle.step, "cycle" in circle.why) == (2, True)


def test_show_puts_two_runs_side_by_side(keep: Keep, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["show", str(keep()), str(keep("Ada", "not_done", wrong=True))]) == 0
    said = capsys.readouterr().out
    assert ">" in said and '1. Type "Eve" into textbox "Name" (unexpected)' in said
    assert "step 1: unexpected" in said
