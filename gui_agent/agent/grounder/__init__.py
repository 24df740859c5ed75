"""Finding on the screen what a planner means: from a point, a mark or words to one element."""

from gui_agent.agent.grounder.aliases import AliasGrounder
from gui_agent.agent.grounder.screen import ScreenGrounder

__all__ = ["AliasGrounder", "ScreenGrounder"]
