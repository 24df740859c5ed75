"""All settings as one tree of frozen sections (`sections`), and the only place that reads the environment.

Later sources win: built-in defaults, the person's own file, files given with `-c`, single `--set` values.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from gui_agent import sections
from gui_agent.content import content, own_file
from gui_agent.core.errors import ConfigError, MissingKey
from gui_agent.core.os_errors import user_path
from gui_agent.core.parsing import parse_toml, read_toml
from gui_agent.core.texts import nearest, suggestion
from gui_agent.core.validation_errors import explain

SECRET_PREFIX = "GUIAGENT_SECRET_"


class Trace(sections.Section):
    """What is written about a run."""

    folder: sections.AtHome = Field(default_factory=lambda: str(state_folder("runs")))
    """Each run gets its own folder in this one; empty writes nothing."""
    keep: int = Field(default=200, ge=0)
    """How many of the newest runs stay in the person's own folder; 0 keeps all. Other folders are never
    cleaned.
    """
    pictures: bool | Literal["auto"] = "auto"
    """Keep a picture of every step; auto: fields filled in together share one, unless a model decides."""
    requests: bool = False
    """Keep each question to a model and its answer, without secrets."""
    spans: bool = False
    """Send OpenTelemetry a span for each run, step and model call."""


class Settings(sections.Section):
    """All settings."""

    computer: sections.ComputerSettings = sections.ComputerSettings()
    planner: sections.PlannerSettings = sections.PlannerSettings()
    grounder: sections.GrounderSettings = sections.GrounderSettings()
    model: sections.ModelSettings = sections.ModelSettings()
    guard: sections.GuardSettings = sections.GuardSettings()
    tools: sections.ToolSettings = sections.ToolSettings()
    limits: sections.LimitSettings = sections.LimitSettings()
    outcome: sections.OutcomeSettings = sections.OutcomeSettings()
    trace: Trace = Field(default_factory=Trace)
    memory: sections.MemorySettings = sections.MemorySettings()
    privacy: sections.PrivacySettings = sections.PrivacySettings()
    secrets: Mapping[str, str] = Field(default_factory=dict)
    """Sources of secrets, by NAME or NAME@HOST: env:VAR, keyring:SERVICE/USER, file:PATH,
    bitwarden:ITEM/FIELD, op://VAULT/ITEM/FIELD, totp: before one of them, or imap: for a code by mail.
    """


def screen_kind(computer: sections.ComputerSettings) -> str:
    """Kind of screen. On Wayland, `desktop` means the whole session."""
    own = computer.kind == "desktop" and sys.platform == "linux" and "display" not in computer.options
    return "wayland" if own and wayland() else computer.kind


def memory_file(memory: sections.MemorySettings) -> Path:
    """The file of the memory, which may not exist yet."""
    return user_path(memory.path) if memory.path else own_file("data", "memory.db")


def user_file(name: str = "config.toml") -> Path:
    """A file of the person's own: settings, or rules of the guard (`guard.toml`); used if it exists."""
    return own_file("config", name)


def state_folder(name: str) -> Path:
    """A folder of the person's own for files that runs leave behind."""
    return own_file("state", name)


def load(
    files: Iterable[str | Path] = (),
    assignments: Iterable[str] = (),
    *,
    usual: Mapping[str, Any] | None = None,
) -> Settings:
    """Resolve the settings.

    Args:
        files: TOML files, or names of profiles in `configs/`; later ones win.
        assignments: `section.key=value`, the value written as in TOML; a bare word is a string.
        usual: sections that override the person's own file, but not files and assignments.
    """
    sources = [(str(own), read_toml(own))] if (own := user_file()).is_file() else []
    sources += [("the settings before", dict(usual))] if usual else []
    sources += [(str(path), read_toml(_settings_file(path))) for path in files]
    sources += [(f"--set {text}", parse_assignment(text)) for text in assignments]
    merged: dict[str, Any] = {}
    for source, table in sources:
        _validate(table, source)
        merged = _merge(merged, table)
    return _validate(merged, "settings")


def override(settings: Settings, tables: Mapping[str, Any]) -> Settings:
    """The settings with some values replaced, given as a nested mapping of sections."""
    return _validate(_merge(settings.model_dump(exclude_unset=True), tables), "settings")


