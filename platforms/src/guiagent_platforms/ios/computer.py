"""An iPhone or iPad as a `core.protocols.Computer`: `--on ios`, `--on ios:http://HOST:8100`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gui_agent.computers.desktop.computer import Format, ScreenComputer, encode_picture
from gui_agent.computers.desktop.elements import Elements, confirm, places_on
from gui_agent.computers.desktop.parts import Node, ScreenReading, Window
from gui_agent.computers.desktop.settling import SettleTimes, Settling, Waits
from gui_agent.core import deadline
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
)
from gui_agent.core.errors import ActionFailed, ComputerLost
from gui_agent.core.keys import chord
from gui_agent.core.observation import Element, Observation, Place, Point, Size
from gui_agent.core.protocols import Settled
from gui_agent.core.texts import shorten
from gui_agent.elements.image_regions import image_of
from gui_agent.elements.roles import TEXT_FIELDS
from guiagent_platforms.fingers import SHOWING, Fingers, pinches
from guiagent_platforms.ios.client import USUAL, WdaClient
from guiagent_platforms.ios.hierarchy import WINDOW, SourceTree, read

if TYPE_CHECKING:
    from PIL.Image import Image

WAITS = Waits(grace=0.6, quiet=0.3, cap=5.0)
KEYS = {"enter": "\n", "backspace": "\b", "tab": "\t", "space": " "}
"""Keys that can be typed, by canonical name."""
BUTTONS = {"home": "home", "volumeup": "volumeUp", "volumedown": "volumeDown"}
"""Buttons of the device, by canonical name."""
POLL = 0.2
EDGE = 0.3
"""Share of the screen's width that a swipe from its edge covers, which goes back."""


class IosScreen:
    """The screen of a device: pictures, elements and fingers; points are pixels of the picture."""

    def __init__(self, client: WdaClient) -> None:
        self.client = client
        self.seen = SourceTree()

    def grab(self) -> Image:
        try:
            return image_of(self.client.picture())
        except OSError as error:
            raise ComputerLost("WebDriverAgent returned a damaged picture") from error

    def pixels(self) -> bytes:
        return self.grab().convert("RGBA").tobytes()

    @cached_property
    def scale(self) -> float:
        """Pixels of the picture per point."""
        return self.size.width / float(self.client.get("/window/size")["width"])

    @cached_property
    def size(self) -> Size:
        picture = self.grab()
        return Size(picture.width, picture.height)

    def measure_again(self) -> None:
        """Measure the screen again, whose sides may have changed."""
        self.__dict__.pop("size", None)
        self.__dict__.pop("scale", None)

    def caught_up(self, window: Window, seconds: float) -> None:
        """Whether an app has processed all input cannot be asked."""

    def look(self) -> SourceTree:
        self.seen = read(self.client.get("/source?format=xml"), self.scale)
        return self.seen

    def looks(self, seconds: float) -> Iterator[SourceTree]:
        for _ in deadline.turns(seconds, POLL, least=1):
            yield self.look()

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        return ScreenReading(tuple(self.look().nodes))

    def node_at(self, point: Point, windows: Sequence[Window] = ()) -> Node | None:
        """The smallest element at a point, the later of two equal ones."""
        at = [one for one in reversed(self.seen.nodes) if one.box.contains(point)]
        return min(at, key=lambda one: one.box.area, default=None)

    def close(self) -> None:
        self.client.close()

    def touch(self, *fingers: Sequence[tuple[Point, float]]) -> None:
        """Move fingers along paths of points, each with the seconds to get there; the first is touched."""
        self.client.post("/actions", actions=[self._finger(*one) for one in enumerate(fingers)])

    def _finger(self, number: int, path: Sequence[tuple[Point, float]]) -> dict[str, Any]:
        moves = [
            {
                "type": "pointerMove",
                "duration": round(seconds * 1000),
                "x": round(point.x / self.scale),
                "y": round(point.y / self.scale),
            }
            for point, seconds in path
        ]
        down, up = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        return {
            "type": "pointer",
            "id": f"finger{number}",
            "parameters": {"pointerType": "touch"},
            "actions": [moves[0], down, *moves[1:], up],
        }


