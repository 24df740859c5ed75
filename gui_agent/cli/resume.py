"""`guiagent resume`: continues a stored run, with only those of its settings that are safe.

The folder may come from another person. Code, executables, arguments, profiles, addresses to attach to,
model servers, keys and guard rules are the user's choice: given now, or confirmed by a yes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from gui_agent.cli.options import (
    answer_option,
    headed_option,
    json_option,
    login_option,
    model_options,
    quiet_option,
    screen_option,
    secret_option,
    settings_options,
    yes_option,
)
from gui_agent.core.errors import ConfigError
from gui_agent.core.texts import shorten

if TYPE_CHECKING:
    from gui_agent import plugins
    from gui_agent.settings import Settings

EPILOG = """\
\b
Examples:
  guiagent resume last
  guiagent resume last --answer 2        answer the question with which the run ended
  guiagent resume 20261120-1530-order --max-cost 1.00 --max-steps 80
"""


@click.command(epilog=EPILOG, short_help="Resume an interrupted run.")
@click.argument("run", default="last")
@screen_option
@headed_option
@yes_option
@answer_option
@json_option
@quiet_option
@click.option("--max-steps", type=int, metavar="N", help="Stop after N actions, including earlier ones.")
@click.option("--max-seconds", type=float, metavar="S", help="Stop after S seconds from now.")
@model_options
@secret_option
@login_option
@settings_options
def resume(run: str, yes: bool, answers: tuple[str, ...], as_json: bool, quiet: bool, **rest: Any) -> int:
    """Resume RUN: a folder, the beginning of its name, or last.

    The screen is opened where the run stopped and compared with how the run left it. Steps that are
    still valid count; lost work, such as an unsent form, is done again; if that would send something a second
    time, the run ends as not done. Sending the same again needs a separate approval. The run keeps
    its kind of screen, planner and provider's model, unless others are given, and gets new limits. Settings
    that could run a program, send a key away or change the guard's rules (computer.options.executable, a
    model server, a policy ...) are never taken from the folder: you are asked, or give them again. The new
    part is stored in a new folder.
    """
    from gui_agent import wiring
    from gui_agent.agent.guard import LEDGER
    from gui_agent.cli.questions import attending
    from gui_agent.cli.run import resolve
    from gui_agent.cli.runs import find_run, kept_in
    from gui_agent.trace import read_run, result_json

    own, values = resolve(**rest)
    stored = read_run(find_run(run, kept_in(own)))

    def now(usual: Mapping[str, Any]) -> Settings:
        found: Settings = resolve(**rest, usual=usual)[0]
        return found

    settings = resumed_settings(stored.folder.name, stored.meta.settings, now, ask=asker())
    before = stored.trajectory
    if before.ending and before.ending.kind == "done":
        raise ConfigError(f"{stored.folder.name} is done; there is nothing to resume")
    with attending(quiet=quiet, answers=answers, start=before.task.start) as (_, attended):
        result = wiring.run(
            before.task,
            values=values,
            settings=settings,
            yes=yes,
            begun=before,
            ledger=stored.folder / LEDGER,
            **attended,
        )
    if as_json:
        click.echo(result_json(result))
    return result.exit_code


Keys = tuple[str, ...]
"""A setting by its sections and name."""
Resolve = Callable[[Mapping[str, Any]], "Settings"]
"""The user's settings, with these sections where the user has set nothing."""
KEPT = ("computer", "planner", "grounder", "model", "guard")
_SCREEN = frozenset(
    (
        *("headless", "size", "scale", "zoom", "locale", "timezone", "cap", "picture_format", "reading"),
        *("observe", "navigation_timeout", "settle_grace", "settle_quiet", "settle_cap", "settle_timers"),
    )
)
"""Harmless options of the built-in screens: sizes, times and appearance."""
_MODEL = frozenset(
    (
        *("batch", "pictures", "marks", "native", "verifier", "skills"),
        *("wire", "family"),
    )
)
_LIMITS = frozenset({"max_cost", "max_tokens"})
"""Of models: they apply if they are stricter than the user's own."""
_LEFT = _LIMITS | {"replay"}
"""Dropped silently if it does not apply."""
_PLANNERS = ("auto", "model", "random", "blind")
_OPTIONS: Mapping[Keys, str] = {
    ("computer", "kind"): "--on",
    ("computer", "options", "login"): "--profile",
    ("model", "name"): "--model",
    ("model", "grounder"): "--grounder",
    ("planner", "kind"): "--planner",
}
"""The option that sets a setting on the command line, if it is not --set."""


