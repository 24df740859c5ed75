"""Carries out each kind of action on a phone, with fingers and the phone's buttons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from urllib.parse import quote, urlsplit

from gui_agent.core.actions import (
    Action,
    Back,
    Check,
    Choose,
    Click,
    Drag,
    LongPress,
    Navigate,
    Open,
    Pinch,
    Press,
    Rotate,
    Scroll,
    Swipe,
    Switch,
    TypeText,
    Upload,
)
from gui_agent.core.errors import ActionFailed
from gui_agent.core.keys import chord
from gui_agent.core.observation import Point, Size
from gui_agent.core.os_errors import user_path, why
from gui_agent.core.protocols import Opening
from gui_agent.core.texts import normal, shorten
from guiagent_platforms.android.client import AdbDevice, refusal
from guiagent_platforms.android.hierarchy import Display
from guiagent_platforms.android.screen import MAIN, PhoneScreen
from guiagent_platforms.android.text_entry import ChangedSettings, PhoneTextEntry
from guiagent_platforms.fingers import SHOWING, Fingers, node_called, pinches

HOME, BACK, SEARCHES = "3", "4", 6
KEYCODES = {
    "enter": 66, "escape": 111, "tab": 61, "space": 62, "backspace": 67, "delete": 112, "insert": 124,
    "home": 3, "end": 123, "pageup": 92, "pagedown": 93, "up": 19, "down": 20, "left": 21, "right": 22,
    "menu": 82, "ctrl": 113, "alt": 57, "shift": 59, "meta": 117, "capslock": 115, "printscreen": 120,
    "recentapps": 187, "powerbutton": 26, "wakeup": 224,
    **{chr(97 + number): 29 + number for number in range(26)},
    **{str(number): 7 + number for number in range(10)},
    **{f"f{number}": 130 + number for number in range(1, 13)},
}  # fmt: skip
"""Android's key codes by canonical key name; `home` alone is the phone's home button."""
MOVE_HOME = 122
LAUNCHING = ("-a", "android.intent.action.MAIN", "-c", "android.intent.category.LAUNCHER")
SCHEMES = ("http", "https", "market")
USER_ROTATION = "user_rotation"
UNHURRIED = 1.2
"""Minimum milliseconds per pixel; a faster swipe flings the content."""
DOWNLOADS = "/sdcard/Download"
PICKERS = (".documentsui", ".photopicker")
"""Suffixes of the packages of file pickers."""
LARGEST = 64 * 1024 * 1024
GENERIC = frozenset(("com", "org", "net", "android", "google", "apps", "app", "mobile", "client", "ui"))
"""Parts of package names that do not name an app."""


@dataclass(eq=False, repr=False)
class PhoneActing:
    """Turns actions into taps, swipes and keys."""

    _device: AdbDevice
    _screen: PhoneScreen
    _fields: PhoneTextEntry
    _changed: ChangedSettings
    _display: Display = MAIN
    _apps: tuple[str, ...] = ()

    def perform(self, action: Action) -> None:
        match action:
            case Rotate(to=to):
                self._rotate(to)
            case Press(keys=("keyboardaction",), times=times):
                for _ in range(times):
                    self._fields.act()
            case Press(keys=keys, times=times):
                self._press(keys, times)
            case Back():
                self._input(("keyevent", BACK))
            case Open(name=name) | Switch(to=name):
                self.open(name)
            case Navigate(url=url):
                self._visit(url)
            case Check(at=at, on=on):
                self._fingers.check(at, on)
            case Choose(at=at, option=option):
                self._choose(at, option)
            case Upload(at=at, files=files):
                self._upload(at, files)
            case TypeText(text=text, at=at, replace=replace):
                self._fields.type_into(text, at, replace)
            case _:
                self._touch(action)

    def _touch(self, action: Action) -> None:
        match action:
            case Click(at=at, button=button, clicks=clicks, modifiers=keys):
                if button != "left" or keys:
                    raise ActionFailed("a phone has no right click and no held keys; use a long press")
                self._input(*[("tap", at.x, at.y)] * clicks)
            case LongPress(at=at, seconds=seconds):
                self._input(("swipe", at.x, at.y, at.x, at.y, int(seconds * 1000)))
            case Drag(at=at, to=to):
                self._input(("draganddrop", at.x, at.y, to.x, to.y, 1000))
            case Swipe(at=at, to=to, seconds=seconds):
                self._input(("swipe", at.x, at.y, to.x, to.y, max(20, int(seconds * 1000))))
            case Pinch(at=at, scale=scale):
                self._pinch(at, scale)
            case Scroll(at=at, down=down, right=right):
                self._fingers.scroll(at, down, right)
            case _:
                raise ActionFailed(f"a phone cannot {action.kind}; tap, swipe, type, or use back and home")

    def open(self, name: str) -> None:
        """Open an app by package or by the name below its icon, or an address."""
        opening = self.opening(name)
        if opening.url:
            self._visit(opening.url)
        elif opening.command:
            self._start(opening.command[0])
        else:
            self._by_icon(name)

    def opening(self, name: str) -> Opening:
        """What `open` would start; an app known only by its icon's name has no command."""
        if "://" in name or name.startswith("market:"):
            return Opening("address", url=_address(name))
        wanted = normal(name)
        if not wanted:
            raise ActionFailed("no app is named; give its name or package")
        apps = self._launchable_apps()
        exact = [app for app in apps if wanted in (app.lower(), app.partition("/")[0].lower())]
        words = {app: app.partition("/")[0].lower().split(".") for app in apps}
        named = [app for app in apps if wanted.replace(" ", "") in set(words[app]) - GENERIC]
        found = exact or named
        return Opening("program", (found[0],) if len(found) == 1 else ())

    def _launchable_apps(self) -> tuple[str, ...]:
        if not self._apps:
            said = self._device.look("cmd", "package", "query-activities", "--brief", *LAUNCHING).text
            self._apps = tuple(dict.fromkeys(re.findall(r"^\s*([\w.]+/[\w.$]+)\s*$", said, re.MULTILINE)))
        return self._apps

    def _start(self, component: str) -> None:
        said = self._device.act((*self._display.start, *LAUNCHING, "-f", "0x10200000", "-n", component)).text
        self._started(said, component)

    def _visit(self, url: str) -> None:
        view = (*self._display.start, "-a", "android.intent.action.VIEW", "-d", _address(url))
        self._started(self._device.act(view).text, url)

    def _started(self, said: str, what: str) -> None:
        fault = re.search(r"^(?:Error|Exception|java\.\S+)[: ].*", said, re.MULTILINE)
        if fault:
            raise ActionFailed(f"{shorten(what, 60)} cannot be opened: {shorten(fault[0], 100)}")

    def _by_icon(self, name: str) -> None:
        self._input(("keyevent", HOME))
        size, seen = self._screen.size, [""]
        for turn, look in enumerate(islice(self._screen.looks(SHOWING * 2), SEARCHES)):
            icon = node_called(look, name)
            if icon is not None:
                self._tap(icon.box.center)
                return
            now = [node.name for node in look.nodes]
            if turn > 1 and now == seen:
                break
            seen = now
            middle = size.width // 2
            self._input(("swipe", middle, int(size.height * 0.8), middle, int(size.height * 0.3), 300))
        apps = ", ".join(sorted(app.partition("/")[0] for app in self._launchable_apps())[:12])
        raise ActionFailed(f'no app is called "{shorten(name, 60)}"; give its package, such as: {apps}')

    def _input(self, *commands: tuple[object, ...]) -> None:
        done = self._device.act(*((*self._display.input, *map(str, words)) for words in commands))
        if done.code or re.search(r"^(Error|java\.)", done.text):
            raise ActionFailed(f"the phone did not accept the input: {refusal(done.text)}")

    def _pinch(self, at: Point, scale: float) -> None:
        for fingers in pinches(at, scale, self._screen.size):
            if not self._screen.gesture(fingers):
                raise ActionFailed(
                    "adb alone has no second finger; pip install 'guiagent[u2]' gives it one,"
                    " or use the app's own zoom controls"
                )

    def _rotate(self, to: str) -> None:
        """Rotate the screen through the phone's settings, which are restored at the end of the run."""
        across = to == "landscape"
        if _lies_across(self._screen.look(picture=False).size) == across:
            return
        now = self._device.look("settings", "get", "system", USER_ROTATION).text
        self._changed.put("system", "accelerometer_rotation", "0")
        self._changed.put("system", USER_ROTATION, "1" if now in ("0", "2", "null") else "0")
        if any(_lies_across(look.size) == across for look in self._screen.looks(SHOWING)):
            return
        raise ActionFailed(f"the app in front does not support {to}")

    def _press(self, keys: Sequence[str], times: int) -> None:
        names = chord(keys)
        if any(len(name) == 1 and name.lower() not in KEYCODES for name in names):
            raise ActionFailed(f"phones have no key for {'+'.join(names)}; type it as text")
        codes = []
        for name in names:
            if name.lower() not in KEYCODES:
                raise ActionFailed(
                    f"phones have no key {name}; use one of {', '.join(sorted(KEYCODES)[36:])}"
                )
            codes.append(KEYCODES[name.lower()])
        if len(codes) == 1:
            self._input(("keyevent", *codes * times))
            return
        codes = [MOVE_HOME if code == KEYCODES["home"] else code for code in codes]
        self._input(*[("keycombination", *codes)] * times)

    def _choose(self, at: Point, option: str) -> None:
        if not self._fingers.choose(at, option):
            self._input(("keyevent", BACK))
            raise ActionFailed(
                f'there is no option "{shorten(option, 60)}" in sight; scroll in the list, or look again'
            )

    def _upload(self, at: Point, files: Sequence[str]) -> None:
        """Copy a file to the phone's downloads, and choose it in the picker that a tap opens."""
        if len(files) != 1:
            raise ActionFailed("a phone accepts one file at a time; upload them one after another")
        path = user_path(files[0])
        try:
            if path.stat().st_size > LARGEST:
                raise ActionFailed(
                    f"{path.name} is larger than {LARGEST // 1024**2} MB; choose a smaller file"
                )
            data = path.read_bytes()
        except OSError as error:
            raise ActionFailed(f"{path}: cannot be read: {why(error)}") from error
        place = f"{DOWNLOADS}/{path.name}"
        self._device.push(data, place)
        scan = ("am", "broadcast", "-a", "android.intent.action.MEDIA_SCANNER_SCAN_FILE", "-d")
        self._device.act((*scan, f"file://{quote(place)}"))
        self._tap(at)
        for look in self._screen.looks(SHOWING):
            found = node_called(look, path.name) if look.state.app.endswith(PICKERS) else None
            if found is not None:
                self._tap(found.box.center)
                return
        raise ActionFailed(f"no picker shows {shorten(path.name, 60)}; choose it in the phone's downloads")

    @property
    def _fingers(self) -> Fingers:
        return Fingers(self._screen, self._tap, self._swipe)

    def _tap(self, at: Point) -> None:
        self._input(("tap", at.x, at.y))

    def _swipe(self, at: Point, to: Point) -> None:
        far = abs(to.x - at.x) + abs(to.y - at.y)
        self._input(("swipe", at.x, at.y, to.x, to.y, max(300, int(far * UNHURRIED))))


def _lies_across(size: Size) -> bool:
    return size.width > size.height


def _address(url: str) -> str:
    whole = url.strip() if ":" in url else f"https://{url.strip()}"
    try:
        scheme = urlsplit(whole).scheme.lower()
    except ValueError:
        scheme = ""
    if scheme not in SCHEMES or re.search(r"[\x00-\x20\x7f]", whole):
        raise ActionFailed(f"phones open only http, https and market addresses here, not {shorten(url, 60)}")
    return whole
