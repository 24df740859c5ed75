"""Records the traffic with models, and replays it without a network.

One JSON line per attempt. Pictures are stored as hashes and secrets are removed, so a tape can be shared.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import file_errors, private, private_folder
from gui_agent.core.parsing import parse_json
from gui_agent.core.redaction import Redactor
from gui_agent.core.texts import shorten
from gui_agent.models.transport import ServiceFault, Transport

FILE = "models.jsonl"
_DATA_URL = re.compile(r"data:image/(\w+);base64,([A-Za-z0-9+/=]+)")


class Tape:
    """A folder's recorded traffic, for recording or replay."""

    def __init__(
        self,
        folder: str | Path,
        *,
        replay: bool = False,
        secrets: Redactor | None = None,
        loose: bool = False,
    ) -> None:
        """Open a tape.

        Args:
            replay: answer from the tape without any connection.
            secrets: removes secrets from the recorded texts.
            loose: if no recorded request is equal, return the next recorded answer anyway.
        """
        self.path = Path(folder) / FILE
        self.replays, self.loose = replay, loose
        self._secrets = secrets or Redactor()
        self._lock = threading.Lock()
        self._entries = self._read() if replay else []

    def recording(self, transport: Transport, host: str) -> Transport:
        """The transport, with its traffic recorded to the tape."""
        return _Recording(self, transport, host)

    def playing(self, host: str) -> Transport:
        return _Playing(self, host)

    def write(self, entry: Mapping[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False)
        with self._lock, file_errors(f"{self.path}: cannot write the tape"):
            private_folder(self.path.parent)
            with open(self.path, "a", encoding="utf-8", opener=private) as file:
                file.write(line + "\n")

    def take(self, host: str, path: str, body: Any) -> Mapping[str, Any]:
        """The recorded attempt for a request; each is returned once."""
        digest = _digest(host, path, body)
        with self._lock:
            same = next((entry for entry in self._entries if entry["digest"] == digest), None)
            entry = same or (self._entries[0] if self.loose and self._entries else None)
            if entry is None:
                raise ConfigError(f"{self.path}: {self._difference(body)}; record the run again")
            self._entries.remove(entry)
            return entry

    def without_secrets(self, value: Any) -> Any:
        """The value without secrets, and with hashes in place of pictures."""
        if isinstance(value, Mapping):
            if value.get("type") == "base64" and isinstance(value.get("data"), str):
                return {**value, "data": _hash(value["data"])}
            return {str(key): self.without_secrets(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.without_secrets(item) for item in value]
        if not isinstance(value, str):
            return value
        without = _DATA_URL.sub(lambda found: f"data:image/{found[1]};{_hash(found[2])}", value)
        return self._secrets.text(without)

    def _difference(self, body: Any) -> str:
        if not self._entries:
            return "all recorded answers are used up"
        there, here = json.dumps(self._entries[0]["body"]), json.dumps(body)
        at = next((i for i, (a, b) in enumerate(zip(there, here, strict=False)) if a != b), 0)
        was, now = (shorten(text[max(0, at - 20) : at + 40], 60) for text in (there, here))
        return f"no recorded request is the same; the next one has {was!r} where this one has {now!r}"

    def _read(self) -> list[dict[str, Any]]:
        with file_errors(f"{self.path}: cannot read the tape"):
            try:
                lines = self.path.read_text(encoding="utf-8").splitlines()
                entries = [parse_json(line) for line in lines if line.strip()]
                for entry in entries:
                    entry["digest"] = _digest(entry["host"], entry["path"], entry["body"])
            except FileNotFoundError as error:
                raise ConfigError(f"{self.path}: there is no tape to replay; record one first") from error
            except (ValueError, KeyError, TypeError) as error:
                raise ConfigError(f"{self.path}: this is not a tape ({error}); record it again") from error
        return entries


class _Recording:
    def __init__(self, tape: Tape, transport: Transport, host: str) -> None:
        self._tape, self._transport, self._host = tape, transport, host

    def post(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str], seconds: float
    ) -> dict[str, Any]:
        entry: dict[str, Any] = {"host": self._host, "path": path, "body": self._tape.without_secrets(body)}
        began = time.monotonic()
        try:
            answer = self._transport.post(path, body, headers, seconds)
        except ServiceFault as fault:
            told = {
                "message": self._tape.without_secrets(fault.message),
                "status": fault.status,
                "code": fault.code,
            }
            self._tape.write({**entry, "fault": {**told, "lasting": fault.lasting}})
            raise
        taken = round(time.monotonic() - began, 3)
        self._tape.write({**entry, "answer": self._tape.without_secrets(answer), "seconds": taken})
        return answer

    def close(self) -> None:
        self._transport.close()


class _Playing:
    def __init__(self, tape: Tape, host: str) -> None:
        self._tape, self._host = tape, host

    def post(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str], seconds: float
    ) -> dict[str, Any]:
        entry = self._tape.take(self._host, path, self._tape.without_secrets(body))
        if "fault" in entry:
            raise ServiceFault(**entry["fault"], retry_after=0.0)
        return dict(entry["answer"])

    def close(self) -> None:
        """Do nothing, as nothing is held open."""


def _hash(data: str) -> str:
    return f"sha256-{hashlib.sha256(data.encode()).hexdigest()[:24]}"


def _digest(host: str, path: str, body: Any) -> str:
    return _hash(json.dumps([host, path, body], sort_keys=True, ensure_ascii=False))
