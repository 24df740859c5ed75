"""Tools that a page declares for agents (WebMCP), offered to models under the guard.

All that is said of them, and what they answer, is text from outside. So a call is judged like the press of an
unknown control, and what the page sends meanwhile as the requests of such a press.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from gui_agent.agent.answers import read_schema
from gui_agent.core.dialogue import GuardedTool, Tool
from gui_agent.core.errors import ActionFailed, ConfigError
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Guard, JudgesCalls, OffersTools
from gui_agent.core.redaction import Redactor
from gui_agent.core.texts import shorten


def page_tools(computer: object, guard: Guard, secrets: Redactor, screen: Observation) -> list[GuardedTool]:
    """The tools of the page in front; none if the computer or the guard does not serve them."""
    made: list[GuardedTool] = []
    if isinstance(computer, OffersTools) and isinstance(guard, JudgesCalls):
        with suppress(ActionFailed):
            for told in secrets.value(computer.page_tools()):
                with suppress(ConfigError):  # its schema is none
                    made.append(_guarded_tool(told, computer, guard, screen))
    return made


def _guarded_tool(
    told: Mapping[str, str], computer: OffersTools, guard: JudgesCalls, screen: Observation
) -> GuardedTool:
    name, schema = told["name"], json.loads(read_schema(told["schema"], told["name"]))

    def run(arguments: Mapping[str, Any]) -> str:
        try:
            guard.check_call(f"the page's tool {name} with {shorten(str(arguments))}", screen)
            return computer.call_page_tool(told, arguments, guard.check_requests)
        finally:
            guard.end_step()

    about = f"A tool of the page in front, which says of it: {told['description']}"
    return GuardedTool(Tool(f"tool_of_page_{name}", about, schema), run)
