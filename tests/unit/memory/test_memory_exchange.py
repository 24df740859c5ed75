"""The memory as JSON Lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from memory_samples import demonstration

from gui_agent.core.errors import ConfigError
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
