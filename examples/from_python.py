"""Runs a task from Python and reads its typed result."""

from pathlib import Path

from gui_agent import run

PAGE = Path(__file__).with_name("contact.html").as_uri()

result = run('type "Grace" into "Name", read field "Name"', url=PAGE)

print("ended:", result.ending.kind, result.ending.reason)
print("steps:", len(result.steps), "in", round(result.seconds, 2), "s")
print("values read:", dict(result.notes))
print("report:", result.folder)
raise SystemExit(result.exit_code)
