"""What the agent has learned: stored demonstrations and the procedures induced from them."""

from typing import Any

from gui_agent.doors import find_name, names_of

_HOMES = {
    "exports.dialects": "DIALECTS file_name",
    "exports.script": "WrittenScript script_of",
    "importers.files": "SCRIPTS instruction_file read_recording",
    "importers.imported": (
        "DemonstrationDraft Failed Imported Incomplete NEEDLESS Remark Unsupported in_place_of "
        "is_secret missing_values refuse_variable secret_name typed_values with_search_texts"
    ),
    "induction.copying": "texts_in_doubt",
    "induction.learn": "learn",
    "induction.loops": "Range",
    "induction.priors": "CERTAIN",
    "induction.steps": "ObservedEffect Unexplained explain",
    "language.constructs": "AttributeConstruct Costed Domain LoopConstruct Reading ValueConstruct use",
    "language.evaluate": "Scope fits has_word value_of",
    "language.forms": "number_in parse_date",
    "language.program": (
        "Aim Applied Attribute Captioned Const Count DoStep Expected Guided HasRole Item Joined Note "
        "Program Rank ReadText Remember Selector Slot Step Test Value With address data_of nodes"
    ),
    "language.template": "commands fit own_words right_type tokens",
    "language.view": "View text_of",
    "language.wording": "describe phrase sentences sources step_in_words value_in_words",
    "library.evidence": "is_new_work joining keep_run shown_runs take_note",
    "library.learning": "Learned prepare promote",
    "library.memory": "ANSWER CORRECTION Memory PROPOSAL Procedure given_procedures open_memory",
    "library.recognise": "Recognition among recognise",
    "library.store": "load_demonstration load_program save_demonstration",
    "recognition.choose": "FittingProgram NoProgram NotYet Undecided choose",
    "recognition.nearest": "nearest_wordings",
    "recordings.from_run": "from_trajectory postconditions unshown volatile",
    "runtime.history": "OWN bookmark_of cursor_after cursor_after_takeover last_of_own",
    "runtime.lint": "weak_steps",
    "runtime.machine": "Bookmark Cursor rest_in_words",
    "runtime.recovery": "next_page next_try previous_page",
    "runtime.run": "Ask BETTER_SUPPORTED Run decision end",
    "runtime.verification": "CheckedStep verify",
}
"""The names that other rooms and extensions use, by the module that defines them."""

__all__ = names_of(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    return find_name(__name__, _HOMES, name)
