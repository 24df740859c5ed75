"""OSWorld's own environment works against our server as it is; needs a checkout and its libraries."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from serving import served

from gui_agent.settings import evaluator_folder

SCRIPT = """
import json, sys
from desktop_env.desktop_env import DesktopEnv
env = DesktopEnv(provider_name="remote", path_to_vm=sys.argv[1], action_space="pyautogui",
                 cache_dir=sys.argv[2], screen_size=(1024, 768))
task = {"id": "t", "instruction": "write", "config": [
    {"type": "execute", "parameters": {"command": "echo start > ~/note.txt", "shell": True}},
    {"type": "open", "parameters": {"path": sys.argv[3] + "/note.txt"}}],
    "evaluator": {"func": "exact_match",
        "result": {"type": "vm_command_line", "command": "cat ~/note.txt", "shell": True},
        "expected": {"type": "rule", "rules": {"expected": "hi start\\n"}}}}
seen = env.reset(task)
assert seen["screenshot"].startswith(b"\\x89PNG") and "note.txt" in seen["accessibility_tree"]
before = env.evaluate()
env.step("pyautogui.hotkey('ctrl', 'home'); pyautogui.write('hi '); pyautogui.hotkey('ctrl', 's')", pause=1)
env.step("DONE", pause=0)
print(json.dumps([before, env.evaluate(), env.vm_platform]))
"""


def test_osworlds_environment_sets_up_acts_and_scores_over_our_server(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout, folder = os.environ.get("GUIAGENT_TEST_OSWORLD", ""), evaluator_folder()
    if not checkout or not (folder / "venv").is_dir():
        pytest.skip("needs a checkout (GUIAGENT_TEST_OSWORLD) and `eval osworld --setup-evaluators`")
    monkeypatch.setenv("PATH", f"{folder}/venv/bin{os.pathsep}{os.environ['PATH']}")
    with served("--no-token", "--allow-execute", program="", token="") as client:
        home = client.post("/execute", {"command": "echo $HOME", "shell": True}).json()["output"].strip()
        where = f"127.0.0.1:{client.port}:9222:8006:8080"
        done = subprocess.run(
            [str(folder / "venv" / "bin" / "python"), "-c", SCRIPT, where, str(tmp_path), home],
            env={**os.environ, "PYTHONPATH": f"{folder}/stub:{checkout}"},
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout.splitlines()[-1]) == [0.0, 1.0, "Linux"]
