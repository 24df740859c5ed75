"""The base of all apps of the simulated phone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from guiagent_eval.phone.views import PhoneView, edit

if TYPE_CHECKING:
    from guiagent_eval.phone.device import SimulatedPhone


class PhoneApp:
    """One app: a stack of screens; `rows` gives the content of the top one."""

    package: ClassVar[str]
    label: ClassVar[str]
    activity: ClassVar[str] = ".MainActivity"
    secure: ClassVar[bool] = False
    resizes: ClassVar[bool] = True
    """Whether its rows make room for the keyboard; the keyboard covers those of some apps."""
    turns: ClassVar[bool] = True
    """Whether it turns when the phone is held the other way."""
    actions: ClassVar[Mapping[str, int]] = {}
    """The keyboard's actions in fields of several lines, in Android's numbers: 3 search, 4 send."""
    permission: ClassVar[str] = ""
    """The permission that it asks for when it is opened first."""

    def __init__(self) -> None:
        self.stack = ["main"]
        self.fields: dict[str, str] = {}
        self.scrolled: dict[str, int] = {}
        self.sought = ""

    @property
    def screen(self) -> str:
        """The screen on top."""
        return self.stack[-1]

    def title(self) -> str:
        """The title in the bar at the top."""
        return self.label

    def rows(self, phone: SimulatedPhone) -> Sequence[PhoneView]:
        """The content of the top screen, from top to bottom."""
        raise NotImplementedError

    def tap(self, phone: SimulatedPhone, do: str) -> None:
        """The effect of a tap, in the words of `PhoneView.do`; the phone itself does `go:` and `focus:`."""

    def enter(self, phone: SimulatedPhone, field: str) -> None:
        """The effect of the keyboard's action in a field: search, send, go."""
        if field == "search":
            self.sought = self.value("search")

    def pinch(self, phone: SimulatedPhone, scale: float) -> None:
        """The effect of two fingers that move apart or, below 1, together."""

    def key(self, name: str) -> str:
        """The id of a field or view."""
        return f"{self.package}:id/{name}"

    def field(self, phone: SimulatedPhone, hint: str, name: str, *, password: bool = False) -> PhoneView:
        """A field whose text the app keeps under a name."""
        id = self.key(name)
        value = self.fields.get(id, "")
        return edit(hint, id, value, focused=phone.focus == (self.package, id), password=password)

    def value(self, name: str) -> str:
        """The text of a field."""
        return self.fields.get(self.key(name), "")
