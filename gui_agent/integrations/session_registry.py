"""The registry of screens and runs for other programs, and the process that holds one screen open.

A client names a kind of screen and a task; everything that could run a program or weaken the guard comes
from the settings of the registry's owner. Only a user answers the guard, once for each question.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from gui_agent import plugins
from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.agent.secret_filter import SecretFilter
from gui_agent.api.row_list import RowTask, row_task
from gui_agent.core.errors import Ambiguous, ConfigError, GuiAgentError, NotFound
from gui_agent.core.observation import Element, Observation, Words
from gui_agent.core.private_data import KnownSecrets
from gui_agent.core.protocols import Computer
from gui_agent.core.redaction import Redactor
from gui_agent.core.trajectory import Result
from gui_agent.integrations.choices import chosen_settings, screen_settings
from gui_agent.integrations.runs import InUse, ServedRun
from gui_agent.integrations.screen_client import DOOR, UnknownHandle, desks, read_line
from gui_agent.procedures.language.program import Program
from gui_agent.settings import Settings, override
from gui_agent.skills import list_skills
from gui_agent.skills.pack import is_name
from gui_agent.trace.events import failure_data, result_data
from gui_agent.trace.report import write_report
from gui_agent.wiring import make_computer, run, run_skill
from gui_agent.wiring.learned import is_command
from gui_agent.wiring.parts import known_secrets

SCREENS, RUNS = 8, 500
"""Maximum open screens, and number of ended runs to remember."""


class HeldScreen:
    """A screen held open for a client."""

    def __init__(self, handle: str, kind: str, computer: Computer, secrets_: KnownSecrets) -> None:
        self.handle, self.kind, self.computer = handle, kind, computer
        self.busy = threading.Lock()
        self.used = time.monotonic()
        self._secret_filter = SecretFilter(computer, Redactor(secrets_), dict(secrets_))
        self.private = secrets_.private

    def look(self, *, picture: bool = True) -> Observation:
        """The screen as clients may see it: secrets are replaced by references and painted over."""
        self.used = time.monotonic()
        return self._secret_filter.observe(picture=picture)

    def find(self, words: str) -> dict[str, Any]:
        """The element for the words: `found`, or the candidates and the reason."""
        seen = self.look(picture=False)
        try:
            found = ScreenGrounder().locate(Words(words), seen)
        except (NotFound, Ambiguous) as error:
            nearest = [describe_element(one) for one in error.candidates]
            return {"found": None, "reason": str(error), "candidates": nearest}
        here = describe_element(found.element) if found.element is not None else {}
        return {"found": {**here, "x": found.point.x, "y": found.point.y, "score": round(found.score, 3)}}


class SessionRegistry:
    """Holds screens and runs for external programs."""

    def __init__(self, settings: Settings, *, attended: bool = False, idle: float = 3600.0) -> None:
        """
        Args:
            attended: whether a user watches the views of runs, so that a run may wait for them.
            idle: seconds after which an unused screen is closed.
        """
        self.settings, self.attended, self._idle = settings, attended, idle
        self.folder = desks() / str(os.getpid())
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(mode=0o700)
        self._screens: dict[str, HeldScreen] = {}
        self._runs: dict[str, ServedRun] = {}
        self._keys: dict[str, tuple[str, ServedRun]] = {}
        self._lock = threading.RLock()

    @property
    def screens(self) -> list[HeldScreen]:
        """The open screens, after closing those that were idle for too long."""
        with self._lock:
            late = time.monotonic() - self._idle
            idle = [one for one in self._screens.values() if one.used < late and not one.busy.locked()]
        for one in idle:
            self.close(one.handle)
        return list(self._screens.values())

    @property
    def runs(self) -> list[ServedRun]:
        return list(self._runs.values())

    def kinds(self) -> list[str]:
        return sorted(plugins.installed_parts("computers"))

    def open(self, on: str = "", url: str = "") -> HeldScreen:
        """Open a screen of a kind (browser, virtual, android ...), by default that of the settings."""
        if len(self.screens) >= SCREENS:
            raise InUse(f"{SCREENS} screens are already open; close one first")
        settings = screen_settings(self.settings, on)
        kind = settings.computer.kind
        computer = make_computer(settings)
        screen = HeldScreen(f"s-{secrets.token_hex(3)}", kind, computer, known_secrets(self.settings))
        with self._lock:
            self._screens[screen.handle] = screen
        if url:
            begun = self.start('open "{url}"', screen=screen.handle, values={"url": url})
            begun.wait(self.settings.limits.seconds)
            if begun.result is not None and not begun.result["ok"]:
                self.close(screen.handle)
                raise ConfigError(f"{url} could not be opened: {begun.result['reason']}")
        return screen

    def screen(self, handle: str) -> HeldScreen:
        if handle not in self._screens:
            known = ", ".join(self._screens) or "none is open"
            raise UnknownHandle(f'there is no screen "{handle}" ({known}); open one first')
        return self._screens[handle]

    def run(self, id_: str) -> ServedRun:
        if id_ not in self._runs:
            raise UnknownHandle(f'there is no run "{id_}"')
        return self._runs[id_]

    def start(
        self,
        task: str,
        *,
        screen: str = "",
        url: str = "",
        values: Mapping[str, str] | None = None,
        skill: str = "",
        commands_only: bool = False,
        limits: Mapping[str, float] | None = None,
        key: str = "",
        choices: Mapping[str, Any] | None = None,
        draft: Program | None = None,
    ) -> ServedRun:
        """Start a task on an open screen, or on a new one.

        Args:
            skill: the name of a skill pack or procedure to run with `values`, instead of a task.
            commands_only: accept plain commands and nothing else.
            key: the same key returns the same run again and starts nothing.
            choices: the person's for this run, the arguments of `chosen_settings`.
            draft: a program to run in place of the procedure's own.
        """
        values, limits, choices = dict(values or {}), dict(limits or {}), dict(choices or {})
        request = json.dumps([task, screen, url, values, skill, limits, choices], sort_keys=True)
        if not skill:
            _check_task(task, commands_only=commands_only)
        work = self._procedure(skill, url, values)
        if draft is not None:
            work = replace(work or RowTask(skill), programs=(draft,))
        if work is not None:
            url = work.url or url
            do = partial(run, work.task_of(values), demo=work.programs)
        else:
            do = partial(run_skill, skill) if skill else partial(run, task)
        settings = override(chosen_settings(self.settings, **choices), {"limits": limits})
        with self._lock:
            if key in self._keys:
                return self._run_of_key(key, request)
            on = self._occupied_screen(screen) if screen else None
            begun = self._new_run(task or skill, settings)
            begun.request = {"task": task, "url": url, "values": values, "skill": skill, "limits": limits}
            begun.request["choices"] = {**choices, "may_send": False, "yes": False}
            if key:
                self._keys[key] = (request, begun)

        def work_on(computer: Computer) -> Result:
            begun.sees(computer)
            return do(
                url=url,
                settings=settings,
                values=values,
                computer=computer,
                control=begun.control,
                observers=[begun],
                approver=begun,
                # A client that sends single commands gets an error with the candidates instead.
                ask=None if commands_only else begun.ask,
                private=on.private if on is not None else None,
            )

        def work_on_screen() -> Result:
            if on is not None:
                return work_on(on.computer)
            with make_computer(settings) as computer:
                return work_on(computer)

        threading.Thread(target=self._carry_out, args=(begun, on, work_on_screen), daemon=True).start()
        return begun

    def _run_of_key(self, key: str, request: str) -> ServedRun:
        first, begun = self._keys[key]
        if first != request:
            raise InUse(f'the key "{key}" was used for another request')
        return begun

    def _occupied_screen(self, handle: str) -> HeldScreen:
        """The screen, which no other run may use until `busy` is released."""
        screen = self.screen(handle)
        if not screen.busy.acquire(blocking=False):
            raise InUse(f"{handle} is busy with another task; wait for it or stop it")
        return screen

    def begin(self, task: str, work: Callable[[ServedRun], Result], *, recorded: bool = False) -> ServedRun:
        """Start something that the person does on a screen, which the work opens itself."""
        with self._lock:
            begun = self._new_run(task, self.settings, recorded=recorded)
        doing = (begun, None, partial(work, begun))
        threading.Thread(target=self._carry_out, args=doing, daemon=True).start()
        return begun

    def _new_run(self, task: str, settings: Settings, *, recorded: bool = False) -> ServedRun:
        id_ = f"r-{secrets.token_hex(4)}"
        (folder := self.folder / id_).mkdir(mode=0o700)
        begun = self._runs[id_] = ServedRun(
            id_, task, folder, settings.limits.asked, attended=self.attended, recorded=recorded
        )
        self._forget()
        return begun

    def _procedure(self, name: str, url: str, values: Mapping[str, str]) -> RowTask | None:
        """The work for the name of a procedure; None for tasks and for skill packs."""
        if not name or any(one.name == name for one in list_skills()):
            return None
        work = row_task(name, self.settings, url=url)
        lacking = [one for one, slot in work.slots.items() if slot.is_required and not values.get(one)]
        if work.programs and lacking:
            raise ConfigError(f'"{name}" needs values for: {", ".join(lacking)}')
        if not (work.programs or is_name(name)):
            raise ConfigError(f'"{name}" is not the name of a skill')
        return work if work.programs else None

    def report(self, id_: str) -> Path:
        """The file with the report of an ended run."""
        folder = (self.run(id_).result or {}).get("folder", "")
        if not folder:
            raise UnknownHandle(f"{id_} has no report yet, or stores no trace")
        return write_report(folder)

    def close(self, handle: str) -> None:
        """Close a screen; first stops a run on it."""
        screen = self.screen(handle)
        with self._lock:
            self._screens.pop(handle, None)
        screen.computer.close()

    def shut(self) -> None:
        """Stop all runs, close all screens; may be called twice."""
        for one in self.runs:
            one.stop()
        for one in self.runs:
            one.wait(5.0)
        for screen in list(self._screens):
            self.close(screen)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _carry_out(self, begun: ServedRun, on: HeldScreen | None, go: Callable[[], Result]) -> None:
        try:
            told = result_data(go())
        except Exception as error:  # noqa: BLE001 - clients that wait for the run must learn of a bug too
            told = failure_data(error)
        finally:
            if on is not None:
                on.used = time.monotonic()
                on.busy.release()
        begun.finish(told)

    def _forget(self) -> None:
        ended = [one.id for one in self._runs.values() if one.result is not None]
        for id_ in ended[: max(0, len(ended) - RUNS)]:
            shutil.rmtree(self._runs.pop(id_).folder, ignore_errors=True)


def _check_task(task: str, *, commands_only: bool) -> None:
    if not task.strip():
        raise ConfigError("there is no task; say what to do")
    if commands_only and not is_command(task, ()):
        raise ConfigError(
            f'"{task}" is not a plain command such as: click "Next"; start a task for anything else'
        )


def describe_element(element: Element) -> dict[str, Any]:
    """An element as JSON values, without empty ones."""
    described = {
        "id": element.id,
        "role": element.role,
        "name": element.name,
        "value": element.value,
        "states": sorted(element.states),
        "box": list(element.box.measures),
    }
    return {name: value for name, value in described.items() if value not in ("", [])}


class Holder:
    """Holds a screen and serves one client after another."""

    def __init__(self, settings: Settings, folder: Path, url: str, idle: float) -> None:
        self.registry, self._folder, self._idle = SessionRegistry(settings), folder, idle
        try:
            self._screen = self.registry.open(url=url)
        except BaseException:
            self.registry.shut()
            raise
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._door.bind(str(folder / DOOR))
        (folder / DOOR).chmod(0o600)
        self._door.listen(8)

    def serve(self) -> None:
        """Answer requests until it is closed or idle for too long."""
        until, going = time.monotonic() + self._idle, True
        try:
            while going and time.monotonic() < until:
                self._door.settimeout(max(0.05, until - time.monotonic()))
                with contextlib.suppress(TimeoutError):
                    line, _ = self._door.accept()
                    with line, contextlib.suppress(OSError, ValueError):
                        line.settimeout(5.0)
                        asked = json.loads(read_line(line))
                        line.settimeout(None)
                        going = asked.get("do") != "close"
                        line.sendall(json.dumps(self._answer(asked)).encode() + b"\n")
                    until = time.monotonic() + self._idle
        finally:
            self._close()

    def _close(self) -> None:
        self._door.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self.registry.shut()

    def _answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        try:
            match asked:
                case {"do": "look", "picture": str(picture)}:
                    return self._look(picture)
                case {"do": "find", "what": str(what)}:
                    return self._screen.find(what)
                case {"do": "act", "commands": str(commands)}:
                    run = self.registry.start(commands, screen=self._screen.handle, commands_only=True)
                    run.wait(self.registry.settings.limits.seconds)
                    return run.as_dict()
                case {"do": "answer", "run": str(id_), "question": str(question), "answer": str(answer)}:
                    run = self.registry.run(id_)
                    run.reply(question, answer)
                    run.wait(self.registry.settings.limits.seconds)
                    return run.as_dict()
                case {"do": "close"}:
                    self._close()  # before the answer: the screen and its files are free for the next one
                    return {}
        except GuiAgentError as error:
            return {"error": str(error), "kind": type(error).__name__}
        return {"error": "the request is not valid", "kind": "ConfigError"}

    def _look(self, picture: str) -> dict[str, Any]:
        from gui_agent.planners.llm.rendering import screen_text

        seen = self._screen.look(picture=bool(picture))
        if picture and seen.screenshot is not None:
            try:
                Path(picture).write_bytes(seen.screenshot.data)
            except OSError as error:
                raise ConfigError(f"{picture} cannot be written: {error.strerror}") from error
        place = {"title": seen.place.title, "url": seen.place.url, "app": seen.place.app}
        elements = [describe_element(one) for one in seen.elements]
        return {"place": place, "elements": elements, "text": screen_text(seen, ""), "picture": picture}


def main() -> None:
    """Open the screen that standard input describes, report that it is open, and hold it."""
    given = json.loads(sys.stdin.buffer.read())
    try:
        settings = Settings.model_validate(given["settings"])
        holder = Holder(settings, Path(given["folder"]), given["url"], given["idle"])
    except GuiAgentError as error:
        sys.stdout.write(json.dumps({"error": str(error), "kind": type(error).__name__}) + "\n")
        return
    sys.stdout.write("{}\n")
    sys.stdout.close()
    holder.serve()


if __name__ == "__main__":
    main()
