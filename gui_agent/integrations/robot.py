"""A library for Robot Framework: `Library    gui_agent.integrations.robot.GuiAgent`."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path
from typing import Any, Literal

from robot.api import logger
from robot.api.deco import keyword, library
from robot.api.types import Secret

from gui_agent.api.screen import LiveScreen
from gui_agent.core.errors import ConfigError, GuiAgentError
from gui_agent.core.trajectory import Result
from gui_agent.elements.describe import printable

CLOSED = "no screen is open; begin with: Open Screen"
Kind = Literal["browser", "virtual", "desktop", "android"]


@library(scope="SUITE", doc_format="ROBOT", auto_keywords=False)
class GuiAgent:
    """Works on screens with plain commands; verifies each step, and guesses nothing.

    | *** Settings ***
    | Library    gui_agent.integrations.robot.GuiAgent
    |
    | *** Test Cases ***
    | An Order Is Taken
    |     Open Screen    https://example.org/orders
    |     Act            type "Ada" into "Name", choose "Canada" in "Country", click "Next"
    |     Check          "Total" is "EUR 12.50"
    |     ${total} =     Read    Total

    A failed step reports what was there instead, with a picture in the log. Actions that the guard asks about
    (sending, paying, deleting) are refused, unless the library is imported with ``yes=True``; forbidden
    actions are always refused.
    """

    def __init__(self, yes: bool = False) -> None:
        """``yes`` answers the questions of the guard with yes."""
        self._yes = yes
        self._owner: LiveScreen | None = None
        """The object that opened the computer, and closes it."""
        self._screen: LiveScreen | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._secrets: dict[str, str] = {}

    @keyword
    def open_screen(self, where: str = "", on: Kind = "browser", headed: bool = False) -> None:
        """Opens a screen at an address (browser) or with a program (desktops); closes an open one."""
        self.close_screen()
        options: dict[str, Any] = {"headless": False} if headed else {}
        table = {"kind": on, "options": options}
        self._owner = self._screen = self._live_screen(table)
        self._folder = tempfile.TemporaryDirectory(prefix="guiagent-robot-")
        if where:
            self._do(lambda screen: screen.open(where))

    @keyword
    def close_screen(self) -> None:
        """Closes the screen; does nothing when none is open."""
        if self._owner is not None and self._folder is not None:
            self._owner.close()
            self._folder.cleanup()
        self._owner = self._screen = self._folder = None
        self._secrets = {}

    @keyword
    def act(self, commands: str, answer: str = "") -> None:
        """Carries out plain commands, such as ``type "Ada" into "Name", click "Next"``.

        ``answer`` answers the question that is asked where a command may mean several things, such as ``2``.
        """
        self._do(lambda screen: screen.act(commands), answer=answer)

    @keyword
    def read(self, what: str) -> str:
        """Returns a value by its label, such as ``Total`` or ``"Price" in the row of "Tea"``."""
        value: str = self._do(lambda screen: screen.read(what))
        return value

    @keyword
    def read_table(self, what: str = "") -> list[dict[str, str]]:
        """Returns the rows of a table as dictionaries; ``what`` is its heading or one of its columns."""
        return [dict(row) for row in self._do(lambda screen: screen.table(what))]

    @keyword
    def check(self, statement: str) -> None:
        """Fails unless a condition holds, such as ``"Total" is "42"`` or ``Thank you``, if need be later."""
        self._do(lambda screen: screen.check(statement))

    @keyword
    def type_secret(self, value: Secret, into: str) -> None:
        """Types a secret into a field; logs, reports and pictures contain only a reference, also later."""
        if self._owner is None or self._folder is None:
            raise ConfigError(CLOSED)
        name = f"ROBOT{len(self._secrets) + 1}"
        path = Path(self._folder.name) / name  # only this user can access the folder
        path.write_text(value.value, encoding="utf-8")
        self._secrets[name] = f"file:{path}"
        # The keyword Type Secret permits this one password, and nothing else.
        self._screen = self._live_screen(self._owner.computer, guard={"grants": ["password"]})
        try:
            self._do(lambda screen: screen.act(f'type "${{secret:{name}}}" into "{{into}}"', into=into))
        finally:
            self._screen = self._live_screen(self._owner.computer)

    @keyword
    def run_task(self, task: str, answer: str = "", **values: str) -> str:
        """Does a whole task, or a skill by its name with values; gives its answer.

        ``answer`` answers the question that is asked where a step may mean several things, such as ``2``.
        """
        done: Result = self._do(lambda screen: screen.run(task, **values), answer=answer)
        return done.answer

    @keyword
    def take_picture(self) -> None:
        """Puts a picture of the screen into the log."""
        self._do(_log_picture)

    def _live_screen(self, computer: Any, **given: Any) -> LiveScreen:
        if self._secrets:
            given["secrets"] = self._secrets
        return LiveScreen(computer, yes=self._yes, **given)

    def _do(self, step: Any, answer: str = "") -> Any:
        if self._screen is None or self._owner is None:
            raise ConfigError(CLOSED)
        left = [answer] if answer else []
        asked = self._live_screen(self._owner.computer, ask=lambda _: left.pop() if left else None)
        try:
            return step(asked if answer else self._screen)
        except GuiAgentError as error:
            _log_picture(self._screen)
            raise AssertionError(printable(str(error))) from error


def _log_picture(screen: LiveScreen) -> None:
    from gui_agent.agent.secret_filter import SecretFilter
    from gui_agent.core.redaction import Redactor
    from gui_agent.wiring.parts import known_secrets

    known = known_secrets(screen.settings, screen.options["private"])
    try:
        shot = SecretFilter(screen.computer, Redactor(known), known).observe().screenshot
    except GuiAgentError as error:
        logger.warn(f"no picture could be taken: {error}")
        return
    if shot is not None:
        data = base64.b64encode(shot.data).decode()
        logger.info(f'<img src="data:{shot.media_type};base64,{data}" style="max-width: 100%">', html=True)
