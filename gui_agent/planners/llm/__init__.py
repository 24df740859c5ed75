"""Deciding, judging and verifying with a language model."""

from gui_agent.planners.llm.asking import ModelVerifier
from gui_agent.planners.llm.planner import AnswerForm, ModelPlanner, Relay

__all__ = ["AnswerForm", "ModelPlanner", "ModelVerifier", "Relay"]
