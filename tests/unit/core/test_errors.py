"""Errors tell the audience by their class and the command line by their exit code."""

from __future__ import annotations

import pytest

from gui_agent.core import errors
from gui_agent.core.errors import ExitCode, GuiAgentError
from gui_agent.core.trajectory import EXIT_CODES, Ending, EndingKind, Result, Task, Trajectory
from gui_agent.testing import button, screen

CLASSES = [
    kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, GuiAgentError)
]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.ConfigError, 2),
        (errors.MissingKey, 2),
        (errors.Unavailable, 3),
        (errors.ModelUnavailable, 3),
        (errors.ComputerLost, 3),
        (GuiAgentError, 1),
    ],
)
def test_exit_codes_of_errors(kind: type[GuiAgentError], code: int) -> None:
    assert kind("x").exit_code == code


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("done", 0),
        ("not_done", 4),
        ("limit", 4),
        ("refused", 5),
        ("stopped", 130),
        ("lost", 3),
        ("crashed", 1),
    ],
)
def test_exit_codes_of_endings(kind: EndingKind, code: int) -> None:
    result = Result(Trajectory(Task("t"), (), Ending(kind, answer="42")))
    assert result.exit_code == code
    assert result.ok == (code == 0)
    assert result.answer == "42"
    assert set(EXIT_CODES.values()) | {ExitCode.CONFIG} == set(ExitCode)


@pytest.mark.parametrize("kind", CLASSES)
def test_only_failed_steps_are_told_to_the_planner(kind: type[GuiAgentError]) -> None:
    audiences = (
        errors.ConfigError,
        errors.StepFailed,
        errors.Unavailable,
        errors.BudgetSpent,
        errors.NotDone,
        errors.BenchmarkError,
    )
    assert kind is GuiAgentError or sum(issubclass(kind, audience) for audience in audiences) == 1


def test_a_missing_extra_names_the_command() -> None:
    error = errors.MissingExtra("ocr", "reading text from pictures")
    assert str(error) == "reading text from pictures needs an extra: pip install 'guiagent[ocr]'"
    assert error.exit_code == ExitCode.CONFIG


@pytest.mark.parametrize("kind", [errors.NotFound, errors.Ambiguous])
def test_candidates_are_kept(kind: type[errors.NotFound]) -> None:
    elements = screen(button("A"), button("B")).elements
    assert kind("x", list(elements)).candidates == elements
    assert kind("x").candidates == ()
