"""Opens a model by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gui_agent.core.errors import ConfigError
from gui_agent.models import sdk
from gui_agent.models.cassette import Tape
from gui_agent.models.chat import Chat
from gui_agent.models.codec import Codec
from gui_agent.models.families import Family
from gui_agent.models.families import family as family_of
from gui_agent.models.messages import Messages
from gui_agent.models.remote import RemoteModel, RetryPolicy
from gui_agent.models.responses import Responses
from gui_agent.models.spec import Spec, Wire, parse
from gui_agent.models.transport import Transport

CODECS: Mapping[Wire, Callable[[], Codec]] = {"responses": Responses, "chat": Chat, "messages": Messages}


def open_model(
    text: str,
    *,
    key: Callable[[str], str],
    wire: Wire | None = None,
    family: str = "",
    key_variable: str = "",
    extra: Mapping[str, Any] | None = None,
    patience: RetryPolicy = RetryPolicy(),  # noqa: B008 - a frozen value
    tape: Tape | None = None,
) -> RemoteModel:
    """Open a model by its name; no connection is made yet.

    Args:
        text: `openai/gpt-...`, `anthropic/claude-...`, `openrouter/...`, `ollama/...`, or the
            address of an OpenAI-compatible server with the model's name, `http://host:8000/v1#Qwen3-VL-8B`.
        key: gives the value of an environment variable, or raises MissingKey; only `settings` reads it.
        wire: responses, chat or messages, when it is not the usual one.
        family: a row of the table of families, when the model's name does not tell it.
        key_variable: the variable with the key of a server of one's own; without it no key is sent there.
        extra: further keys of every request, such as `{"reasoning": {"effort": "low"}}`.
        tape: records all traffic, or plays it again and makes no connection.

    Raises:
        ConfigError: the name, the family or the wire is wrong, or a key would go to a foreign host.
        MissingKey: the provider's key is not set.
        MissingExtra: the provider's SDK is not installed.
    """
    spec, row = described(text, wire=wire, family=family, key_variable=key_variable)
    transport = tape.playing(spec.host) if tape is not None and tape.replays else _transport(spec, key)
    if tape is not None and not tape.replays:
        transport = tape.recording(transport, spec.host)
    return RemoteModel(spec, row, CODECS[spec.wire](), transport, patience=patience, extra=extra)


def described(
    text: str, *, wire: Wire | None = None, family: str = "", key_variable: str = ""
) -> tuple[Spec, Family]:
    """How a model would be spoken to: where it is, and its family with picture size and coordinates.

    Raises:
        ConfigError: the name, the family or the wire is wrong, or a key would go to a foreign host.
    """
    if wire is not None and wire not in CODECS:
        raise ConfigError(f'there is no wire format "{wire}"; use responses, chat or messages')
    spec = parse(text, wire=wire, key=key_variable)
    return spec, family_of(spec.model, family)


def _transport(spec: Spec, key: Callable[[str], str]) -> Transport:
    secret = key(spec.key) if spec.key else ""
    vendor = sdk.anthropic if spec.wire == "messages" else sdk.openai
    return sdk.SdkTransport(vendor, spec.url, secret)
