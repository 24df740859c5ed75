"""A recorder of a person's work on an X display, private or their own."""

from __future__ import annotations

import queue
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from gui_agent.computers.recording.events import Double, Down, Moved, Pressed, Spot, Up
from gui_agent.computers.recording.looks import LookingRecorder, Looks
from gui_agent.computers.recording.secrets import Secrecy
from gui_agent.computers.recording.steps import Steps
from gui_agent.computers.x11.device import X11Device
from gui_agent.computers.x11.recording.recorded_context import (
    InputEvent,
    Visit,
    XListener,
    held_modifiers,
    key_name,
    typed_character,
)
from gui_agent.core.actions import Button, TypeText
from gui_agent.core.errors import ComputerLost, ConfigError
from gui_agent.core.geometry import Point
from gui_agent.core.observation import Element, Observation
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.elements.roles import OPERABLE, TICKABLE

if TYPE_CHECKING:
    from gui_agent.computers.desktop.computer import DesktopComputer

BUTTONS: dict[int, Button] = {1: "left", 2: "middle", 3: "right"}
DOUBLE = (0.4, 5)
"""Seconds and pixels within which two clicks are a double click."""
EDITING = frozenset(("a", "c", "v", "x", "z", "y", "left", "right", "home", "end", "backspace", "delete"))
"""Keys that, with ctrl held, only edit the field they go to."""


