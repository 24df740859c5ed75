"""Runs in the isolated environment: sets tasks up and scores them with OSWorld's own package, line by line.

It is started as a file by that environment's Python and imports nothing of ours. Each line of standard input
is a request as JSON, each line of standard output its answer; what the package prints goes to standard error.
"""

# mypy: ignore-errors
# The package that this file works with is not there where types are checked.

from __future__ import annotations

import json
import os
import sys
import traceback


def main() -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    work = None
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            if asked["do"] == "open":
                work = _opened(asked)
                told = {"ok": True}
            elif asked["do"] == "setup":
                told = {"ok": True, "value": _set_up(work, asked["task"])}
            else:
                told = {"ok": True, "value": _score(work, asked["last"])}
        except BaseException as error:  # noqa: BLE001 - what went wrong is the answer
            traceback.print_exc()
            told = {"ok": False, "error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(told) + "\n")
        answers.flush()


def _opened(asked):
    """OSWorld's environment, with controllers for this guest and without any machine of its own."""
    import requests

    ask = requests.Session.request
    home = f"http://{asked['host']}:{asked['port']}"

    def with_token(self, method, url, **options):
        if str(url).startswith(home) and asked["token"]:
            options["headers"] = {
                **(options.get("headers") or {}),
                "Authorization": f"Bearer {asked['token']}",
            }
        return ask(self, method, url, **options)

    requests.Session.request = with_token
    from desktop_env.controllers.python import PythonController
    from desktop_env.controllers.setup import SetupController
    from desktop_env.desktop_env import DesktopEnv

    class Environment(DesktopEnv):
        def __init__(self):
            self.vm_ip, self.server_port = asked["host"], asked["port"]
            self.chromium_port, self.vlc_port, self.vnc_port = asked["chromium"], asked["vlc"], 0
            self.cache_dir_base = asked["cache"]
            self.enable_proxy = self.current_use_proxy = False
            self.client_password, self.action_history = "password", []
            self.controller = PythonController(self.vm_ip, self.server_port)
            self.controller.retry_interval = 1
            given = {"cache_dir": asked["cache"], "client_password": "password"}
            ports = {"chromium_port": self.chromium_port, "vlc_port": self.vlc_port}
            size = {"screen_width": asked["size"][0], "screen_height": asked["size"][1]}
            self.setup_controller = SetupController(self.vm_ip, self.server_port, **ports, **given, **size)

    return Environment()


def _set_up(work, task):
    work.action_history = []
    work._set_task_info(task)
    work.setup_controller.reset_cache_dir(work.cache_dir)
    if not work.setup_controller.setup(work.config, False):
        raise RuntimeError("the guest cannot be reached")
    return work.instruction


def _score(work, last):
    work.action_history = [last]
    return float(work.evaluate())


if __name__ == "__main__":
    main()
