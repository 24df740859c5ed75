"""Secrets come from the environment, the keyring and files, and a mistake never shows one."""

from __future__ import annotations

import os
import re
import sys
import types
from pathlib import Path

import pytest

from gui_agent import wiring
from gui_agent.agent.secret_filter import SecretFilter
from gui_agent.core.actions import TypeText
from gui_agent.core.errors import ActionFailed, ConfigError
from gui_agent.core.redaction import Redactor
from gui_agent.settings import load, override
from gui_agent.testing import FakeComputer, button, field, screen
from gui_agent.wiring.secrets import all_secrets, given_secrets


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
        given_secrets(["hunter2"])
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


SEED = "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ"
"""The key of RFC 6238's test vectors."""


@pytest.mark.parametrize(
    "seed", [SEED, f"otpauth://totp/Site:ada?secret={SEED.replace(' ', '')}&issuer=Site&digits=6&period=30"]
)
def test_a_one_time_code_is_that_of_now_and_hidden_like_its_key(
    seed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEED", seed)
    monkeypatch.setenv("SHORT", "GEZDGNBVGY3TQOJQ")
    now = [1111111109.0]
    monkeypatch.setattr("gui_agent.wiring.secrets.time", lambda: now[0])
    monkeypatch.setattr("gui_agent.wiring.secrets.sleep", lambda seconds: now.append(now.pop() + seconds))
    monkeypatch.setattr("pyotp.TOTP.now", lambda totp: totp.at(int(now[0])))
    found = having(CODE__bank="totp:env:SEED")
    device = FakeComputer(screen(field("Code")))
    secrets = Redactor(found)
    border = SecretFilter(device, secrets, found)
    border.observe()
    with pytest.raises(ActionFailed, match="is typed at bank only"):
        border.perform(TypeText("${secret:CODE}"))
    found = having(CODE="totp:env:SEED")
    border = SecretFilter(device, secrets, found)
    border.observe()
    border.perform(TypeText("${secret:CODE}"))
    assert device.performed[-1] == TypeText("050471")  # 081804 of the RFC is over in a second
    assert having(SHORT="totp:env:SHORT")["SHORT"].make_code()  # type: ignore[attr-defined]
    assert secrets.value(f"050471 of {seed}") == "${secret:CODE} of ${secret:CODE}"


BITWARDEN = """#!/bin/sh
[ "$*" = "get item Bank" ] || { echo "Not found." >&2; exit 1; }
echo '{"name": "Bank", "login": {"username": "ada", "password": "pa ss", "totp": "%s"}, "fields":
 [{"name": "PIN", "value": "4711"}]}'
"""
ONE_PASSWORD = """#!/bin/sh
[ "$1" = read ] || exit 1
case "$2" in
*attribute=otp) echo x >> "$0.asked"; wc -l < "$0.asked" | sed 's/^ *//; s/^/12345/' ;;
op://Private/Bank/password) echo 'pa ss' ;;
*) echo "[ERROR] \\"$2\\" isn't an item" >&2; exit 1 ;;
esac
"""


@pytest.fixture
def vaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins for the vaults' own command lines, which need an account."""
    for name, text in {"bw": BITWARDEN % SEED, "op": ONE_PASSWORD}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


@pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")
@pytest.mark.usefixtures("vaults")
def test_vaults_are_asked_by_their_own_command_lines() -> None:
    found = having(
        A="bitwarden:Bank/password", B="bitwarden:Bank/PIN", C="op://Private/Bank/password",
        D="bitwarden:Bank/totp", E="op://Private/Bank/one-time password?attribute=otp",
    )  # fmt: skip
    assert (found["A"], found["B"], found["C"]) == ("pa ss", "4711", "pa ss")
    assert len(found["D"].make_code()) == 6  # type: ignore[attr-defined]
    assert found["E"].make_code() == "123452"  # type: ignore[attr-defined]


@pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")
@pytest.mark.usefixtures("vaults")
@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("bitwarden:Bank/CVV", "Bank of Bitwarden has no CVV; it has: username, password, totp, PIN"),
        ("bitwarden:Shop/password", "bw says: Not found."),
        ("op://Private/Shop/password", "isn't an item; install"),
        ("totp:env:WORDS", "its source is no key for one-time codes; give the key"),
    ],
)
def test_what_a_vault_does_not_have_is_told(source: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDS", "correct horse 189")
    with pytest.raises(ConfigError, match=re.escape(says)) as error:
        having(A=source)
    assert "horse" not in str(error.value)


def test_a_vault_that_is_not_installed_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigError, match="bw is not installed; install Bitwarden's command line"):
        having(A="bitwarden:Bank/password")
