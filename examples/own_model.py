"""A language model of your own: rules in place of a service.

    PYTHONPATH=examples guiagent run "please go on" --url examples/contact.html \
        --model own_model:Rules --planner model
"""

from __future__ import annotations

import re

from gui_agent.core.dialogue import Asked, Call, Reply, Request, Traits


class Rules:
    """Clicks the first listed button, then says that the task is done; it reads only the text."""

    name = "rules"
    traits = Traits()

    def complete(self, request: Request) -> Reply:
        """Answer by a call of the tool that the planner offers."""
        asked = [turn for turn in request.turns if isinstance(turn, Asked)]
        told = "\n".join(part for turn in asked for part in turn.parts if isinstance(part, str))
        button = re.search(r"^\W*(\d+)\W+button\b", told, re.MULTILINE)
        first = not any(isinstance(turn, Reply) for turn in request.turns)
        arguments: dict[str, object] = {"end": {"kind": "finish", "answer": "clicked"}}
        if first and button is not None:
            arguments = {"actions": [{"action": {"kind": "click", "at": {"mark": int(button[1])}}}]}
        return Reply(calls=(Call("1", request.tools[0].name, arguments),), stop="calls")
