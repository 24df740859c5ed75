"""Data from outside is read down to a depth that every reader can stand, and no further."""

from __future__ import annotations

import tomllib

import pytest

from gui_agent.core.codec import decode
from gui_agent.core.errors import ConfigError
from gui_agent.core.parsing import DEEPEST, parse_json, parse_toml
from gui_agent.core.trajectory import Demonstration


@pytest.mark.parametrize("levels", [DEEPEST + 1, 900, 50_000])
@pytest.mark.parametrize(("opening", "inner", "closing"), [("[", "1", "]"), ('{"a":', "1", "}")])
def test_what_is_nested_without_end_is_refused(levels: int, opening: str, inner: str, closing: str) -> None:
    text = opening * levels + inner + closing * levels
    with pytest.raises(ValueError, match="nested"):
        parse_json(text)
    with pytest.raises(tomllib.TOMLDecodeError, match=r"nested|Invalid|Expected"):
        parse_toml(f"a = {text.replace(':', '=')}")


def test_what_is_nested_like_real_data_is_read() -> None:
    text = "[" * DEEPEST + "1" + "]" * DEEPEST
    assert str(parse_json(text)) == text
    assert str(parse_toml(f"a = {text[1:-1]}")["a"]) == text[1:-1]


def test_a_value_of_the_vocabulary_that_is_nested_without_end_is_refused() -> None:
    with pytest.raises(ConfigError):
        decode(Demonstration, '{"steps":' + "[" * 5_000 + "]" * 5_000 + "}")
