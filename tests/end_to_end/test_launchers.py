"""The wheels run by the two usual launchers, which install nothing that stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from wheel_environment import PYTHONS, ROOT, done, environment, interpreter, made_wheel

pytestmark = pytest.mark.nightly
COMMANDS = {
    "uvx": "uvx --python {python} -f {folder} --from {wheel} guiagent",
    "pipx": "pipx run --python {python} --spec {wheel} --pip-args=-f{folder} guiagent",
}
TASK = 'type "Ada" into "Name", type "ada@example.org" into "Email", click "Next", check "Country" is shown'


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.mark.parametrize("launcher", COMMANDS)
@pytest.mark.timeout(900)
def test_a_task_is_done_without_an_installation(launcher: str, wheel: Path, tmp_path: Path) -> None:
    env = environment(PYTHONS[0], wheel, tmp_path)
    done("pip", "install", "-q", "uv", "pipx", within=tmp_path, env=env)
    given = {"python": interpreter(PYTHONS[0]), "wheel": wheel, "folder": wheel.parent}
    command = COMMANDS[launcher].format(**given).split()
    assert "version" in done(*command, "--version", within=tmp_path, env=env)
    page = (ROOT / "examples" / "contact.html").as_uri()
    done(*command, "run", TASK, "--url", page, within=tmp_path, env=env)  # 0 says that each step was verified
