"""Does a task over HTTP with `guiagent serve`."""

from __future__ import annotations

import json
import subprocess
import time
from typing import Any
from urllib.request import Request, urlopen


def main() -> None:
    server = subprocess.Popen(["guiagent", "serve", "--port", "0"], stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    url = "/".join(server.stderr.readline().split()[-1].split("/")[:3])
    bearer = server.stderr.readline().partition(": ")[2].strip()

    def ask(path: str, **body: Any) -> Any:
        data = json.dumps(body).encode() if body else None
        with urlopen(Request(url + path, data, {"Authorization": bearer}), timeout=30) as answer:
            return json.load(answer)

    try:
        run = ask("/runs", task='click "Next"', url="contact.html")
        end = time.monotonic() + 60
        while run["status"] != "ended" and time.monotonic() < end:
            time.sleep(0.2)
            run = ask(f"/runs/{run['run']}")
        assert run["result"]["ok"], run
    finally:
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main()
