"""Runs in the isolated environment and sets tasks up and scores them with OSWorld's own package.

That environment's Python starts it as a file; it imports nothing of ours. Each line of standard input
is a request as JSON, each line of standard output its answer; the package's output goes to standard error.
"""

# mypy: ignore-errors
# The package that this file uses is missing where types are checked.

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import sys
import time
import traceback
import uuid
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

FORM = "application/x-www-form-urlencoded"
PAUSE = 5
"""Seconds after the set-up of a later phase, unless the phase gives others."""


def main() -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    work = None
    for line in sys.stdin:
        asked = json.loads(line)
        do = asked.pop("do")
        try:
            if do == "open":
                work = _open(asked)
            told = {"ok": True, "value": None if do == "open" else REQUESTS[do](work, **asked)}
        except BaseException as error:  # noqa: BLE001 - the error is the answer
            traceback.print_exc()
            told = {"ok": False, "error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(told) + "\n")
        answers.flush()


def _open(asked):
    """OSWorld's environment, with controllers for this guest and without any machine of its own.

    If its package is missing, an environment that knows only the guest.
    """
    try:
        import desktop_env  # noqa: F401
        import requests
    except ImportError:
        return BareEnvironment(asked)

    ask = requests.Session.request
    home, fixed = (f"http://{asked['host']}:{port}" for port in (asked["port"], 5000))

    def with_token(self, method, url, **options):
        if str(url).startswith(f"{fixed}/"):  # some getters know no other port
            url = home + str(url).removeprefix(fixed)
        if str(url).startswith(home) and asked["token"]:
            options["headers"] = {
                **(options.get("headers") or {}),
                "Authorization": f"Bearer {asked['token']}",
            }
        return ask(self, method, url, **options)

    requests.Session.request = with_token
    from desktop_env.controllers.python import PythonController
    from desktop_env.controllers.setup import SetupController

    if importlib.util.find_spec("desktop_env.desktop_env"):
        from desktop_env.desktop_env import DesktopEnv
    else:  # WindowsAgentArena, which looks for its files from its own folder
        from desktop_env.envs.desktop_env import DesktopEnv

        os.chdir(Path(sys.modules["desktop_env"].__path__[0]).parent)

    class Environment(DesktopEnv):
        def __init__(self):
            self.vm_ip, self.server_port = asked["host"], asked["port"]
            self.chromium_port, self.vlc_port, self.vnc_port = asked["chromium"], asked["vlc"], 0
            self.cache_dir_base = asked["cache"]
            self.enable_proxy = self.current_use_proxy = False
            self.client_password, self.action_history = "password", []
            given = {"vm_ip": self.vm_ip, "server_port": self.server_port, "cache_dir": asked["cache"]}
            given |= {"chromium_port": self.chromium_port, "vlc_port": self.vlc_port}
            given |= {"screen_width": asked["size"][0], "screen_height": asked["size"][1]}
            given["client_password"] = "password"
            self.controller = _build(PythonController, given)
            self.controller.retry_interval = 1
            self.setup_controller = _build(SetupController, given)

    made = Environment()
    made.guest = GuestAccess(asked)
    return made


def _build(kind, given):
    """An object of a class, with those arguments that this release of the package takes."""
    return kind(**{name: given[name] for name in _parameters(kind) if name in given})


def _parameters(called):
    return inspect.signature(called).parameters


class GuestAccess:
    """A guest, for task classes: commands and files."""

    def __init__(self, asked):
        self._home = f"http://{asked['host']}:{asked['port']}"
        self._token = asked["token"]

    def run(self, command, shell=True):
        """Output of a command."""
        return json.loads(self._post("/execute", {"command": command, "shell": shell}))["output"]

    def launch(self, command):
        """Start a program."""
        self._post("/setup/launch", {"command": command})

    def read(self, path):
        """A file; None if it does not exist."""
        try:
            return self._send("/file", urlencode({"file_path": path}).encode(), FORM)
        except HTTPError as error:
            if error.code == 404:
                return None
            raise

    def write(self, path, data):
        """Write a file, whose folder must exist."""
        mark = uuid.uuid4().hex
        parts = [("file_path", path.encode(), ""), ("file_data", data, '; filename="data"')]
        body = b"".join(
            f'--{mark}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode()
            + value
            + b"\r\n"
            for name, value, more in parts
        )
        self._send(
            "/setup/upload", body + f"--{mark}--\r\n".encode(), f"multipart/form-data; boundary={mark}"
        )

    def _post(self, route, given):
        return self._send(route, json.dumps(given).encode(), "application/json")

    def _send(self, route, body, kind):
        headers = {"Content-Type": kind, "Authorization": f"Bearer {self._token}"}
        with urlopen(Request(self._home + route, body, headers), timeout=120) as answer:
            return answer.read()


class BareEnvironment:
    """An environment that has only the guest."""

    def __init__(self, asked):
        self.guest, self.action_history = GuestAccess(asked), []
        self.cache_dir = asked["cache"]


def _set_up_class(work, path):
    """Load the task of a file and set it up."""
    sys.path.insert(0, str(Path(path).parent))
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    work.task = task = _task_of(module)
    work.action_history, work.points, work.gate = [], [], ""
    work.phases = task.get_phases() or [] if callable(getattr(task, "get_phases", None)) else []
    if hasattr(work, "_set_task_info"):
        work._set_task_info(task)
        work.setup_controller.reset_cache_dir(work.cache_dir)
    if own := _own_method(task, "setup"):
        _call(own, work, getattr(work, "setup_controller", work))
    elif steps := _attribute_or_key(task, "config"):
        work.setup_controller.setup(steps)
    return _description(work, work.phases[0] if work.phases else task)


def _task_of(module):
    """The task of a module, found in the order of OSWorld's own loader."""
    for name in ("get_task", "TASK_CLASS", "Task"):
        if hasattr(module, name):
            return getattr(module, name)()
    own = [one for one in vars(module).values() if getattr(one, "__module__", "") == module.__name__]
    (made,) = [one for one in own if isinstance(one, type) and hasattr(one, "evaluate")]
    return made()


def _own_method(task, name):
    """A method that the task itself defines; None if it has only that of OSWorld's package."""
    method = getattr(task, name, None)
    return None if method is None or method.__module__.startswith("desktop_env.") else method


def _description(work, part):
    """The description of the task, or one of its phases."""
    task = work.task
    return {
        "id": str(_attribute_or_key(task, "id") or type(task).__name__),
        "instruction": _attribute_or_key(part, "instruction"),
        "related_apps": list(_attribute_or_key(task, "related_apps") or ()),
        "messages": list(_attribute_or_key(part, "messages") or ()),
        "commands": _attribute_or_key(part, "commands") or "",
        "phases": len(work.phases),
        "answers": bool(_attribute_or_key(task, "user_simulator")) or hasattr(task, "respond"),
    }


def _attribute_or_key(part, name):
    return part[name] if isinstance(part, dict) and name in part else getattr(part, name, None)


def _next_phase(work, last):
    """Score the phase that has ended and set up the next one; None after the last or a closed gate."""
    phase, points = work.phases[len(work.points)], _phase_points(work, last)
    work.points.append(points)
    least = phase.get("gate_min_score")
    if (least is not None and points < float(least)) or (phase.get("gate") and points <= 0):
        work.gate = _phase_name(work, len(work.points) - 1)
    if work.gate or len(work.points) == len(work.phases):
        return None
    phase = work.phases[len(work.points)]
    if "setup" in phase:
        _call(phase["setup"], work, getattr(work, "setup_controller", work))
        time.sleep(float(phase.get("pause_after_setup_seconds", PAUSE)))
    return _description(work, phase)


def _phase_points(work, last):
    work.action_history = [last]
    return float(work.phases[len(work.points)]["evaluate"](work))


def _phase_name(work, number):
    return str(work.phases[number].get("name", f"Phase {number + 1}"))


def _score_class(work, last):
    """The task's own score, or the points of all its phases, of which there are 1 in sum."""
    work.action_history = [last]
    if not work.phases:
        own = _own_method(work.task, "evaluate")
        return _call(own, work, work) if own else work.evaluate()
    # A gate, or the end of the last phase, was scored as the phase ended.
    ended = work.gate or len(work.points) == len(work.phases)
    points = work.points if ended else [*work.points, _phase_points(work, last)]
    told = [{"name": _phase_name(work, number), "score": one} for number, one in enumerate(points)]
    return {"score": round(max(0.0, min(1.0, sum(points))), 4), "phases": told, "gate": work.gate}


def _respond(work, question):
    """The simulated user: the task's own, OSWorld's, or everything that the task says the user knows."""
    for one in (work.task, getattr(work, "user_simulator", None)):
        if hasattr(one, "respond"):
            return one.respond(question)
    known = _attribute_or_key(work.task, "user_simulator") or {}
    return known.get("knowledge") if isinstance(known, dict) else None


def _call(method, work, usual):
    """Call a method with what OSWorld gives first, unless that is called `env` or `guest`; others by name."""
    given = {"env": work, "guest": work.guest, "controller": getattr(work, "controller", None)}
    given |= {"setup_controller": getattr(work, "setup_controller", None), "use_proxy": False}
    first, *others = _parameters(method)
    told = given[first] if first in ("env", "guest") else usual
    return method(told, **{name: given[name] for name in others if name in given})


def _set_up(work, task):
    work.action_history = []
    steps = work.setup_controller
    for name in ("_close_all_setup", "_clean_up_files"):  # how WindowsAgentArena resets its guest
        getattr(steps, name, list)()
    work._set_task_info(task)
    steps.reset_cache_dir(work.cache_dir)
    if steps.setup(work.config, *([False] if "use_proxy" in _parameters(steps.setup) else [])) is False:
        raise RuntimeError("the guest cannot be reached")
    return work.instruction


def _score(work, last):
    work.action_history = [last]
    return float(work.evaluate())


REQUESTS = {
    **{"setup": _set_up, "score": _score, "respond": _respond},
    **{"setup_class": _set_up_class, "next_phase": _next_phase, "score_class": _score_class},
}
"""The requests that are possible once the guest is known."""


if __name__ == "__main__":
    main()
