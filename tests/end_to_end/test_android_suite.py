"""The suite of phone tasks: each can be done, none is done by itself, and plain words do them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from guiagent_eval.app_catalogue import task_called
from guiagent_eval.app_data import fill_in
from guiagent_eval.apps import Apps
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.demonstrations import Knowledge
from guiagent_eval.cli.recipe import Recipe, open_policy
from guiagent_eval.cli.solver import make
from guiagent_eval.episodes import run_episode
from guiagent_eval.records import Record
from phones import adb_server, any_adb

from gui_agent.settings import Settings, override

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module", autouse=True)
def adb() -> Iterator[None]:
    with adb_server(any_adb()):
        yield


def test_each_of_the_forty_tasks_can_be_done_and_none_is_done_by_itself() -> None:
    benchmark = Apps()
    names = benchmark.tasks("phone")
    assert len(set(names)) == 40
    for name in names:
        work = task_called(name)[1]
        for variant in range(len(work.values)):
            with benchmark.episode(Case(name, 3 * variant)) as episode:
                checks = fill_in(list(work.check), episode._names)
                assert episode.data.fault(checks), f"{name} counts as done before anything was done"
                episode.solve()
                assert not episode.data.fault(checks), name


@pytest.mark.parametrize(
    ("task", "seed"),
    [
        ("join-network", 2),  # typed without saying where, and there is one field
        ("new-contact", 3),  # letters that adb cannot type
        ("rename-contact", 0),  # a field that was filled before, known by its id
        ("write-mail", 3),
        ("archive-mail", 0),
    ],
)
def test_plain_words_do_what_is_asked(task: str, seed: int, tmp_path: Path) -> None:
    record = done(task, seed, tmp_path)
    assert record.success, record.reason


@pytest.mark.parametrize("task", ["change-note", "add-to-note"])
def test_the_server_of_uiautomator2_tells_fields_apart_that_were_filled(task: str, tmp_path: Path) -> None:
    pytest.importorskip("uiautomator2")
    record = done(task, 3, tmp_path)
    assert record.success, record.reason


def test_a_field_that_nothing_tells_from_another_is_asked_about_and_not_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("guiagent_platforms.android.computer.server_file", lambda: None)
    record = done("change-note", 0, tmp_path)
    assert (record.success, record.ending) == (False, "not_done")
    assert 'no "Note" here' in record.reason


def done(task: str, seed: int, folder: Path) -> Record:
    given = {"guard": open_policy(), "limits": {"seconds": 60}}
    settings = override(Settings(), given)
    recipe = Recipe("apps", str(folder), settings.model_dump(mode="json"), {}, "plain")
    benchmark, solver = make(recipe, Knowledge(recipe))
    return run_episode(benchmark, solver, Case(f"phone.{task}", seed))
