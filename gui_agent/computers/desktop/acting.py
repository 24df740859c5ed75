"""Carries out each kind of action on a desktop with mouse and keys."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence

from gui_agent.computers.desktop.fields import Choosing, TextEntry
from gui_agent.computers.desktop.parts import Device, Hands, Node, Window
from gui_agent.computers.desktop.settling import TINY, differences
from gui_agent.computers.processes import wait_until_idle
from gui_agent.core.actions import (
    Action,
    Back,
    Check,
    Choose,
    Click,
    Close,
    Drag,
    Hold,
    LongPress,
    Move,
    Navigate,
    Open,
    Press,
    Scroll,
    Select,
    Swipe,
    Switch,
    TypeText,
    Upload,
)
from gui_agent.core.deadline import turns
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Point
from gui_agent.core.texts import is_titled, normal, shorten
from gui_agent.elements.roles import SUGGESTED, word_set
from gui_agent.elements.words import letters_alike

STARTING = 20.0
"""Maximum seconds for an opened program to show a window."""
READYING = 10.0
"""Maximum seconds to wait for a program with a window to finish its start-up work."""
ARRANGING = 2.0
"""Maximum seconds for a window manager to bring a window to the front."""
COMING = 5.0
"""Maximum seconds for a window to switch to to appear: the previous action may be opening it."""
CLOSING = 3.0
"""Maximum seconds for a window to close, or to ask for confirmation."""
PREVIEWING = 0.7
"""Seconds from a text to the next click: programs process it once no more is typed for half a second."""
MENUS = 4
ACCEPTING = word_set("open ok choose select upload öffnen auswählen ouvrir choisir abrir apri openen")
"""Captions of the button in file dialogs that accepts the file."""
TAKING = 10.0
"""Maximum seconds for a file dialog to accept a path."""
ENTERED = 1.5
"""Maximum seconds for a typed path to appear in its field."""
LOOKS = 3
"""Minimum looks at a field: a look by vision takes longer than the time that others need."""
ALIKE = 0.85
"""Minimum similarity of a text read by vision to the typed one."""
POLL = 0.02
BROWSERS = ("chrom", "firefox", "edge", "brave", "vivaldi", "epiphany", "falkon", "opera")
ADDRESS = re.compile(r"(?:https?|file|ftp)://[^\s\x00-\x1f\x7f]+", re.IGNORECASE)
HOST = re.compile(r"[^\s:/@]+(?::\d+)?(?:[/?#]\S*)?")
Look = Callable[[], Sequence[Node]]
At = Callable[[Point], Node | None]


class Acting:
    """Turns actions into gestures, with the given source if an action needs to see the screen."""

    def __init__(self, device: Device, look: Look, at: At) -> None:
        self._device = device
        self._look = look
        self._hands = Hands(device)
        self._fields = TextEntry(device, self._hands, look, at)
        self._choosing = Choosing(device, self._hands, look, at)
        self._typed = 0.0

    def perform(self, action: Action) -> None:
        match action:
            case Press(keys=keys, times=times):
                self._hands.press(keys, times)
            case Hold(keys=keys, seconds=seconds):
                self._hands.hold(keys, seconds)
            case Open(name=name):
                self.open(name)
            case Navigate(url=url, new_tab=new_tab):
                self._navigate(url, new_tab)
            case Back():
                self._hands.press(("alt", "left"))
            case Switch(to=title):
                self._switch(title)
            case Close():
                self._close()
            case _:
                self._act_at(action)

    def _act_at(self, action: Action) -> None:
        hands = self._hands
        match action:
            case Click(at=at, button=button, clicks=clicks, modifiers=keys):
                self._leave_list(at)
                self.await_preview()
                hands.click(at, button, clicks, keys)
                self._fields.await_focus(at)
            case Move(at=at):
                hands.move(at)
            case Drag(at=at, to=to, modifiers=keys):
                hands.drag(at, to, keys)
            case Scroll(at=at, down=down, right=right):
                hands.scroll(at, down, right)
            case Swipe(at=at, to=to, seconds=seconds):
                hands.drag(at, to, seconds=seconds)
            case LongPress(at=at, seconds=seconds):
                hands.long_press(at, seconds)
            case TypeText(text=text, at=at, replace=replace):
                self._fields.type_into(text, at, replace)
                self._typed = time.monotonic()
            case Select(at=at, text=text):
                self._fields.select_words(text, at)
            case Choose(at=at, option=option):
                self._choosing.choose(at, option)
            case Check(at=at, on=on):
                self._choosing.check(at, on)
            case Upload(at=at, files=files):
                self._upload(at, files)
            case _:
                raise ActionFailed(f"a desktop cannot {action.kind}")

    def await_preview(self) -> None:
        """Wait until the program has processed the last typed text, before a press."""
        time.sleep(max(0.0, self._typed + PREVIEWING - time.monotonic()))

    def _leave_list(self, at: Point) -> None:
        """Close an open list of suggestions before a click elsewhere, which would only close it."""
        apart = [one for one in self._device.windows() if one.popup and not one.hint]
        held = {} if any(one.whole.contains(at) for one in apart) else {one.id: set[str]() for one in apart}
        for node in self._look() if held else ():
            held.get(node.window, set()).add(node.role)
        if any(roles and roles <= SUGGESTED for roles in held.values()):
            self._hands.press(("escape",))

    def open(self, name: str) -> None:
        """Start a program or open a file, and wait until it shows a window."""
        before = self._state()
        self._device.launch(name)
        deadline = time.monotonic() + STARTING
        while time.monotonic() < deadline + (STARTING if any(w.hint for w in self._device.windows()) else 0):
            if self._state() != before:
                self._ready()
                return
            failure = self._device.failure()
            if failure:
                raise ActionFailed(failure)
            time.sleep(POLL)
        raise ActionFailed(f'"{shorten(name)}" was started but showed no window within {STARTING:g} s')

    def _ready(self) -> None:
        """Wait until the program in front has finished its start-up work: earlier keys are lost."""
        window = active(self._device.windows())
        if window is not None and window.pid and self._device.platform in ("x11", "wayland"):
            wait_until_idle(window.pid, READYING, looks=2)

    def _state(self) -> set[tuple[int, str, bool]]:
        """The state that opening something changes: windows that are new, renamed or brought to the front."""
        return {(one.id, one.title, one.active) for one in self._main_windows()}

    def _main_windows(self) -> list[Window]:
        """The windows that are no menus, hints or lists."""
        return [one for one in self._device.windows() if not one.popup]

    def _navigate(self, url: str, new_tab: bool) -> None:
        whole = web_address(url)
        window = active(self._device.windows())
        if window is None or not any(name in window.app for name in BROWSERS):
            self.open(whole)
            return
        if new_tab:
            self._hands.press(("ctrl", "t"))
        self._hands.press(("ctrl", "l"))
        self._device.type_text(url.strip())
        self._hands.press(("enter",))

    def _switch(self, title: str) -> None:
        looks = (self._windows_called(title) for _ in turns(COMING, POLL))
        found = next(filter(None, looks), None)
        if not found:
            windows = (*self._main_windows(), *self._device.minimised_windows())
            names = ", ".join(f'"{shorten(one.title, 50)}"' for one in windows) or "none"
            raise ActionFailed(f'no window is called "{shorten(title)}"; there are: {names}')
        # Of several windows, the most recently used one, except one that is already in front.
        self._device.activate(found[-1])
        for _ in turns(ARRANGING, POLL):
            if any(window.id == found[-1].id and window.active for window in self._device.windows()):
                return
        raise ActionFailed(f'the window "{shorten(found[-1].title)}" did not come to the front')

    def _windows_called(self, name: str) -> list[Window]:
        windows, wanted = self._main_windows(), normal(name)
        return (
            [window for window in windows if is_titled(window.title, name)]
            or [window for window in windows if wanted in normal(window.app)]
            or [
                one
                for one in self._device.minimised_windows()
                if is_titled(one.title, name) or wanted in normal(one.app)
            ]
        )

    def _close(self) -> None:
        window = active(self._device.windows())
        if window is None:
            raise ActionFailed("no window is in front; switch to the window to close")
        self._leave_menus(window)
        before = {one.id for one in self._main_windows()}
        shown = self._device.pixels()
        self._device.close_window(window)
        if self._has_closed(window, before):
            return
        # A program may ask in the window itself whether to save its content.
        counts = differences(shown, self._device.pixels(), self._device.size)
        if counts is None or counts.sum() <= TINY:
            title = shorten(window.title or window.app)
            raise ActionFailed(f'the window "{title}" did not close; use a control in the window to close it')

    def _leave_menus(self, window: Window) -> None:
        for _ in range(MENUS):
            if not any(one.popup and one.pid in (0, window.pid) for one in self._device.windows()):
                return
            self._hands.press(("escape",))
            self._device.caught_up(window, ARRANGING)

    def _has_closed(self, window: Window, before: set[int]) -> bool:
        """Whether a window closes, or a window with a question appears instead, within a while."""
        for _ in turns(CLOSING, POLL):
            now = {one.id for one in self._main_windows()}
            if window.id not in now or now - before:
                return True
        return False

    def _upload(self, at: Point, files: Sequence[str]) -> None:
        if len(files) != 1:
            raise ActionFailed("a file dialog takes one file at a time here; upload them one by one")
        before = {window.id for window in self._device.windows()}
        self._hands.click(at)
        for _ in turns(STARTING / 2, POLL):  # the portal that shows the dialog may have to start
            window = active(self._device.windows())
            if window and window.id not in before:
                break
        else:
            raise ActionFailed("no file dialog opened; aim at the button that opens one")
        self._device.caught_up(window, ARRANGING)
        self._enter_path(window, files[0])

    def _enter_path(self, dialog: Window, path: str) -> None:
        for _ in turns(TAKING, 0.0):
            self._device.type_text(path)
            if self._shows(dialog, path):
                self._accept(dialog)
                if self._is_gone(dialog, TAKING / 2):
                    return
                break
            if self._shows(dialog, ""):  # early keys are lost
                self._hands.press(("ctrl", "a"))
        self._hands.press(("escape",))
        raise ActionFailed(f'the file dialog did not accept "{shorten(path)}" and was closed; check the path')

    def _accept(self, dialog: Window) -> None:
        """Press the button that accepts the file, or Enter if there is none: some dialogs close on Enter."""
        buttons = [one for one in self._look() if one.window == dialog.id and one.role == "button"]
        taking = [one for one in buttons if normal(one.name) in ACCEPTING]
        if len(taking) == 1:
            self._hands.click(taking[0].box.center)
        else:
            self._hands.press(("enter",))

    def _shows(self, dialog: Window, text: str) -> bool:
        """Whether a field of a window shows a text, or any at all, within a moment."""
        for _ in turns(ENTERED, POLL, LOOKS):
            fields = [one for one in self._look() if one.window == dialog.id and "editable" in one.states]
            if any(_reads(one, text) if text else one.value for one in fields):
                return True
        return False

    def _is_gone(self, window: Window, seconds: float) -> bool:
        looks = (active(self._device.windows()) for _ in turns(seconds, POLL))
        return any(front is None or front.id != window.id for front in looks)


def _reads(field: Node, text: str) -> bool:
    """Whether a field has a text; vision sometimes misreads a letter."""
    if "ocr" in field.source or "vision" in field.source:
        return letters_alike(field.value, text) > ALIKE
    return field.value == text


def web_address(url: str) -> str:
    """The full address for a person's input."""
    url = url.strip()
    whole = f"http://{url}" if HOST.fullmatch(url) else url
    if not ADDRESS.fullmatch(whole):
        raise ActionFailed(f'"{shorten(url)}" is not an address; give one such as https://example.org')
    return whole


def active(windows: Sequence[Window]) -> Window | None:
    return next((window for window in reversed(windows) if window.active), None)
