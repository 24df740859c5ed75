"""Turns settings into objects: the only place that knows which parts make up an agent."""

from typing import Any

from gui_agent.doors import find_name, names_of
from gui_agent.wiring.learned import explain, learn, run_skill
from gui_agent.wiring.observers import make_recorder
from gui_agent.wiring.parts import build, make_computer, make_grounder, make_guard, make_planner, make_writer
from gui_agent.wiring.routing import Route, has_model, load_known, route, stages
from gui_agent.wiring.running import run

_HOMES = {
    "_aliases": "remember_aliases",
    "_best_of": "run_best",
    "learned": "is_command",
    "models": "ModelParts make_models need_models prices",
    "observers": "AnnouncingApprover announce",
    "parts": "Ask known_secrets prepared_computer private_data",
    "routing": "default_model",
    "running": "Part",
    "secrets": "given_secrets",
}
"""The names that other rooms and extensions use, by the module that defines them."""

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
__all__ += names_of(_HOMES)  # noqa: PLE0605 - the table above is no literal


def __getattr__(name: str) -> Any:
    return find_name(__name__, _HOMES, name)
