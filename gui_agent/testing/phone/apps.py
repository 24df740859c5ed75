"""The apps of the simulated phone: state, what they show, and what taps do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from gui_agent.core.geometry import Box
from gui_agent.testing.phone.views import PhoneView, button, edit, label, row, switch

if TYPE_CHECKING:
    from gui_agent.testing.phone.device import Phone

NAMES = (
    "Ada Lovelace", "Alan Turing", "Barbara Liskov", "Claude Shannon", "Dennis Ritchie",
    "Donald Knuth", "Edsger Dijkstra", "Frances Allen", "Grace Hopper", "Hedy Lamarr",
    "Ivan Sutherland", "Jean Bartik", "John Backus", "Katherine Johnson", "Ken Thompson",
    "Leslie Lamport", "Margaret Hamilton", "Niklaus Wirth", "Radia Perlman", "Tony Hoare",
    "Zuse Konrad",
)  # fmt: skip


ENTRIES = (
    "Network & internet", "Connected devices", "Apps", "Notifications", "Battery", "Storage",
    "Sound & vibration", "Display", "Wallpaper & style", "Accessibility",
    "Security & privacy", "Location", "Safety & emergency", "Passwords & accounts",
    "Digital Wellbeing", "Google", "System", "Tips & support", "About phone",
)  # fmt: skip
HOLD = replace(row("Hold me"), flags=frozenset({"long-clickable"}))


class PhoneApp:
    """One app: a stack of screens; `rows` says what the one on top shows."""

    package: ClassVar[str]
    label: ClassVar[str]
    activity: ClassVar[str] = ".MainActivity"
    secure: ClassVar[bool] = False
    permission: ClassVar[str] = ""
    """What it asks for when it is opened first."""

    def __init__(self) -> None:
        self.stack = ["main"]
        self.fields: dict[str, str] = {}
        self.scrolled: dict[str, int] = {}

    @property
    def screen(self) -> str:
        """The screen on top."""
        return self.stack[-1]

    def title(self) -> str:
        """What stands in the bar at the top."""
        return self.label

    def rows(self, phone: Phone) -> Sequence[PhoneView]:
        """What the screen on top shows, from top to bottom."""
        raise NotImplementedError

    def tap(self, phone: Phone, do: str) -> None:
        """What a tap does, in the words of `PhoneView.do`; the phone itself does `go:` and `focus:`."""

    def field(self, phone: Phone, hint: str, name: str, *, password: bool = False) -> PhoneView:
        """A field whose text the app keeps under a name."""
        id = f"{self.package}:id/{name}"
        value = self.fields.get(id, "")
        return edit(hint, id, value, focused=phone.focus == (self.package, id), password=password)

    def value(self, name: str) -> str:
        """The text of a field."""
        return self.fields.get(f"{self.package}:id/{name}", "")


class HomeScreen(PhoneApp):
    """The home screen."""

    package, label = "com.android.launcher3", "Home"

    def rows(self, phone: Phone) -> Sequence[PhoneView]:
        """One icon per app, four in a row."""
        icons = []
        for number, app in enumerate(app for app in phone.apps.values() if app.package != self.package):
            box = Box(10 + number % 4 * 130, 10, 120, 110)
            icons.append(
                PhoneView(
                    "android.widget.TextView",
                    app.label,
                    box,
                    do=f"launch:{app.package}",
                    description=app.label,
                )
            )
        lines = [icons[start : start + 4] for start in range(0, len(icons), 4)]
        return [
            PhoneView("android.view.ViewGroup", box=Box(0, 0, 0, 130), children=tuple(line)) for line in lines
        ]

    def tap(self, phone: Phone, do: str) -> None:
        """Start the app behind an icon."""
        phone.launch(do.removeprefix("launch:"))


class SystemSettings(PhoneApp):
    """The settings: a long list, screens behind its entries, switches without text."""

    package, label, activity = "com.android.settings", "Settings", ".Settings"

    def title(self) -> str:
        """The entry that was opened."""
        return "Settings" if self.screen == "main" else self.screen

    def rows(self, phone: Phone) -> Sequence[PhoneView]:
        """The list, or the screen of one entry."""
        if self.screen == "Display":
            dark = phone.settings["secure"].get("ui_night_mode") == "2"
            turns = phone.settings["system"].get("accelerometer_rotation") == "1"
            return [
                row("Brightness level", note="60%"),
                switch("Dark theme", "toggle:dark", dark),
                switch("Auto-rotate screen", "toggle:rotate", turns),
            ]
        if self.screen == "About phone":
            return [row("Model", note=phone.banner["ro.product.model"]), row("Android version", note="14")]
        if self.screen != "main":
            return [label(f"Nothing to set under {self.screen}")]
        return [row(entry, f"go:{entry}") for entry in ENTRIES]

    def tap(self, phone: Phone, do: str) -> None:
        """Turn a switch."""
        space, key, on, off = {
            "toggle:dark": ("secure", "ui_night_mode", "2", "1"),
            "toggle:rotate": ("system", "accelerometer_rotation", "1", "0"),
        }[do]
        values = phone.settings[space]
        values[key] = off if values.get(key) == on else on


class Contacts(PhoneApp):
    """A list of people, and a form for a new one."""

    package, label = "com.android.contacts", "Contacts"

    def __init__(self) -> None:
        super().__init__()
        self.people: dict[str, str] = {name: f"555-01{number:02}" for number, name in enumerate(NAMES)}

    def rows(self, phone: Phone) -> Sequence[PhoneView]:
        """The list, the form or one person."""
        if self.screen == "new":
            name, number = self.field(phone, "Name", "name"), self.field(phone, "Phone", "phone")
            return [name, number, button("Save", "save")]
        if self.screen == "main":
            return [
                button("Create contact", "go:new"),
                *(row(name, f"go:{name}") for name in sorted(self.people)),
            ]
        return [label(self.screen), label(self.people.get(self.screen, "")), button("Delete", "ask")]

    def tap(self, phone: Phone, do: str) -> None:
        """Save or delete."""
        if do == "save":
            self.people[self.value("name")] = self.value("phone")
            self.fields.clear()
            phone.toast("Contact saved")
            phone.finish()
        elif do == "ask":
            phone.ask(
                "Delete contact?", f"{self.screen} will be removed.", {"Cancel": "", "Delete": "delete"}
            )
        elif do == "delete":
            self.people.pop(self.screen, None)
            phone.finish()


class MessagesApp(PhoneApp):
    """Conversations; asks for a permission when it is first opened."""

    package, label = "com.android.messaging", "Messages"
    permission = "send and view SMS messages"

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, list[str]] = {name: [] for name in NAMES}

    def title(self) -> str:
        """The person that is written to."""
        return "Messages" if self.screen == "main" else self.screen

    def rows(self, phone: Phone) -> Sequence[PhoneView]:
        """The people, or what was written to one."""
        if self.screen == "main":
            return [row(name, f"go:{name}", note=(self.sent[name] or [""])[-1]) for name in self.sent]
        said = [label(one) for one in self.sent[self.screen]]
        send = PhoneView(
            "android.widget.ImageButton",
            "",
            Box(16, 6, 100, 60),
            description="Send SMS",
            do="send",
            fill="#cfe0ff",
        )
        return [self.field(phone, "Text message", "compose"), send, *said]

    def tap(self, phone: Phone, do: str) -> None:
        """Send what stands in the field."""
        if self.value("compose"):
            self.sent[self.screen].append(self.value("compose"))
            self.fields.clear()


class Browser(PhoneApp):
    """A browser whose pages are views of a WebView."""

    package, label = "com.android.browser", "Browser"

    def __init__(self) -> None:
        super().__init__()
        self.url = "about:blank"

    def rows(self, phone: Phone) -> Sequence[PhoneView]:
        """The address and the page."""
        host = self.url.partition("://")[2].partition("/")[0] or "a blank page"
        heading = PhoneView("android.view.PhoneView", f"Welcome to {host}", Box(16, 8, 480, 40))
        link = PhoneView("android.view.PhoneView", "More information", Box(16, 60, 300, 48), do="visit:/more")
        page = PhoneView("android.webkit.WebView", host, Box(0, 0, 0, 400), children=(heading, link))
        return [self.field(phone, "Search or type web address", "url_bar"), button("Go", "go_there"), page]

    def tap(self, phone: Phone, do: str) -> None:
        """Follow the link, or go to the address."""
        if do.startswith("visit:"):
            self.url = self.url.rstrip("/") + do.removeprefix("visit:")
        else:
            self.url = self.value("url_bar")


class Vault(PhoneApp):
    """A screen of which no picture may be taken."""

    package, label, secure = "com.example.vault", "Vault", True

    def __init__(self) -> None:
        super().__init__()
        self.opened = False

    def rows(self, phone: Phone) -> Sequence[PhoneView]:
        """A PIN, and what it opens."""
        said = label("The vault is open" if self.opened else "The vault is locked")
        return [said, self.field(phone, "PIN", "pin", password=True), button("Unlock", "unlock")]

    def tap(self, phone: Phone, do: str) -> None:
        """Open it with the right PIN."""
        self.opened = self.value("pin") == "4711"


class Lab(PhoneApp):
    """Everything that makes phones hard: holes in the tree, hangs, crashes, toasts, lists of options."""

    package, label = "com.example.lab", "Lab"

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.color = "Red"

    def rows(self, phone: Phone) -> Sequence[PhoneView]:
        """What can be tried."""
        if self.screen == "hole":
            area = PhoneView(
                "androidx.compose.ui.platform.ComposeView",
                box=Box(0, 0, 0, 400),
                children=(
                    replace(
                        button(f"Count {self.count}", "count", box=Box(40, 40, 240, 80)), drawn_only=True
                    ),
                ),
            )
            return [label("A canvas"), area]
        if self.screen == "colors":
            return [row(color, f"pick:{color}") for color in ("Red", "Green", "Blue")]
        spinner = PhoneView(
            "android.widget.Spinner",
            "",
            Box(16, 6, 300, 60),
            do="go:colors",
            children=(
                PhoneView("android.widget.TextView", self.color, Box(24, 12, 200, 40), id="android:id/text1"),
            ),
        )
        agree = PhoneView(
            "android.widget.CheckBox",
            "I agree",
            Box(16, 6, 240, 60),
            do="agree",
            flags=frozenset({"checkable", *(["checked"] if self.value("agree") else [])}),
        )
        return [
            button("Say hello", "toast"),
            button("Freeze", "freeze"),
            button("Crash", "crash"),
            row("Drawn by itself", "go:hole"),
            spinner,
            agree,
            self.field(phone, "Remark", "remark"),
            HOLD,
        ]

    def tap(self, phone: Phone, do: str) -> None:
        """Do what is tried."""
        if do == "toast":
            phone.toast("Hello there")
        elif do == "freeze":
            phone.hangs = self.package
        elif do == "crash":
            phone.crash(self.package)
        elif do == "count":
            self.count += 1
        elif do == "agree":
            key = f"{self.package}:id/agree"
            self.fields[key] = "" if self.fields.get(key) else "yes"
        elif do.startswith("pick:"):
            self.color = do.removeprefix("pick:")
            phone.finish()


APPS = (HomeScreen, SystemSettings, Contacts, MessagesApp, Browser, Vault, Lab)
