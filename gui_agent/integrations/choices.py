"""What a person may choose for one run: its screen, login and model, and what needs no question."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from gui_agent.core.errors import ConfigError
from gui_agent.integrations.logins import login_file, login_files
from gui_agent.plugins import find, installed_parts
from gui_agent.sections import ComputerSettings
from gui_agent.settings import Settings, graphical, override
from gui_agent.settings import secrets as secrets_set

SENDING = ("send", "submit")
"""The meanings that need no question in a run that may send."""
_ELSEWHERE = frozenset({"rdp", "remote", "vnc"})
"""Kinds that need an address, which only the owner's settings give."""


@dataclass(frozen=True, slots=True)
class ChoicesHere:
    """What can be chosen here now."""

    screens: Sequence[str]
    """The kinds of screens that can be opened, the usual one first."""
    profiles: Sequence[str]
    models: Sequence[str]
    secrets: Sequence[str]
    """The names of the secrets, without their values."""


def choices_here(settings: Settings) -> ChoicesHere:
    model, kind = settings.model, settings.computer.kind
    ready = [
        name for name in ("browser", "virtual", "desktop", "android") if name != kind and _is_ready(name)
    ]
    names = {name.partition("@")[0] for name in settings.secrets} | secrets_set().keys()
    models = filter(None, dict.fromkeys((model.name, model.cheaper, model.fallback, "none")))
    return ChoicesHere([kind, *ready], [file.stem for file in login_files()], [*models], sorted(names))


def _is_ready(kind: str) -> bool:
    try:
        find("computers", kind)
    except ConfigError:
        return False
    on_linux = sys.platform == "linux"
    if kind == "desktop":
        return graphical() or not on_linux
    if kind == "android":
        return shutil.which("adb") is not None
    if kind == "virtual" and on_linux:
        from gui_agent.computers.virtual.private import PACKAGES

        return all(map(shutil.which, PACKAGES))
    return kind == "browser"


def screen_settings(settings: Settings, kind: str) -> Settings:
    """The settings for another kind of screen; an empty kind or the same one changes nothing."""
    if kind in ("", settings.computer.kind):
        return settings
    known = sorted({*installed_parts("computers")} - _ELSEWHERE)
    if kind.partition(":")[0] not in known:
        raise ConfigError(f'there is no screen "{kind}"; choose one of {", ".join(known)}')
    return settings.model_copy(update={"computer": ComputerSettings(kind=kind)})


def chosen_settings(
    settings: Settings, *, on: str = "", profile: str = "", model: str = "", may_send: bool = False,
    yes: bool = False,
) -> Settings:  # fmt: skip
    """The settings with a person's choices for one run."""
    settings = screen_settings(settings, on)
    if profile and settings.computer.kind != "browser":
        kind = settings.computer.kind
        raise ConfigError(f"a login is for the browser, not for a {kind}; choose the browser, or no login")
    login = {"login": str(login_file(profile, existing=True))} if profile else {}
    grants = (*settings.guard.grants, *(SENDING if may_send else ()))
    return override(
        settings,
        {
            "computer": {"options": login},
            "model": {"name": model or settings.model.name},
            "guard": {"yes": yes or settings.guard.yes, "grants": grants},
        },
    )
