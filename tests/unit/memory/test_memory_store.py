"""The table of remembered runs."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory_samples import demonstration

from gui_agent.core.errors import ConfigError, Unavailable
from gui_agent.memory.embedding import EmbeddingKey, HashedWords, KeyEmbedder
from gui_agent.memory.entry import Entry, family_of
from gui_agent.memory.exchange import rescue
from gui_agent.memory.exemplars import entry_of
from gui_agent.memory.recall import VectorTable
from gui_agent.memory.store import Store


def test_an_entry_comes_back_whole(store: Store) -> None:
    given = entry_of(demonstration("Send 'hi' to Ada"), procedure='{"a": 1}', family="mail")
    added = store.add([given])[0]
    found = store.entry(added.id)
    assert found == replace(given, id=added.id, created=found.created)
    assert found.created.endswith("Z")


def test_the_same_experience_is_kept_once(store: Store) -> None:
    first = store.add([entry_of(demonstration("Send it", origin="run 1"))])[0]
    second = store.add([entry_of(demonstration("send  IT", origin="run 2"))])[0]
    assert (first.new, second.new, second.id) == (True, False, first.id)
    assert store.count() == 1


def test_a_list_leaves_out_the_heavy_parts_and_is_newest_first(store: Store) -> None:
    store.add([entry_of(demonstration("Send a letter")), entry_of(demonstration("Delete a letter"))])
    assert [entry.task for entry in store.entries()] == ["Delete a letter", "Send a letter"]
    assert all(entry.demonstration is None for entry in store.entries())
    assert [entry.task for entry in store.entries("LETTER send")] == ["Send a letter"]


def test_an_entry_is_found_by_the_beginning_of_its_id(store: Store) -> None:
    store.add([Entry("a", id="abc111"), Entry("b", id="abc222"), Entry("c", id="abc")])
    assert store.entry("abc1").task == "a"
    assert store.entry("abc").task == "c"
    with pytest.raises(ConfigError, match="several"):
        store.entry("ab")
    with pytest.raises(ConfigError, match="memory list"):
        store.entry("zzz")
    with pytest.raises(ConfigError):
        store.entry("")


def test_forgetting_removes_the_entry_and_its_vector(store: Store) -> None:
    table = VectorTable(store, KeyEmbedder(HashedWords(64)))
    added = store.add([Entry("a"), Entry("b")])
    query = table.embedder.one(EmbeddingKey("b"))
    assert table.nearest(query, 5) == [2, 1]
    assert store.forget(added[0].id).task == "a"
    assert [entry.task for entry in store.entries()] == ["b"]
    assert store.stats().vectors == {table.embedder.name: 1}
    assert table.nearest(query, 5) == [2]


def test_forgetting_by_words_needs_words(store: Store) -> None:
    store.add([Entry("send a letter"), Entry("send a card"), Entry("print", app="mail")])
    with pytest.raises(ConfigError, match="say what to forget"):
        store.forget_matching()
    assert store.forget_matching("letter") == 1
    assert store.forget_matching(app="mail") == 1
    assert [entry.task for entry in store.entries()] == ["send a card"]


def test_a_word_of_the_task_is_no_pattern(store: Store) -> None:
    store.add([Entry("raise by 50%"), Entry("raise by 500")])
    assert [entry.task for entry in store.entries("50%")] == ["raise by 50%"]


def test_stats_count_kinds_and_quarantined(store: Store) -> None:
    added = store.add([Entry("a", kind="run"), Entry("b", kind="import")])
    store.quarantine(added[1].id, "not approved")
    stats = store.stats()
    assert (stats.entries, stats.quarantined, stats.kinds) == (2, 1, {"run": 1, "import": 1})
    assert stats.bytes > 0


def test_a_failed_transaction_leaves_nothing(store: Store) -> None:
    with pytest.raises(ZeroDivisionError):
        store.add(Entry(f"task {1 // number}") for number in (1, 1, 0))
    assert store.count() == 0


def test_a_file_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    Store(path).count()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(ConfigError, match="newer guiagent"):
        Store(path).count()


def test_a_file_that_is_no_memory_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_text("this is a letter, not a database; " * 100)
    with pytest.raises(ConfigError, match="memory rescue") as caught:
        Store(path).count()
    assert "\n" not in str(caught.value)
    rescued = rescue(path)
    assert rescued.saved == 0
    assert rescued.damaged.exists()
    assert Store(path).count() == 0


def test_what_can_be_read_of_a_damaged_memory_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = Store(path)
    store.add(Entry(f"task {number}", screen="x" * 3000) for number in range(200))
    store.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096 * 3)
    damaged = Store(path)
    assert damaged.check()
    damaged.close()
    rescued = rescue(path)
    saved = Store(path)
    assert 150 <= rescued.saved < 200
    assert saved.count() == rescued.saved
    assert saved.check() == []


def test_a_file_that_stays_locked_is_told_as_such(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    holder = Store(path)
    with holder.database.writing(), pytest.raises(Unavailable, match="locked by another process"):
        Store(path, patience=0.1).add([Entry("a")])


def test_a_folder_that_cannot_be_made_is_a_setting_to_fix(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot make the folder"):
        Store(tmp_path / "file" / "memory.db").count()


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=3),
)
def test_any_text_survives(store: Store, task: str, outlines: list[str]) -> None:
    added = store.add([Entry(task, outlines=tuple(outlines), values={"a": task})])[0]
    found = store.entry(added.id)
    assert found.outlines == tuple(outlines)
    assert added.new is False or found.task == task


def test_a_family_is_the_task_without_its_values() -> None:
    assert family_of("Send 'hi' to  Ada, 3 times") == "send * to ada, # times"
    assert family_of("Don't touch Ada's things") == "don't touch ada's things"


def test_a_file_that_cannot_be_opened_is_not_called_damaged(tmp_path: Path) -> None:
    (tmp_path / "memory.db").mkdir()
    with pytest.raises(ConfigError, match="cannot be used"):
        Store(tmp_path / "memory.db").check()


def test_a_file_that_cannot_be_read_is_left_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "memory.db"
    path.touch()

    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(ConfigError, match="cannot be read: permission denied"):
        rescue(path)
    assert [one.name for one in tmp_path.iterdir()] == ["memory.db"]
