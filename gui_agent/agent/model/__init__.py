"""Deciding, judging and verifying with a language model."""

from gui_agent.agent.model.planner import ModelPlanner
from gui_agent.agent.model.reflecting import ModelReflector
from gui_agent.agent.model.subgoals import SubgoalPlanner
from gui_agent.agent.model.verifying import ModelVerifier

__all__ = ["ModelPlanner", "ModelReflector", "ModelVerifier", "SubgoalPlanner"]
