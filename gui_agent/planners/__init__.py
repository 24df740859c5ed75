"""Planners decide what to do next, from plain commands, demonstrations or a language model."""

from typing import Any

from gui_agent.doors import find_name, names_of

_HOMES = {
    "cascade": "CascadePlanner InstructedPlanner NullComputer NullPlanner RewordedPlanner",
    "commands": "Command PlainPlanner Unparsed bare_names commands_for_wish is_everyday parse parse_task say",
    "commands.commands": "Do Read Verify",
    "commands.lexer": "Token Unclosed tokenize",
    "commands.looseness": "in_quotes",
    "commands.read_values": "Value content_of read_value",
    "commands.unparse": "quote",
    "demonstration": "DemonstrationPlanner",
    "llm": "AnswerForm ModelPlanner ModelVerifier Relay",
    "llm.asking": "PointingGrounder",
    "llm.choosing": "choose_run",
    "llm.conversation": "Style converse",
    "llm.decision_schema": "DECIDE decide_tool",
    "llm.planner": "LOOK READ SKILL from_function",
    "llm.rendering": "CLOSE OPEN fence history_text render screen_text step_line",
    "llm.replies": "Memo decision memo",
    "llm.skill_calls": "Begin CallableSkill SkillPlanner tools",
    "scoring": "ScoringPlanner typed_texts",
}
"""The names that other rooms and extensions use, by the module that defines them."""

__all__ = names_of(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    return find_name(__name__, _HOMES, name)
