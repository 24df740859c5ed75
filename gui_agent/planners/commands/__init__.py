"""The built-in planner for plain commands, such as `type "Ada" into "Name", click "Send"`."""

from gui_agent.planners.commands.commands import Command, Invoke, Unparsed
from gui_agent.planners.commands.parser import bare_names, parse
from gui_agent.planners.commands.planner import PlainPlanner
from gui_agent.planners.commands.unparse import say

__all__ = ["Command", "Invoke", "PlainPlanner", "Unparsed", "bare_names", "parse", "say"]
