"""More apps of the simulated phone, for daily use: clock, notes, shop, calendar, tasks and mail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from guiagent_eval.phone.app import PhoneApp
from guiagent_eval.phone.views import PhoneView, button, choice, grid, icon, label, row, spinner, switch

if TYPE_CHECKING:
    from guiagent_eval.phone.device import SimulatedPhone

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Clock(PhoneApp):
    """Alarms with a switch each, and a form for a new one."""

    package, label = "com.android.deskclock", "Clock"

    def __init__(self) -> None:
        super().__init__()
        self.alarms: dict[str, dict[str, Any]] = {
            "06:30": {"on": True, "label": "", "days": []},
            "08:00": {"on": False, "label": "Gym", "days": ["Saturday"]},
        }
        self.days: list[str] = []

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """The alarms, or the form."""
        if self.screen == "New alarm":
            fields = [self.field(phone, name, name.lower()) for name in ("Hour", "Minute", "Label")]
            days = [choice("CheckBox", day, f"day:{day}", day in self.days) for day in DAYS]
            return [*fields, *days, button("Save alarm", "save")]
        alarms = sorted(self.alarms.items())
        return [
            icon("Add alarm", "go:New alarm"),
            *(
                replace(switch(time, f"turn:{time}", held["on"], note=held["label"]), hold=f"ask:{time}")
                for time, held in alarms
            ),
        ]

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """Turn, save or delete an alarm."""
        verb, _, rest = do.partition(":")
        if verb == "turn":
            self.alarms[rest]["on"] = not self.alarms[rest]["on"]
        elif verb == "day":
            self.days = [day for day in DAYS if (day in self.days) != (day == rest)]
        elif verb == "ask":
            phone.ask(rest, "", {"Delete alarm": f"delete:{rest}", "Cancel": ""})
        elif verb == "delete":
            del self.alarms[rest]
        elif verb == "save" and self.value("hour").isdecimal() and self.value("minute").isdecimal():
            time = f"{int(self.value('hour')):02}:{int(self.value('minute')):02}"
            self.alarms[time] = {"on": True, "label": self.value("label"), "days": self.days}
            self.fields.clear()
            self.days = []
            phone.finish()
        else:
            phone.toast("Set hour and minute")


class Notes(PhoneApp):
    """Notes with a title and a text; an opened note has its text in the fields."""

    package, label = "com.example.notes", "Notes"

    def __init__(self) -> None:
        super().__init__()
        self.notes: dict[str, str] = {"Groceries": "milk", "Ideas": "a robot", "Wi-Fi at work": "guest net"}
        self.pinned: list[str] = []

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """The notes, or one of them."""
        if self.screen != "main":
            menu = icon("More options", "menu")
            return [
                self.field(phone, "Title", "title"),
                self.field(phone, "Note", "body"),
                button("Save", "save"),
                *([menu] if self.screen != "New note" else []),
            ]
        shown = [name for name in sorted(self.notes) if self.sought.lower() in name.lower()]
        return [
            self.field(phone, "Search notes", "search"),
            icon("New note", "new"),
            *(
                replace(
                    row(name, f"open:{name}", note="Pinned" if name in self.pinned else self.notes[name]),
                    hold=f"hold:{name}",
                )
                for name in shown
            ),
        ]

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """Open, save, pin or delete a note."""
        verb, _, rest = do.partition(":")
        if verb in ("open", "new"):
            self.fields = {self.key("title"): rest, self.key("body"): self.notes.get(rest, "")}
            self.stack.append(rest or "New note")
        elif verb == "menu":
            phone.ask("", "", {"Pin": f"pin:{self.screen}", "Delete": f"sure:{self.screen}"})
        elif verb == "hold":
            phone.ask("", "", {"Pin": f"pin:{rest}", "Delete": f"sure:{rest}"})
        elif verb == "pin":
            self.pinned = [*self.pinned, rest]
        elif verb == "sure":
            phone.ask(f"Delete “{rest}”?", "", {"Keep": "", "Delete": f"delete:{rest}"})
        elif verb == "delete":
            del self.notes[rest]
            self.stack = ["main"]
        elif verb == "save":
            self.notes.pop(self.screen, None)
            self.notes[self.value("title")] = self.value("body")
            self.fields.clear()
            phone.finish()


class Shop(PhoneApp):
    """Goods to search for, a cart, and an order with an address."""

    package, label = "com.example.shop", "Shop"

    def __init__(self) -> None:
        super().__init__()
        self.goods = {
            **{"Desk lamp": "24.90", "Floor lamp": "79.00", "Tea pot": "19.50", "Tea cup": "4.20"},
            **{f"Chair {name}": "59.00" for name in ("Oslo", "Turin", "Kyoto", "Lima", "Cork", "Bergen")},
            **{f"Shelf {size} cm": "35.00" for size in (40, 60, 80, 100, 120)},
        }
        self.cart: dict[str, int] = {"Tea cup": 2}
        self.orders: list[dict[str, Any]] = []
        self.amount = "1"

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """The goods, one of them, the cart or the order."""
        if self.screen == "Cart":
            goods = [
                row(name, note=f"{count} pieces", action=icon(f"Remove {name}", f"remove:{name}"))
                for name, count in self.cart.items()
            ]
            return [*goods, button("Check out", "go:Check out", disabled=not self.cart)]
        if self.screen == "Check out":
            names = ("Full name", "Street", "City")
            fields = [self.field(phone, name, name.lower().replace(" ", "_")) for name in names]
            return [*fields, button("Place order", "order")]
        if self.screen == "Quantity":
            return [row(str(count), f"amount:{count}") for count in range(1, 10)]
        if self.screen != "main":
            return [
                label(self.goods[self.screen]),
                label("Quantity"),
                spinner(self.amount, "go:Quantity", id=self.key("quantity")),
                button("Add to cart", "add"),
            ]
        shown = [name for name in self.goods if self.sought.lower() in name.lower()]
        return [
            self.field(phone, "Search products", "search"),
            icon("Cart", "go:Cart"),
            *(row(name, f"go:{name}", note=self.goods[name]) for name in shown),
        ]

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """Choose, add, remove or order."""
        verb, _, rest = do.partition(":")
        if verb == "amount":
            self.amount = rest
            phone.finish()
        elif verb == "add":
            self.cart[self.screen] = self.cart.get(self.screen, 0) + int(self.amount)
            self.amount = "1"
            phone.toast("Added to cart")
        elif verb == "remove":
            del self.cart[rest]
        elif verb == "order":
            names = ("full_name", "street", "city")
            self.orders.append({"goods": self.cart, **{name: self.value(name) for name in names}})
            self.cart = {}
            self.stack = ["main", "Cart"]
            phone.toast("Thank you for your order")


class Calendar(PhoneApp):
    """Events by day; the day of a new one is picked from a month."""

    package, label = "com.android.calendar", "Calendar"

    def __init__(self) -> None:
        super().__init__()
        self.events: dict[str, dict[str, Any]] = {"Dentist": {"day": 12, "whole": False}}
        self.day, self.whole = 1, False

    def title(self) -> str:
        """The month, which is always the same here."""
        return "March 2027" if self.screen in ("main", "Pick a day") else self.screen

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """The events, the form, the days or one event."""
        if self.screen == "New event":
            return [
                self.field(phone, "Event title", "title"),
                row("Date", "go:Pick a day", note=f"{self.day} March 2027"),
                switch("All day", "whole", self.whole),
                button("Save", "save"),
            ]
        if self.screen == "Pick a day":
            return grid([(str(day), f"{day} March 2027", f"day:{day}") for day in range(1, 32)], 7, 72)
        if self.screen != "main":
            return [label(f"{self.events[self.screen]['day']} March"), icon("Delete event", "delete")]
        return [
            icon("New event", "go:New event"),
            *(row(name, f"go:{name}", note=f"{held['day']} March") for name, held in self.events.items()),
        ]

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """Pick, save or delete."""
        verb, _, rest = do.partition(":")
        if verb == "day":
            self.day = int(rest)
            phone.finish()
        elif verb == "whole":
            self.whole = not self.whole
        elif verb == "delete":
            del self.events[self.screen]
            phone.finish()
        elif verb == "save":
            self.events[self.value("title")] = {"day": self.day, "whole": self.whole}
            self.fields.clear()
            self.day, self.whole = 1, False
            phone.finish()


class Tasks(PhoneApp):
    """A list of things to do, each with a box."""

    package, label = "com.example.tasks", "Tasks"

    def __init__(self) -> None:
        super().__init__()
        self.tasks: dict[str, bool] = {"Water the plants": False, "Call Mum": True, "Pay the rent": False}

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """The field for a new one, and the list."""
        return [
            self.field(phone, "New task", "new"),
            *(choice("CheckBox", name, f"turn:{name}", done) for name, done in self.tasks.items()),
            button("Clear done", "clear"),
        ]

    def enter(self, phone: SimulatedPhone, field: str) -> None:
        """Add the typed task."""
        if self.value("new"):
            self.tasks[self.value("new")] = False
            self.fields.clear()

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """Tick one, or remove the done ones."""
        if do == "clear":
            self.tasks = {name: done for name, done in self.tasks.items() if not done}
        else:
            name = do.removeprefix("turn:")
            self.tasks[name] = not self.tasks[name]


class FilesApp(PhoneApp):
    """The file picker, which hands the chosen file to the app that opened it."""

    package, label = "com.android.documentsui", "Files"

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """The downloads."""
        names = (path.rpartition("/")[2] for path in phone.files if path.startswith("/sdcard/Download/"))
        return [row(name, f"pick:{name}") for name in sorted(names)]

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """Hand over a file."""
        phone.recent.pop()
        phone.front.tap(phone, do)


class Mail(PhoneApp):
    """An inbox whose letters are archived by a swipe, a letter, and a new one."""

    package, label = "com.example.mail", "Mail"

    def __init__(self) -> None:
        super().__init__()
        self.inbox = {
            "Invoice 4711": "Ada Lovelace",
            "Lunch on Friday?": "Grace Hopper",
            "Newsletter": "Shop",
        }
        self.archived: list[str] = []
        self.sent: list[dict[str, str]] = []
        self.attached: list[str] = []

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """The inbox, a letter or the form."""
        if self.screen == "Compose":
            names = ("To", "Subject", "Message")
            fields = [self.field(phone, name, name.lower()) for name in names]
            return [*fields, icon("Attach file", "attach"), *map(label, self.attached), icon("Send", "send")]
        if self.screen != "main":
            return [
                label(f"From {self.inbox[self.screen]}"),
                icon("Reply", "reply"),
                icon("Archive", "archive"),
            ]
        return [
            icon("Compose", "go:Compose"),
            *(
                replace(row(name, f"go:{name}", note=who), slide=f"slide:{name}")
                for name, who in self.inbox.items()
            ),
        ]

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """Send, attach, reply or archive."""
        verb, _, rest = do.partition(":")
        if verb == "attach":
            phone.launch(FilesApp.package)
            return
        if verb == "pick":
            self.attached.append(rest)
            return
        if verb == "reply":
            self.fields = {self.key("to"): self.inbox[self.screen], self.key("subject"): f"Re: {self.screen}"}
            self.stack.append("Compose")
        elif verb == "send":
            self.sent.append({name: self.value(name) for name in ("to", "subject", "message")})
            self.fields.clear()
            self.stack = ["main"]
            phone.toast("Sent")
        else:
            name = rest or self.screen
            self.archived.append(name)
            del self.inbox[name]
            self.stack = ["main"]


EVERYDAY = (Clock, Notes, Shop, Calendar, Tasks, FilesApp, Mail)
