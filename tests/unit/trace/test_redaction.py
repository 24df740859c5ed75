"""Secrets in settings."""

from __future__ import annotations

from gui_agent.core.redaction import HIDDEN
from gui_agent.trace.writer import without_secrets


def test_settings_named_like_secrets_are_hidden_and_others_are_not() -> None:
    settings = {
        "model": {
            "api_key": "sk",
            "max_tokens": 5,
            "name": "m",
            "token": "",
            "h": {"Authorization": "x"},
        },
        "secrets": {"PIN": "1"},
        "list": [{"password": "p"}, "plain"],
    }
    assert without_secrets(settings) == {
        "model": {
            "api_key": HIDDEN,
            "max_tokens": 5,
            "name": "m",
            "token": "",
            "h": {"Authorization": HIDDEN},
        },
        "secrets": HIDDEN,
        "list": [{"password": HIDDEN}, "plain"],
    }
