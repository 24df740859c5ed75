"""Turns settings into objects: the only place that knows which parts make up an agent."""

from gui_agent.wiring.learned import explain, learn, run_skill
from gui_agent.wiring.observers import make_recorder
from gui_agent.wiring.parts import build, make_computer, make_grounder, make_guard, make_planner, make_writer
from gui_agent.wiring.routing import Route, has_model, load_known, route, stages
from gui_agent.wiring.running import run

__all__ = [
    "Route",
    "build",
    "explain",
    "has_model",
    "learn",
    "load_known",
    "make_computer",
    "make_grounder",
    "make_guard",
    "make_planner",
    "make_recorder",
    "make_writer",
    "route",
    "run",
    "run_skill",
    "stages",
]
