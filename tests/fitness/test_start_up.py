"""Starting costs nothing: no vendor library is loaded before it is needed."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

HEAVY = {
    "adbutils", "anthropic", "cv2", "faiss", "jinja2", "mss", "numpy", "openai", "PIL", "playwright",
    "pyautogui", "pydantic", "rapidfuzz", "rich", "sentence_transformers", "websockets",
}  # fmt: skip
RUNS = 7


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "code",
    [
        "import gui_agent",
        "import gui_agent.cli",
        "from gui_agent import Task, Result, GuiAgentError",
        "from gui_agent.cli import call; call(['--help'])",
        "from gui_agent.cli import call; call(['run', '--help'])",
    ],
)
def test_no_vendor_library_is_loaded(code: str) -> None:
    told = python(
        f"import sys\n{code}\nprint('loaded:', *{{name.partition('.')[0] for name in sys.modules}})"
    )
    loaded = set(told.rpartition("loaded:")[2].split())
    assert "gui_agent" in loaded
    assert loaded & HEAVY == set()


@pytest.mark.parametrize(
    "name", ["Agent", "PlainPlanner", "ScreenGrounder", "PolicyGuard", "BrowserComputer"]
)
def test_a_part_loads_no_browser_driver_and_no_model_library(name: str) -> None:
    told = python(f"import sys\nfrom gui_agent import {name}\nprint(*sys.modules)")
    vendors = {
        "anthropic",
        "faiss",
        "mss",
        "openai",
        "playwright",
        "pyautogui",
        "sentence_transformers",
    }
    assert set(told.split()) & vendors == set()


def test_what_is_learned_and_replayed_needs_no_extra() -> None:
    used = "gui_agent.procedures.library.learning, gui_agent.procedures.runtime.run, gui_agent.wiring.learned"
    loaded = set(python(f"import sys, {used}\nprint(*sys.modules)").split())
    of_extras = {*HEAVY, "openpyxl", "starlette", "uvicorn", "Xlib"} - {
        *("jinja2", "PIL", "playwright", "pydantic", "rapidfuzz", "rich"),
    }
    assert loaded & of_extras == set()


def test_help_costs_less_than_three_starts_of_the_parser_alone() -> None:
    """300 ms on an idle machine; a busy one slows both, so the bar is what the parser alone takes."""
    alone = [sys.executable, "-c", "import click, importlib.metadata"]
    ours = [sys.executable, "-m", "gui_agent", "--help"]
    bare, spent = [], []
    for _ in range(RUNS):
        bare.append(_processor_time(alone)[0])
        seconds, output = _processor_time(ours)
        spent.append(seconds)
        assert "Examples:" in output
    assert min(spent) < 3 * min(bare), f"took {sorted(spent)}, the parser {sorted(bare)}"


def _processor_time(command: list[str]) -> tuple[float, str]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def test_public_names_are_all_there() -> None:
    import gui_agent

    for name in gui_agent.__all__:
        assert getattr(gui_agent, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = gui_agent.nothing
