"""Opens a page and acts on it by the tools of `guiagent mcp`, as any client does over standard streams."""

from __future__ import annotations

import json
import subprocess
from typing import Any


def main() -> None:
    command = ["guiagent", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None and server.stdout is not None

        def say(method: str, id_: int = 0, **params: Any) -> Any:
            said = {"jsonrpc": "2.0", "method": method, "params": params}
            server.stdin.write(json.dumps(said | ({"id": id_} if id_ else {})) + "\n")  # type: ignore[union-attr]
            server.stdin.flush()  # type: ignore[union-attr]
            while id_:
                told = json.loads(server.stdout.readline())  # type: ignore[union-attr]
                if told.get("id") == id_:
                    return told["result"]
            return None

        client = {"name": "a-client", "version": "1"}
        say("initialize", 1, protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        say("notifications/initialized")
        opened = say("tools/call", 2, name="open", arguments={"url": "contact.html"})
        assert not opened.get("isError"), opened
        given = {"screen": opened["structuredContent"]["screen"], "commands": 'click "Next"'}
        acted = say("tools/call", 3, name="act", arguments=given)
        assert not acted.get("isError"), acted
        server.stdin.close()
        server.wait(30)


if __name__ == "__main__":
    main()
