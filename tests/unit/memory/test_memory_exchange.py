"""The memory as JSON Lines."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from memory_samples import demonstration

from gui_agent.core.errors import ConfigError
from gui_agent.memory import exchange
from gui_agent.memory.exchange import IMPORTED, export_jsonl, import_jsonl
from gui_agent.memory.exemplars import entry_of
from gui_agent.memory.store import Store


def test_what_was_exported_comes_back_the_same(store: Store, tmp_path: Path) -> None:
    store.add([replace(entry_of(demonstration(f"task {number}")), wins=number) for number in range(3)])
    assert export_jsonl(store, tmp_path / "memory.jsonl") == 3
    other = Store(tmp_path / "other.db")
    done = import_jsonl(other, tmp_path / "memory.jsonl", trusted=True)
    assert (done.added, done.known) == (3, 0)
    assert list(other.whole_entries()) == list(store.whole_entries())
    again = import_jsonl(other, tmp_path / "memory.jsonl", trusted=True)
    assert (again.added, again.known) == (0, 3)


def test_what_others_give_is_quarantined_until_approved(store: Store, tmp_path: Path) -> None:
    store.add([entry_of(demonstration("task"))])
    export_jsonl(store, tmp_path / "memory.jsonl")
    other = Store(tmp_path / "other.db")
    import_jsonl(other, tmp_path / "memory.jsonl")
    assert [entry.quarantined for entry in other.entries()] == [IMPORTED]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "first line"),
        ("{}\n", "first line"),
        ('{"format": "guiagent-memory-1"}\n{"task": 5}\n', "line 2"),
        ('{"format": "guiagent-memory-1"}\n{"task": "a"}\n{"task": "b", "odd": 1}\n', "line 3"),
    ],
)
def test_another_file_is_refused_with_its_line(store: Store, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "memory.jsonl"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        import_jsonl(store, path)


def test_a_missing_file_is_a_setting_to_fix(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        import_jsonl(store, tmp_path / "none.jsonl")
    with pytest.raises(ConfigError, match="cannot be exported"):
        export_jsonl(store, tmp_path / "none" / "memory.jsonl")


def test_what_was_added_before_a_damaged_line_is_told(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add([entry_of(demonstration(f"task {number}")) for number in range(3)])
    path = tmp_path / "memory.jsonl"
    export_jsonl(store, path)
    path.write_bytes(path.read_bytes()[:-50])
    monkeypatch.setattr(exchange, "_BATCH", 2)
    other = Store(tmp_path / "other.db")
    with pytest.raises(ConfigError, match=r"line 4: .*take the line out.*; 2 entries before it were added"):
        import_jsonl(other, path)
    assert len(other.entries()) == 2


def test_a_pipe_is_written_to_and_not_replaced(store: Store, tmp_path: Path) -> None:
    store.add([entry_of(demonstration("task"))])
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert export_jsonl(store, pipe) == 1
        assert os.read(reader, 1 << 16).count(b"\n") == 2
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_behind_a_link_the_file_is_replaced_and_not_the_link(store: Store, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "memory.jsonl"
    link.symlink_to(tmp_path / "real" / "memory.jsonl")
    export_jsonl(store, link)
    assert link.is_symlink() and (tmp_path / "real" / "memory.jsonl").is_file()
