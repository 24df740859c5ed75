"""The result of a run as JSON, for programs that start `guiagent`."""

from __future__ import annotations

import json
from pathlib import Path

from gui_agent.core.result import Result
from gui_agent.trace.lines import REPORT


def result_json(result: Result) -> str:
    """The result on one line for `--json`; these keys are stable:

    ok (bool), ending, reason, error (class name), candidates (list), answer (str), notes (by name), steps
    (int), seconds (float), model_calls, tokens (int), cost (dollars), exit_code (int), folder, report (paths,
    empty when nothing was kept).
    """
    report = Path(result.folder) / REPORT if result.folder else None
    text = json.dumps(
        {
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
        },
        ensure_ascii=False,
    )
    return text.encode("utf-8", "replace").decode("utf-8")


def failure_json(error: Exception) -> str:
    """An error that kept the run from starting, in the form of a result."""
    code = getattr(error, "exit_code", 1)
    return json.dumps(
        {
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
            "exit_code": int(code),
            "folder": "",
            "report": "",
        },
        ensure_ascii=False,
    )
