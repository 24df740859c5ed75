"""No request makes the server of a guest fail; asked inside a guest, where commands may be allowed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from guiagent_platforms.guest import guests, keeper
from guiagent_platforms.remote.client import GuestClient
from private import needs

from gui_agent.core.observation import Size

HOOK = """
import schemathesis

@schemathesis.check
def a_failure_is_told(context, response, case):
    assert b"Internal Server Error" not in response.content, "an error that nobody has thought of"
"""


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_no_request_makes_the_server_of_a_guest_fail(tmp_path: Path) -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "nsenter", "setpriv")
    if why := keeper.reason_against():
        pytest.skip(why)
    (tmp_path / "hook.py").write_text(HOOK)
    guest = guests.start(f"fuzzed-{os.getpid()}", Size(800, 600), execute=True)
    try:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "run", f"{guest.address}/openapi.json"),
                *("-H", f"Authorization: Bearer {guest.token}", "--seed", "1"),
                *("--max-examples", os.environ.get("FUZZ", "10"), "--request-timeout", "130"),
                *("--phases", "examples,coverage,fuzzing"),
                *("--checks", "a_failure_is_told,status_code_conformance"),
            ],
            env={**os.environ, "SCHEMATHESIS_HOOKS": "hook", "PYTHONPATH": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=380,
            check=False,
        )
        assert GuestClient(guest.address, guest.token).get("/platform").line == "Linux", "it is gone"
    finally:
        guest.stop()
    assert done.returncode == 0, re.sub(r"0{20,}", "0...", done.stdout)[-6000:] + done.stderr[-1000:]
    print(done.stdout[-900:])
