"""Deciding, judging and verifying with a language model."""

from gui_agent.planners.llm.planner import ModelPlanner
from gui_agent.planners.llm.reflector import ModelReflector
from gui_agent.planners.llm.subgoals import SubgoalPlanner
from gui_agent.planners.llm.verifier import ModelVerifier

__all__ = ["ModelPlanner", "ModelReflector", "ModelVerifier", "SubgoalPlanner"]
