"""Secrets come from the environment, the keyring and files, and a mistake never shows one."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from gui_agent import wiring
from gui_agent.core.errors import ConfigError
from gui_agent.settings import load, override
from gui_agent.testing import FakeComputer, button, screen
from gui_agent.wiring.secrets import all_secrets, given


def having(**sources: str) -> dict[str, str]:
    return all_secrets(
        override(load(), {"secrets": {key.replace("__", "@"): at for key, at in sources.items()}})
    )


def test_each_source_gives_its_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_MAIL", "one")
    (tmp_path / "two").write_text("two words\n")
    keyring = types.ModuleType("keyring")
    kept = {("mail.example/imap", "ada"): "three"}
    keyring.get_password = lambda *asked: kept.get(asked)  # type: ignore[attr-defined]
    errors = types.ModuleType("keyring.errors")
    errors.KeyringError = OSError  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)
    found = having(
        A="env:MY_MAIL", B__host="file:" + str(tmp_path / "two"), C="keyring:mail.example/imap/ada"
    )
    assert (found["A"], found["B"], found["C"]) == ("one", "two words", "three")
    assert found["B"].only == ("host",)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("hunter2", "give its source as"),
        ("env:", "give its source as"),
        ("env:NOT_SET_AT_ALL", "NOT_SET_AT_ALL is not set"),
        ("file:/not/there", "cannot read /not/there"),
        ("keyring:nobody", "keyring:SERVICE/USER"),
    ],
)
def test_a_wrong_source_is_told_without_the_secret(source: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as told:
        having(A=source)
    assert "hunter2" not in str(told.value)
    with pytest.raises(ConfigError, match="NAME=SOURCE") as told:
        given(["hunter2"])
    assert "hunter2" not in str(told.value)


def test_a_missing_secret_is_told_before_anything_is_touched(tmp_path: Path) -> None:
    computer = FakeComputer(screen(button("Send")))
    with pytest.raises(ConfigError, match=r"secret B is not set.*--secret B=.*A"):
        wiring.run(
            'type "${secret:B}" into "Name"',
            computer=computer,
            secrets={"A": "file:" + str(_written(tmp_path))},
            trace={"folder": ""},
        )
    assert computer.performed == []


def _written(folder: Path) -> Path:
    path = folder / "secret"
    path.write_text("something")
    return path
