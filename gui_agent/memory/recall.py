"""Finds remembered runs similar to a task (exact comparison of vectors by FAISS)."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gui_agent.core.texts import shorten
from gui_agent.memory.embedding import EmbeddingKey, KeyEmbedder, Vectors
from gui_agent.memory.entry import Entry, Gates, now, procedure_overlap, trust
from gui_agent.memory.store import Store

SHORTLIST = 128
"""How many nearest entries are scored in full: enough to see past many runs of one procedure."""
_MEANING, _SCREEN, _PLACE = 0.4, 0.35, 0.25
"""Weights of the parts of a score; those of the screen and the place are less where the place tells less."""


@dataclass(frozen=True, slots=True)
class RecalledEntry:
    """An entry scored for a task, with the parts of its score, 0 to 1 each; 0 if unknown."""

    entry: Entry
    score: float
    """The likeness, reduced by earlier failures."""
    likeness: float
    """The weighted parts."""
    meaning: float
    screen: float
    place: float
    trust: float
    refused: str = ""

    def __str__(self) -> str:
        verdict = f"not used: {self.refused}" if self.refused else "used"
        parts = ("meaning", "screen", "place", "trust")
        told = ", ".join(f"{name} {getattr(self, name):.2f}" for name in parts)
        return f'{self.score:.2f} {self.entry.id} "{shorten(self.entry.task, 60)}" ({told}) {verdict}'


class Recall:
    """The nearest vectors make a shortlist, which is scored in full."""

    def __init__(self, store: Store, vectors: VectorTable, gates: Gates) -> None:
        self.store = store
        self.vectors = vectors
        self.gates = gates

    def matches(
        self,
        key: EmbeddingKey,
        limit: int = 5,
        exclude: Set[str] = frozenset(),
        before: Sequence[Entry] = (),
    ) -> list[RecalledEntry]:
        """The scored shortlist, best first: recalled entries, and refused ones with the reason.

        Args:
            exclude: ids of entries that are not considered.
            before: entries that were recalled earlier in the run, in place of others of their procedures.
        """
        query = self.vectors.embedder.embed([key])[0]
        found = self.store.by_number(self.vectors.nearest(query, SHORTLIST + len(exclude)))
        telling = self.vectors.telling_share(key.app)
        places = self.vectors.places_of(found)
        scored = [
            self._score(key, query, entry, places[number], telling)
            for number, entry in found.items()
            if number in places and entry.id not in exclude
        ]
        scored.sort(key=lambda match: (-match.score, match.entry.id))
        return list(self._judge(scored, limit, before))

    def _score(
        self, key: EmbeddingKey, query: Vectors, entry: Entry, places: Mapping[str, Vectors], telling: float
    ) -> RecalledEntry:
        cosines = [self.vectors.embedder.parts(query, vector) for vector in places.values()]
        meaning, screen = np.clip(np.max(cosines, axis=0), 0, 1).tolist()
        place = float(key.app in places.keys() - {""})
        likeness = _MEANING * meaning + telling * (_SCREEN * screen + _PLACE * place)
        trusted = trust(entry, now())
        score = likeness * (1 - (1 - trusted) / 4)
        return RecalledEntry(entry, score, likeness, meaning, screen, place, trusted)

    def _judge(
        self, scored: Sequence[RecalledEntry], limit: int, before: Sequence[Entry]
    ) -> Iterator[RecalledEntry]:
        used, best, gates = [*before], scored[0].score if scored else 0.0, self.gates
        for match in scored:
            entry, reason = match.entry, ""
            if match.likeness < gates.floor:
                reason = f"it is too different: {match.likeness:.2f}, under {gates.floor:.2f}"
            elif best - match.score > gates.spread:
                reason = f"it is more than {gates.spread:.2f} behind the best"
            elif len(used) - len(before) >= limit:
                reason = "better ones fill the list"
            elif any(procedure_overlap(entry, other) >= gates.overlap for other in used):
                reason = "a better run of the same procedure is used"
            else:
                used.append(entry)
            yield replace(match, refused=reason)


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
        self._seen = -1

    def nearest(self, query: Vectors, limit: int) -> list[int]:
        """The numbers of the entries with the largest dot products, best first; at most `limit`."""
        self._catch_up()
        import faiss

        # One query only uses one thread; waiting for the others takes long on a busy machine.
        threads = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(1)
        try:
            # Twice as many rows as entries are read, as some runs have several programs; -1 means no more.
            found = self._index.search(query[None], 2 * limit)[1][0].tolist()
        finally:
            faiss.omp_set_num_threads(threads)
        return [number for number in dict.fromkeys(found) if number >= 0][:limit]

    def places_of(self, numbers: Collection[int]) -> dict[int, dict[str, Vectors]]:
        """Stored vectors by number and program, even of entries that may not be recalled."""
        found: dict[int, dict[str, Vectors]] = {}
        for row in self._read(f"number IN ({', '.join('?' * len(numbers))})", *numbers):
            found.setdefault(row["number"], {})[row["place"]] = np.frombuffer(row["vector"], np.float32)
        return found

    def telling_share(self, app: str) -> float:
        """How much a program says about a run, 0 to 1: 1 less the share of the runs known there that began
        there and went on to another program, as most do that begin in a launcher.
        """
        others = "SELECT 1 FROM vectors WHERE number = at.number AND embedder = at.embedder AND rowid"
        query = (
            f"SELECT coalesce(avg(EXISTS ({others} < at.rowid) OR NOT EXISTS ({others} > at.rowid)), 1) "
            "FROM vectors AS at WHERE embedder = ? AND place = ?"
        )
        return float(self.store.database.value(query, (self.embedder.name, app)))

    def _catch_up(self) -> None:
        change = self.store.database.value("SELECT value FROM facts WHERE name = 'change'")
        if change == self._seen:
            return
        self._embed_missing()
        import faiss

        rows = self._read("quarantined = ''")
        vectors = np.frombuffer(b"".join(row["vector"] for row in rows), np.float32)
        self._index = faiss.IndexIDMap(faiss.IndexFlatIP(self.embedder.size))
        self._index.add_with_ids(
            vectors.reshape(-1, self.embedder.size), np.array([row["number"] for row in rows], np.int64)
        )
        self._seen = change

    def _embed_missing(self) -> None:
        while rows := self.store.database.rows(
            "SELECT number FROM entries WHERE NOT EXISTS "
            "(SELECT 1 FROM vectors WHERE number = entries.number AND embedder = ?) LIMIT ?",
            (self.embedder.name, _BATCH),
        ):
            entries = self.store.by_number(row["number"] for row in rows)
            ids = [entry.id for entry in entries.values()]
            whole = {entry.id: entry for entry in self.store.readable(ids)}
            owned: list[tuple[int, EmbeddingKey]] = []
            for number, entry in entries.items():
                owned += [(number, key) for key in EmbeddingKey.of_entry(whole.get(entry.id, entry))]
            vectors = self.embedder.embed([key for _, key in owned])
            with self.store.database.writing() as connection:
                # Meanwhile, an entry may have been forgotten, or embedded by another process.
                connection.executemany(
                    "INSERT OR IGNORE INTO vectors (number, embedder, place, vector) "
                    "SELECT number, ?, ?, ? FROM entries WHERE number = ?",
                    [
                        (self.embedder.name, key.app, vector.tobytes(), number)
                        for (number, key), vector in zip(owned, vectors, strict=True)
                    ],
                )

    def _read(self, clause: str, *values: int) -> list[sqlite3.Row]:
        return self.store.database.rows(
            "SELECT number, place, vector FROM vectors JOIN entries USING (number) "
            f"WHERE embedder = ? AND {clause}",
            (self.embedder.name, *values),
        )
