"""The text of a task, from the command line or a file."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from gui_agent.cli.options import PAGES

_PAGE = re.compile(r"\s*<(?:!doctype\s+html|html|\?xml)\b", re.IGNORECASE)
_LONGEST_PATH = 255


def read_task(task: str, task_file: str | None, has_demo: bool) -> str:
    """The task from the argument or a file.

    Raises:
        ConfigError: there is none, the file cannot be read, or a page or file stands where the task should.
    """
    from gui_agent.core.errors import ConfigError

    if task_file and task:
        raise ConfigError("give the task as an argument or with --file, not both")
    text = _text_of(task_file) if task_file else task
    if task_file and (task_file.lower().endswith(PAGES) or _PAGE.match(text)):
        raise ConfigError(_no_task(task_file))
    if not task_file and _is_file(task):
        page = task.lower().endswith(PAGES)
        raise ConfigError(_no_task(task) if page else f"{task} is a file; with --file {task} it is read")
    if not text.strip() and not has_demo:
        raise ConfigError(
            "there is no task; say what to do, such as: guiagent run 'click \"Next\"' --url form.html"
        )
    return text.strip()


def _text_of(task_file: str) -> str:
    from gui_agent.core.errors import ConfigError

    try:
        return sys.stdin.read() if task_file == "-" else Path(task_file).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read the task from {task_file}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"cannot read the task from {task_file}: it is not text in UTF-8") from error


def _is_file(task: str) -> bool:
    """Whether a task is the name of a file that is there; a word without an ending may be meant as a word."""
    named = len(task) <= _LONGEST_PATH and bool(Path(task).suffix) and not re.search(r"\s", task)
    return named and Path(task).is_file()


def _no_task(page: str) -> str:
    at = "FILE" if page == "-" else page
    named = "what was given" if page == "-" else page
    return f"{named} is a page and no task; say what to do on it: guiagent run 'click \"Next\"' --url {at}"
