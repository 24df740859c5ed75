"""Options that several commands share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import user_path

if TYPE_CHECKING:
    from gui_agent.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])

PAGES = (".html", ".htm", ".xhtml")
"""File extensions of pages; no host name ends with one of these."""


screen_option = click.option("--on", "kind", metavar="COMPUTER", help="Screen to use; see guiagent doctor.")
headed_option = click.option("--headed", is_flag=True, help="Show the browser window.")
answer_option = click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="ANSWER",
    help="Answer the run's first question: a number, other words, a command, skip, show; again for the next.",
)
yes_option = click.option(
    "--yes", is_flag=True, help="Allow everything the guard asks about, in this run only."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON value.")
quiet_option = click.option("--quiet", is_flag=True, help="Print only the result, no live steps.")


def print_json(value: Any) -> None:
    """Print a value as JSON, for people and programs."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def given_address(_context: click.Context, _option: click.Parameter, value: str) -> str:
    """`whole_address` as the callback of an option."""
    return whole_address(value)


def whole_address(value: str) -> str:
    """The value of `--url`; the absolute path for an existing file, which works from any folder."""
    if not value or ":" in value:
        return value
    path = user_path(value)
    if path.is_file():
        return str(path.resolve())
    first, slash, _ = value.partition("/")
    local = not slash or first in ("", ".", "..", "~") or ("." not in first and first != "localhost")
    if local and path.suffix.lower() in PAGES:
        raise ConfigError(
            f"--url {value}: there is no such file; check the path, or write https:// for a site"
        )
    return value


def recorded_start(command: F) -> F:
    """`--url ADDRESS` for commands that repeat a recording, as `url`."""
    option = click.option(
        "--url",
        default="",
        metavar="ADDRESS",
        callback=given_address,
        help="Where to start, instead of the recorded address.",
    )
    return option(command)


@dataclass(frozen=True, slots=True)
class GivenSettings:
    """The settings given by a command's options."""

    config: tuple[str, ...] = ()
    assignments: tuple[str, ...] = ()
    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def load(self, *, usual: Mapping[str, Any] | None = None, **sections: Mapping[str, Any]) -> Settings:
        """The settings overridden by these sections; `usual` applies where nothing else is set."""
        both = {
            name: {**self.sections.get(name, {}), **sections.get(name, {})}
            for name in {**self.sections, **sections}
        }
        return load_settings(self.config, self.assignments, usual=usual, **both)


_SETTINGS = {
    "runs": ("trace", "folder"),
    "model": ("model", "name"),
    "pointing": ("model", "grounder"),
    "fallback": ("model", "fallback"),
    "max_cost": ("model", "max_cost"),
    "planner": ("planner", "kind"),
    "learned": ("memory", "learn"),
}
"""The setting of each option that several commands share, by its parameter."""


def settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`-c FILE`, `--set` and `--runs DIR`; passes these and the options of models as `given`."""

    @wraps(command)
    def with_settings(*args: Any, config: tuple[str, ...], assignments: tuple[str, ...], **rest: Any) -> Any:
        sections: dict[str, dict[str, Any]] = {}
        for name, (section, key) in _SETTINGS.items():
            if name in rest:
                sections.setdefault(section, {})[key] = rest.pop(name)
        return command(*args, given=GivenSettings(config, assignments, sections), **rest)

    for option in (
        click.option(
            "--runs", metavar="DIR", help="Folder that keeps the runs (default: your state folder)."
        ),
        click.option(
            "--set",
            "assignments",
            multiple=True,
            metavar="KEY=VALUE",
            help="A setting (limits.steps=20) or a value of the task (name=Ada); may be repeated.",
        ),
        click.option(
            "-c",
            "--config",
            multiple=True,
            metavar="FILE",
            help="Settings: a TOML file, or watch, quick; may be repeated.",
        ),
    ):
        with_settings = option(with_settings)
    return with_settings


def _setting_option(flag: str, assign: Callable[[Any], Iterable[str]], **named: Any) -> Callable[[F], F]:
    """An option whose value is passed on as more assignments to the settings."""
    name = flag.strip("-")

    def decorate(command: F) -> F:
        @click.option(flag, **named)
        @wraps(command)
        def with_settings(*args: Any, assignments: tuple[str, ...], **rest: Any) -> Any:
            given = rest.pop(name)
            return command(*args, assignments=(*assignments, *(assign(given) if given else ())), **rest)

        return cast(F, with_settings)

    return decorate


def _path_setting(key: str, path: Path) -> list[str]:
    return [f"computer.options.{key}={json.dumps(str(path.absolute()))}"]


ALLOWED = {"files": "tools.folders", "terminal": "tools.terminal"}
"""The setting that holds the folders of each thing that a person can allow a model beside the screen."""


def _allowed_folders(allowed: tuple[str, ...]) -> Iterator[str]:
    folders: dict[str, list[str]] = {}
    for given in allowed:
        name, _, folder = given.partition("=")
        if name not in ALLOWED or not folder:
            raise ConfigError(f"--allow {given}: write files=FOLDER or terminal=FOLDER")
        folders.setdefault(ALLOWED[name], []).append(folder)
    return (f"{key}={json.dumps(every)}" for key, every in folders.items())


def _login_setting(name: str) -> list[str]:
    from gui_agent.integrations.logins import login_file

    return _path_setting("login", login_file(name, existing=True))


login_option = _setting_option(
    "--profile",
    _login_setting,
    metavar="NAME",
    help="Use the login stored by guiagent login NAME.",
)
har_option = _setting_option(
    "--har",
    lambda file: _path_setting("har", Path(file)),
    metavar="FILE",
    help="Record the browser's network traffic there, as HAR.",
)
effect_option = _setting_option(
    "--effect",
    lambda effects: [f"outcome.effects={json.dumps(list(effects))}"],
    multiple=True,
    metavar="EFFECT",
    help="What has to be true outside the screen when the task is done: file PATH, sql FILE QUERY,"
    " http ADDRESS, mail HOST/USER?... or clipboard, then is TEXT or contains TEXT; may be repeated.",
)
allow_option = _setting_option(
    "--allow",
    _allowed_folders,
    multiple=True,
    metavar="NAME=FOLDER",
    help="Let a model read and write the files of a folder (files=DIR), or run commands there,"
    " in a sandbox without a network (terminal=DIR).",
)


def secret_option(command: F) -> F:
    """`--secret`, as `secret_sources`."""
    return click.option(
        "--secret",
        "secret_sources",
        multiple=True,
        metavar="NAME[@HOST]=SOURCE",
        help="A secret from env:VAR, keyring:SERVICE/USER, file:PATH, bitwarden:ITEM/FIELD or op://...;"
        " totp:SOURCE types its one-time code, imap:HOST/USER?from=...&password=SOURCE"
        " the one in a mail; with @HOST it is typed there only.",
    )(command)


def model_options(command: F) -> F:
    """`--model`, `--grounder`, `--fallback`, `--planner` and `--max-cost`, for `settings_options`."""
    for option in (
        click.option("--fallback", metavar="MODEL", help="The model to use if the first is unavailable."),
        click.option("--max-cost", type=float, metavar="USD", help="Stop when models have cost this much."),
        click.option(
            "--planner", metavar="KIND", help="Planner: auto, plain, demonstration, model, cascade."
        ),
    ):
        command = option(command)
    return model_names(command)


def model_names(command: F) -> F:
    """`--model` and `--grounder`, for `settings_options`."""
    for option in (
        click.option("--grounder", "pointing", metavar="MODEL", help="Model that locates unlisted elements."),
        click.option(
            "--model",
            metavar="MODEL",
            help="anthropic/NAME, openai/NAME, http://host:8000/v1#NAME, or none; default: by the key set.",
        ),
    ):
        command = option(command)
    return command


def load_settings(
    config: tuple[str, ...],
    assignments: tuple[str, ...] = (),
    *,
    usual: Mapping[str, Any] | None = None,
    **sections: Mapping[str, Any],
) -> Settings:
    """The settings of a command; an option that is None changes nothing."""
    from gui_agent.settings import load, override

    settings = load(config, assignments, usual=usual)
    for name, table in sections.items():
        given = {key: value for key, value in table.items() if value is not None}
        settings = override(settings, {name: given})
    return settings


def split_assignments(assignments: tuple[str, ...]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Split `--set` into assignments to settings, and values of the task by name."""
    from gui_agent.settings import is_assignment

    values = (text for text in assignments if not is_assignment(text))
    return tuple(filter(is_assignment, assignments)), dict(map(_named_value, values))


def _named_value(assignment: str) -> tuple[str, str]:
    from gui_agent.settings import Settings

    name, equals, value = assignment.partition("=")
    name = name.strip()
    if not equals or not name:
        raise ConfigError(f"--set {assignment}: write it as name=value or section.key=value")
    sections = [section.annotation for section in Settings.model_fields.values()]
    keys = set(chain.from_iterable(getattr(section, "model_fields", ()) for section in sections))
    if value.strip()[:1] in ("[", "{") or (name in keys and value.strip().isdecimal()):
        told = f'--set {assignment}: "{name}" is passed to the task as a value'
        click.echo(f"{told}; a setting is written with its section, as limits.steps=9", err=True)
    return name, value