class IosComputer(ScreenComputer):
    """An iPhone, iPad or simulator on which WebDriverAgent runs, operated with fingers and keys."""

    LOST = "the connection to the phone is closed; open a new one"

    def __init__(
        self,
        *,
        name: str = USUAL,
        open: str = "",
        cap: int = 1500,
        picture_format: Format = "jpeg",
        settle_grace: float = WAITS.grace,
        settle_quiet: float = WAITS.quiet,
        settle_cap: float = WAITS.cap,
        settle_known: Mapping[str, float] | None = None,
    ) -> None:
        """Connect to a device.

        Args:
            name: the address of WebDriverAgent.
            open: an app (its bundle identifier) or an address to begin with.
            cap: maximum elements of an observation.
            settle_grace: seconds to wait for a first change after an action.
            settle_quiet: seconds without a change after which the screen counts as settled.
            settle_cap: maximum seconds to wait for a screen that does not come to rest.
            settle_known: seconds within which apps came to rest in earlier runs.
        """
        self._phone = IosScreen(WdaClient(name or USUAL))
        self._elements = Elements(cap)
        self._format: Format = picture_format
        times = SettleTimes(Waits(settle_grace, settle_quiet, settle_cap), settle_known)
        self._settling = Settling(self._phone, times)
        super().__init__(open, self._check_unlocked)

    @property
    def platform(self) -> str:
        return "ios"

    def observe(self, *, picture: bool = True) -> Observation:
        with self._open():
            shot = encode_picture(self._phone.grab(), self._format) if picture else None
            if shot is not None and shot.size != self._phone.size:
                self._phone.measure_again()
            seen = self._phone.look()
            elements, left_out = self._elements.take(
                ScreenReading(tuple(seen.nodes)), self._windows, self._phone.size
            )
            app = self._phone.client.get("/wda/activeAppInfo")
            return Observation(
                size=self._phone.size,
                elements=elements,
                place=Place(str(app.get("bundleId", "")), seen.title),
                screenshot=shot,
                left_out=left_out,
                windows={WINDOW: self._phone.size.box},
                keyboard=True,
            )

    def perform(self, action: Action, expected: Element | None = None) -> None:
        with self._open():
            named = places_on(self._phone.size, action)
            if expected is not None and "at" in named and not isinstance(action, Scroll):
                self._phone.look()
                confirm(self._phone, self._elements, self._windows, named["at"], expected)
            self._settling.arm()
            self._carry_out(action)

    def _carry_out(self, action: Action) -> None:
        client = self._phone.client
        match action:
            case Press(keys=keys, times=times):
                self._press(keys, times)
            case Open(name=name) | Switch(to=name):
                self._begin_with(name)
            case Navigate(url=url):
                client.post("/url", url=url)
            case TypeText(text=text, at=at, replace=replace):
                self._type(text, at, replace)
            case Check(at=at, on=on):
                self._fingers.check(at, on)
            case Choose(at=at, option=option):
                self._choose(at, option)
            case Rotate(to=to):
                client.post("/orientation", orientation=to.upper())
                self._phone.measure_again()
            case _:
                self._touch(action)

    def _touch(self, action: Action) -> None:
        touch = self._phone.touch
        match action:
            case Click(at=at, button="left", clicks=clicks, modifiers=()):
                for _ in range(clicks):
                    touch([(at, 0.0)])
            case LongPress(at=at, seconds=seconds):
                touch([(at, 0.0), (at, seconds)])
            case Drag(at=at, to=to):
                touch([(at, 0.0), (at, 0.6), (to, 0.6), (to, 0.2)])
            case Swipe(at=at, to=to, seconds=seconds):
                touch([(at, 0.0), (to, max(0.05, seconds))])
            case Back():
                middle = self._phone.size.height // 2
                touch([(Point(1, middle), 0.0), (Point(round(self._phone.size.width * EDGE), middle), 0.2)])
            case Pinch(at=at, scale=scale):
                for fingers in pinches(at, scale, self._phone.size):
                    touch(*([(start, 0.0), (end, 0.4)] for start, end in fingers))
            case Scroll(at=at, down=down, right=right):
                self._fingers.scroll(at, down, right)
            case _:
                raise ActionFailed(f"a phone cannot {action.kind} like this; tap, swipe, type, or go back")

    def _press(self, keys: Sequence[str], times: int) -> None:
        name = "+".join(chord(keys)).lower()
        for _ in range(times):
            if name in BUTTONS:
                self._phone.client.post("/wda/pressButton", name=BUTTONS[name])
            elif name in KEYS:
                self._phone.client.post("/wda/keys", value=[KEYS[name]])
            else:
                raise ActionFailed(f"the phone has no key {name}; use one of {', '.join([*KEYS, *BUTTONS])}")

    def _type(self, text: str, at: Point | None, replace: bool) -> None:
        client = self._phone.client
        if at is not None:
            self._phone.touch([(at, 0.0)])
            field = self._phone.node_at(at)
            if (
                field is not None
                and field.role in TEXT_FIELDS
                and not any(look.has_keyboard for look in self._phone.looks(SHOWING))
            ):
                raise ActionFailed(
                    f'no keyboard opened for "{shorten(field.name, 60)}"; tap it and look again'
                )
        if replace:
            (element,) = client.get("/element/active").values()
            client.post(f"/element/{element}/clear")
        if text:
            client.post("/wda/keys", value=list(text))

    def _choose(self, at: Point, option: str) -> None:
        if not self._fingers.choose(at, option):
            raise ActionFailed(f'there is no option "{shorten(option, 60)}" in sight; scroll, or look again')

    @property
    def _fingers(self) -> Fingers:
        return Fingers(
            self._phone,
            lambda at: self._phone.touch([(at, 0.0)]),
            lambda at, to: self._phone.touch([(at, 0.0), (to, 0.5), (to, 0.1)]),
        )

    @property
    def _windows(self) -> list[Window]:
        return [Window(WINDOW, "", "", 0, self._phone.size.box, active=True)]

    def _settle(self) -> Settled:
        return self._settling.settle(self._windows[0])

    def _begin_with(self, where: str) -> None:
        """Open an app by its bundle identifier, or an address."""
        if "://" in where:
            self._phone.client.post("/url", url=where)
        elif "." in where and " " not in where:
            self._phone.client.post("/wda/apps/launch", bundleId=where)
        else:
            raise ActionFailed(
                f'"{shorten(where, 60)}" is no identifier of an app; give one such as com.apple.Preferences'
            )

    def _check_unlocked(self) -> None:
        if self._phone.client.get("/wda/locked"):
            raise ComputerLost("the phone is locked; unlock it by hand and start again")

    def _end(self) -> None:
        self._phone.close()

    def grab(self) -> Image:
        """The current screen, for views; may be called from another thread."""
        return self._phone.grab()
