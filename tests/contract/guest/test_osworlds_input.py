"""Input over OSWorld's own protocol, which needs a Python with the library that its server uses."""

from __future__ import annotations

import os

import pytest
from guiagent_platforms.remote.client import GuestClient
from guiagent_platforms.remote.computer import osworld_desktop
from private import until
from serving import TOKEN, served

from gui_agent.core.actions import TypeText
from gui_agent.core.protocols import Computer
from gui_agent.settings import evaluator_folder
from gui_agent.testing import check_computer


def test_osworlds_protocol_keeps_every_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = evaluator_folder() / "venv" / "bin"
    if not (folder / "python").exists():
        pytest.skip("no isolated environment: guiagent eval osworld --setup-evaluators")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    with served("--allow-execute") as client:

        def make() -> Computer:
            return osworld_desktop(GuestClient(client.address, TOKEN))

        with make() as desktop:
            until(lambda: desktop.observe(picture=False).controls, "the editor")
            desktop.perform(TypeText("a<b; ${HOME} 'x' \"y\""))
            desktop.settle()
            assert any(one.value == "a<b; ${HOME} 'x' \"y\"" for one in desktop.observe().elements)
        check_computer(make)
