"""The apps of the simulated phone: their state, their content, and the effects of taps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from gui_agent.core.observation import Box
from guiagent_eval.phone.app import PhoneApp
from guiagent_eval.phone.everyday_apps import EVERYDAY
from guiagent_eval.phone.views import PhoneView, button, choice, grid, icon, label, row, spinner, switch

if TYPE_CHECKING:
    from guiagent_eval.phone.device import SimulatedPhone

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
FONTS = ("Small", "Default", "Large", "Largest")
LANGUAGES = (
    "Afrikaans", "Català", "Čeština", "Dansk", "Deutsch", "Eesti", "English", "Español",
    "Français", "Hrvatski", "Italiano", "Kiswahili", "Latviešu", "Lietuvių", "Magyar", "Nederlands",
    "Norsk bokmål", "Polski", "Português", "Română", "Slovenčina", "Suomi", "Svenska", "Tiếng Việt", "Türkçe",
)  # fmt: skip
NETWORKS = {"Café Wien": "", "home-net": "Correct horse 9", "Library": ""}


class HomeScreen(PhoneApp):
    """The home screen."""

    package, label = "com.android.launcher3", "Home"

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """One icon per app, four in a row."""
        apps = [app for app in phone.apps.values() if app.package != self.package]
        return grid([(app.label, app.label, f"launch:{app.package}") for app in apps], 4, 130)

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """Start the app behind an icon."""
        phone.launch(do.removeprefix("launch:"))


class SystemSettings(PhoneApp):
    """The settings: a long list, screens behind its entries, switches without text."""

    package, label, activity = "com.android.settings", "Settings", ".Settings"

    def title(self) -> str:
        """The entry that was opened."""
        return "Settings" if self.screen == "main" else self.screen

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """The list, or the screen of one entry."""
        values = phone.settings
        if self.screen == "Display":
            dark = values["secure"].get("ui_night_mode") == "2"
            turns = values["system"].get("accelerometer_rotation") == "1"
            return [
                row("Brightness level", note="60%"),
                switch("Dark theme", "toggle:dark", dark),
                switch("Auto-rotate screen", "toggle:rotate", turns),
                row("Font size", "go:Font size", note=values["system"].get("font_size", "Default")),
            ]
        if self.screen == "Font size":
            now = values["system"].get("font_size", "Default")
            return [choice("RadioButton", size, f"font:{size}", size == now) for size in FONTS]
        if self.screen == "Languages":
            return [row(name, f"language:{name}") for name in LANGUAGES]
        if self.screen == "Notifications":
            off = values["secure"].get("silent", "").split(",")
            return [switch(it.label, f"silent:{it.label}", it.label not in off) for it in phone.apps.values()]
        if self.screen == "Internet":
            on = values["global"].get("wifi_on") == "1"
            known = [row(name, f"join:{name}", note=self._network(phone, name)) for name in NETWORKS]
            return [switch("Wi-Fi", "toggle:wifi", on), *(known if on else [])]
        if self.screen in NETWORKS:
            return [self.field(phone, "Password", "password", password=True), button("Connect", "connect")]
        if self.screen in BEHIND:
            return [row(name, f"go:{name}") for name in BEHIND[self.screen]]
        if self.screen == "About phone":
            return [row("Model", note=phone.banner["ro.product.model"]), row("Android version", note="14")]
        if self.screen != "main":
            return [label(f"Nothing to set under {self.screen}")]
        return [row(entry, f"go:{entry}") for entry in ENTRIES]

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """Turn a switch, or set a value."""
        verb, _, rest = do.partition(":")
        if verb == "toggle":
            space, key, on, off = TOGGLES[rest]
            values = phone.settings[space]
            values[key] = off if values.get(key) == on else on
        elif verb == "font":
            phone.settings["system"]["font_size"] = rest
        elif verb == "language":
            phone.settings["system"]["system_locales"] = rest
            phone.finish()
        elif verb == "silent":
            off_now = set(filter(None, phone.settings["secure"].get("silent", "").split(","))) ^ {rest}
            phone.settings["secure"]["silent"] = ",".join(sorted(off_now))
        elif verb == "join" and NETWORKS[rest]:
            self.stack.append(rest)
        elif verb == "join" or self.value("password") == NETWORKS[self.screen]:
            phone.settings["global"]["wifi_name"] = rest or self.screen
            if verb == "connect":
                phone.finish()
        else:
            phone.toast("Check the password and try again")

    def _network(self, phone: SimulatedPhone, name: str) -> str:
        joined = phone.settings["global"].get("wifi_name") == name
        return "Connected" if joined else "Secured" if NETWORKS[name] else "Open"


BEHIND = {"Network & internet": ("Internet", "SIMs", "Hotspot"), "System": ("Languages", "Date & time")}
TOGGLES = {
    "dark": ("secure", "ui_night_mode", "2", "1"),
    "rotate": ("system", "accelerometer_rotation", "1", "0"),
    "wifi": ("global", "wifi_on", "1", "0"),
}


class Contacts(PhoneApp):
    """A list of people, and a form for a new one."""

    package, label = "com.android.contacts", "Contacts"

    def __init__(self) -> None:
        super().__init__()
        self.people: dict[str, str] = {name: f"555-01{number:02}" for number, name in enumerate(NAMES)}
        self.starred: list[str] = []

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """The list, the form or one person."""
        if self.screen in ("new", "Edit contact"):
            name, number = self.field(phone, "Name", "name"), self.field(phone, "Phone", "phone")
            return [name, number, button("Save", "save")]
        if self.screen == "main":
            return [
                button("Create contact", "go:new"),
                *(row(name, f"go:{name}") for name in sorted(self.people)),
            ]
        star = icon("Remove from favorites" if self.screen in self.starred else "Add to favorites", "star")
        number = label(self.people.get(self.screen, ""))
        return [label(self.screen), number, star, button("Edit", "edit"), button("Delete", "ask")]

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """Save or delete."""
        if do == "save":
            if self.screen == "Edit contact":
                del self.people[self.stack[-2]]
                self.stack.pop()
            self.people[self.value("name")] = self.value("phone")
            self.fields.clear()
            phone.toast("Contact saved")
            phone.finish()
        elif do == "star":
            self.starred = sorted({*self.starred} ^ {self.screen})
        elif do == "edit":
            self.fields = {self.key("name"): self.screen, self.key("phone"): self.people[self.screen]}
            self.stack.append("Edit contact")
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
    actions: ClassVar[Mapping[str, int]] = {"compose": 4}

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, list[str]] = {name: [] for name in NAMES}

    def enter(self, phone: SimulatedPhone, field: str) -> None:
        """Send the written text."""
        self.tap(phone, "send")

    def title(self) -> str:
        """The person of the conversation."""
        return "Messages" if self.screen == "main" else self.screen

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """The people, or the messages to one."""
        if self.screen == "main":
            return [
                replace(row(name, f"go:{name}", note=(said or [""])[-1]), hold=f"ask:{name}")
                for name, said in self.sent.items()
            ]
        said = [label(one) for one in self.sent[self.screen]]
        return [self.field(phone, "Text message", "compose"), icon("Send SMS", "send"), *said]

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """Send the text of the field, or delete a conversation."""
        verb, _, name = do.partition(":")
        if verb == "ask":
            phone.ask("", "", {"Delete conversation": f"delete:{name}", "Cancel": ""})
        elif verb == "delete":
            del self.sent[name]
        elif self.value("compose"):
            self.sent[self.screen].append(self.value("compose"))
            self.fields.clear()


class BrowserApp(PhoneApp):
    """A browser whose pages are views of a WebView."""

    package, label = "com.android.browser", "Browser"

    def __init__(self) -> None:
        super().__init__()
        self.url = "about:blank"
        self.silent = False
        """Whether the hierarchy omits the page, as with many apps."""

    def enter(self, phone: SimulatedPhone, field: str) -> None:
        """Go to the address."""
        self.tap(phone, "go_there")

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """The address and the page."""
        host = self.url.partition("://")[2].partition("/")[0] or "a blank page"
        heading = PhoneView("android.view.PhoneView", f"Welcome to {host}", Box(16, 8, 480, 40))
        link = PhoneView("android.view.PhoneView", "More information", Box(16, 60, 300, 48), do="visit:/more")
        page = PhoneView("android.webkit.WebView", host, Box(0, 0, 0, 400), children=(heading, link))
        page = replace(page, children=()) if self.silent else page
        return [self.field(phone, "Search or type web address", "url_bar"), button("Go", "go_there"), page]

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """Follow the link, or go to the address."""
        if do.startswith("visit:"):
            self.url = self.url.rstrip("/") + do.removeprefix("visit:")
        else:
            self.url = self.value("url_bar")


class Vault(PhoneApp):
    """A screen that forbids pictures."""

    package, label, secure = "com.example.vault", "Vault", True
    turns = False

    def __init__(self) -> None:
        super().__init__()
        self.opened = False

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """A PIN, and the content that it unlocks."""
        said = label("The vault is open" if self.opened else "The vault is locked")
        return [said, self.field(phone, "PIN", "pin", password=True), button("Unlock", "unlock")]

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """Open it with the right PIN."""
        self.opened = self.value("pin") == "4711"


class GalleryApp(PhoneApp):
    """A picture that two fingers make larger or smaller."""

    package, label = "com.example.gallery", "Gallery"

    def __init__(self) -> None:
        super().__init__()
        self.zoom = 1.0

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """The picture, and its size."""
        picture = PhoneView(
            "android.widget.ImageView", box=Box(0, 0, 0, 300), description="Photo of a lake", fill="#80b0e0"
        )
        return [picture, label(f"{self.zoom:.0%}")]

    def pinch(self, phone: SimulatedPhone, scale: float) -> None:
        """Change the size."""
        self.zoom *= scale


class Lab(PhoneApp):
    """Everything that makes phones hard: holes in the tree, hangs, crashes, toasts, lists of options."""

    package, label, resizes = "com.example.lab", "Lab", False

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.color = "Red"

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """The experiments."""
        if self.screen == "hole":
            drawn = replace(button(f"Count {self.count}", "count", box=Box(40, 40, 240, 80)), drawn_only=True)
            kind = "androidx.compose.ui.platform.ComposeView"
            return [label("A canvas"), PhoneView(kind, box=Box(0, 0, 0, 400), children=(drawn,))]
        if self.screen == "colors":
            return [row(color, f"pick:{color}") for color in ("Red", "Green", "Blue")]
        return [
            button("Say hello", "toast"),
            button("Freeze", "freeze"),
            button("Crash", "crash"),
            row("Drawn by itself", "go:hole"),
            spinner(self.color, "go:colors"),
            choice("CheckBox", "I agree", "agree", bool(self.value("agree"))),
            self.field(phone, "Remark", "remark"),
            replace(row("Hold me"), hold="held"),
        ]

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """Do one experiment."""
        if do == "toast":
            phone.toast("Hello there")
        elif do == "held":
            phone.toast("Held")
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


APPS = (HomeScreen, SystemSettings, Contacts, MessagesApp, BrowserApp, Vault, GalleryApp, Lab, *EVERYDAY)
