"""The record of a run: a folder that survives a kill, a report for people, live lines in the terminal."""

from typing import Any

from gui_agent.doors import find_name, names_of
from gui_agent.trace.events import failure_data, result_data, result_json
from gui_agent.trace.reader import RunSummary, StoredRun, list_runs, read_run
from gui_agent.trace.report import write_report
from gui_agent.trace.terminal import EndView, LiveView
from gui_agent.trace.writer import RunWriter, clean

_HOMES = {
    "animation": "write_animation",
    "events": "Event Events LOG Sink Spans json_line log_sink replay",
    "lines": "ENDINGS INTERRUPTED MOVING REPORT RUN Wording duration plural",
    "questions": "answer_text document edited_request read_questions",
    "reader": "usual_settles",
    "report": "file_report moment resource templates write_list_page",
    "writer": "versions_of",
}
"""The names that other rooms and extensions use, by the module that defines them."""

__all__ = [
    "EndView",
    "LiveView",
    "RunSummary",
    "RunWriter",
    "StoredRun",
    "clean",
    "failure_data",
    "list_runs",
    "read_run",
    "result_data",
    "result_json",
    "write_report",
]
__all__ += names_of(_HOMES)  # noqa: PLE0605 - the table above is no literal


def __getattr__(name: str) -> Any:
    return find_name(__name__, _HOMES, name)
