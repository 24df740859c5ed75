"""Does tasks on a screen: `from gui_agent import run, Agent, BrowserComputer`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gui_agent.agent.grounder import ScreenGrounder as ScreenGrounder
    from gui_agent.agent.guard import PolicyGuard as PolicyGuard
    from gui_agent.agent.limits import Limits as Limits
    from gui_agent.agent.loop import Agent as Agent
    from gui_agent.computers.browser.computer import BrowserComputer as BrowserComputer
    from gui_agent.core import actions as actions
    from gui_agent.core.errors import GuiAgentError as GuiAgentError
    from gui_agent.core.trajectory import Result as Result
    from gui_agent.core.trajectory import Step as Step
    from gui_agent.core.trajectory import Task as Task
    from gui_agent.core.trajectory import Trajectory as Trajectory
    from gui_agent.planners.commands import PlainPlanner as PlainPlanner
    from gui_agent.procedures.library.memory import Memory as Memory
    from gui_agent.settings import Settings as Settings
    from gui_agent.wiring import build as build
    from gui_agent.wiring import learn as learn
    from gui_agent.wiring import run as run
    from gui_agent.wiring import run_skill as run_skill

_HOME = {
    "Agent": "gui_agent.agent.loop",
    "BrowserComputer": "gui_agent.computers.browser.computer",
    "GuiAgentError": "gui_agent.core.errors",
    "Limits": "gui_agent.agent.limits",
    "Memory": "gui_agent.procedures.library.memory",
    "PlainPlanner": "gui_agent.planners.commands",
    "PolicyGuard": "gui_agent.agent.guard",
    "Result": "gui_agent.core.trajectory",
    "ScreenGrounder": "gui_agent.agent.grounder",
    "Settings": "gui_agent.settings",
    "Step": "gui_agent.core.trajectory",
    "Task": "gui_agent.core.trajectory",
    "Trajectory": "gui_agent.core.trajectory",
    "actions": "gui_agent.core",
    "build": "gui_agent.wiring",
    "learn": "gui_agent.wiring",
    "run": "gui_agent.wiring",
    "run_skill": "gui_agent.wiring",
}
"""Where each public name lives; imported at first use, so that importing the package costs nothing."""

__all__ = [
    "Agent",
    "BrowserComputer",
    "GuiAgentError",
    "Limits",
    "Memory",
    "PlainPlanner",
    "PolicyGuard",
    "Result",
    "ScreenGrounder",
    "Settings",
    "Step",
    "Task",
    "Trajectory",
    "actions",
    "build",
    "learn",
    "run",
    "run_skill",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(_HOME[name])
    value = import_module(f"{_HOME[name]}.{name}") if name == "actions" else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
