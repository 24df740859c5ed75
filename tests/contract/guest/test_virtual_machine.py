"""A virtual machine of our own recipe, from its image to a reset; slow without acceleration.

It needs an image that `scripts/guest-image` has built, named by GUIAGENT_TEST_QEMU.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from guiagent_eval.osworld.place import Machine, QemuGuest, accelerator
from guiagent_platforms.remote.client import GuestClient
from guiagent_platforms.remote.computer import RemoteComputer
from private import needs

from gui_agent.core.errors import ComputerLost


def said(guest: QemuGuest, command: str) -> str:
    asked = {"command": command, "shell": True}
    return str(
        GuestClient(guest.address, guest.token).post("/execute", asked, limit=120.0).json()["output"]
    ).strip()


@pytest.mark.timeout(1500)
def test_a_machine_serves_its_desktop_and_forgets_at_a_reset_what_was_done(tmp_path: Path) -> None:
    image = os.environ.get("GUIAGENT_TEST_QEMU", "")
    if not image:
        pytest.skip("needs GUIAGENT_TEST_QEMU with an image of scripts/guest-image")
    needs("qemu-system-x86_64", "qemu-img")
    before = Path(image).stat()
    guest = QemuGuest(Machine(Path(image), memory=1536))
    try:
        with RemoteComputer(guest.address, guest_token=guest.token) as computer:
            seen = computer.observe()
            assert seen.screenshot is not None and (seen.size.width, seen.size.height) == (1920, 1080)
        assert said(guest, "id -u; hostname") == "1000\nguest"
        with pytest.raises(ComputerLost, match="token"):
            GuestClient(guest.address, "wrong").get("/screenshot")
        said(guest, "echo one > ~/kept")
        guest.snapshot("s")
        said(guest, "echo two > ~/kept; sleep 1000 &")
        seconds = guest.reset("s")
        assert said(guest, "cat ~/kept; pgrep sleep") == "one"
        said(guest, "echo three > ~/kept; sleep 1000 > /dev/null 2>&1 &")
        guest.keep(tmp_path / "checkpoint")
        said(guest, "echo four > ~/kept; pkill sleep")
        guest.go_back(tmp_path / "checkpoint")
        assert said(guest, "cat ~/kept; pgrep -c sleep") == "three\n1", "all of it goes on, in a new process"
        guest.reset()
        assert said(guest, "ls ~/kept") == ""
        print(f"{accelerator()}: a reset took {seconds:.2f} s")
    finally:
        guest.close()
    assert Path(image).stat() == before or Path(image).stat().st_mtime == before.st_mtime
