"""Sets each widget of each library by plain commands and compares what the page's own code has kept."""

from __future__ import annotations

import functools
import http.server
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from guiagent_eval.page_computer import PageComputer

from gui_agent.core.errors import GuiAgentError
from gui_agent.wiring.running import run
from tests.widgets.report import Cell
from tests.widgets.web.kinds import KINDS
from tests.widgets.web.libraries import CACHE, built

STATE = """async () => {
  const frame = document.querySelector("iframe");
  const own = window.kinds ? window : frame && frame.contentWindow;
  for (let left = 50; left && !own.kinds; left--) await new Promise((done) => setTimeout(done, 100));
  return JSON.stringify({kinds: own.kinds || [], wording: own.wording || {}, state: own.state ?? null});
}"""
LATE = 1.0
"""Seconds that a page may take to keep what was done."""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a small server for a folder."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def cells(library: str, kinds: list[str], *, frame: bool = False, trace: str = "") -> Iterator[Cell]:
    """The cells of one library, each on a freshly loaded page.

    Args:
        frame: put the page into an iframe.
        trace: a folder for the traces of the runs; empty: none.
    """
    page = built(library)
    if frame:
        page = page.with_name(f"{page.stem}.frame.html")
    receipt = CACHE / "receipt.txt"
    receipt.write_text("42 euros")
    with served(page.parent) as address, PageComputer() as computer:
        computer.start(f"{address}/{page.name}")
        computer.settle()
        facts = json.loads(computer.evaluate(STATE))
        for kind, asked in KINDS.items():
            if kind not in facts["kinds"] or (kinds and kind not in kinds):
                continue
            commands = facts["wording"].get(kind, asked.commands).replace("FILE", str(receipt))
            url = f"{address}/{page.name}?kind={kind.replace(' ', '+')}"
            yield _cell(computer, library, kind, commands, url, asked.state, trace)


def _cell(
    computer: PageComputer, library: str, kind: str, commands: str, url: str, wanted: Any, trace: str
) -> Cell:
    began = time.monotonic()
    try:
        result = run(
            commands,
            url=url,
            computer=computer,
            yes=True,
            trace={"folder": trace, "pictures": bool(trace)},
            memory={"enabled": False},
            limits={"seconds": 90.0},
        )
        ok, reason = result.ok, result.ending.reason
    except GuiAgentError as error:
        ok, reason = False, str(error)
    seconds = time.monotonic() - began
    state = None
    for _ in range(10):
        state = json.loads(computer.evaluate(STATE))["state"]
        if state == wanted:
            break
        time.sleep(LATE / 10)
    verdict = "right" if ok and state == wanted else "wrong" if ok else "refused"
    if verdict != "right":
        reason = f"{reason} [state {json.dumps(state)}]".strip()
    return Cell(library, kind, verdict, commands, reason, round(seconds, 1))
