"""From the name of a model to its service, wire format and family."""

from __future__ import annotations

import pytest

from gui_agent.core.errors import ConfigError
from gui_agent.models.remote import describe_model


@pytest.mark.parametrize(
    ("text", "wire", "host", "family"),
    [
        ("openai/gpt-5.4", "responses", "api.openai.com", "openai-computer"),
        ("openai/gpt-6.1-sol", "responses", "api.openai.com", "openai-computer"),
        ("openai/gpt-5.4-nano", "responses", "api.openai.com", "openai"),
        ("openai/gpt-5.1", "responses", "api.openai.com", "openai"),
        ("anthropic/claude-sonnet-5-5", "messages", "api.anthropic.com", "claude"),
        ("anthropic/claude-opus-4-7", "messages", "api.anthropic.com", "claude-2025-11"),
        ("anthropic/claude-haiku-4-5-20251001", "messages", "api.anthropic.com", "claude-2025-01"),
        ("https://h/openai#gemini-3-pro", "chat", "h", "general"),
        ("gemini/gemini-3-pro", "chat", "generativelanguage.googleapis.com", "general"),
        ("azure/gpt-5.1-mine", "chat", "AZURE_OPENAI_ENDPOINT", "openai"),
        ("openrouter/qwen/qwen2.5-vl-72b-instruct", "chat", "openrouter.ai", "qwen2.5-vl"),
        ("http://localhost:8000/v1#Qwen/Qwen3-VL-8B-Instruct", "chat", "localhost:8000", "qwen3-vl"),
        ("http://h/v1#ByteDance-Seed/UI-TARS-1.5-7B", "chat", "h", "ui-tars-1.5"),
        ("http://h/v1#UI-TARS-72B-DPO", "chat", "h", "ui-tars-1.0"),
        ("http://h/v1#xlangai/OpenCUA-7B", "chat", "h", "opencua-code"),
        ("http://h/v1#GUI-Owl-1.5-8B", "chat", "h", "gui-owl-1.5"),
        ("http://h/v1#Holo1.5-7B", "chat", "h", "holo"),
        ("http://h/v1#whatever", "chat", "h", "general"),
    ],
)
def test_a_name_tells_how_a_model_is_spoken_to(text: str, wire: str, host: str, family: str) -> None:
    spec, row = describe_model(text)
    assert (spec.wire, spec.host, row.name) == (wire, host, family)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gpt-5.4", "openai/MODEL"),
        ("", "openai/MODEL"),
        ("acme/m", "openai/MODEL"),
        ("bedrock/claude", "openrouter/MODEL, or run a proxy"),
        ("vertex/gemini-3-pro", "openrouter/MODEL, or run a proxy"),
        ("http://localhost:8000/v1", "names no model"),
        ("http://user:secret@h/v1#m", "not in the address"),
    ],
)
def test_a_wrong_name_is_told_with_the_right_form(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        describe_model(text)
    assert "secret" not in str(caught.value)


def test_family_and_wire_can_be_given() -> None:
    spec, row = describe_model("http://h#mine", wire="messages", family="qwen2.5-vl")
    assert (spec.wire, row.name) == ("messages", "qwen2.5-vl")
    with pytest.raises(ConfigError, match="did you mean"):
        describe_model("http://h/v1#mine", family="qwen2-vl")
    with pytest.raises(ConfigError, match="does not speak"):
        describe_model("openai/gpt-5.4", wire="messages")


@pytest.mark.parametrize(
    ("name", "computer", "tools", "points"),
    [
        ("anthropic/claude-sonnet-5-5", True, True, False),
        ("openai/gpt-5.1", False, True, False),
        ("http://h/v1#claude-sonnet-5-5", False, True, False),
        ("http://h/v1#Qwen3-VL-8B", True, True, False),
        ("http://h/v1#UI-TARS-1.5-7B", True, False, False),
        ("http://h/v1#OpenCUA-7B", True, False, False),
        ("http://h/v1#GTA1-7B", False, False, True),
    ],
)
def test_a_name_tells_in_which_forms_a_model_can_act(
    name: str, computer: bool, tools: bool, points: bool
) -> None:
    spec, row = describe_model(name)
    can = row.traits(spec.wire)
    assert (can.computer, can.tools, can.only_points) == (computer, tools, points)
