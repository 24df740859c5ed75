"""Settings that hold for all tests."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

# Test files may have the same name in different folders; the modules that they share are found by name.
for _file in Path(__file__).parent.rglob("*.py"):
    shared = not _file.name.startswith("test_") and _file.name != "conftest.py"
    if shared and str(_file.parent) not in sys.path:
        sys.path.append(str(_file.parent))

# Shells start what runs in the background with Ctrl+C ignored, and so would be what a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests start a thousand processes: what is compiled once is not compiled by each of them again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# What the person at this machine has taught or set is nothing that a test may see, or add to. Downloads stay
# where they are: a browser is not fetched again for each run.
os.environ.setdefault("XDG_CACHE_HOME", str(Path.home() / ".cache"))
os.environ.setdefault("GIT_CONFIG_GLOBAL", str(Path.home() / ".gitconfig"))
_HOME = tempfile.mkdtemp(prefix="guiagent-tests-")
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)
os.environ |= {"HOME": _HOME, "XDG_STATE_HOME": f"{_HOME}/XDG_STATE_HOME"}
for _variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
    os.environ.pop(_variable, None)

# The machines that run the tests are shared: how long one example takes says nothing about the code.
settings.register_profile("quick", deadline=None, max_examples=25)
settings.register_profile("all", deadline=None, max_examples=500)
settings.load_profile("quick")

LONG = {"contract", "end_to_end", "fitness"}
"""Folders whose tests wait for browsers, screens and processes; those of the others are short."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the long modules among the short ones, and let only short ones be the last.

    So processors have work while tests wait, and no worker has a long module left when all others end.
    """
    modules: dict[Path, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.path, []).append(item)
    long = [path for path in modules if not LONG.isdisjoint(path.parts)]
    short = [path for path in modules if LONG.isdisjoint(path.parts)]
    places = {path: 0.9 * number / len(long) for number, path in enumerate(long)}
    places |= {path: number / len(short) for number, path in enumerate(short)}
    items[:] = [item for path in sorted(modules, key=places.__getitem__) for item in modules[path]]
