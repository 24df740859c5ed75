"""The record of a run: a folder that survives a kill, a report for people, live lines in the terminal."""

from gui_agent.trace.events import failure_data, result_data, result_json
from gui_agent.trace.reader import RunSummary, StoredRun, list_runs, read_run
from gui_agent.trace.report import write_report
from gui_agent.trace.terminal import EndView, LiveView
from gui_agent.trace.writer import RunWriter, clean

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
