"""Reads secrets from the sources in the settings: environment, keyring, files, vaults, codes, mails."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from secrets import token_bytes
from time import sleep, time
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

from gui_agent.agent.guard.hosts import host_of, origin_fits
from gui_agent.content import own_file
from gui_agent.core.errors import ConfigError, MissingExtra, MissingKey
from gui_agent.core.observation import Place
from gui_agent.core.os_errors import file_errors, kept_bytes, user_path
from gui_agent.core.parsing import parse_json
from gui_agent.core.redaction import SECRET_NAMED
from gui_agent.settings import Settings, api_key, secrets

WAYS = (
    "env:VARIABLE, keyring:SERVICE/USER, file:PATH, bitwarden:ITEM/FIELD, op://VAULT/ITEM/FIELD,"
    " totp: before one of them for the code of an authenticator, or"
    " imap:HOST/USER?from=ADDRESS&password=SOURCE for a code sent by mail"
)
VAULT = 60.0
"""Seconds for a vault to answer; it may first ask the person for a fingerprint."""
FRESH = 3.0
"""Seconds for which a one-time code must still be valid when typed; otherwise the next one is awaited."""


class BoundSecret(str):
    """A secret that may be typed only on some hosts or in some programs, or that produces one-time codes."""

    only: tuple[str, ...]
    make_code: Callable[[], str] | None
    begin_step: Callable[[], None] | None
    """What a source of codes does before each step without its code, if anything."""
    codes: ClassVar[set[str]] = set()
    """The one-time codes that this process has made, which its network records must not show."""

    def __new__(
        cls, value: str, only: tuple[str, ...] = (), make_code: Callable[[], str] | None = None
    ) -> BoundSecret:
        """Make a secret.

        Args:
            only: hosts (`*.example.org` for its subdomains) or programs; empty means anywhere.
            make_code: returns the one-time code to type instead of the value.
        """
        made = super().__new__(cls, value)
        made.only, made.make_code = only, make_code and partial(made._note, make_code)
        made.begin_step = getattr(make_code, "begin_step", None)
        return made

    def _note(self, make_code: Callable[[], str]) -> str:
        self.codes.add(code := make_code())
        return code

    def refusal(self, place: Place) -> str:
        """Why it must not be typed at a place; empty if it may be."""
        here, places = (host_of(place.url) if place.url else place.app), [*map(str.strip, self.only)]
        fits = origin_fits(place.url, places) if place.url else here.casefold() in map(str.casefold, places)
        return (
            ""
            if fits or not places
            else f"is typed at {' or '.join(places)} only; this is {here or 'unknown'}"
        )


def all_secrets(settings: Settings) -> dict[str, str]:
    """The secrets that a run may refer to, by name: from the environment and from the settings."""
    found = secrets()
    for named, source in settings.secrets.items():
        name, _, only = named.partition("@")
        if not SECRET_NAMED.fullmatch(name):
            raise ConfigError("the name of a secret may contain letters, digits and _, such as MAIL_PASSWORD")
        value, make_code = read_source(name, source)
        found[name] = BoundSecret(value, tuple(only.split(",")) if only else (), make_code)
    return found


_KEY_BYTES = 32
"""Length of the installation's key."""


def installation_key() -> bytes:
    """Secret bytes of this person's installation, created at first use.

    Raises:
        ConfigError: they cannot be stored or read.
    """
    path = own_file("data", "private.key")
    with file_errors(f"privacy.patterns: cannot keep a key in {path}"):
        key = kept_bytes(path, token_bytes(_KEY_BYTES))
    if len(key) != _KEY_BYTES:
        raise ConfigError(
            f"{path} is damaged; remove it; procedures with personal data must then be learned again"
        )
    return key


def given_secrets(options: Iterable[str]) -> Mapping[str, str]:
    """The secrets given by `--secret`, as settings."""
    sources = {}
    for option in options:
        name, equals, source = option.partition("=")
        if not equals:
            raise ConfigError(f"--secret: write it as NAME=SOURCE or NAME@HOST=SOURCE, SOURCE being {WAYS}")
        sources[name.strip()] = source.strip()
    return sources


