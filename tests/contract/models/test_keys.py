"""Keys and what else the environment holds never leave for a host that they are not meant for."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from gui_agent.core.errors import ConfigError, MissingKey
from gui_agent.models import RemoteModel, open_model
from tests.contract.models.conftest import Answer, Service, asking, text_answer

LEAKS = {
    "OPENAI_API_KEY": "sk-leak-1",
    "OPENAI_ADMIN_KEY": "sk-leak-2",
    "OPENAI_ORG_ID": "leak-org",
    "OPENAI_PROJECT_ID": "leak-project",
    "OPENAI_CUSTOM_HEADERS": "x-leak: 1",
    "OPENAI_BASE_URL": "http://leak.invalid/v1",
    "ANTHROPIC_API_KEY": "sk-leak-3",
    "ANTHROPIC_AUTH_TOKEN": "leak-token",
    "ANTHROPIC_CUSTOM_HEADERS": "x-leak: 1",
    "ANTHROPIC_BASE_URL": "http://leak.invalid",
}


@pytest.mark.parametrize("wire", ["responses", "chat", "messages"])
def test_nothing_of_the_environment_goes_to_a_server_of_ones_own(
    opened: Callable[..., RemoteModel], service: Service, wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in LEAKS.items():
        monkeypatch.setenv(name, value)
    service.script = [Answer(text_answer(wire, "hello"))]
    opened("some-model", wire).complete(asking())
    (asked,) = service.asked
    assert "leak" not in json.dumps(asked.headers).lower()
    assert "leak" not in json.dumps(asked.body).lower()


@pytest.mark.parametrize("wire", ["responses", "chat", "messages"])
def test_the_key_of_ones_own_server_is_sent_to_it(
    opened: Callable[..., RemoteModel], service: Service, wire: str
) -> None:
    service.script = [Answer(text_answer(wire, "hello"))]
    model = opened("some-model", wire, key_variable="MY_KEY", key={"MY_KEY": "my-secret"}.__getitem__)
    model.complete(asking())
    assert "my-secret" in service.asked[0].headers["authorization"]


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"])
def test_a_providers_key_is_refused_for_another_host(variable: str) -> None:
    with pytest.raises(ConfigError, match="never sent to evil"):
        open_model("http://evil.example/v1#gpt-5.4", key=str, key_variable=variable)


def test_a_missing_key_is_named() -> None:
    def missing(variable: str) -> str:
        raise MissingKey(f"{variable} is not set")

    with pytest.raises(MissingKey, match="ANTHROPIC_API_KEY"):
        open_model("anthropic/claude-sonnet-5-5", key=missing)


def test_a_redirect_is_not_followed(opened: Callable[..., RemoteModel], service: Service) -> None:
    service.script = [Answer({}, 307, {"location": "http://127.0.0.1:9/v1/chat/completions"})]
    from gui_agent.core.errors import ModelUnavailable

    with pytest.raises(ModelUnavailable, match="307"):
        opened("some-model").complete(asking())
    assert len(service.asked) == 1
