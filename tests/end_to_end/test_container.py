"""The steps of the Dockerfile, in a bare Debian root, make a guiagent that works for a person without rights.

They are the steps of `docker build`, without an engine: the image itself is not built.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile with their arguments, continued lines joined."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines if line.strip()]


def run(*command: str, env: dict[str, str] | None = None) -> str:
    ran = subprocess.run(command, env=env, capture_output=True, text=True, timeout=1500, check=False)
    assert ran.returncode == 0, (command, ran.stdout[-2000:], ran.stderr[-2000:])
    return ran.stdout


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    if os.geteuid() or not (shutil.which("debootstrap") and shutil.which("bwrap")):
        pytest.skip("needs root, debootstrap and bubblewrap")
    root = tmp_path / "root"
    run("debootstrap", "--variant=minbase", "bookworm", str(root))
    # What an engine gives its containers: the way to the network, and here the way to a package index.
    shutil.copy("/etc/resolv.conf", root / "etc")
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", root / "etc" / "outside.crt")
    return root


def inside(root: Path, command: str, user: str = "root", folder: str = "/") -> str:
    """What a command line says that runs in a root of its own, as a container would."""
    apart = ("bwrap", "--cap-add", "ALL", "--bind", str(root), "/", "--dev", "/dev", "--proc", "/proc")
    path = ("--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
    home = ("--setenv", "HOME", "/root" if user == "root" else f"/home/{user}", "--chdir", folder)
    index = ("--setenv", "PIP_CERT", "/etc/outside.crt", "--setenv", "PIP_DEFAULT_TIMEOUT", "180")
    as_user = ("setpriv", "--reuid", user, "--regid", user, "--clear-groups") if user != "root" else ()
    ended = ("--unshare-pid", "--die-with-parent", "--clearenv")
    return run(*apart, *ended, *path, *home, *index, *as_user, "sh", "-ec", command)


def test_a_person_without_rights_runs_tasks_in_it(bare: Path) -> None:
    user, folder = "root", "/"
    for name, given in instructions():
        match name:
            case "RUN":
                inside(bare, given)
            case "COPY":
                tracked = run("git", "-C", str(ROOT), "ls-files", "-z").split("\0")
                for one in filter(None, tracked):
                    (bare / "src" / one).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / one, bare / "src" / one)
            case "USER":
                user = given
            case "WORKDIR":
                folder = given
                inside(bare, f"mkdir -p {folder} && chown {user}: {folder}")
    assert (user, folder) == ("person", "/work")
    shutil.copy(ROOT / "examples" / "contact.html", bare / "work")
    for task in ('\'type "Ada" into "Name"\' --url contact.html', "'wait 0 seconds' --on virtual"):
        said = json.loads(inside(bare, f"guiagent run {task} --quiet --json", user, folder))
        assert said["ok"], said
