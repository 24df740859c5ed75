"""OSWorld's own package in an environment and a process of its own, which is never loaded into ours."""

from __future__ import annotations

import hashlib
import json
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gui_agent.computers.environment import for_children
from gui_agent.core.errors import BenchmarkError, ConfigError
from gui_agent.core.observation import Size
from gui_agent.core.texts import shorten
from guiagent_eval.app_server import output_of

LIBRARIES = (
    *("gymnasium", "requests", "requests-toolbelt", "lxml", "cssselect", "xmltodict", "openpyxl"),
    *("python-docx", "python-pptx", "pypdf", "PyPDF2", "pdfplumber", "rapidfuzz", "pyacoustid"),
    *("opencv-python-headless", "ImageHash", "scikit-image", "librosa", "pymupdf", "playwright", "formulas"),
    *("pydrive", "fastdtw", "odfpy", "beautifulsoup4", "mutagen", "borb", "pytz", "PyYaml", "tldextract"),
    *("pandas", "numpy", "Pillow<12", "chardet", "python-dotenv", "scipy", "pyautogui"),
    *("psutil", "tqdm", "py7zr", "LnkParse3"),
)
"""Everything that the evaluators import except easyocr, which needs torch and serves three tasks.

The last four are WindowsAgentArena's.
"""
RELEASE = "desktop-env==1.0.2"
STUB = "class Reader:\n    def __init__(self, *_, **__):\n        raise RuntimeError('no easyocr')\n"
LIMITS = {
    **{"open": 120.0, "respond": 120.0, "score": 900.0, "score_class": 900.0},
    **dict.fromkeys(("setup", "setup_class", "next_phase"), 2400.0),
}
"""Seconds within which each request is answered."""
INSTALLING = 3600.0


def set_up(folder: Path, checkout: str, say: Callable[[str], None]) -> None:
    """Make the isolated environment, without torch.

    Args:
        checkout: of OSWorld; empty takes the last released package, which lacks three functions
            that tasks name.

    Raises:
        ConfigError: a package cannot be installed.
    """
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        folder.mkdir(parents=True, exist_ok=True)
        base = shutil.which("python3") or sys.executable
        output_of([base, "-m", "venv", str(folder / "venv")], INSTALLING)
    say("installing the libraries of the evaluators (about 1.4 GB) ...")
    output_of([str(python), "-m", "pip", "install", "-q", *LIBRARIES], INSTALLING)
    (folder / "stub").mkdir(exist_ok=True)
    (folder / "stub" / "easyocr.py").write_text(STUB)
    if checkout:
        say(f"the evaluators are those of {checkout}, at {fingerprint(Path(checkout))}")
    else:
        say(f"installing {RELEASE}; use --tasks with a checkout for newer evaluators ...")
        output_of([str(python), "-m", "pip", "install", "-q", "--no-deps", RELEASE], INSTALLING)


def fingerprint(checkout: Path) -> str:
    """The commit of a checkout, else a hash of it; results of different ones are not comparable."""
    asked = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=20, check=False)
    if done.returncode == 0:
        return done.stdout.strip()
    mark = hashlib.sha256()
    for path in sorted(checkout.glob("desktop_env/**/*.py")):
        mark.update(path.read_bytes())
    return f"sha256:{mark.hexdigest()[:16]}"


class EvaluatorProcess:
    """A process that sets tasks up on one guest and scores them."""

    def __init__(
        self,
        folder: Path,
        checkout: str,
        address: str,
        token: str,
        ports: dict[str, int],
        size: Size,
        *,
        classes: bool = False,
    ) -> None:
        """Start the process.

        Args:
            folder: of the isolated environment.
            checkout: of OSWorld; empty for the package that is installed there.
            classes: for tasks of the second generation.

        Raises:
            ConfigError: the environment does not exist.
            BenchmarkError: the process does not start.
        """
        self._made = ExitStack()
        python = folder / "venv" / "bin" / "python"
        if not python.exists() and classes:  # a class may do without OSWorld's package, and then says so
            python = Path(shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable)
            folder = Path(self._made.enter_context(tempfile.TemporaryDirectory(prefix="guiagent-classes-")))
        if not python.exists():
            raise ConfigError("the evaluators are not installed: guiagent eval osworld --setup-evaluators")
        sources = [str(folder / "stub"), *([str(Path(checkout).resolve())] if checkout else [])]
        cache = folder / "cache"
        cache.mkdir(exist_ok=True)
        self._process = subprocess.Popen(
            [str(python), str(Path(__file__).with_name("evaluator_worker.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**for_children(), "PYTHONPATH": ":".join(sources), "PYTHONWARNINGS": "ignore"},
            cwd=cache,
            text=True,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        where = urlsplit(address)
        others = {"chromium": ports.get("chromium", 9222), "vlc": ports.get("vlc", 8080)}
        about = {"cache": str(cache), "size": [size.width, size.height], **others}
        self.ask("open", host=where.hostname, port=where.port, token=token, **about)

    def close(self) -> None:
        """End the process; safe to call twice."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(10)
        self._made.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def ask(self, do: str, **given: Any) -> Any:
        """The answer of the process to one of the requests in `LIMITS`, defined in `evaluator_worker`.

        Raises:
            BenchmarkError: the request failed, or was not answered in time.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"do": do, **given}) + "\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=LIMITS[do])
        except (OSError, queue.Empty) as error:
            self.close()
            raise BenchmarkError(f"the evaluator did not answer: {do}") from error
        if not line:
            raise BenchmarkError("the evaluator has ended; see the worker's log in the run's folder")
        told = json.loads(line)
        if not told["ok"]:
            raise BenchmarkError(f"{do}: {shorten(told['error'], 300)}")
        return told["value"]
