"""The embedded planner for plain commands, such as `type "Ada" into "Name", click "Send"`."""

from gui_agent.agent.plain.bare import bare_names
from gui_agent.agent.plain.commands import Command, Unparsed
from gui_agent.agent.plain.grammar import parse
from gui_agent.agent.plain.phrasing import say
from gui_agent.agent.plain.planner import PlainPlanner

__all__ = ["Command", "PlainPlanner", "Unparsed", "bare_names", "parse", "say"]
