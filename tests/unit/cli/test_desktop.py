"""`guiagent desktop` and the countdown of a run on the person's screen, without any display."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gui_agent.cli import live_view as live
from gui_agent.computers.virtual import private
from gui_agent.core.errors import ActionFailed

Called = tuple[int, str, str]
Guiagent = Callable[..., Called]


def test_a_first_program_that_is_not_known_is_a_wrong_argument_and_leaves_no_desktop(
    guiagent: Guiagent, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Launcher:
        def __init__(self, _running: object) -> None: ...

        def launch(self, name: str) -> None:
            raise ActionFailed(f'no program or file is called "{name}"')

    stopped: list[str] = []
    monkeypatch.setattr(private, "start", lambda *_: None)
    monkeypatch.setattr(private, "stop", stopped.append)
    monkeypatch.setattr(private, "KeptLauncher", Launcher)
    code, _, err = guiagent("desktop", "start", "work", "--open", "mousepda")
    assert (code, stopped) == (2, ["work"])
    assert err == 'guiagent: --open mousepda: no program or file is called "mousepda"\n'


@pytest.mark.parametrize(("display", "counted"), [("", False), (":7", True)])
def test_without_a_screen_nobody_is_told_to_let_go_of_the_mouse(
    guiagent: Guiagent, monkeypatch: pytest.MonkeyPatch, display: str, counted: bool
) -> None:
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setenv("WAYLAND_DISPLAY", "")
    monkeypatch.setattr(live.sys, "platform", "linux")
    _, _, err = guiagent("run", "think of something nice", "--on", "desktop", "--countdown", "0")
    assert ("hands off" in err) is counted