class X11Recorder(LookingRecorder):
    """Follows what a person does on a display, from the moment it is made.

    Nobody else may act on it meanwhile. The screen is looked at whenever it has come to rest, so that for
    everything that is done it is known what the person saw.
    """

    def __init__(
        self,
        computer: DesktopComputer,
        *,
        secrets: Mapping[str, str] | None = None,
        secret_fields: Collection[str] = (),
        all_typed: bool = False,
    ) -> None:
        """
        Args:
            secrets: values that are never recorded, by name.
            secret_fields: names of fields whose text is secret though the screen shows it.
            all_typed: keep nothing of what is typed, whatever the field.

        Raises:
            ComputerLost: the display is gone.
            ConfigError: this is no X display, or it does not tell what happens on it.
        """
        device = computer.device
        if not isinstance(device, X11Device):
            raise ConfigError(
                f"a person cannot be recorded on {computer.platform}; use --on virtual on Linux"
            )
        self.platform = computer.platform
        self.start = ""
        self._steps = Steps(Secrecy(secrets, secret_fields, all_typed=all_typed))
        self._looks = Looks(computer, device.pixels)
        self._visit: Visit | None = None
        self._visits = 0
        self._blind: tuple[Observation, str] | None = None
        """What is being typed where nobody tells of a field, and the screen before."""
        self._field: int = 0
        """Id of the field that has the keyboard, 0 for none."""
        self._clicked: InputEvent | None = None
        """The last button that came up, for double clicks."""
        self._lost = False
        self._looks.take()
        self._heard: queue.SimpleQueue[InputEvent] = queue.SimpleQueue()
        self._listener = XListener(device.display, self._heard.put)
        self._follow_focus()

    def undo(self) -> str:
        """Forget the last step; what was done stays done. The step in words, or nothing."""
        self._take()
        self._leave()
        return self._steps.undo()

    def stop(self, task: Task) -> Trajectory:
        """End the recording; all steps under the task, without secrets and pictures, ended as done."""
        self._take()
        try:
            if self.open:
                self._looks.take()
        except ComputerLost:
            self._lost = True  # the last quiet look is the end
        self._leave()
        self._listener.close()
        return self._steps.trajectory(task, self._looks.latest)

    def _take(self) -> bool:
        """Work off what was heard, and look when all is quiet; False when the display has gone."""
        try:
            while not self._heard.empty():
                self._hear(self._heard.get())
            if self._looks.due and self._looks.take_if_quiet(self._heard.empty):
                self._follow_focus()
                self._read_back()
        except ComputerLost:
            self._lost = True
        return self.open

    def _hear(self, done: InputEvent) -> None:
        self._looks.note(done.seconds)
        match done.kind:
            case "button down" if done.code in BUTTONS:
                self._leave()
                self._down(done)
            case "button up" if done.code in BUTTONS:
                self._up(done)
            case "key down":
                self._key(done)

    def _down(self, done: InputEvent) -> None:
        before = self._looks.before(done.seconds)
        there = things_at(done.at, before)
        spot = Spot(before, tuple(element.id for element in there), done.at)
        front = there[0] if there else None
        self._field = front.id if front is not None and _is_field(front) else 0
        kind = "text" if self._field else "tick" if front is not None and front.role in TICKABLE else ""
        button, modifiers = BUTTONS[done.code], held_modifiers(done, shift=True)
        self._steps.hear(Down(spot, button, modifiers, kind, done.seconds))

    def _up(self, done: InputEvent) -> None:
        self._steps.hear(Up(done.at))
        last, self._clicked = self._clicked, done
        if last is None or last.code != done.code or done.seconds - last.seconds > DOUBLE[0]:
            return
        if max(abs(last.at.x - done.at.x), abs(last.at.y - done.at.y)) <= DOUBLE[1]:
            self._steps.hear(Double())
            self._clicked = None

    def _key(self, done: InputEvent) -> None:
        key, typed, modifiers = key_name(done), typed_character(done), held_modifiers(done)
        if not key:
            return
        before = self._looks.before(done.seconds)
        field = before.by_id(self._field) or _focused(before)
        if modifiers:
            if field is not None and modifiers == ("ctrl",) and key.lower() in EDITING:
                self._visit_of(field, before).unsure = True
                return
            self._press(done, key.lower() if len(key) == 1 else key, field, before)
        elif field is not None and self._visit_of(field, before).takes(key, typed):
            self._tell_visit()
        elif field is None and typed and (typed != " " or self._blind):
            self._blind = self._blind or (before, "")
            self._blind = self._blind[0], self._blind[1] + typed
        elif self._blind is not None and key == "backspace" and self._blind[1]:
            self._blind = self._blind[0], self._blind[1][:-1]
        else:
            self._press(done, key, field, before)

    def _press(self, done: InputEvent, key: str, field: Element | None, before: Observation) -> None:
        self._leave()
        ids = (field.id,) if field is not None else ()
        shift = len(key) > 1 or bool(held_modifiers(done))
        pressed = (*held_modifiers(done, shift=shift), key)
        self._steps.hear(Pressed(Spot(before, ids), pressed, False, done.seconds))
        self._field = 0

    def _visit_of(self, field: Element, before: Observation) -> Visit:
        if self._visit is None or self._visit.field.id != field.id:
            self._leave()
            self._visits += 1
            self._visit = Visit(str(self._visits), field, before)
        self._field = field.id
        return self._visit

    def _leave(self) -> None:
        """The person goes on to something else than the field they typed into."""
        if self._visit is not None:
            self._read_back()
            self._steps.hear(self._visit.ended())
            self._visit = None
        if self._blind is not None:
            before, text = self._blind
            self._blind = None
            if text:
                self._steps.hear(Moved(TypeText(text), before))

    def _read_back(self) -> None:
        """Take what stands in the field for what was typed, where the keys alone do not tell."""
        latest = self._looks.latest
        if self._visit is not None and latest is not None and self._looks.since(self._visit.touched):
            now = latest.by_id(self._visit.field.id)
            if now is not None and self._visit.shows(now.value):
                self._tell_visit()

    def _tell_visit(self) -> None:
        if self._visit is not None:
            self._steps.hear(self._visit.typing())

    def _follow_focus(self) -> None:
        latest = self._looks.latest
        focused = None if latest is None else _focused(latest)
        if focused is not None:
            self._field = focused.id


def things_at(point: Point, screen: Observation) -> list[Element]:
    """What is at a point: what can be operated, the smallest first, and then the rest in the same way."""
    there = [element for element in screen.elements if element.box.contains(point)]
    return sorted(there, key=lambda one: (one.role not in OPERABLE and not _is_field(one), one.box.area))


def _focused(screen: Observation) -> Element | None:
    return next((one for one in screen.elements if "focused" in one.states and _is_field(one)), None)


def _is_field(element: Element) -> bool:
    return "editable" in element.states and "readonly" not in element.states
