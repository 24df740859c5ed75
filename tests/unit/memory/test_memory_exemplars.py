"""Recalling what resembles a task, remembering what went well, and explaining both."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from memory_samples import demonstration, keep, observation, run, screen

from gui_agent.core.errors import MissingExtra
from gui_agent.core.protocols import ExemplarSource
from gui_agent.core.trajectory import Task
from gui_agent.memory.embedding import HashedWords
from gui_agent.memory.entry import Gates
from gui_agent.memory.exemplars import ExemplarMemory

MAIL = observation(screen("To:", "Message:", "Send"))
LATER = ("To:", "Message:", "More", "Day:", "Hour:", "Send later")
"""The screen of another procedure in the same program."""


def recalled(memory: ExemplarMemory, task: str) -> list[str]:
    return [exemplar.task for exemplar in memory.recall(Task(task), MAIL)]


def test_it_is_a_memory(memory: ExemplarMemory) -> None:
    seam: ExemplarSource = memory
    assert list(seam.recall(Task("anything"), MAIL)) == []


def test_a_verified_run_is_recalled_for_a_task_of_its_sort(memory: ExemplarMemory) -> None:
    keep(memory, demonstration("Send the message 'hi' to Ada"))
    keep(memory, demonstration("Print the yearly report", "Print", app="report.example"))
    exemplars = memory.recall(Task("Send the message 'see you at 5' to Grace"), MAIL)
    assert [exemplar.task for exemplar in exemplars] == ["Send the message 'hi' to Ada"]
    assert '"kind": "type"' in exemplars[0].trajectory


def test_nothing_fits_is_an_answer(memory: ExemplarMemory) -> None:
    keep(memory, demonstration("Send the message 'hi' to Ada"))
    settings = observation(screen("Theme", "Volume", app="settings"))
    assert memory.recall(Task("Turn on dark mode"), settings) == []
    [match] = memory.why("Turn on dark mode", settings)
    assert "too different" in match.refused


def test_what_was_done_on_the_same_page_comes_after_what_resembles_the_task_too(
    memory: ExemplarMemory,
) -> None:
    keep(memory, demonstration("Archive every newsletter older than 3 days"))
    assert recalled(memory, "Send the message 'hi' to Ada") == ["Archive every newsletter older than 3 days"]
    keep(memory, demonstration("Send the message 'yo' to Alan"))
    assert recalled(memory, "Send the message 'hi' to Ada")[0] == "Send the message 'yo' to Alan"


def test_what_a_failed_run_followed_loses_until_it_is_retired(memory: ExemplarMemory) -> None:
    keep(memory, demonstration("Send the message 'hi' to Ada"), kind="run")
    for number in range(3):
        task = f"Send the message '{number}' to Ada"
        assert recalled(memory, task) == ["Send the message 'hi' to Ada"]
        memory.remember(run(task, ending="not_done"))
    assert recalled(memory, "Send the message 'x' to Ada") == []
    assert "retired" in memory.store.entries()[0].quarantined


def test_a_failed_run_that_did_nothing_of_what_it_was_shown_says_nothing_against_it(
    memory: ExemplarMemory,
) -> None:
    keep(memory, demonstration("Send the message 'hi' to Ada", "To:", "Message:", "Post"))
    recalled(memory, "Send the message 'a' to Ada")
    memory.remember(run("Send the message 'a' to Ada", ending="not_done"))
    assert memory.store.entries()[0].losses == 0


@pytest.fixture
def wide(tmp_path: Path) -> ExemplarMemory:
    """A memory that also shows what is behind the best."""
    return ExemplarMemory(tmp_path / "wide.db", embedder="lexical", gates=Gates(spread=0.5))


def test_a_good_run_is_a_win_only_for_what_it_followed(wide: ExemplarMemory) -> None:
    memory = wide
    followed = keep(memory, demonstration("Send the message 'hi' to Ada"))
    shown = keep(memory, demonstration("Send the message 'hi' to all", *LATER))
    assert len(recalled(memory, "Send the message 'a' to Ada")) == 2
    memory.remember(run("Send the message 'a' to Ada"))
    assert [memory.store.entry(one.id).wins for one in (followed, shown)] == [1.0, 0.0]


def test_a_persons_stop_counts_against_nobody(memory: ExemplarMemory) -> None:
    keep(memory, demonstration("Send the message 'hi' to Ada"))
    recalled(memory, "Send the message 'a' to Ada")
    memory.remember(run("Send the message 'a' to Ada", ending="stopped"))
    assert memory.store.entries()[0].losses == 0


def test_an_evaluation_does_not_see_its_own_family(memory: ExemplarMemory) -> None:
    for number in range(60):
        keep(
            memory,
            demonstration(f"Send the message '{number}' to Ada"),
            family="mail",
            origin=f"run {number}",
        )
    keep(memory, demonstration("Send the message with a file to Ada", *LATER), family="files")
    assert len(recalled(memory, "Send the message 'x' to Ada")) == 1
    memory.exclude = {entry.id for entry in memory.store.entries(family="mail")}
    assert recalled(memory, "Send the message 'x' to Ada") == ["Send the message with a file to Ada"]


def test_of_the_runs_of_one_procedure_the_nearest_is_recalled(wide: ExemplarMemory) -> None:
    memory = wide
    keep(memory, demonstration("Send the message 'hi' to Ada"))
    keep(memory, demonstration("Write 'hi' and send that message to Ada"))
    keep(memory, demonstration("Send the message 'hi' to all", *LATER))
    shown = recalled(memory, "Send the message 'yo' to Grace")
    assert shown == ["Send the message 'hi' to Ada", "Send the message 'hi' to all"]
    refused = [match.refused for match in memory.why("Send the message 'yo' to Grace", MAIL)]
    assert "a better run of the same procedure is used" in refused


def test_a_later_search_of_a_run_adds_no_second_run_of_a_procedure(memory: ExemplarMemory) -> None:
    keep(memory, demonstration("Send the message 'hi' to Ada"))
    keep(memory, demonstration("Drop him a line"))
    task = Task("Send the message 'yo' to Grace")
    nowhere = observation(screen(app=""))
    assert [one.task for one in memory.recall(task, nowhere)] == ["Send the message 'hi' to Ada"]
    assert memory.recall(task, MAIL, task.text) == []


def test_what_is_behind_the_best_is_not_recalled(memory: ExemplarMemory) -> None:
    keep(memory, demonstration("Send the message 'hi' to Ada"))
    keep(memory, demonstration("Send the message 'hi' to all", *LATER))
    assert recalled(memory, "Send the message 'yo' to Grace") == ["Send the message 'hi' to Ada"]


def test_why_prints_the_parts_of_the_score(memory: ExemplarMemory) -> None:
    keep(memory, demonstration("Send the message 'hi' to Ada"))
    [match] = memory.why("Send the message 'yo' to Ada", MAIL)
    assert all(part in str(match) for part in ("meaning 1.00", "screen 1.00", "place 1.00", "trust 1.00"))
    [without_screen] = memory.why("Send the message 'yo' to Ada")
    assert (without_screen.screen, without_screen.place) == (0.0, 0.0)


def test_forgotten_entries_are_not_recalled_by_any_process(tmp_path: Path) -> None:
    first = ExemplarMemory(tmp_path / "m.db", embedder="lexical")
    second = ExemplarMemory(tmp_path / "m.db", embedder="lexical")
    keep(first, demonstration("Send the message 'hi' to Ada"))
    assert recalled(second, "Send the message 'yo' to Ada") == ["Send the message 'hi' to Ada"]
    first.store.forget_matching("send")
    assert recalled(second, "Send the message 'yo' to Ada") == []


def test_another_embedder_makes_its_own_vectors(tmp_path: Path) -> None:
    memory = ExemplarMemory(tmp_path / "m.db", embedder="lexical")
    keep(memory, demonstration("Send the message 'hi' to Ada"))
    recalled(memory, "Send the message 'yo' to Ada")
    other = ExemplarMemory(tmp_path / "m.db", embedder=HashedWords(64))
    assert recalled(other, "Send the message 'yo' to Ada") == ["Send the message 'hi' to Ada"]
    assert len(memory.store.stats().vectors) == 2


@pytest.mark.parametrize("missing", ["numpy", "faiss"])
def test_without_a_library_the_table_works_and_the_search_says_what_is_missing(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("gui_agent.memory.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    from gui_agent.memory.exemplars import ExemplarMemory as Fresh

    memory = Fresh(tmp_path / "m.db")
    memory.remember(run("Send it"))
    assert memory.store.stats().entries == 0
    with pytest.raises(MissingExtra, match="memory"):
        memory.recall(Task("Send it"), MAIL)


def test_gates_can_be_set(tmp_path: Path) -> None:
    strict = ExemplarMemory(tmp_path / "m.db", embedder="lexical", gates=Gates(floor=0.99))
    keep(strict, demonstration("Send the message 'hi' to Ada"))
    assert recalled(strict, "Send a message 'yo' to Grace") == []
