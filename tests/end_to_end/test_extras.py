"""Each extra alone, from the wheel, in an empty environment of each Python: what it is for works."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import pytest
from wheel_environment import PYTHONS, ROOT, done, environment, made_wheel

pytestmark = pytest.mark.nightly
DOORS_AT = Path(__file__).with_name("doors")
DOORS: dict[str, str] = tomllib.loads((DOORS_AT / "doors.toml").read_text("utf-8"))
LARGE = ("sentence-transformers",)
"""What takes gigabytes, and is tried by name."""
WORDS = """
refused() {
    words=$1; shift
    if "$@" > told 2>&1; then cat told; return 1; fi
    cat told
    grep -q "$words" told && ! grep -qE 'a fault|No module named|Traceback' told
}
part() { python -c 'import sys; from gui_agent.plugins import find; find(*sys.argv[1:])' "$@"; }
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_wheel(tmp_path_factory.mktemp("wheel"))


def test_every_extra_has_a_door() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(DOORS) - {"plain"} == set(extras) - {"dev"}, "dev is what a checkout is made of"


@pytest.mark.parametrize("name", PYTHONS)
@pytest.mark.parametrize(
    "extra", [pytest.param(one, marks=[pytest.mark.slow] if one in LARGE else []) for one in DOORS]
)
@pytest.mark.timeout(900)
def test_an_extra_alone_does_what_it_is_for(extra: str, name: str, wheel: Path, tmp_path: Path) -> None:
    env = environment(name, wheel, tmp_path, "" if extra == "plain" else extra)
    here = tmp_path / "here"
    shutil.copytree(DOORS_AT, here / "doors")
    shutil.copy(ROOT / "examples" / "contact.html", here)
    said = re.search(r"`(inspect eval [^`]+)`", (ROOT / "docs" / "integrations.md").read_text("utf-8"))
    assert said is not None
    (here / "inspect.txt").write_text(said[1])
    done("sh", "-euc", WORDS + DOORS[extra], within=here, env=env)
