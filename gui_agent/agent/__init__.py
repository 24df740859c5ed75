"""The loop and its parts: planning, grounding, guarding, acting, checking, without vendor or device code."""

from typing import Any

from gui_agent.doors import find_name, names_of

_HOMES = {
    "answers": "as_type fields_of is_optional misfit read_schema record",
    "executor": "MOST_CANDIDATES",
    "grounder": "AliasGrounder ScreenGrounder",
    "grounder.candidates": "options suitability",
    "grounder.nearness": "NO_PAGE",
    "guard": "Grants LEDGER PolicyGuard TerminalApprover at_terminal load",
    "guard.asking": "Answer AnswersQuestions AnyApprover Question QuestionPictures kept_name",
    "guard.hosts": "host_of is_host_pattern netloc_of origin_fits",
    "guard.kept_answers": "ANSWERS KeptAnswers",
    "guard.ledger": "IRREVERSIBLE LedgerKeeper",
    "guard.meaning": "HARMLESS classify",
    "guard.policy": "Policy careful parse",
    "guard.shell": "destroys",
    "guard.vocabulary": "MEANINGS",
    "limits": "Limits RunControl action_key identity in_use limited_time notify",
    "loop": "Agent",
    "person": "Listens obstacle",
    "pictures": "number_boxes",
    "questions": "new_dialog unanswered_send",
    "run_effects": "aimed_at",
    "secret_filter": "SecretFilter",
}
"""The names that other rooms and extensions use, by the module that defines them."""

__all__ = names_of(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    return find_name(__name__, _HOMES, name)
