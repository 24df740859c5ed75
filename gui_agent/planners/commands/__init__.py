"""The built-in planner for plain commands, such as `type "Ada" into "Name", click "Send"`."""

from gui_agent.planners.commands.certainty import bare_names, is_everyday
from gui_agent.planners.commands.commands import Command, Unparsed
from gui_agent.planners.commands.parser import parse
from gui_agent.planners.commands.planner import PlainPlanner
from gui_agent.planners.commands.unparse import say

__all__ = ["Command", "PlainPlanner", "Unparsed", "bare_names", "is_everyday", "parse", "say"]
