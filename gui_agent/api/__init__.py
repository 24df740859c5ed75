"""Small steps from Python: screens that act, read, check, find and run, mixed with other code."""

from typing import Any

from gui_agent.doors import find_name, names_of

_HOMES = {
    "async_screen": "AsyncBrowser AsyncDesktop AsyncPhone arun stream",
    "long_tables": "TableRow",
    "row_list": "Line ListResult RowTask read_rows recorded_list row_task run_list",
    "screen": "Browser Desktop LiveScreen Phone from_page",
    "tools": "OwnTool tool",
}
"""The names that other rooms and extensions use, by the module that defines them."""

__all__ = names_of(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    return find_name(__name__, _HOMES, name)