def resumed_settings(
    run: str,
    stored: Mapping[str, Any],
    resolve: Resolve,
    *,
    sections: Sequence[str] = KEPT,
    ask: Callable[[str], bool] | None = None,
    options: Mapping[Keys, str] = _OPTIONS,
) -> Settings:
    """The settings for continuing a stored run; `ask` asks the user about those named."""
    from gui_agent.settings import Settings

    own, usual = resolve({}).model_dump(mode="json"), Settings().model_dump(mode="json")
    leaves = dict(_leaves(stored, sections))
    plain = {path: value for path, value in leaves.items() if _gives_no_power(path, value, own)}
    settings = resolve(_as_tables(plain))
    if settings.computer.kind != _value(stored, ("computer", "kind")):  # whose options differ
        leaves = {path: value for path, value in leaves.items() if path[:2] != ("computer", "options")}
        plain = {path: value for path, value in plain.items() if path in leaves}
        settings = resolve(_as_tables(plain))
    decided = settings.model_dump(mode="json")

    def is_open(path: Keys, value: Any) -> bool:
        if path in plain or path[-1] in _LEFT or value in (_value(usual, path), _value(decided, path)):
            return False
        # Settings from files or options given now take precedence.
        return _is_as_given_now(resolve, path, value)

    open_ = {path: value for path, value in leaves.items() if is_open(path, value)}
    if not open_:
        return settings
    confirm(run, [(".".join(path), value, options.get(path, "")) for path, value in open_.items()], ask)
    return resolve(_as_tables({**plain, **open_}))


def confirm(
    run: str, chosen: Sequence[tuple[str, Any, str]], ask: Callable[[str], bool] | None = None
) -> None:
    """Ask the user about settings that a stored run may not choose: names, values, and their options."""
    from gui_agent.elements.describe import printable

    told = ", ".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value, _ in chosen)
    told = shorten(printable(told), 600)
    if ask and ask(f"{run} was started with {told}. Continue with that?"):
        return
    again = ", ".join(dict.fromkeys(option or f"--set {printable(name)}=..." for name, _, option in chosen))
    raise ConfigError(
        f"{run} was started with {told}; a stored run may not set this; give it explicitly: {again}"
    )


def asker() -> Callable[[str], bool] | None:
    """Asks the user at the terminal; None without a terminal."""
    from gui_agent.agent.guard import at_terminal

    if not at_terminal():
        return None
    return lambda question: click.confirm(question, default=False, err=True)


def built_in(group: plugins.Group) -> frozenset[str]:
    """The names of the built-in parts of a kind."""
    from gui_agent import plugins

    known = plugins.installed_parts(group).items()
    return frozenset(name for name, point in known if point.module.partition(".")[0] in plugins.OWN)


def _gives_no_power(path: Keys, value: Any, own: Mapping[str, Any]) -> bool:
    match path:
        case ("computer", "kind"):
            return value in built_in("computers")
        case ("planner", "kind"):
            return value in (*_PLANNERS, *built_in("planners"))
        case ("grounder", "kind"):
            return value in built_in("grounders")
        case ("computer", "options", option):
            return option in _SCREEN
        case ("model", "name" | "grounder" | "cheaper" | "fallback"):
            return isinstance(value, str) and "://" not in value  # a provider's own address
        case ("model", limit) if limit in _LIMITS:
            return isinstance(value, int | float) and value > 0 and not 0 < _value(own, path) <= value
        case ("model", key):
            return key in _MODEL
        case ("limits", _):
            return True
    return False


def _is_as_given_now(resolve: Resolve, path: Keys, value: Any) -> bool:
    try:
        return bool(_value(resolve(_as_tables({path: value})).model_dump(mode="json"), path) == value)
    except ConfigError:
        return True


def _leaves(stored: Mapping[str, Any], sections: Sequence[str]) -> Iterator[tuple[Keys, Any]]:
    """Single settings by their path; those of `options` and `extra` individually, without hidden values."""
    from gui_agent.core.redaction import HIDDEN

    for section in sections:
        table = stored.get(section, {})
        if not isinstance(table, Mapping):
            raise ConfigError(f"damaged settings: {section} is not a table; start the run again")
        for key, value in table.items():
            inner = value.items() if isinstance(value, Mapping) else ()
            entries = (
                [((section, key, one), held) for one, held in inner] if inner else [((section, key), value)]
            )
            for path, held in entries:
                # An earlier permission applied to that run only.
                if held != HIDDEN and (section != "guard" or key == "policy"):
                    yield path, held


def _as_tables(leaves: Mapping[Keys, Any]) -> dict[str, Any]:
    tables: dict[str, Any] = {}
    for path, value in leaves.items():
        table = tables
        for name in path[:-1]:
            table = table.setdefault(name, {})
        table[path[-1]] = value
    return tables


def _value(tables: Any, path: Keys) -> Any:
    for name in path:
        tables = tables.get(name) if isinstance(tables, Mapping) else None
    return tables
