"""Finds remembered runs similar to a task (exact comparison of vectors by FAISS)."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from gui_agent.core.texts import normal, shorten
from gui_agent.elements.words import words_alike
from gui_agent.memory.embedding import EmbeddingKey, KeyEmbedder, Vectors
from gui_agent.memory.entry import Entry, Gates, now, trust
from gui_agent.memory.store import Store

SHORTLIST = 32
"""How many nearest entries are scored in full."""
_UNLIKE = 0.4
"""What `words_alike` gives for unrelated texts."""


_WEIGHTS = {"meaning": 0.35, "words": 0.15, "screen": 0.3, "place": 0.2}
"""Weights of the parts of a score; unknown parts are left out and the rest scaled up."""


@dataclass(frozen=True, slots=True)
class RecalledEntry:
    """An entry scored for a task, with the parts of its score, 0 to 1 each; None if unknown."""

    entry: Entry
    score: float
    """The likeness, reduced by earlier failures."""
    likeness: float
    """The weighted parts."""
    meaning: float
    words: float
    screen: float | None
    place: float | None
    trust: float
    refused: str = ""

    def __str__(self) -> str:
        parts = {name: getattr(self, name) for name in _WEIGHTS}
        known = ", ".join(f"{name} {value:.2f}" for name, value in parts.items() if value is not None)
        verdict = f"not used: {self.refused}" if self.refused else "used"
        task = shorten(self.entry.task, 60)
        return f'{self.score:.2f} {self.entry.id} "{task}" ({known}, trust {self.trust:.2f}) {verdict}'


class Recall:
    """The nearest vectors make a shortlist, which is scored in full."""

    def __init__(self, store: Store, vectors: VectorTable, gates: Gates) -> None:
        self.store = store
        self.vectors = vectors
        self.gates = gates

    def matches(
        self, key: EmbeddingKey, limit: int = 5, exclude: Set[str] = frozenset()
    ) -> list[RecalledEntry]:
        """The scored shortlist, best first: recalled entries, and refused ones with the reason.

        Args:
            exclude: ids of entries that must not be recalled.
        """
        query = self.vectors.embedder.embed([key])[0]
        found = self.store.by_number(self.vectors.nearest(query, SHORTLIST + len(exclude)))
        vectors = self.vectors.vectors_of(found)
        moment, task = now(), normal(key.task)
        scored = [
            self._score(key, task, entry, self.vectors.embedder.parts(query, vectors[number]), moment)
            for number, entry in found.items()
            if number in vectors
        ]
        scored.sort(key=lambda match: (-match.score, match.entry.id))
        return self._judge(scored, limit, exclude)

    def _score(
        self, key: EmbeddingKey, task: str, entry: Entry, cosines: tuple[float, float], moment: datetime
    ) -> RecalledEntry:
        meaning, screen = (min(1.0, max(0.0, value)) for value in cosines)
        alike = max(
            words_alike(task, normal(said)) for said in (entry.task, EmbeddingKey.from_entry(entry).task)
        )
        words = max(0.0, (alike - _UNLIKE) / (1 - _UNLIKE))
        screens = screen if key.screen and entry.screen else None
        place = float(key.app == entry.app) if key.app and entry.app else None
        parts = dict(zip(_WEIGHTS, (meaning, words, screens, place), strict=True))
        known = {name: value for name, value in parts.items() if value is not None}
        mixed = sum(_WEIGHTS[name] * value for name, value in known.items())
        likeness = mixed / sum(map(_WEIGHTS.__getitem__, known))
        trusted = trust(entry, moment)
        score = likeness * (1 - (1 - trusted) / 4)
        return RecalledEntry(entry, score, likeness, meaning, words, screens, place, trusted)

    def _judge(self, scored: list[RecalledEntry], limit: int, exclude: Set[str]) -> list[RecalledEntry]:
        judged: list[RecalledEntry] = []
        best: float | None = None
        recalled = 0
        for match in scored:
            reason = self._refusal(match, best, recalled >= limit, exclude)
            if not reason:
                best = match.score if best is None else best
                recalled += 1
            judged.append(replace(match, refused=reason))
        return judged

    def _refusal(self, match: RecalledEntry, best: float | None, full: bool, exclude: Set[str]) -> str:
        if match.entry.id in exclude:
            return "left out for this evaluation"
        if match.likeness < self.gates.floor:
            return f"it is too different: {match.likeness:.2f}, under {self.gates.floor:.2f}"
        if best is not None and best - match.score > self.gates.spread:
            return f"it is more than {self.gates.spread:.2f} behind the best"
        return "better ones fill the list" if full else ""


_BATCH = 500
"""Entries embedded in one pass; older releases of SQLite allow 999 values in a query."""


class VectorTable:
    """The vectors of one embedder, searched by dot product.

    The database is authoritative: a change counter in it shows whether any process has changed the entries
    since the last search, and then the vectors are read again.
    """

    def __init__(self, store: Store, embedder: KeyEmbedder) -> None:
        self.store = store
        self.embedder = embedder
        self._index: Any = None
        self._numbers: npt.NDArray[np.int64] = np.array([], np.int64)
        self._seen = -1

    def nearest(self, query: Vectors, limit: int) -> list[int]:
        """The numbers of the entries with the largest dot products, best first; at most `limit`."""
        self._catch_up()
        import faiss

        limit = min(limit, self._index.ntotal)
        if not limit:
            return []
        # One query only uses one thread; waiting for the others takes long on a busy machine.
        threads = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(1)
        try:
            rows = self._index.search(query[None], limit)[1][0]
        finally:
            faiss.omp_set_num_threads(threads)
        found: list[int] = self._numbers[rows].tolist()
        return found

    def vectors_of(self, numbers: Iterable[int]) -> dict[int, Vectors]:
        """Stored vectors by number, even of entries that may not be recalled."""
        wanted = list(numbers)
        found = self._read_vectors(f"number IN ({', '.join('?' * len(wanted))})", *wanted)
        return dict(zip(found[0].tolist(), found[1], strict=True))

    def _catch_up(self) -> None:
        change = int(self.store.database.value("SELECT value FROM facts WHERE name = 'change'"))
        if change == self._seen:
            return
        self._embed_missing()
        import faiss

        self._numbers, vectors = self._read_vectors("quarantined = ''")
        self._index = faiss.IndexFlatIP(self.embedder.size)
        self._index.add(vectors)
        self._seen = change

    def _embed_missing(self) -> None:
        while rows := self.store.database.rows(
            "SELECT number FROM entries WHERE NOT EXISTS "
            "(SELECT 1 FROM vectors WHERE number = entries.number AND embedder = ?) LIMIT ?",
            (self.embedder.name, _BATCH),
        ):
            entries = self.store.by_number(row["number"] for row in rows)
            vectors = self.embedder.embed([EmbeddingKey.from_entry(entry) for entry in entries.values()])
            with self.store.database.writing() as connection:
                # Meanwhile, an entry may have been forgotten, or embedded by another process.
                connection.executemany(
                    "INSERT OR IGNORE INTO vectors (number, embedder, vector) "
                    "SELECT number, ?, ? FROM entries WHERE number = ?",
                    [
                        (self.embedder.name, vector.tobytes(), number)
                        for number, vector in zip(entries, vectors, strict=True)
                    ],
                )

    def _read_vectors(self, clause: str, *values: int) -> tuple[npt.NDArray[np.int64], Vectors]:
        rows = self.store.database.rows(
            f"SELECT number, vector FROM vectors JOIN entries USING (number) WHERE embedder = ? AND {clause}",
            (self.embedder.name, *values),
        )
        flat = np.frombuffer(b"".join(row[1] for row in rows), np.float32)
        return np.array([row[0] for row in rows], np.int64), flat.reshape(len(rows), self.embedder.size)
