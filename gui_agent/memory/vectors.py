"""Key vectors in the memory's file, and the search index that is kept in step with the table."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np

from gui_agent.core.errors import ConfigError
from gui_agent.memory.embedding import EmbeddingKey, KeyEmbedder, Vectors
from gui_agent.memory.entry import Entry
from gui_agent.memory.index import FaissIndex, Numbers, VectorIndex, build
from gui_agent.memory.store import Store

_BATCH = 1000
_WORTH_KEEPING = 2000
"""Entries from which the index is kept in a file: below, reading the table is as quick."""
_RECALLED = "quarantined = ''"


class VectorTable:
    """The vectors of one embedder, and an index over those of the entries that may be recalled.

    The table is the truth. The index remembers the number of the last change it has seen; whatever was
    written since, by any process, is added or removed before the next search. A kept index file is named
    after the memory, the embedder and that number, so a stale one cannot be taken for a fresh one.
    """

    def __init__(self, store: Store, embedder: KeyEmbedder) -> None:
        self.store = store
        self.embedder = embedder
        self._index: VectorIndex | None = None
        self._seen = -1
        self._kept_at = -1

    def index(self) -> VectorIndex:
        """The index, in step with the table as it is now."""
        if self._index is None:
            self._load()
        change = self._change()
        if change != self._seen:
            self._catch_up(change)
        if self._index is None or self._index.outgrown():
            self._rebuild()
        assert self._index is not None
        return self._index

    def packed(self, entry: Entry) -> bytes:
        """The vector of an entry as it is stored."""
        return self.embedder.one(EmbeddingKey.of(entry)).tobytes()

    def of(self, numbers: list[int]) -> dict[int, Vectors]:
        """Stored vectors by number."""
        marks = ", ".join("?" * len(numbers))
        rows = self.store.database.rows(
            f"SELECT number, vector FROM vectors WHERE embedder = ? AND number IN ({marks})",
            (self.embedder.name, *numbers),
        )
        return {row[0]: np.frombuffer(row[1], np.float32) for row in rows}

    def rebuild(self) -> int:
        """Build the index anew from the table and keep it; how many entries it holds."""
        self._fill()
        self._rebuild()
        return len(self.index())

    def _change(self) -> int:
        return int(self.store.database.value("SELECT value FROM facts WHERE name = 'change'"))

    def _fill(self, since: int = -1) -> None:
        """Embed the entries changed after `since` that have no vector of this embedder yet."""
        while rows := self.store.database.rows(
            "SELECT number, task, app, screen FROM entries WHERE change > ? AND NOT EXISTS "
            "(SELECT 1 FROM vectors WHERE number = entries.number AND embedder = ?) LIMIT ?",
            (since, self.embedder.name, _BATCH),
        ):
            vectors = self.embedder.embed(
                [EmbeddingKey(row["task"], row["app"], row["screen"]) for row in rows]
            )
            with self.store.database.writing() as connection:
                # An entry may have been forgotten, or embedded by another process, in the meantime.
                connection.executemany(
                    "INSERT OR IGNORE INTO vectors (number, embedder, vector) "
                    "SELECT number, ?, ? FROM entries WHERE number = ?",
                    [
                        (self.embedder.name, vector.tobytes(), row["number"])
                        for row, vector in zip(rows, vectors, strict=True)
                    ],
                )

    def _catch_up(self, change: int) -> None:
        if self._index is None:
            return
        database = self.store.database
        self._fill(self._seen)
        gone = database.rows(
            "SELECT number FROM removals WHERE change > ? UNION SELECT number FROM entries WHERE change > ?",
            (self._seen, self._seen),
        )
        self._index.remove(np.array([row[0] for row in gone], np.int64))
        self._index.add(*self.read("AND change > ?", self._seen))
        self._seen = change
        if len(self._index) >= _WORTH_KEEPING and len(gone) > len(self._index) // 10:
            self._keep()

    def read(self, clause: str = "", *values: int) -> tuple[Numbers, Vectors]:
        """Numbers and vectors of the entries that may be recalled, as far as `clause` allows."""
        rows = self.store.database.rows(
            f"SELECT number, vector FROM vectors JOIN entries USING (number) "
            f"WHERE embedder = ? AND {_RECALLED} {clause}",
            (self.embedder.name, *values),
        )
        numbers = np.array([row[0] for row in rows], np.int64)
        flat = np.frombuffer(b"".join(row[1] for row in rows), np.float32)
        return numbers, flat.reshape(len(rows), self.embedder.size).copy()

    def _rebuild(self) -> None:
        self._seen = self._change()
        self._fill()
        self._index = build(*self.read())
        self._keep()

    def _files(self) -> tuple[Path, str]:
        """The folder of kept indexes and how the names of this memory's and embedder's begin."""
        identity = self.store.database.value("SELECT value FROM facts WHERE name = 'identity'")
        key = hashlib.sha256(f"{identity}/{self.embedder.name}".encode()).hexdigest()[:10]
        return self.store.path.parent, f"{self.store.path.name}.{key}."

    def _load(self) -> None:
        """Take the newest kept index, if there is one that is not ahead of the table; else build one."""
        try:
            import faiss
        except ImportError:
            return self._rebuild()
        folder, stem = self._files()
        kept = sorted((_number(path), path) for path in folder.glob(f"{stem}*.faiss"))
        now = self._change()
        for seen, path in reversed(kept):
            if 0 <= seen <= now:
                with contextlib.suppress(RuntimeError):  # a damaged or just replaced file: build anew
                    index = faiss.read_index(str(path))
                    self._index, self._seen = FaissIndex(index, int(index.ntotal)), seen
                    return None
        return self._rebuild()

    def _keep(self) -> None:
        """Write the index beside the memory in one step, and remove the older ones."""
        if not isinstance(self._index, FaissIndex) or len(self._index) < _WORTH_KEEPING:
            return
        import faiss

        folder, stem = self._files()
        try:
            handle, temporary = tempfile.mkstemp(prefix=stem, suffix=".part", dir=folder)
            os.close(handle)
            faiss.write_index(self._index.index, temporary)
            Path(temporary).replace(folder / f"{stem}{self._seen}.faiss")
        except (OSError, RuntimeError) as error:
            raise ConfigError(f"the index of {self.store.path} cannot be written: {error}") from error
        for path in folder.glob(f"{stem}*.faiss"):
            if _number(path) < self._seen:
                path.unlink(missing_ok=True)


def _number(path: Path) -> int:
    text = path.name.rsplit(".", 2)[-2]
    return int(text) if text.isdigit() else -1
