"""Any model of the sentence-transformers library as an embedder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gui_agent.core.errors import ConfigError, MissingExtra
from gui_agent.memory.embedding import Vectors, unit


class SentenceTransformerEmbedder:
    """An embedder that runs a sentence-transformers model, by its name or its folder."""

    def __init__(self, model: str, floor: float = 0.35, batch: int = 64) -> None:
        self.floor = floor
        self._source = model
        self._batch = batch
        self._model: Any = None

    @property
    def name(self) -> str:
        folder = Path(self._source)
        return f"sentence-transformers:{folder.resolve() if folder.is_dir() else self._source}"

    @property
    def size(self) -> int:
        return int(self._loaded().get_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Raises:
        MissingExtra: sentence-transformers is not installed.
        ConfigError: the model cannot be loaded.
        """
        import numpy as np

        model = self._loaded()
        found = model.encode(list(texts), batch_size=self._batch, show_progress_bar=False)
        return unit(np.asarray(found, np.float32).reshape(len(texts), self.size))

    def _loaded(self) -> Any:
        if self._model is None:
            try:
                from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found, unused-ignore]
            except ImportError as error:
                raise MissingExtra("sentence-transformers", f"the embedder {self.name}") from error
            try:
                self._model = SentenceTransformer(self._source, device="cpu")
            except (OSError, ValueError) as error:
                reason = " ".join(str(error).split())[:200]
                raise ConfigError(
                    f"the model {self._source} cannot be loaded ({reason}): give a folder that holds it"
                ) from error
        return self._model
