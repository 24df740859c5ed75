"""The wheel, alone in an empty environment of each Python that is supported, does what README shows."""

from __future__ import annotations

import importlib.util
import re
import shutil
import zipfile
from pathlib import Path

import pytest
from wheel_environment import PYTHONS, ROOT, done, environment, made_wheel

pytestmark = pytest.mark.nightly

SNIPPET = re.compile(r"(?P<remark>-->\n)?```(?P<kind>sh|python)\n(?P<text>.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_wheel(tmp_path_factory.mktemp("wheel"))


def test_its_description_has_no_link_that_leads_nowhere(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (one for one in packed.namelist() if one.endswith(".dist-info/METADATA"))
        described = packed.read(name).decode()
    assert "# guiagent" in described and "quickstart" in described
    assert re.findall(r"\]\((?!https?:|#)[^)]*\)", described) == []


def test_it_is_small_and_brings_no_world_in_which_the_product_is_tested(wheel: Path) -> None:
    assert wheel.stat().st_size <= 1_700_000
    with zipfile.ZipFile(wheel) as packed:
        folders = {path for one in packed.namelist() for path in Path(one).parts[:-1]}
    assert "gui_agent" in folders
    assert not folders & {"guiagent_eval", "guiagent_platforms", "miniwob", "redteam", "osworld", "apps"}


def test_links_of_the_description_lead_to_the_site_once_there_is_one() -> None:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    spec.loader.exec_module(module := importlib.util.module_from_spec(spec))
    shown = module.for_an_index(
        "![a](docs/images/run.gif) [b](docs/http.md#x) [c](SECURITY.md)", "https://h.example/"
    )
    site = "https://h.example"
    assert shown == f"![a]({site}/images/run.gif) [b]({site}/http.html#x) [c]({site}/security.html)"


@pytest.mark.parametrize("name", PYTHONS)
@pytest.mark.timeout(900)
def test_it_does_what_the_readme_shows(name: str, wheel: Path, tmp_path: Path) -> None:
    env = environment(name, wheel, tmp_path)
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
