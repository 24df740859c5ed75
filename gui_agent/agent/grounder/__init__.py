"""Finds the element that a planner means by a point, a mark or words."""

from gui_agent.agent.grounder._aliases import AliasGrounder
from gui_agent.agent.grounder.screen import ScreenGrounder

__all__ = ["AliasGrounder", "ScreenGrounder"]
