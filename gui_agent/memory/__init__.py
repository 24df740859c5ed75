"""The exemplar memory: stores verified runs in one file, and finds those similar to a task."""

from typing import Any

from gui_agent.doors import find_name, names_of

_HOMES = {
    "aliases": "AliasStore",
    "embedding": "EmbeddingKey HashedWords MODEL choose",
    "entry": "Entry Gates UNTRUSTED family_of is_failing now reason_not_to_keep screen_text",
    "exchange": "export_jsonl import_jsonl rescue",
    "exemplars": (
        "ALIKE COMMANDING ExemplarMemory FinishedTurn Lesson LessonSource action_text entry_of "
        "place_and_lines read_lessons"
    ),
    "recall": "SHORTLIST",
    "store": "Store",
}
"""The names that other rooms and extensions use, by the module that defines them."""

__all__ = names_of(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    return find_name(__name__, _HOMES, name)