def read_source(name: str, source: str) -> tuple[str, Callable[[], str] | None]:
    """The value from a source, and a function for the current one-time code if that is typed instead."""
    way, _, where = source.partition(":")
    if way == "totp" and where:
        seed, make_code = read_source(name, where)
        return seed, make_code or _authenticator(name, seed)
    if way == "imap" and where:
        from gui_agent.wiring._mail_codes import MailCodes

        codes = MailCodes(name, where, partial(read_source, name))
        return codes.password, codes
    if way == "op" and where.startswith("//"):
        value = _output_of(name, "op", "read", source)
        code = source.endswith("attribute=otp")
        return value, (lambda: _output_of(name, "op", "read", source)) if code else None
    if way == "bitwarden" and "/" in where:
        item, _, field = where.rpartition("/")
        value = _bitwarden_field(name, item, field)
        return value, _authenticator(name, value) if field == "totp" else None
    return _value(name, way, where), None


def _value(name: str, way: str, where: str) -> str:
    reader = {"env": _from_variable, "keyring": _from_keyring, "file": _from_file}.get(way)
    if reader is None or not where:
        # An unknown source may be the secret itself, so it is not repeated.
        raise ConfigError(f"secret {name}: give its source as {WAYS}, never the secret itself")
    if not (value := reader(name, where)):
        raise ConfigError(f"secret {name}: {way}:{where} is empty")
    return value


def _authenticator(name: str, seed: str) -> Callable[[], str]:
    try:
        import pyotp
    except ImportError as error:
        raise MissingExtra("otp", f"the one-time code {name}") from error

    class Codes(pyotp.TOTP):
        min_secret_length_bits = 1  # the site chooses the length of its key; many use 80 bits

    told = dict(parse_qsl(urlsplit(seed).query)) if seed.startswith("otpauth://totp/") else {"secret": seed}
    try:
        codes = Codes(
            "".join(told["secret"].split()),
            digits=int(told.get("digits", 6)),
            digest=getattr(hashlib, told.get("algorithm", "sha1").lower()),
            interval=int(told.get("period", 30)),
        )
        codes.now()
    except (AttributeError, KeyError, ValueError) as error:
        raise ConfigError(
            f"secret {name}: its source is no key for one-time codes; give the key that the site shows"
            " beside its QR code (letters A to Z and digits 2 to 7), or its otpauth:// address"
        ) from error

    def make_code() -> str:
        left = codes.interval - time() % codes.interval
        if left < FRESH:
            sleep(left)
        return str(codes.now())

    return make_code


def _bitwarden_field(name: str, item: str, field: str) -> str:
    held: Any = parse_json(_output_of(name, "bw", "get", "item", item))
    login = held.get("login") or {}
    own = {one["name"]: one["value"] for one in held.get("fields") or ()}
    value = own.get(field) or login.get(field)
    if not value:
        there = ", ".join([*(key for key in ("username", "password", "totp") if login.get(key)), *own])
        raise ConfigError(f"secret {name}: {item} of Bitwarden has no {field}; it has: {there or 'nothing'}")
    return str(value)


VAULTS = {
    "bw": "install Bitwarden's command line (bw), then: bw login; export BW_SESSION=$(bw unlock --raw)",
    "op": "install 1Password's command line (op), then: op signin",
}
"""What to do if a vault's tool does not answer, by tool."""


def _output_of(name: str, tool: str, *words: str) -> str:
    """The output of a vault's command line, which asks the person itself if it has to."""
    path = shutil.which(tool)
    if path is None:
        raise ConfigError(f"secret {name}: {tool} is not installed; {VAULTS[tool]}")
    try:
        done = subprocess.run(
            [path, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=VAULT,
            check=False,
        )
    except (OSError, UnicodeDecodeError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"secret {name}: {tool} did not answer; {VAULTS[tool]}") from error
    if done.returncode or not done.stdout.strip():
        said = (done.stderr.strip().splitlines() or ["it gave nothing"])[-1]
        raise ConfigError(f"secret {name}: {tool} says: {said}; {VAULTS[tool]}")
    return done.stdout.rstrip("\r\n")


def _from_variable(name: str, variable: str) -> str:
    try:
        return api_key(variable)
    except MissingKey as error:
        raise MissingKey(f"secret {name}: {error}") from error


def _from_file(name: str, where: str) -> str:
    path = user_path(where)
    with file_errors(f"secret {name}: cannot read {path}"):
        return path.read_text(encoding="utf-8").rstrip("\r\n")


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
