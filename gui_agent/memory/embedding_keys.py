"""What an entry is found by: the task's meaning and the words of place and first screen, as one vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gui_agent.memory.embedding import Embedder, HashedWords, Vectors
from gui_agent.memory.entry import Entry, family_of

TASK_SHARE = 0.7
"""Part of the squared length of a key vector that the task has; the rest is the screen's."""
SCREEN_SIZE = 128
_REMEMBERED = 256
"""Queries whose vectors are kept: a run asks with the same task at every step."""


@dataclass(frozen=True, slots=True)
class Key:
    """What one asks with, or what an entry is stored under."""

    task: str
    app: str = ""
    screen: str = ""

    @staticmethod
    def of(entry: Entry) -> Key:
        return Key(entry.task, entry.app, entry.screen)


class KeyEmbedder:
    """Key vectors: the task embedded by a model beside the hashed words of app and screen.

    One dot product of two key vectors is then a weighted sum of two cosines, so one index serves both.
    The values in a task (quoted texts, numbers) are masked first: they differ where tasks are alike.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._screens = HashedWords(SCREEN_SIZE, grams=False)
        self._cache: dict[Key, Vectors] = {}

    @property
    def name(self) -> str:
        return f"{self.embedder.name}+{self._screens.name}"

    @property
    def size(self) -> int:
        return self.embedder.size + SCREEN_SIZE

    def embed(self, keys: Sequence[Key]) -> Vectors:
        """Vectors of shape (len(keys), size), of length 1, or `TASK_SHARE ** 0.5` without a screen."""
        tasks = self.embedder.embed([family_of(key.task) for key in keys])
        screens = self._screens.embed([f"{key.app}\n{key.screen}" for key in keys])
        joined = (tasks * np.float32(TASK_SHARE**0.5), screens * np.float32((1 - TASK_SHARE) ** 0.5))
        return np.ascontiguousarray(np.concatenate(joined, axis=1), dtype=np.float32)

    def one(self, key: Key) -> Vectors:
        """The vector of one key, shape (size,); remembered for the next time."""
        if key not in self._cache:
            if len(self._cache) >= _REMEMBERED:
                del self._cache[next(iter(self._cache))]
            self._cache[key] = self.embed([key])[0]
        return self._cache[key]

    def parts(self, query: Vectors, found: Vectors) -> tuple[float, float]:
        """The two cosines of two key vectors: of the tasks and of the screens."""
        border = self.embedder.size
        task = float(query[:border] @ found[:border]) / TASK_SHARE
        screen = float(query[border:] @ found[border:]) / (1 - TASK_SHARE)
        return task, screen
