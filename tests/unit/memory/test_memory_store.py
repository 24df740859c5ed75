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
    assert store.stats().entries == 1


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


def test_what_a_newer_version_wrote_is_left_out_and_stops_nothing(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    ids = [
        one.id for one in store.add([entry_of(demonstration("Send a")), entry_of(demonstration("Send b"))])
    ]
    with store.database.writing() as connection:
        connection.execute(
            "UPDATE entries SET demonstration = json_set(demonstration, '$.mood', 'good') WHERE id = ?",
            ids[:1],
        )
    assert [entry.task for entry in store.readable(ids)] == ["Send b"]
    assert 'unknown key "mood"' in caplog.text
    with pytest.raises(ConfigError, match="mood"):
        store.entry(ids[0])


def test_forgetting_removes_the_entry_and_its_vector(store: Store) -> None:
    table = VectorTable(store, KeyEmbedder(HashedWords(64)))
    added = store.add([Entry("a"), Entry("b")])
    query = table.embedder.embed([EmbeddingKey("b")])[0]
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
    assert [entry.task for entry in store.entries()] == ["print", "send a card"]


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
    assert store.stats().entries == 0


def test_a_file_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    Store(path).entries()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(ConfigError, match="newer guiagent"):
        Store(path).entries()


def test_a_file_that_is_no_memory_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_text("this is a letter, not a database; " * 100)
    with pytest.raises(ConfigError, match="memory rescue") as caught:
        Store(path).entries()
    assert "\n" not in str(caught.value)
    rescued = rescue(path)
    assert rescued.saved == 0
    assert rescued.damaged.exists()
    assert Store(path).stats().entries == 0


def test_a_file_whose_own_names_are_no_text_is_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = Store(path)
    store.entries()
    store.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE entries", b"CREATE T\xe2BLE entries"))
    with pytest.raises(ConfigError, match="memory rescue"):
        Store(path).entries()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of 60 entries, some of them forgotten, some larger than a page."""
    path = tmp_path_factory.mktemp("whole") / "memory.db"
    store = Store(path)
    store.add(Entry(f"task {number}", screen="x" * (number % 7) * 1000) for number in range(60))
    for entry in store.entries()[5:40:9]:
        store.forget(entry.id)
    store.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    return path


@pytest.mark.nightly
def test_damage_to_any_one_page_costs_no_row_that_is_not_on_it(whole: Path, tmp_path: Path) -> None:
    data, before = whole.read_bytes(), {entry.task for entry in Store(whole).entries()}
    path = tmp_path / "memory.db"
    for page in range(len(data) // 4096):
        for old in tmp_path.iterdir():
            old.unlink()
        path.write_bytes(data[: page * 4096] + b"\xff" * 4096 + data[(page + 1) * 4096 :])
        hit = data[page * 4096 : (page + 1) * 4096]
        rescue(path)
        saved = {entry.task for entry in Store(path).entries()}
        lost = before - saved
        begun = {task for task in lost if task.encode() in hit}
        # A row that is larger than a page is lost with any of its pages, and at most one row with each.
        assert len(lost - begun) <= 1, (page, lost)
        assert saved <= before, "what was forgotten stays so"
        if page == 0:
            assert saved == before
            assert Store(path).check() == []


@pytest.mark.parametrize("keep", [0.5, 0.9])
def test_a_file_that_was_cut_off_gives_what_is_left(whole: Path, tmp_path: Path, keep: float) -> None:
    data = whole.read_bytes()
    (tmp_path / "memory.db").write_bytes(data[: int(len(data) * keep)])
    assert rescue(tmp_path / "memory.db").saved > 10


def test_what_is_only_in_the_log_beside_a_damaged_memory_is_saved(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory.db")
    store.add([Entry("first")])
    store.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    store.add([Entry("second")])
    copy = tmp_path / "copy"
    copy.mkdir()
    for ending in ("", "-wal"):
        (copy / f"memory.db{ending}").write_bytes((tmp_path / f"memory.db{ending}").read_bytes())
    with (copy / "memory.db").open("r+b") as file:
        file.write(b"\0" * 4096)
    assert rescue(copy / "memory.db").saved == 2


def test_a_file_that_stays_locked_is_told_as_such(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    holder = Store(path)
    with holder.database.writing(), pytest.raises(Unavailable, match="locked by another process"):
        Store(path, patience=0.1).add([Entry("a")])


def test_a_folder_that_cannot_be_made_is_a_setting_to_fix(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot make the folder"):
        Store(tmp_path / "file" / "memory.db").entries()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
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
