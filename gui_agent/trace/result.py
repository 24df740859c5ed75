"""The result of a run as JSON, for programs that start `guiagent`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gui_agent.core.result import Result
from gui_agent.trace.events import json_line
from gui_agent.trace.lines import REPORT


def result_json(result: Result) -> str:
    """The result on one line, for `--json`."""
    return json_line(result_data(result))


def result_data(result: Result) -> dict[str, Any]:
    """The result as JSON values; these keys are stable:

    ok (bool), ending, reason, error (class name), candidates (list), answer (str), notes (by name), steps
    (int), seconds (float), model_calls, tokens (int), cost (dollars), exit_code (int), folder, report (paths,
    empty when nothing was kept).
    """
    report = Path(result.folder) / REPORT if result.folder else None
    return {
        "ok": result.ok,
        "ending": result.ending.kind,
        "reason": result.reason,
        "error": result.ending.error,
        "candidates": [str(one) for one in result.ending.candidates],
        "answer": result.answer,
        "notes": dict(result.notes),
        "steps": len(result.steps),
        "seconds": round(result.seconds, 3),
        "model_calls": result.model_calls,
        "tokens": result.tokens,
        "cost": round(result.cost, 6),
        "exit_code": int(result.exit_code),
        "folder": result.folder,
        "report": str(report) if report and report.is_file() else "",
    }


def failure_data(error: Exception) -> dict[str, Any]:
    """An error that kept the run from starting, in the form of a result."""
    return {
        "ok": False,
        "ending": "error",
        "reason": str(error),
        "error": type(error).__name__,
        "candidates": [],
        "answer": "",
        "notes": {},
        "steps": 0,
        "seconds": 0.0,
        "model_calls": 0,
        "tokens": 0,
        "cost": 0.0,
        "exit_code": int(getattr(error, "exit_code", 1)),
        "folder": "",
        "report": "",
    }
