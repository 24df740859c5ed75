"""What is noted of a benchmark run so that somebody else can repeat it."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gui_agent.eval.schedule import Pace

LIBRARIES = ("guiagent", "miniwob", "playwright", "pydantic", "rapidfuzz", "ray")
FORMAT = "guiagent-eval-1"


def journal(
    recipe: dict[str, Any], tasks: Sequence[str], seeds: Sequence[int], pace: Pace, engine: dict[str, str]
) -> dict[str, Any]:
    """Everything that decides the result of a run, and where and when it was started."""
    return {
        "format": FORMAT,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": ["guiagent", *sys.argv[1:]],
        "recipe": recipe,
        "tasks": list(tasks),
        "seeds": list(seeds),
        "pace": {
            "workers": pace.workers,
            "episode_seconds": pace.episode_seconds,
            "attempts": pace.attempts,
            "start_seconds": pace.start_seconds,
            "max_cost": pace.max_cost,
        },
        "engine": engine,
        "versions": versions(),
        "commit": commit(),
        "machine": {"platform": platform.platform(), "processors": os.cpu_count()},
    }


def versions() -> dict[str, str]:
    """Python, the browser and the libraries that matter."""
    found = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    browser = _browser()
    if browser:
        found["browser"] = browser
    return found


def commit() -> str:
    """The commit of the checkout that runs, with `+changes` when files differ from it; empty in a copy."""
    here = Path(__file__).resolve().parents[3]
    known = _said("git", "-C", str(here), "rev-parse", "HEAD")
    if not known:
        return ""
    changed = _said(
        "git", "-C", str(here), "status", "--porcelain", "--untracked-files=no", "--", "gui_agent"
    )
    return f"{known}+changes" if changed else known


def _browser() -> str:
    from gui_agent.computers.browser.launch import find_executable
    from gui_agent.core.errors import ConfigError
    from gui_agent.eval.miniwob import page_browser

    try:
        executable = find_executable(page_browser(), "")
        told = _said(executable, "--version")
        return f"{told} ({Path(executable).name})" if told else ""
    except ConfigError:
        return ""


def _said(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
