"""The scripted demonstrators do their tasks on real pages, and what they recorded is fit to learn from."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from guiagent_eval.benchmark import suite_tasks
from guiagent_eval.miniwob import MiniWob

from gui_agent.core.actions import Press
from gui_agent.core.aiming import places
from gui_agent.core.conditions import TextShown, UrlIs
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Box, Element, Size
from gui_agent.core.trajectory import Demonstration, DemoStep, Screen
from gui_agent.procedures.library.store import load_demonstration

pytestmark = pytest.mark.nightly

FOLDER = Path(__file__).parents[3] / "eval" / "miniwob"
RECORDED = FOLDER / "demonstrations"
PAGES = (
    "choose-date",
    "click-checkboxes-large",
    "click-collapsible-2",
    "click-menu",
    "click-shape",
    "email-inbox",
    "enter-time",
    "guess-number",
    "login-user-popup",
    "navigate-tree",
    "search-engine",
    "social-media-some",
    "terminal",
    "use-spinner",
)
SEED = 40

pytest.importorskip("miniwob")


@pytest.fixture(scope="module")
def scripts() -> Iterator[ModuleType]:
    """The recording command, with the demonstrators beside it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        yield importlib.import_module("record")


@pytest.fixture(scope="module")
def pages() -> Iterator[MiniWob]:
    miniwob = MiniWob(mode="train", slowness=10)
    miniwob.setup()
    yield miniwob
    miniwob.teardown()


@pytest.mark.parametrize("page", PAGES)
def test_a_task_is_demonstrated(scripts: Any, pages: MiniWob, page: str) -> None:
    shown = scripts.show(pages, page, SEED)
    steps = [(step.planned.action, step.outcome) for step in shown.trajectory.steps]
    assert shown.grade.raw == 1.0, (shown.trajectory.task.text, shown.trajectory.ending, steps)


def test_seeds_that_are_kept_for_tests_are_refused(scripts: Any, pages: MiniWob) -> None:
    with pytest.raises(ConfigError, match="reserved for tests"):
        scripts.show(pages, "click-test", 10_000)


def test_the_command_records_one_demonstration_of_every_kind(scripts: Any, tmp_path: Path) -> None:
    asked = ["--tasks", "click-dialog-2", "--per-task", "3", "--out", str(tmp_path)]
    assert scripts.main(asked) == 0
    recorded = [load_demonstration(path) for path in tmp_path.glob("*/*.json")]
    assert {demonstration.task.split('"')[1] for demonstration in recorded} == {"x", "OK", "Cancel"}
    assert all("file:" not in path.read_text() for path in tmp_path.glob("*/*.json"))
    assert [demonstration.steps[-1].expect for demonstration in recorded] == [()] * 3


def test_the_last_step_expects_what_is_true_of_a_right_end_only(scripts: Any) -> None:
    def ended(identity: str) -> Demonstration:
        element = Element(1, "generic", "Bye", Box(0, 0, 9, 9), attributes={"id": identity})
        screen = Screen(Size(160, 210), elements=(element,))
        step = DemoStep(Press(("Enter",)), expect=(TextShown("Bye"), UrlIs("file:///here/page.html")))
        return Demonstration("Go.", (step, step), final=screen)

    covered = scripts.without_surroundings(ended("sync-task-cover"))
    assert ([step.expect for step in covered.steps], covered.final) == ([(TextShown("Bye"),), ()], None)
    page = ended("page")
    kept = scripts.without_surroundings(page)
    assert ([step.expect for step in kept.steps], kept.final) == ([(TextShown("Bye"),)] * 2, page.final)


@pytest.mark.parametrize("task", suite_tasks("miniwob", "synapse64"))
def test_recordings_say_what_was_acted_on(task: str) -> None:
    files = sorted((RECORDED / task).glob("*.json"))
    assert len(files) == 5
    for path in files:
        demonstration = load_demonstration(path)
        assert int(path.stem) < 10_000
        assert demonstration.steps
        assert "sync-task-cover" not in path.read_text()
        for step in demonstration.steps:
            assert step.screen is not None
            known = {element.id for element in step.screen.elements}
            assert step.element in known or not places(step.action)
            assert not step.screen.place.url


def test_recordings_cover_the_kinds_of_a_task(scripts: Any) -> None:
    from demonstrators.mailing import understood

    for task in ("email-inbox", "email-inbox-nl-turk"):
        demonstrations = [load_demonstration(path) for path in (RECORDED / task).glob("*.json")]
        kinds = {understood(one.task).kind for one in demonstrations}
        assert kinds == {"star", "trash", "reply", "forward"}, task


def test_a_game_is_won_where_it_can_be_and_a_loss_is_blocked(scripts: Any) -> None:
    from demonstrators.reckoning import best_field

    assert best_field(["x", "x", "", "o", "o", "", "", "", ""]) == 2
    assert best_field(["x", "", "", "o", "o", "", "", "x", ""]) == 5
    assert best_field([""] * 9) == 4
