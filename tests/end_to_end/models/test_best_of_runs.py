"""`guiagent run --best-of`: several runs in fresh browsers, of which a comparing question keeps one."""

from __future__ import annotations

import http.server
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from gui_agent.cli import call
from tests.contract.models.conftest import Service, chat

PAGE = """<!doctype html><title>Tea</title><h1>Tea</h1>
<button onclick="out.textContent = 'Green tea is on'">Green</button>
<button onclick="out.textContent = 'Black tea is on'">Black</button> <p id=out></p>
<form method=post action=/brewed><button>Order</button></form>"""


def decided(number: int, **arguments: Any) -> Any:
    function = {"name": "decide", "arguments": json.dumps(arguments)}
    return chat(
        None, "tool_calls", tool_calls=[{"id": f"c{number}", "type": "function", "function": function}]
    )


class Tea:
    """Presses the first button in its first run and the second in later ones, or always the same one."""

    def __init__(self, always: str = "") -> None:
        self.calls, self.runs, self._always = 0, 0, always
        self.compared: list[str] = []

    def __call__(self, body: dict[str, Any]) -> Any:
        self.calls += 1
        said = json.dumps(body["messages"], ensure_ascii=False)
        if "Several runs were made" in said:
            self.compared.append(said)
            return chat("Difference: the kind of tea.\nBEST: 2")
        if "tools" not in body:
            return chat("DONE")
        if "⟦outcome" in said:
            return decided(self.calls, end={"kind": "finish"})
        self.runs += 1
        name = self._always or ("Green" if self.runs == 1 else "Black")
        return decided(self.calls, actions=[{"kind": "click", "at": {"text": name, "role": "button"}}])


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "tea.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_the_run_that_the_comparison_names_is_the_result(
    service: Service, page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tea = Tea()
    service.script = [tea]
    given = ["--url", str(page), "--planner", "model", "--model", f"{service.url}/v1#local", "--quiet"]
    options = ["--best-of", "2", "--json", "--yes", "--set", f"trace.folder={tmp_path / 'runs'}"]
    assert call(["run", "Make black tea", *given, *options]) == 0
    told = capsys.readouterr()
    assert "run 2 of 2 is kept: a model compared the runs" in told.err
    assert "Green tea is on" in tea.compared[0] and "Black tea is on" in tea.compared[0]
    kept = Path(json.loads(told.out)["folder"])
    assert "Black" in (kept / "steps.jsonl").read_text("utf-8")
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_a_run_that_sent_something_is_not_repeated(
    service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sent: list[str] = []

    class Shop(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            raw = PAGE.encode()
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def do_POST(self) -> None:
            sent.append(self.path)
            self.do_GET()

        def log_message(self, *arguments: Any) -> None: ...

    service.script = [Tea("Order")]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        given = ["--url", address, "--planner", "model", "--model", f"{service.url}/v1#local", "--quiet"]
        options = ["--best-of", "3", "--yes", "--set", f"trace.folder={tmp_path / 'runs'}"]
        call(["run", "Order tea", *given, *options])
        server.shutdown()
    assert sent == ["/brewed"] and len(list((tmp_path / "runs").iterdir())) == 1
    assert "the last one sent something" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--on", "desktop"], "desktop would need kind"),
        (["--on", "virtual"], 'virtual would need home = "fresh"'),
        (["--set", "computer.options.profile=mine"], 'browser would need profile = ""'),
    ],
)
def test_a_run_that_would_leave_something_behind_is_refused_before_anything_is_touched(
    service: Service, options: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--planner", "model", "--model", f"{service.url}/v1#local", "--best-of", "2"]
    assert call(["run", "Make tea", *asked, *options]) == 2
    assert why in capsys.readouterr().err and not service.asked
