"""Puts questions to the user while a run is shown in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gui_agent.agent.guard.terminal import TerminalApprover

if TYPE_CHECKING:
    from gui_agent.agent.guard.guard import Answer, Question
    from gui_agent.core.actions import Action
    from gui_agent.core.observation import Observation
    from gui_agent.trace import LiveView


class Person:
    """The person at the terminal; the live view holds its status line still while they are asked."""

    def __init__(self, view: LiveView) -> None:
        self._view = view
        self._terminal = TerminalApprover()

    def approve(self, question: str, action: Action, observation: Observation) -> bool:
        """Answer a plain yes or no of the guard."""
        self._view.close()
        return self._terminal.approve(question, action, observation)

    def answer(self, question: Question, observation: Observation) -> Answer:
        """Answer a question of the guard: once, always or no."""
        self._view.close()
        return self._terminal.answer(question, observation)

    def ask(self, question: str) -> str | None:
        """Answer a question of the planner; None when nothing was said."""
        self._view.close()
        said: str = click.prompt(question, err=True, default="", show_default=False)
        return said.strip() or None
