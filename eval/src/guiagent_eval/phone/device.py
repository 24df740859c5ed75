"""The simulated phone itself: its apps, screen, keyboard and settings, and faults that a test requests."""

from __future__ import annotations

import io
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gui_agent.core.observation import Box, Point, Size
from guiagent_eval.phone.app import PhoneApp
from guiagent_eval.phone.apps import APPS
from guiagent_eval.phone.views import MARGIN, PhoneView, button, column, draw, label, topmost_view_at

if TYPE_CHECKING:
    from PIL.Image import Image

STATUS, BAR, KEYBOARD = 36, 72, 0.38
"""Height of the status bar and of the title in pixels, and the keyboard's share of the screen."""
LATIN = "com.android.inputmethod.latin/.LatinIME"
ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
U2_KEYBOARD = "com.github.uiautomator/.AdbKeyboard"
SYSTEM_UI = "com.android.systemui"
PERMISSIONS = "com.android.permissioncontroller"
SIZE = Size(540, 1140)
TOASTED = 2.0
HOME = "com.android.launcher3"


class SimulatedPhone:
    """A phone in memory. `log` has all executed commands, `faults` how often each will still happen.

    Faults: dump_idle, dump_killed, dump_null (failures of `uiautomator`), cut_picture, no_picture,
    old_picture (as before Android 9), deaf (the keyboard for any text does not listen yet),
    forbidden (input and settings, as on Xiaomi's phones until a switch is set),
    rewrite (the keyboard changes typed text), swallow (input is lost), cut (the connection breaks at the
    next command), u2_dead (the server of uiautomator2 refuses),
    mute (does not greet a server). `seconds`: how long commands take, by name.
    """

    def __init__(self, size: Size = SIZE, *, model: str = "Simulated Phone") -> None:
        self.size = size
        self.displays: dict[int, SimulatedPhone] = {0: self}
        """The displays by number; each further one acts like a phone of its own, with one package of apps."""
        self.web: tuple[str, int] | None = None
        """The real address of its WebViews' DevTools: host and port of a browser."""
        self.web_socket = "webview_devtools_remote_99"
        self.watched: list[queue.SimpleQueue[bytes]] = []
        """The readers of the kernel's finger events."""
        self.shade = False
        """Whether the notifications are pulled down over the app."""
        self.banner = {"ro.product.name": "simulated", "ro.product.model": model, "ro.product.device": "sim"}
        self.apps: dict[str, PhoneApp] = {kind.package: kind() for kind in APPS}
        self.recent = [HOME]
        """Packages of the used apps, the one in front last."""
        self.granted: set[str] = set()
        self.dialog: tuple[str, str, dict[str, str], str] | None = None
        """Title, message, buttons with their effects, package."""
        self.focus: tuple[str, str] | None = None
        """Package and id of the field that has the keyboard."""
        self.selected: tuple[str, str] | None = None
        """The field whose whole text is selected."""
        self.keyboard = False
        self.rotation = 0
        self.awake, self.locked = True, False
        self.hangs = ""
        """Package of the app that does not respond."""
        self.toasts: tuple[str, float] = ("", 0.0)
        self.settings: dict[str, dict[str, str]] = {
            "system": {"accelerometer_rotation": "0"},
            "secure": {"default_input_method": LATIN, "ui_night_mode": "1"},
            "global": dict.fromkeys(
                ("window_animation_scale", "transition_animation_scale", "animator_duration_scale"), "1.0"
            ),
        }
        self.keyboards = {LATIN: True, ADB_KEYBOARD: False}
        """Installed keyboards, and whether they are enabled."""
        self.crashed = ""
        """Package of the app that crashed last."""
        self.crashes: list[str] = []
        self.u2_runs, self.u2_refuses = False, ""
        self.files: dict[str, bytes] = {}
        self.reversed: dict[str, str] = {}
        self.log: list[list[str]] = []
        self.faults: Counter[str] = Counter()
        self.seconds: dict[str, float] = {}
        self.asks_for_key = False
        """Whether the person at the phone has not allowed the computer yet."""
        self.lock = threading.RLock()
        self.unplug: Callable[[], None] = lambda: None
        """Cuts the connections; set by the server."""
        self._drawn: tuple[object, Image] | None = None
        self._written: dict[str, Any] = {}

    def fault(self, name: str) -> bool:
        """Whether a fault is to happen now; if so, it counts as having happened."""
        with self.lock:
            due = self.faults[name] > 0
            self.faults[name] -= due
            return due

    def wait(self, command: str) -> None:
        """Take as long for a command as a test requests."""
        time.sleep(self.seconds.get(command, 0.0))

    @property
    def front(self) -> PhoneApp:
        """The app in front."""
        return self.apps[self.recent[-1]]

    @property
    def area(self) -> Box:
        """The screen in its present orientation."""
        size = self.size
        return Box(0, 0, size.height, size.width) if self.rotation % 2 else Box(0, 0, size.width, size.height)

    @property
    def keyboard_box(self) -> Box:
        """The box of the keyboard when it is shown."""
        height = int(self.area.height * KEYBOARD)
        return Box(0, self.area.height - height, self.area.width, height)

    def window(self) -> PhoneView:
        """The tree of the window in front."""
        with self.lock:
            if self.shade:
                return self._shade_window()
            return self._dialog_window() if self.dialog else self._app_window()

    def _shade_window(self) -> PhoneView:
        rows, _ = column([label("Silent"), label("Charging"), button("Clear all", "shade")], self.area)
        return PhoneView(
            "android.widget.FrameLayout", box=self.area, children=rows, package=SYSTEM_UI, fill="#e0e8f0"
        )

    def _app_window(self) -> PhoneView:
        app, whole = self.front, self.area
        bar = Box(0, STATUS, whole.width, BAR)
        words = PhoneView(
            "android.widget.TextView", app.title(), Box(MARGIN, STATUS, bar.width - MARGIN, BAR)
        )
        title = PhoneView("androidx.appcompat.widget.Toolbar", box=bar, children=(words,))
        covered = self.keyboard_box.height if self.keyboard and app.resizes else 0
        body = Box(0, STATUS + BAR, whole.width, whole.height - STATUS - BAR - covered)
        rows, height = column(app.rows(self), body, app.scrolled.get(app.screen, 0))
        flags = frozenset({"scrollable"} if height > body.height else ())
        shown = PhoneView("androidx.recyclerview.widget.RecyclerView", box=body, flags=flags, children=rows)
        return PhoneView(
            "android.widget.FrameLayout", box=whole, children=(title, shown), package=app.package
        )

    def _dialog_window(self) -> PhoneView:
        assert self.dialog is not None
        title, message, buttons, package = self.dialog
        whole = self.area
        box = Box(40, whole.height // 3, whole.width - 80, 120 + 72 * len(buttons))
        texts = [label(title, id="android:id/alertTitle"), *([label(message)] if message else [])]
        asks = f"{PERMISSIONS}:id/permission"
        ids = {"Allow": f"{asks}_allow_button", "Don’t allow": f"{asks}_deny_button"}
        rows, _ = column(
            [*texts, *(button(name, f"answer:{name}", id=ids.get(name, "")) for name in buttons)], box
        )
        return PhoneView(
            "android.widget.FrameLayout", box=box, children=rows, package=package, fill="#fff7e0"
        )

    def frame(self) -> Image:
        """The pixels of the screen."""
        from PIL import Image

        with self.lock:
            whole, dark = self.area, self.settings["secure"].get("ui_night_mode") == "2"
            views = [self._app_window(), *([self.window()] if self.dialog or self.shade else [])]
            toast = self.toast_text()
            hidden = self.front.secure or not self.awake
            shown = (whole, dark, views, self.keyboard, toast, hidden)
            if self._drawn is not None and self._drawn[0] == shown:
                return self._drawn[1]
            background = "#000000" if hidden else "#202020" if dark else "#fafafa"
            picture = Image.new("RGBA", (whole.width, whole.height), background)
            if self.keyboard:
                box = self.keyboard_box
                views.append(PhoneView(box=box, fill="#d0d0d8", children=(label("q w e r t y u i o p"),)))
            if toast:
                views.append(
                    PhoneView(
                        text=toast, box=Box(60, whole.height - 160, whole.width - 120, 60), fill="#ffffff"
                    )
                )
            if not hidden:
                draw(picture, views, dark)
            self._drawn = (shown, picture)
            return picture

    def pixels(self, kind: str) -> bytes:
        """The pixels of the screen as `RGBA` or `PNG`; cached for each picture, because they take a while."""
        picture = self.frame()
        if self._written.get("of") is not picture:
            self._written = {"of": picture}
        if kind not in self._written:
            sink = io.BytesIO()
            if kind == "PNG":
                picture.convert("RGB").save(sink, "PNG", compress_level=1)
            self._written[kind] = sink.getvalue() or picture.tobytes()
        written: bytes = self._written[kind]
        return written

    def tap(self, point: Point, *, held: bool = False) -> None:
        """A finger on the screen."""
        with self.lock:
            if not self.awake or self.hangs or self.fault("swallow"):
                if self.hangs and self.dialog is None:
                    said = f"{self.apps[self.hangs].label} isn't responding"
                    self.dialog = (said, "", {"Close app": "close", "Wait": ""}, "android")
                    return
                if self.dialog is None or not self.awake:
                    return
            if self.keyboard and self.keyboard_box.contains(point) and self.dialog is None:
                return
            view = topmost_view_at([self.window()], point, "hold" if held else "do")
            if view is not None:
                self._do(view.hold if held else view.do)

    def _do(self, do: str) -> None:
        verb, _, rest = do.partition(":")
        app = self.front
        if verb == "shade":
            self.shade = False
        elif verb == "answer" and self.dialog is not None:
            _, _, buttons, package = self.dialog
            self.dialog = None
            self._take_answer(buttons[rest], package)
        elif verb == "go" and rest:
            app.stack.append(rest)
            self._unfocus()
        elif verb == "focus":
            self.focus, self.keyboard = (app.package, rest), True
        else:
            app.tap(self, do)

    def _take_answer(self, answer: str, package: str) -> None:
        if package == "android" and answer == "close":
            self.apps[self.hangs] = type(self.apps[self.hangs])()
            self.recent = [one for one in self.recent if one != self.hangs] or [HOME]
            self.hangs = ""
        elif package == "android":
            self.hangs = ""
        elif package == PERMISSIONS:
            self.granted.add(self.front.package)
        elif answer:
            self.front.tap(self, answer)

    def _unfocus(self) -> None:
        self.focus, self.keyboard = None, False

    def ask(self, title: str, message: str, buttons: dict[str, str]) -> None:
        """Show a dialog of the app in front."""
        self.dialog = (title, message, buttons, self.front.package)

    def toast(self, text: str) -> None:
        """Show a text for a moment, outside every window."""
        self.toasts = (text, time.monotonic() + TOASTED)

    def toast_text(self) -> str:
        """The shown toast; empty if there is none."""
        text, until = self.toasts
        return text if time.monotonic() < until else ""

    def crash(self, package: str) -> None:
        """End an app with an exception."""
        self.crashed = package
        self.crashes.append(
            f"E AndroidRuntime: FATAL EXCEPTION: main\nE AndroidRuntime: Process: {package}, PID: 99"
        )
        self.apps[package] = type(self.apps[package])()
        self.recent = [one for one in self.recent if one != package] or [HOME]
        name = self.apps[package].label
        self.dialog = (f"{name} keeps stopping", "", {"App info": "", "Close app": ""}, "android")

    def launch(self, package: str) -> None:
        """Bring an app to the front."""
        with self.lock:
            self.recent = [*(one for one in self.recent if one != package), package]
            self._unfocus()
            app = self.apps[package]
            if app.permission and package not in self.granted:
                question = f"Allow {app.label} to {app.permission}?"
                self.dialog = (question, "", {"Allow": "yes", "Don’t allow": "no"}, PERMISSIONS)

    def finish(self) -> None:
        """Close the top screen."""
        self.front.stack.pop()
        self._unfocus()

    def back(self) -> None:
        """The back button."""
        if self.dialog is not None or self.shade:
            self.dialog, self.shade = None, False
        elif self.keyboard:
            self.keyboard = False
        elif len(self.front.stack) > 1:
            self.finish()
        else:
            self.home()

    def home(self) -> None:
        """The home button."""
        self.dialog, self.shade = None, False
        self.launch(HOME)

    def show_recent(self) -> None:
        """The button for the apps used last: each by its name, to bring it back."""
        labels = {self.apps[one].label: f"launch:{one}" for one in reversed(self.recent) if one != HOME}
        self.home()
        self.dialog = ("Recent apps", "", labels, HOME)

    def action(self) -> int:
        """The keyboard's action in place of Enter, as Android's number; 0 for none."""
        return self.front.actions.get(self.focus[1].rpartition("/")[2], 0) if self.focus else 0

    def second(self, number: int = 2) -> SimulatedPhone:
        """A further display, such as a monitor, with the apps of the phone."""
        other = SimulatedPhone(Size(800, 480))
        other.apps, other.settings, other.keyboards = self.apps, self.settings, self.keyboards
        self.displays[number] = other
        return other

    def pinch(self, scale: float) -> None:
        """Two fingers on the screen."""
        with self.lock:
            self.front.pinch(self, scale)

    def swipe(self, start: Point, end: Point) -> None:
        """Move a finger over the screen."""
        with self.lock:
            app, window = self.front, self.window()
            if start.y < STATUS and end.y > self.area.height // 3:
                self.shade = True
                return
            slid = topmost_view_at([window], start, "slide")
            if slid is not None and abs(start.x - end.x) > max(60, abs(start.y - end.y)):
                app.tap(self, slid.slide)
                return
            view = topmost_view_at([window], start, "scrollable")
            if self.dialog is not None or view is None:
                return
            _, height = column(app.rows(self), view.box)
            wanted = app.scrolled.get(app.screen, 0) + start.y - end.y
            app.scrolled[app.screen] = max(0, min(wanted, height - view.box.height))

    def type(self, text: str) -> None:
        """Put text into the field that has the keyboard."""
        with self.lock:
            if self.focus is None or self.fault("swallow"):
                return
            ime = self.settings["secure"]["default_input_method"]
            if ime == LATIN and self.faults["rewrite"] > 0 and text:
                text = text.replace("teh", "the").capitalize()
            package, field = self.focus
            if self.selected == self.focus:
                self.erase()
            fields = self.apps[package].fields
            fields[field] = fields.get(field, "") + text

    def erase(self) -> None:
        """The backspace key."""
        if self.focus is not None:
            fields, whole = self.apps[self.focus[0]].fields, self.selected == self.focus
            fields[self.focus[1]] = "" if whole else fields.get(self.focus[1], "")[:-1]
            self.selected = None

    def chord(self, codes: list[int]) -> None:
        """Keys pressed together: ctrl and a select all, ctrl and x cut it."""
        if codes == [113, 29]:
            self.selected = self.focus
        elif codes == [113, 52] and self.selected is not None:
            self.erase()

    def state(self) -> dict[str, dict[str, Any]]:
        """The state of the phone and its apps, by name, for checks to read and change."""
        apps = {app.label.lower(): vars(app) for app in self.apps.values()}
        return {**apps, "settings": self.settings, "phone": vars(self)}
