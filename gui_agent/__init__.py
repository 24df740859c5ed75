"""Does tasks on a screen: `from gui_agent import Browser, run` (see docs/python.md)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gui_agent import skills as skills
    from gui_agent.agent.grounder import ScreenGrounder as ScreenGrounder
    from gui_agent.agent.guard import PolicyGuard as PolicyGuard
    from gui_agent.agent.limits import Limits as Limits
    from gui_agent.agent.limits import RunControl as RunControl
    from gui_agent.agent.loop import Agent as Agent
    from gui_agent.api.async_screen import AsyncBrowser as AsyncBrowser
    from gui_agent.api.async_screen import AsyncDesktop as AsyncDesktop
    from gui_agent.api.async_screen import AsyncPhone as AsyncPhone
    from gui_agent.api.async_screen import arun as arun
    from gui_agent.api.async_screen import stream as stream
    from gui_agent.api.long_tables import TableRow as TableRow
    from gui_agent.api.row_list import run_list as run_list
    from gui_agent.api.screen import Browser as Browser
    from gui_agent.api.screen import Desktop as Desktop
    from gui_agent.api.screen import LiveScreen as LiveScreen
    from gui_agent.api.screen import Phone as Phone
    from gui_agent.api.screen import from_page as from_page
    from gui_agent.api.tools import OwnTool as OwnTool
    from gui_agent.api.tools import tool as tool
    from gui_agent.computers.browser.computer import BrowserComputer as BrowserComputer
    from gui_agent.core import actions as actions
    from gui_agent.core.errors import Ambiguous as Ambiguous
    from gui_agent.core.errors import CheckFailed as CheckFailed
    from gui_agent.core.errors import ConfigError as ConfigError
    from gui_agent.core.errors import Forbidden as Forbidden
    from gui_agent.core.errors import GuiAgentError as GuiAgentError
    from gui_agent.core.errors import LimitReached as LimitReached
    from gui_agent.core.errors import NotDone as NotDone
    from gui_agent.core.errors import NotFound as NotFound
    from gui_agent.core.errors import NotUnderstood as NotUnderstood
    from gui_agent.core.errors import Stopped as Stopped
    from gui_agent.core.errors import Unavailable as Unavailable
    from gui_agent.core.observation import Mark as Mark
    from gui_agent.core.observation import Observation as Observation
    from gui_agent.core.observation import Words as Words
    from gui_agent.core.protocols import Situation as Situation
    from gui_agent.core.trajectory import Decision as Decision
    from gui_agent.core.trajectory import Finish as Finish
    from gui_agent.core.trajectory import Planned as Planned
    from gui_agent.core.trajectory import Result as Result
    from gui_agent.core.trajectory import Step as Step
    from gui_agent.core.trajectory import Task as Task
    from gui_agent.core.trajectory import Trajectory as Trajectory
    from gui_agent.planners.commands import PlainPlanner as PlainPlanner
    from gui_agent.planners.commands.read_values import Value as Value
    from gui_agent.procedures.library.memory import Memory as Memory
    from gui_agent.settings import Settings as Settings
    from gui_agent.trace import write_report as write_report
    from gui_agent.wiring import build as build
    from gui_agent.wiring import learn as learn
    from gui_agent.wiring import run as run

_NAMES = {
    "gui_agent": "skills",
    "gui_agent.agent.grounder": "ScreenGrounder",
    "gui_agent.agent.guard": "PolicyGuard",
    "gui_agent.agent.limits": "Limits RunControl",
    "gui_agent.agent.loop": "Agent",
    "gui_agent.api.async_screen": "AsyncBrowser AsyncDesktop AsyncPhone arun stream",
    "gui_agent.api.row_list": "run_list",
    "gui_agent.api.screen": "Browser Desktop LiveScreen Phone from_page",
    "gui_agent.api.long_tables": "TableRow",
    "gui_agent.api.tools": "OwnTool tool",
    "gui_agent.computers.browser.computer": "BrowserComputer",
    "gui_agent.core": "actions",
    "gui_agent.core.errors": "Ambiguous CheckFailed ConfigError Forbidden GuiAgentError LimitReached NotDone"
    " NotFound NotUnderstood Stopped Unavailable",
    "gui_agent.core.protocols": "Situation",
    "gui_agent.core.observation": "Mark Observation Words",
    "gui_agent.core.trajectory": "Decision Finish Planned Result Step Task Trajectory",
    "gui_agent.planners.commands": "PlainPlanner",
    "gui_agent.planners.commands.read_values": "Value",
    "gui_agent.procedures.library.memory": "Memory",
    "gui_agent.settings": "Settings",
    "gui_agent.trace": "write_report",
    "gui_agent.wiring": "build learn run",
}
_HOME = {name: home for home, names in _NAMES.items() for name in names.split()}
"""The module of each public name; imported at first use, so that importing the package costs nothing."""

__all__ = sorted(_HOME)  # noqa: PLE0605 - the type checkers read the imports above


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("guiagent")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(_HOME[name])
    value = import_module(f"{_HOME[name]}.{name}") if name in ("actions", "skills") else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
