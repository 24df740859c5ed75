"""Secrets from where the settings say: the environment, the keyring, files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from gui_agent.core.errors import ConfigError, MissingExtra, MissingKey
from gui_agent.core.observation import Place
from gui_agent.core.os_errors import user_path, why
from gui_agent.core.redaction import SECRET_NAMED
from gui_agent.settings import Settings, api_key, secrets

WAYS = "env:VARIABLE, keyring:SERVICE/USER or file:PATH"


class BoundSecret(str):
    """A secret that is typed nowhere but on some hosts or in some programs."""

    only: tuple[str, ...]

    def __new__(cls, value: str, only: tuple[str, ...] = ()) -> BoundSecret:
        """Args: only: hosts (`*.example.org` for those below it) or programs; empty means anywhere."""
        made = super().__new__(cls, value)
        made.only = only
        return made

    def refusal(self, place: Place) -> str:
        """Why it is not typed at a place; empty when it may be."""
        here = (urlsplit(place.url).hostname or "" if place.url else place.app).casefold()
        if not self.only or any(_belongs(here, one.strip().casefold()) for one in self.only):
            return ""
        return f"is typed at {' or '.join(self.only)} only; this is {here or 'unknown'}"


def _belongs(here: str, pattern: str) -> bool:
    return here == pattern or (pattern.startswith("*.") and f".{here}".endswith(pattern[1:]))


def all_secrets(settings: Settings) -> dict[str, str]:
    """The secrets that a run may refer to, by name: of the environment, and those that the settings name."""
    found = secrets()
    for named, source in settings.secrets.items():
        name, _, only = named.partition("@")
        if not SECRET_NAMED.fullmatch(name):
            raise ConfigError("the name of a secret may contain letters, digits and _, such as MAIL_PASSWORD")
        found[name] = BoundSecret(_value(name, source), tuple(only.split(",")) if only else ())
    return found


def given(options: Iterable[str]) -> Mapping[str, str]:
    """What `--secret` gave, as settings."""
    sources = {}
    for option in options:
        name, equals, source = option.partition("=")
        if not equals:
            raise ConfigError(f"--secret: write it as NAME=SOURCE or NAME@HOST=SOURCE, SOURCE being {WAYS}")
        sources[name.strip()] = source.strip()
    return sources


def _value(name: str, source: str) -> str:
    way, _, where = source.partition(":")
    if way == "env" and where:
        value = _from_variable(name, where)
    elif way == "keyring" and where:
        value = _from_keyring(name, where)
    elif way == "file" and where:
        value = _from_file(name, user_path(where))
    else:
        # What is no source may be the secret itself, which is not repeated.
        raise ConfigError(f"secret {name}: give its source as {WAYS}, never the secret itself")
    if not value:
        raise ConfigError(f"secret {name}: {way}:{where} is empty")
    return value


def _from_variable(name: str, variable: str) -> str:
    try:
        return api_key(variable)
    except MissingKey as error:
        raise MissingKey(f"secret {name}: {error}") from error


def _from_file(name: str, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"secret {name}: cannot read {path}: {why(error)}") from error


def _from_keyring(name: str, where: str) -> str:
    service, _, user = where.rpartition("/")
    if not service or not user:
        raise ConfigError(f"secret {name}: write keyring:SERVICE/USER")
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError as error:
        raise MissingExtra("keyring", f"the secret {name}") from error
    try:
        value = keyring.get_password(service, user)
    except KeyringError as error:
        raise ConfigError(f"secret {name}: cannot open the keyring: {error}") from error
    if value is None:
        raise ConfigError(f"secret {name}: the keyring has no password of {user} for {service}")
    return str(value)
