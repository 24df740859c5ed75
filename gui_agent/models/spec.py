"""Parses the address of a model: `openai/gpt-...`, `anthropic/claude-...`, `http://host/v1#Name`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from gui_agent.core.errors import ConfigError

Wire = Literal["responses", "chat", "messages"]


@dataclass(frozen=True, slots=True)
class Provider:
    """A service with its own address, its wire formats and its key variable."""

    url: str
    """Its address; or the environment variable of the resource's address, to which the v1 path is added."""
    wire: Wire
    key: str
    """The environment variable of its key; empty if it needs none."""


PROVIDERS: dict[str, Provider] = {
    "openai": Provider("https://api.openai.com/v1", "responses", "OPENAI_API_KEY"),
    "anthropic": Provider("https://api.anthropic.com", "messages", "ANTHROPIC_API_KEY"),
    "openrouter": Provider("https://openrouter.ai/api/v1", "chat", "OPENROUTER_API_KEY"),
    "ollama": Provider("http://localhost:11434/v1", "chat", ""),
    "gemini": Provider("https://generativelanguage.googleapis.com/v1beta/openai", "chat", "GEMINI_API_KEY"),
    "azure": Provider("AZURE_OPENAI_ENDPOINT", "chat", "AZURE_OPENAI_API_KEY"),
}
SIGNED = ("bedrock", "vertex", "vertex_ai")
"""Services that take signatures or short-lived tokens instead of a key."""
HELP = (
    "write openai/MODEL, anthropic/MODEL, gemini/MODEL, azure/DEPLOYMENT, or the address of a server such as "
    "http://localhost:8000/v1#MODEL"
)


@dataclass(frozen=True, slots=True)
class Spec:
    """A model, its server and its wire format."""

    text: str
    model: str
    url: str
    wire: Wire
    key: str = ""

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc or self.url

    @property
    def home(self) -> bool:
        """Whether this is OpenAI's or Anthropic's own service."""
        return self.url in (PROVIDERS["openai"].url, PROVIDERS["anthropic"].url)


def parse(text: str, *, wire: Wire | None = None, key: str = "") -> Spec:
    """Parse a model's address."""
    text = text.strip()
    if text.startswith(("http://", "https://")):
        return _server_spec(text, wire or "chat", key)
    name, slash, model = text.partition("/")
    if name in SIGNED:
        raise ConfigError(
            f"{name} takes no key but a signature; use the model through openrouter/MODEL, or run a proxy "
            "that speaks Chat Completions, such as LiteLLM, and give its address: http://localhost:4000/v1#MODEL"
        )
    if not slash or not model or name not in PROVIDERS:
        raise ConfigError(f'"{text}" is not a model; {HELP}')
    known = PROVIDERS[name]
    if (wire or known.wire) != known.wire and "messages" in (wire, known.wire):
        raise ConfigError(f"{name} does not speak {wire}; leave the wire out")
    return Spec(text, model, known.url, wire or known.wire, key or known.key)


def _server_spec(text: str, wire: Wire, key: str) -> Spec:
    address, mark, model = text.partition("#")
    parts = urlsplit(address)
    if not parts.hostname or not mark or not model:
        raise ConfigError(f'"{text}" names no model; {HELP}')
    if parts.username or parts.password or parts.query:
        raise ConfigError(f"{parts.hostname}: give the key by the name of a variable, not in the address")
    owner = next((name for name, known in PROVIDERS.items() if known.key and known.key == key), "")
    own_host = urlsplit(PROVIDERS[owner].url).hostname if owner else parts.hostname
    if own_host != parts.hostname or (owner and parts.scheme != "https"):
        raise ConfigError(
            f"{key} is never sent to {parts.hostname}; put that server's key in another variable"
        )
    address = address.rstrip("/")
    # The SDK for that wire adds /v1 by itself, while most server addresses include it.
    return Spec(text, model, address.removesuffix("/v1") if wire == "messages" else address, wire, key)
