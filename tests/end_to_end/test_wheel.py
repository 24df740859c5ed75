"""The wheel, alone in an empty environment of each Python that is supported, does what README shows."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]
PYTHONS = ("python3.11", "python3.12", "python3.13")
SNIPPET = re.compile(r"(?P<remark>-->\n)?```(?P<kind>sh|python)\n(?P<text>.*?)```", re.DOTALL)
OFFLINE = re.compile(r"Temporary failure in name resolution|NewConnectionError|Network is unreachable")


def done(*command: str, within: Path, env: dict[str, str] | None = None) -> str:
    ran = subprocess.run(
        command, cwd=within, env=env, capture_output=True, text=True, timeout=400, check=False
    )
    if ran.returncode and OFFLINE.search(ran.stderr):
        pytest.skip("no package index can be reached")
    assert ran.returncode == 0, (command, ran.stdout[-2000:], ran.stderr[-2000:])
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation")
    done(*build, "-w", str(folder), str(ROOT), within=folder)
    (made,) = folder.glob("guiagent-*.whl")
    return made


def test_its_description_has_no_link_that_leads_nowhere(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (one for one in packed.namelist() if one.endswith(".dist-info/METADATA"))
        described = packed.read(name).decode()
    assert "# guiagent" in described and "quickstart" in described
    assert re.findall(r"\]\((?!https?:|#)[^)]*\)", described) == []


def test_links_of_the_description_lead_to_the_site_once_there_is_one() -> None:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    spec.loader.exec_module(module := importlib.util.module_from_spec(spec))
    shown = module.for_an_index(
        "![a](docs/images/run.gif) [b](docs/http.md#x) [c](SECURITY.md)", "https://h.example/"
    )
    site = "https://h.example"
    assert shown == f"![a]({site}/images/run.gif) [b]({site}/http.html#x) [c]({site}/security.html)"


def interpreter(name: str) -> str:
    """One of this version, also where a version manager keeps it beside the others."""
    kept = Path.home() / ".pyenv" / "versions"
    for found in (shutil.which(name), *map(str, kept.glob(f"*/bin/{name}"))):
        if (
            found
            and subprocess.run([found, "-c", "import venv"], capture_output=True, check=False).returncode == 0
        ):
            return found
    pytest.skip(f"there is no {name}")


@pytest.mark.parametrize("name", PYTHONS)
@pytest.mark.timeout(900)
def test_it_does_what_the_readme_shows(name: str, wheel: Path, tmp_path: Path) -> None:
    done(interpreter(name), "-m", "venv", "venv", within=tmp_path)
    bin_ = tmp_path / "venv" / "bin"
    pins = ("-c", str(ROOT / "constraints.txt"))
    done(str(bin_ / "pip"), "install", "-q", *pins, str(wheel), within=tmp_path)
    lean = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "XDG_", "GUIAGENT"))
    }
    env = lean | {"HOME": str(tmp_path / "home"), "PATH": f"{bin_}:{lean['PATH']}"}
    here = tmp_path / "here"
    here.mkdir()
    where = "from gui_agent.content import content; print(content('examples'))"
    shipped = Path(done("python", "-c", where, within=here, env=env).strip())
    assert shipped.is_relative_to(tmp_path), "it comes out of the wheel, not out of this checkout"
    shutil.copytree(shipped, here / "examples")
    before = sorted(path.name for path in here.iterdir())
    shown = [one for one in SNIPPET.finditer((ROOT / "README.md").read_text("utf-8")) if not one["remark"]]
    assert {one["kind"] for one in shown} == {"sh", "python"}
    for one in shown:
        program = ("sh", "-euc") if one["kind"] == "sh" else ("python", "-c")
        done(*program, one["text"], within=here, env=env)
    assert sorted(path.name for path in here.iterdir()) == before, "nothing is left where it was called"
