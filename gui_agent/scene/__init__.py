"""The scene: one analysis per screen of its records, dialogs and labels, shared by all parts."""

from typing import Any

from gui_agent.doors import find_name, names_of
from gui_agent.scene._records import ScreenRecord, ScreenRecords, label_fit
from gui_agent.scene._scene import Scene

_HOMES = {
    "change": "Change Pair",
    "fingerprints": (
        "KEPT_ATTRIBUTES fingerprint has_same_words neighbours place_similarity rank_of rebuilt_element "
        "renamed_element same_element"
    ),
    "structure": (
        "CELLS DIALOGS ENTRIES FORMS Part TABLE_ROWS TAB_LISTS is_in_form shared_length steps_of tag_of"
    ),
    "tables": "cell_at_crossing column_rank is_below row_rank",
}
"""The names that other rooms and extensions use, by the module that defines them."""

__all__ = [
    "Scene",
    "ScreenRecord",
    "ScreenRecords",
    "label_fit",
]
__all__ += names_of(_HOMES)  # noqa: PLE0605 - the table above is no literal


def __getattr__(name: str) -> Any:
    return find_name(__name__, _HOMES, name)
