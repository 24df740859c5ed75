"""Counts the calls that optional parts of the model planner cost, on a form with six fields.

    python eval/bench/bench_model_parts.py

A scripted model fills the fields and clicks the button, in a real browser. Each row switches one part on or
off; "after a slip" makes the model point once at an element that does not exist. How much the parts improve
success depends on the model; measure it with a real one: guiagent eval miniwob --planner model --set ...
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from scripted_model import ScriptedService

from gui_agent import wiring
from gui_agent.settings import load

FIELDS = {"First name": "Ada", "Last name": "King", "Street": "Ring 1", "Town": "Ulm", "Mail": "a@b.org"}
FIELDS["Phone"] = "0731"
FILLING = ", ".join(f'{name} with "{text}"' for name, text in FIELDS.items())
TASK = f"Fill {FILLING}, then click Next"
ROWS: dict[str, tuple[tuple[str, ...], frozenset[int]]] = {
    "as shipped": ((), frozenset()),
    "no verifier": (("model.verifier=false",), frozenset()),
    "batches of one": (("model.batch=1",), frozenset()),
    "batches of eight": (("model.batch=8",), frozenset()),
    "as shipped, after a slip": ((), frozenset({2})),
}


def page() -> str:
    """A form with six fields and a button that shows a second page."""
    fields = "".join(f'<p><label>{name} <input autocomplete="off"></label></p>' for name in FIELDS)
    show = "document.body.textContent = 'That is all'"
    return f'<!doctype html><title>Form</title>{fields}<button onclick="{show}">Next</button>'


def measure(assignments: tuple[str, ...], slips: frozenset[int], folder: Path) -> dict[str, object]:
    """One run: its ending, its decisions, and its calls by purpose."""
    service = ScriptedService(slips)
    try:
        given = (f"model.name={service.name}", "planner.kind=model", "trace.folder=", *assignments)
        result = wiring.run(TASK, url=(folder / "form.html").as_uri(), settings=load((), given))
    finally:
        service.close()
    calls = Counter(service.asked)
    return {"ending": result.ending.kind, "steps": len(result.steps), "calls": sum(calls.values()), **calls}


def main() -> int:
    """Print one line for each row."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "form.html").write_text(page(), encoding="utf-8")
        rows = {row: measure(*given, folder) for row, given in ROWS.items()}
    if "--json" in sys.argv:
        print(json.dumps(rows))
        return 0
    for row, found in rows.items():
        print(f"{row:<28} " + "  ".join(f"{key} {value}" for key, value in found.items()))
    return 0 if all(found["ending"] == "done" for found in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
