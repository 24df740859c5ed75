"""Key vectors in the memory's file, and the exact search among those of the entries that may be recalled.

Every vector is compared, by FAISS: one search among 100,000 takes some milliseconds on two cores, so an
approximate index would cost more to keep than it saves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from gui_agent.memory.embedding import EmbeddingKey, KeyEmbedder, Vectors
from gui_agent.memory.store import Store

_BATCH = 1000
_RECALLED = "quarantined = ''"


class VectorTable:
    """The vectors of one embedder, searched by dot product.

    The table is the truth. What was written since the last search, by any process, is added or removed
    before the next one: the table's number of the last change says whether there is anything.
    """

    def __init__(self, store: Store, embedder: KeyEmbedder) -> None:
        self.store = store
        self.embedder = embedder
        self._index: Any = None
        self._seen = -1

    def nearest(self, query: Vectors, limit: int) -> list[int]:
        """The numbers of the entries with the largest dot products, best first; at most `limit`."""
        self._catch_up()
        limit = min(limit, self._index.ntotal)
        return self._index.search(query[None], limit)[1][0].tolist() if limit else []

    def of(self, numbers: Iterable[int]) -> dict[int, Vectors]:
        """Stored vectors by number, also of entries that may not be recalled."""
        wanted = list(numbers)
        found = self._read(f"number IN ({', '.join('?' * len(wanted))})", *wanted)
        return dict(zip(found[0].tolist(), found[1], strict=True))

    def _catch_up(self) -> None:
        database, seen = self.store.database, self._seen
        change = int(database.value("SELECT value FROM facts WHERE name = 'change'"))
        if change == seen:
            return
        self._fill(seen)
        numbers, vectors = self._read(f"{_RECALLED} AND change > ?", seen)
        if self._index is None:
            import faiss

            self._index = faiss.IndexIDMap2(faiss.IndexFlatIP(self.embedder.size))
        elif self._index.ntotal:
            gone = database.rows(
                "SELECT number FROM removals WHERE change > ? "
                "UNION SELECT number FROM entries WHERE change > ?",
                (seen, seen),
            )
            self._index.remove_ids(np.array([row[0] for row in gone], np.int64))
        if len(numbers):
            self._index.add_with_ids(vectors, numbers)
        self._seen = change

    def _fill(self, since: int) -> None:
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

    def _read(self, clause: str, *values: int) -> tuple[npt.NDArray[np.int64], Vectors]:
        """Numbers and vectors of the entries of which `clause` holds."""
        rows = self.store.database.rows(
            f"SELECT number, vector FROM vectors JOIN entries USING (number) WHERE embedder = ? AND {clause}",
            (self.embedder.name, *values),
        )
        flat = np.frombuffer(b"".join(row[1] for row in rows), np.float32)
        return np.array([row[0] for row in rows], np.int64), flat.reshape(len(rows), self.embedder.size)
