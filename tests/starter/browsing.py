"""Everyday settings of a browser."""

from __future__ import annotations

import json
from pathlib import Path

from tests.end_to_end.desktop.effects import Effect
from tests.starter.work import Work

BROWSER = ("chromium",)
PAGE = 'open Chromium; type "chrome://settings/{page}" into "Address and search bar"; press Enter; '


def prefers(place: str, value: object) -> Effect:
    """The browser has kept a setting."""

    def effect(home: Path) -> object:
        held = json.loads((home / ".config/chromium/Default/Preferences").read_text())
        for key in place.split("."):
            held = held[key]
        return held == value

    return effect


def _set(name: str, task: str, page: str, commands: str, effect: Effect) -> Work:
    """A setting without a value."""
    said = PAGE.format(page=page) + commands + "; close the window"
    return Work(name, task, said, ({},), {}, lambda _: effect, BROWSER)


BROWSING = (
    Work(
        "set-home-page",
        "Set the home page of the browser to {site}",
        PAGE.format(page="appearance")
        + 'switch on "Show home button"; type "{site}" into "Enter custom web address"; press Tab; '
        "close the window",
        ({"site": "example.org"}, {"site": "news.example.com"}),
        {"site": "library.example.net"},
        lambda v: prefers("homepage", f"http://{v['site']}/"),
        BROWSER,
    ),
    _set(
        "open-last-pages",
        "Let the browser begin with the pages that were open last",
        "onStartup",
        'click "Continue where you left off"',
        prefers("session.restore_on_startup", 1),
    ),
)