def parse_assignment(text: str) -> dict[str, Any]:
    """`a.b=value` as a nested table; a value that is not TOML is taken as text."""
    key, equals, value = text.partition("=")
    parts = [part.strip() for part in key.split(".")]
    if not equals or not all(parts):
        raise ConfigError(f"--set {text}: write it as section.key=value, such as limits.steps=20")
    table: Any = _toml_value(value.strip())
    for part in reversed(parts):
        table = {part: table}
    return dict(table)


def is_assignment(text: str) -> bool:
    """Whether a `--set` text names a setting (`limits.steps=9`, even misspelled), not a task's value."""
    section, dot, _ = text.partition("=")[0].strip().partition(".")
    return bool(dot) and bool(nearest(section, Settings.model_fields, 0.75))


def secrets() -> dict[str, str]:
    """The secrets a task may refer to as `${secret:NAME}`, from variables `GUIAGENT_SECRET_NAME`."""
    named = (name for name in os.environ if name.startswith(SECRET_PREFIX) and name != SECRET_PREFIX)
    return {name.removeprefix(SECRET_PREFIX): os.environ[name] for name in named}


def api_key(variable: str) -> str:
    """The key of a model's service. Raises MissingKey: the variable is not set."""
    if not (key := os.environ.get(variable, "").strip()):
        raise MissingKey(f"{variable} is not set; export {variable}=... and try again")
    return key


def has_key(variable: str) -> bool:
    return bool(os.environ.get(variable, "").strip())


def is_automatic() -> bool:
    """Whether this runs in continuous integration, where no person sits even at a terminal."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def is_on_github() -> bool:
    """Whether a pipeline of GitHub runs this, which reads annotations in the output."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def login_shell() -> str:
    """The name of the person's shell; empty if the environment names none."""
    return Path(os.environ.get("SHELL", "")).name


def graphical() -> bool:
    """Whether there is a screen for windows."""
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def wayland() -> bool:
    """Whether this is a Wayland session, whose windows take no X11 input."""
    return bool(os.environ.get("WAYLAND_DISPLAY")) or os.environ.get("XDG_SESSION_TYPE") == "wayland"


def terminal_name() -> str:
    """The terminal program, or else its type, such as `iTerm.app` or `xterm-kitty`; empty where none says."""
    return os.environ.get("TERM_PROGRAM") or os.environ.get("TERM", "")


def session_bus() -> str:
    """The D-Bus session address of the person's programs; empty if there is none."""
    return os.environ.get("DBUS_SESSION_BUS_ADDRESS", "")


def _settings_file(path: str | Path) -> Path:
    shipped = content("configs") / f"{path}.toml"
    is_name = Path(path).parent == Path() and not Path(path).exists()
    return shipped if is_name and shipped.is_file() else Path(path)


def _toml_value(text: str) -> Any:
    try:
        table = parse_toml(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return table["value"] if table.keys() == {"value"} else text


def _merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        nested = isinstance(merged.get(key), Mapping) and isinstance(value, Mapping)
        merged[key] = _merge(merged[key], value) if nested else value
    return merged


def _validate(table: Mapping[str, Any], source: str) -> Settings:
    try:
        return Settings.model_validate(table)
    except ValidationError as error:
        raise ConfigError(f"{source}: {_advice(error) or explain(error)}") from error


def _advice(error: ValidationError) -> str:
    """Advice on an unknown key, or a value in place of a section; empty for other faults."""
    fault = error.errors(include_url=False)[0]
    if fault["type"] == "model_type" and len(fault["loc"]) == 1:
        return f"{fault['loc'][0]} is a table of settings; write [{fault['loc'][0]}] and its keys below it"
    if fault["type"] != "extra_forbidden":
        return ""
    *path, key = (str(part) for part in fault["loc"])
    section: type[BaseModel] = Settings
    for part in path:
        section = section.model_fields[part].annotation  # type: ignore[assignment]
    where = f" in [{'.'.join(path)}]" if path else ""
    return f'unknown key "{key}"{where}{suggestion(key, section.model_fields)}'


def guest_token() -> str:
    """The token that a guest's server requires; empty if none is set."""
    return os.environ.get("GUIAGENT_GUEST_TOKEN", "")


def evaluator_folder() -> Path:
    """The folder of the isolated environment for the evaluators of benchmarks."""
    return Path(os.environ.get("GUIAGENT_EVALUATORS") or own_file("cache", "evaluators"))
