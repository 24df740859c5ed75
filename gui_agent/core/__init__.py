"""The shared vocabulary: plain values and protocols, without I/O or vendor code."""

from typing import Any

from gui_agent.doors import find_name, names_of

_HOMES = {
    "actions": (
        "ALL Action AnyAction Back Button Check Choose Click Close Drag Hold LongPress Move "
        "Navigate Open PHONES Pinch Press Proposal Recorded Rotate Scroll Select Swipe Switch TypeText "
        "Upload Wait"
    ),
    "aiming": "aim demand_once input_of limit_violation places sets_field_value sole",
    "binding": "SLOT named_in slots_named with_values",
    "clarification": (
        "Alias AnswersLater AskPerson Choice Clarification DID DONE KnownAliases ONCE Offer Resolution SHOW "
        "SKIP STOP Wordings alias_key application_of resolutions"
    ),
    "codec": "decode encode plain",
    "conditions": (
        "Condition FileExists Shown StateIs TextGone TextShown TitleIs UrlIs ValueIs decompress holds "
        "text_on words_in"
    ),
    "deadline": "turns",
    "dialogue": (
        "Asked Call GuardedTool Model Part Purpose Reply Request Results Stop Tool ToolResult "
        "Traits Turn Usage close pictures"
    ),
    "errors": (
        "ActionFailed Ambiguous BadReply BenchmarkError BudgetSpent CheckFailed ComputerLost "
        "ConfigError ExitCode Forbidden GuiAgentError LimitReached MissingExtra MissingKey "
        "ModelUnavailable NotDone NotFound NotUnderstood Stale StepFailed Stopped Unavailable"
    ),
    "keys": "ACTING ALIASES COPYING MODIFIERS NAMED PHONE_KEYS RELOADING canonical chord modifiers web_name",
    "observation": (
        "BY_KIND Box EYES Effects Element Fingerprint Form Mark NOTHING NOWHERE Observation PAGES "
        "Place Point Relation STRICT Screenshot Size Strict TEXT Target Words is_part_of "
        "is_part_of_any on_one_line share_columns window_at"
    ),
    "os_errors": (
        "demand_files file_errors kept_bytes private private_folder real_folders real_path replace_file "
        "save_file take_back user_path why"
    ),
    "parsing": "TOO_DEEP expression_fault is_too_deep parse_json parse_toml read_toml toml_table",
    "private_data": "KnownSecrets PrivateData passes_luhn private_slots",
    "protocols": (
        "Approver capabilities Closing Computer Exemplar ExemplarSource Grounder Guard HoldsRequests "
        "is_program JudgesCalls JudgesMeanings JudgesOpenings JudgesRequests KeepsAnswers Observer "
        "OffersTools Opening Opens Outgoing OutsideEffects Planner PlannerCapabilities READING "
        "ReadsAll ReadsClipboard Recorder RecordsRequests Reflector Settled Situation SOCKET Verdict Verifier"
    ),
    "redaction": "HIDDEN REFERENCE Redactor SECRET_NAME SECRET_NAMED public_variables reference",
    "spellings": "PIECE",
    "texts": (
        "ELLIPSES ORDINALS equal_runs inverse is_titled label nearest normal number shorten suggestion table "
        "without_spaces"
    ),
    "trajectory": (
        "ALIAS Ask Baton Decision DemoStep Demonstration EVENTS End Ending EndingKind Finish "
        "Found GiveUp Outcome OutcomeKind Output PERSON Planned Result Screen Step Task ToolUse "
        "Trajectory bookmark found_element unwrap"
    ),
    "validation_errors": "explain",
}
"""The names that other rooms and extensions use, by the module that defines them."""

__all__ = names_of(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    return find_name(__name__, _HOMES, name)
