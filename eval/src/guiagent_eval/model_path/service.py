"""A service on this machine that speaks Chat Completions and answers from a script."""

from __future__ import annotations

import http.server
import json
import re
import threading
from typing import Any

from gui_agent.core.protocols import Closing
from guiagent_eval.model_path.answerer import AnswerScript, answer

_PICTURE = re.compile(r"base64,[A-Za-z0-9+/=]+")


class ChatService(Closing):
    """A server that answers requests in the Chat Completions format at `name`, which `--model` takes."""

    def __init__(self) -> None:
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                raw = json.dumps(service.answer(body)).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, format: str, *arguments: object) -> None: ...

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.name = f"http://127.0.0.1:{self._server.server_port}/v1#scripted"

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request, as JSON."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()


class AnswerService(ChatService):
    """Answers by the script of the present goal."""

    def __init__(self) -> None:
        self.script = AnswerScript(())
        super().__init__()

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request, with the tokens of its text and tools, at four characters a token."""
        message = answer(body, self.script)
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        asked = json.dumps([body["messages"], body.get("tools")], ensure_ascii=False)
        told = len(_PICTURE.sub("", asked)) // 4, len(json.dumps(message)) // 4
        usage = {"prompt_tokens": told[0], "completion_tokens": told[1]}
        return {"choices": [{"index": 0, "finish_reason": reason, "message": message}], "usage": usage}
