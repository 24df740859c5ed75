"""The guard: judges every action before it is sent to the device."""

from gui_agent.agent.guard._guard import PolicyGuard, at_terminal
from gui_agent.agent.guard.asking import Answer, AnswersQuestions, Grant, Grants, Question, TerminalApprover
from gui_agent.agent.guard.ledger import LEDGER, KeepsLedger, Ledger
from gui_agent.agent.guard.meaning import classify
from gui_agent.agent.guard.policy import Policy, PolicyRule, careful, load, parse
from gui_agent.agent.guard.vocabulary import MEANINGS, ActionMeaning

__all__ = [
    "LEDGER",
    "MEANINGS",
    "ActionMeaning",
    "Answer",
    "AnswersQuestions",
    "Grant",
    "Grants",
    "KeepsLedger",
    "Ledger",
    "Policy",
    "PolicyGuard",
    "PolicyRule",
    "Question",
    "TerminalApprover",
    "at_terminal",
    "careful",
    "classify",
    "load",
    "parse",
]
