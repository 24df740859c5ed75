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
import traceback
import uuid
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

FORM = "application/x-www-form-urlencoded"


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
    """Load the class of a file, with OSWorld's own loader if there is one, and set the task up."""
    folder, name = Path(path).parent, Path(path).stem
    sys.path.insert(0, str(folder))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    own = [one for one in vars(module).values() if isinstance(one, type) and one.__module__ == name]
    (made,) = [one for one in own if hasattr(one, "setup") and hasattr(one, "evaluate")]
    work.task = task = made()
    work.action_history, work.reached = [], []
    work.phases = list(task.get_phases()) if callable(getattr(task, "get_phases", None)) else []
    if hasattr(work, "_set_task_info"):
        work._set_task_info(task)
    _call(task.setup, work)
    return _begin(work) if work.phases else _description(work, task)


def _description(work, part):
    """The description of the task or one of its phases, a table or an object."""
    task = work.task
    return {
        "id": str(getattr(task, "id", type(task).__name__)),
        "instruction": _attribute_or_key(part, "instruction"),
        "related_apps": list(getattr(task, "related_apps", ()) or ()),
        "messages": list(_attribute_or_key(part, "messages") or ()),
        "commands": _attribute_or_key(part, "commands") or "",
        "phases": len(work.phases),
        "answers": bool(getattr(task, "user_simulator", None)) or hasattr(task, "respond"),
    }


def _attribute_or_key(part, name):
    return part.get(name) if isinstance(part, dict) and name in part else getattr(part, name, None)


def _begin(work):
    """Set up the next phase, on the guest as the last one left it."""
    phase = work.phases[len(work.reached)]
    if callable(setup := _attribute_or_key(phase, "setup")):
        _call(setup, work)
    return _description(work, phase)


def _next_phase(work, last):
    """Score the phase that has ended, and begin the next one; None after the last one."""
    if len(work.reached) + 1 >= len(work.phases):
        return None
    work.reached.append(_phase_score(work, last))
    return _begin(work)


def _phase_score(work, last):
    """A phase's own score; None if only the task as a whole is scored."""
    work.action_history = [last]
    evaluate = _attribute_or_key(work.phases[len(work.reached)], "evaluate")
    return _call(evaluate, work) if callable(evaluate) else None


def _score_class(work, last):
    """The task's own score, or the mean of its phases' scores."""
    work.action_history = [last]
    told = [*work.reached, _phase_score(work, last)] if work.phases else []
    if not any(one is not None for one in told):
        return _call(work.task.evaluate, work)
    parts = [one if isinstance(one, dict) else {"score": float(one or 0)} for one in told]
    names = [str(_attribute_or_key(phase, "name") or f"phase {n}") for n, phase in enumerate(work.phases, 1)]
    return {
        "score": sum(float(one["score"]) for one in parts) / len(parts),
        "checkpoints": {name: float(one["score"]) for name, one in zip(names, parts, strict=True)},
        "safety": [line for one in parts for line in one.get("safety", ())],
        "phases": parts,
    }


def _respond(work, question):
    """The simulated user: the task's own, OSWorld's, or everything that the task says the user knows."""
    for one in (work.task, getattr(work, "user_simulator", None)):
        if hasattr(one, "respond"):
            return one.respond(question)
    known = getattr(work.task, "user_simulator", None) or {}
    return known.get("knowledge") if isinstance(known, dict) else None


def _call(method, work):
    """Call a method with arguments by parameter name; an unknown first parameter gets the environment."""
    given = {"env": work, "guest": work.guest, "controller": getattr(work, "controller", None)}
    given["setup_controller"] = getattr(work, "setup_controller", None)
    first, *others = _parameters(method)
    return method(given.get(first, work), **{name: given[name] for name in others if name in given})


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
