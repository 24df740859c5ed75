"""The built-in planner for plain commands, such as `type "Ada" into "Name", click "Send"`."""

from gui_agent.planners.commands._offers import commands_for_wish
from gui_agent.planners.commands._planner import PlainPlanner
from gui_agent.planners.commands.commands import Command, Unparsed
from gui_agent.planners.commands.looseness import bare_names, in_quotes, is_everyday
from gui_agent.planners.commands.parser import parse, parse_task
from gui_agent.planners.commands.unparse import say

__all__ = [
    "Command",
    "PlainPlanner",
    "Unparsed",
    "bare_names",
    "commands_for_wish",
    "in_quotes",
    "is_everyday",
    "parse",
    "parse_task",
    "say",
]
