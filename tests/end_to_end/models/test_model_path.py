"""A scripted model that knows only what it is sent does goals on applications; no right answer is lost.

The goals of the phone need adb alone; the web applications are installed on demand:

    python -m pytest -n 0 -m slow -s tests/end_to_end/models/test_model_path.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from guiagent_eval.model_path.solver import goals
from guiagent_eval.records import EvalFolder
from phones import adb_server, any_adb

from gui_agent.cli import call

SHARE = 0.84
"""The share of all goals that a perfect model has done at a load of 15 to 30."""


@pytest.fixture(scope="module", autouse=True)
def adb() -> Iterator[None]:
    with adb_server(any_adb()):
        yield


def figures(capsys: pytest.CaptureFixture[str], out: Path, *given: str) -> dict[str, Any]:
    assert call(["eval", "model-path", "--quiet", "--json", "--out", str(out), *given]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.nightly
@pytest.mark.timeout(300)
def test_right_answers_are_all_carried_out_and_wrong_ones_never_end_as_done(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    some = "phone.new-contact,phone.delete-note,phone.archive-mail"
    found = figures(capsys, tmp_path / "path", "--goals", some)
    assert found.keys() == {"perfect", "clumsy", "misled"}
    perfect = found["perfect"]
    assert (perfect["runs"], perfect["right"], perfect["over"]) == (3, 3, 0)
    assert found["clumsy"]["slips"] and found["misled"]["slips"]
    for one in found.values():
        assert (one["falsely"], one["crashes"], one["lost"]) == (0, 0, 0)
    kept = EvalFolder(tmp_path / "path").records()
    assert {(one.task, one.details["kind"]) for one in kept} >= {("phone.archive-mail", "misled")}


@pytest.mark.nightly
@pytest.mark.timeout(300)
def test_a_real_model_is_given_with_one_option(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from guiagent_eval.model_path.service import AnswerService

    with AnswerService() as service:
        found = figures(capsys, tmp_path / "path", "--goals", "phone.buy-one", "--model", service.name)
    # This service has no way to the goal, so it says at once that it is done, and the oracle decides.
    assert found["model"]["runs"] == 1 and found["model"]["right"] == 0


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_most_goals_on_all_applications_are_done_from_what_requests_show(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    given = ("--goals", "all", "--kinds", "perfect", "--install")
    found = figures(capsys, tmp_path / "path", *given)["perfect"]
    assert found["right"] >= SHARE * found["runs"] and found["crashes"] == 0, found
    phones = [one for one in EvalFolder(tmp_path / "path").records() if one.task.startswith("phone.")]
    assert len(phones) == sum(one.startswith("phone.") for one in goals("all"))
    assert sum(one.success for one in phones) >= 36 and not [one for one in phones if one.verdict == "wrong"]
