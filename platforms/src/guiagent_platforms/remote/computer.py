"""A desktop behind HTTP as a computer: `--on remote:http://host:5000`, and `--on guest:NAME`."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from gui_agent.computers.atspi.vocabulary import (
    MEASURED,
    OPERABLE,
    TELLING,
    TYPED_INTO,
    aria_role,
    aria_states,
)
from gui_agent.computers.desktop.computer import DesktopComputer
from gui_agent.computers.desktop.parts import Node, ScreenReading, UntoldDevice, Window, notches
from gui_agent.computers.desktop.settling import Waits
from gui_agent.core import codec
from gui_agent.core.actions import Action, Button
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.keys import NAMED, canonical
from gui_agent.core.observation import Box, Element, Observation, Point, Size
from gui_agent.core.protocols import Closing, Computer, Opening, Settled
from gui_agent.elements.image_regions import image_of
from guiagent_platforms.guest.server import FORMAT, unpack
from guiagent_platforms.guest.xml_tree import SPACES, STATES
from guiagent_platforms.remote.client import GuestClient, GuestReply, check_reply

if TYPE_CHECKING:
    from PIL.Image import Image

SCRIPT = """
import json, sys, pyautogui as p
p.FAILSAFE = False
p.PAUSE = 0.012
do = {"move": p.moveTo, "down": lambda b: p.mouseDown(button=b), "up": lambda b: p.mouseUp(button=b),
      "vscroll": p.vscroll, "hscroll": p.hscroll, "keydown": p.keyDown,
      "keyup": p.keyUp, "write": p.write, "hotkey": p.hotkey}
for name, *given in json.loads(sys.argv[1]):
    do[name](*given)
"""
KEYS = {"escape": "esc", "meta": "win", "altgr": "altright", "menu": "apps"}
"""Keys with other names in the server's library."""
WAITS = Waits(grace=1.5, quiet=0.3, cap=6.0)
"""Longer waits, as a picture takes up to half a second there."""
_ROLES = (
    "invalid,accelerator label,alert,animation,arrow,calendar,canvas,check box,check menu item,"
    "color chooser,column header,combo box,date editor,desktop icon,desktop frame,dial,dialog,"
    "directory pane,drawing area,file chooser,filler,focus traversable,font chooser,frame,glass pane,"
    "html container,icon,image,internal frame,label,layered pane,list,list item,menu,menu bar,menu item,"
    "option pane,page tab,page tab list,panel,password text,popup menu,progress bar,push button,"
    "radio button,radio menu item,root pane,row header,scroll bar,scroll pane,separator,slider,"
    "spin button,split pane,status bar,table,table cell,table column header,table row header,"
    "tearoff menu item,terminal,text,toggle button,tool bar,tool tip,tree,tree table,unknown,viewport,"
    "window,extended,header,footer,paragraph,ruler,application,autocomplete,editbar,embedded,entry,chart,"
    "caption,document frame,heading,page,section,redundant object,form,link,input method window,"
    "table row,tree item,document spreadsheet,document presentation,document text,document web,"
    "document email,comment,list box,grouping,image map,notification,info bar,level bar,title bar,"
    "block quote,audio,video,definition,article,landmark,log,marquee,math,rating,timer,static,"
    "math fraction,math root,subscript,superscript,description list,description term,description value,"
    "footnote,content deletion,content insertion,mark,suggestion,push button menu"
)
ROLES = tuple(_ROLES.split(","))
"""Names of roles in the order of their numbers."""
NUMBERS = {name.replace(" ", "-"): number for number, name in enumerate(ROLES)}
BITS = {f"{{{SPACES['st']}}}{name}": 1 << bit for bit, name in enumerate(STATES)}
_PAIR = re.compile(r"\((-?\d+), (-?\d+)\)")


def osworld_desktop(client: GuestClient) -> DesktopComputer:
    """The desktop of a server with OSWorld's protocol."""
    system = client.get("/platform")
    if not system.ok or system.line != "Linux":
        client.close()
        raise ComputerLost(f"{client.address} is not a Linux guest ({system.line}); check the address")
    device = OsworldDevice(client)
    return DesktopComputer(device, OsworldSource(client, device), reading=30.0)


class OsworldDevice(UntoldDevice):
    """Picture, input and windows over OSWorld's routes; inputs that belong together are sent together."""

    platform = "x11"

    def __init__(self, client: GuestClient) -> None:
        self._client = client
        self._waiting: list[list[Any]] = []
        self._down: set[str] = set()
        self.scale = 1.0, 1.0
        """Scale from pixels of the picture to those of the input."""
        seen = self.grab()
        told = client.post("/screen_size", again=True).json()
        self.scale = told["width"] / seen.width, told["height"] / seen.height

    @property
    def size(self) -> Size:
        return self._size

    def grab(self, box: Box | None = None) -> Image:
        self.flush()
        reply = self._client.get("/screenshot")
        try:
            picture = image_of(reply.data)
        except OSError as error:
            raise ComputerLost(f"the guest returns no picture: {reply.line}; see its log") from error
        self._size = Size(picture.width, picture.height)
        return picture.crop(box.edges) if box else picture

    def pixels(self) -> bytes:
        return self.grab().tobytes("raw", "BGRX")

    @property
    def pointer(self) -> Point:
        self.flush()
        x, y = self._client.get("/cursor_position").json()
        return Point(round(x / self.scale[0]), round(y / self.scale[1]))

    def move(self, point: Point) -> None:
        self._waiting.append(["move", round(point.x * self.scale[0]), round(point.y * self.scale[1])])

    def press_button(self, button: Button) -> None:
        self._down.add(button)
        self._waiting.append(["down", button])

    def release_button(self, button: Button) -> None:
        if button in self._down:
            self._let_go(button, ["up", button])

    def wheel(self, down: int, right: int) -> None:
        for name, turns in (("vscroll", -notches(down)), ("hscroll", notches(right))):
            if turns:
                self._waiting.append([name, turns])
        self.flush()

    def press_key(self, key: str) -> None:
        name = canonical(key)
        if name not in NAMED and not name.isascii():
            raise ActionFailed(f"this guest's server cannot press {key!r}; use keys of a plain keyboard")
        self._down.add(name)
        self._waiting.append(["keydown", KEYS.get(name, name)])

    def release_key(self, key: str) -> None:
        name = canonical(key)
        if name in self._down:
            self._let_go(name, ["keyup", KEYS.get(name, name)])

    def type_text(self, text: str) -> None:
        strange = next((letter for letter in text if not letter.isascii()), "")
        if strange:
            raise ActionFailed(f"this guest's server cannot type {strange!r}; it types ASCII only")
        for part in re.split("(<)", text):
            if part:  # the library types > for <
                self._waiting.append(["hotkey", "shift", ","] if part == "<" else ["write", part])
        self.flush()

    def windows(self) -> Sequence[Window]:
        self.flush()
        order = [
            int(one, 16) for one in re.findall(r"0x[0-9a-f]+", self._output_of("xprop", "-root", *_LISTS))
        ]
        active = order.pop() if order else 0
        found = {}
        for line in self._output_of("wmctrl", "-lpGx").splitlines():
            number, _, pid, *place, kind, _, title = (*line.split(None, 9), "", "")[:10]
            if place and kind and len(place) == 4:
                name, app = int(number, 16), kind.partition(".")[2].lower()
                box = self.place_on_picture(*map(int, place))
                found[name] = Window(name, title, app, int(pid), box, active=name == active)
        return [found[number] for number in order if number in found] or list(found.values())

    def place_on_picture(self, left: int, top: int, width: int, height: int) -> Box:
        across, down = self.scale
        size = max(1, round(width / across)), max(1, round(height / down))
        return Box(round(left / across), round(top / down), *size)

    def activate(self, window: Window) -> None:
        self._output_of("wmctrl", "-i", "-a", hex(window.id))

    def close_window(self, window: Window) -> None:
        self._output_of("wmctrl", "-i", "-c", hex(window.id))

    def opening(self, name: str) -> Opening:
        """Refuse, because the client cannot know what the guest would start."""
        return Opening("unknown", url=name if "://" in name else "")

    def launch(self, name: str) -> None:
        self.flush()
        if re.match(r"https?://", name):
            self._client.post("/setup/launch", {"command": ["google-chrome", name]})
            return
        reply = self._client.post("/setup/open_file", {"path": name}, limit=300.0)
        if reply.status == 404 and (words := shlex.split(name)) and self._output_of("which", words[0]):
            reply = self._client.post("/setup/launch", {"command": words})
        if not reply.ok:
            raise ActionFailed(f'the guest cannot open "{name}": {reply.line}')

    @property
    def clipboard(self) -> str:
        return self._output_of("xclip", "-o", "-selection", "clipboard")

    def close(self) -> None:
        self._client.close()

    def flush(self) -> None:
        """Send the pending input, unless something is held down."""
        if self._waiting and not self._down:
            doing, self._waiting = self._waiting, []
            reply = self._execute("python", "-c", SCRIPT, json.dumps(doing))
            if not reply.ok or reply.json().get("returncode"):
                raise ActionFailed(f"the guest did not accept the input: {reply.line}")

    def _let_go(self, name: str, doing: list[Any]) -> None:
        self._down.discard(name)
        self._waiting.append(doing)
        self.flush()

    def _execute(self, *words: str) -> GuestReply:
        return self._client.post("/execute", {"command": list(words), "shell": False}, limit=130.0)

    def _output_of(self, *words: str) -> str:
        reply = self._execute(*words)
        if reply.status == 403:
            raise ComputerLost(f"the guest runs no commands, which OSWorld's protocol requires: {reply.line}")
        return str(reply.json().get("output", "")) if reply.ok else ""


_LISTS = ("_NET_CLIENT_LIST_STACKING", "_NET_ACTIVE_WINDOW")


class OsworldSource:
    """Finds elements in the server's XML, as of the last look."""

    def __init__(self, client: GuestClient, device: OsworldDevice) -> None:
        self._client, self._device = client, device
        self._last: tuple[Node, ...] = ()

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        reply = self._client.get("/accessibility", limit=max(seconds, 30.0))
        text = str(reply.json().get("AT", "")) if reply.ok else ""
        if not text or "<!DOCTYPE" in text or "<!ENTITY" in text:
            return ScreenReading(silent=tuple(window.id for window in windows))
        try:
            root = ElementTree.fromstring(text)
        except ElementTree.ParseError:
            return ScreenReading(silent=tuple(window.id for window in windows))
        titled = {window.title: window for window in windows}
        found: list[Node] = []
        for number, program in enumerate(root):
            for place, frame in enumerate(program):
                own = titled.get(frame.get("name", ""))
                found += self._nodes(frame, f"{number}.{place}", program.get("name", ""), own, windows)
        self._last = tuple(found)
        telling = {node.window for node in found}
        return ScreenReading(self._last, tuple(one.id for one in windows if one.id not in telling))

    def _nodes(
        self,
        element: ElementTree.Element,
        key: str,
        path: str,
        own: Window | None,
        windows: Sequence[Window],
    ) -> Iterator[Node]:
        """An element and its descendants, in their own window, or the one at the position of each."""
        role, states = NUMBERS.get(element.tag, 0), _states(element)
        kind, box = aria_role(role, states), self._box(element)
        name, text = element.get("name", ""), element.findtext(".", "").strip()
        name, value = (name, text) if role in TYPED_INTO else (name or text, "")
        if role in MEASURED:
            value = element.get(f"{{{SPACES['val']}}}value", "")
        if box and kind and (role in OPERABLE or (role in TELLING and name)):
            over = own or next((one for one in reversed(windows) if one.box.contains(box.center)), None)
            if over is not None:
                yield Node(key, kind, name, box, value, aria_states(role, states), path=path, window=over.id)
        for number, child in enumerate(element):
            below = f"{path}/{kind or 'group'}[{number + 1}]"
            yield from self._nodes(child, f"{key}.{number}", below, own, windows)

    def _box(self, element: ElementTree.Element) -> Box | None:
        at = _PAIR.fullmatch(element.get(f"{{{SPACES['cp']}}}screencoord", ""))
        size = _PAIR.fullmatch(element.get(f"{{{SPACES['cp']}}}size", ""))
        if not at or not size or int(size[1]) <= 0 or int(size[2]) <= 0:
            return None
        placed = self._device.place_on_picture(*map(int, (*at.groups(), *size.groups())))
        return placed.intersect(self._device.size.box)

    def node_at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        """The smallest element at a point as of the last look."""
        there = [node for node in self._last if node.box.contains(point)]
        return min(there, key=lambda node: node.box.area, default=None)

    def close(self) -> None:
        """Do nothing, as nothing is kept open."""


def _states(element: ElementTree.Element) -> int:
    return sum(bit for name, bit in BITS.items() if element.get(name) == "true")


class RemoteComputer(Closing):
    """A guest: typed actions for our own server, OSWorld's protocol for others."""

    def __init__(self, name: str, *, guest_token: str = "", open: str = "") -> None:
        """Connect.

        Args:
            name: the address of the guest's server, such as `http://127.0.0.1:5000`.
            guest_token: the token of the server; comes from the environment.
            open: a program or file to begin with.
        """
        client = GuestClient(name, guest_token)
        self._computer: Computer = _connect(client)
        try:
            self.start(open)
        except BaseException:
            self.close()
            raise

    @property
    def platform(self) -> str:
        return self._computer.platform

    def observe(self, *, picture: bool = True) -> Observation:
        return self._computer.observe(picture=picture)

    def perform(self, action: Action, expected: Element | None = None) -> None:
        self._computer.perform(action, expected)

    def settle(self) -> Settled:
        return self._computer.settle()

    def start(self, where: str) -> None:
        """Open a program, file or address on the guest; an empty `where` leaves it unchanged."""
        if where:
            self._computer.start(where)

    def opening(self, name: str) -> Opening:
        opening: Opening = self._computer.opening(name)  # type: ignore[attr-defined]
        return opening

    def close(self) -> None:
        """Close the connection; the guest continues. May be called twice and from any thread."""
        self._computer.close()


class GuestComputer(RemoteComputer):
    """A local guest started by `guiagent guest start`."""

    def __init__(self, name: str, *, open: str = "", reset: bool = False) -> None:
        """Args: reset: discard all changes in the guest first."""
        from guiagent_platforms.guest.guests import running

        guest = running(name)
        if reset:
            guest.reset()
        super().__init__(guest.address, guest_token=guest.token, open=open)


def _connect(client: GuestClient) -> Computer:
    reply = client.get("/v1/about")
    if reply.ok and reply.kind == "application/json" and reply.json().get("format") == FORMAT:
        return _TypedGuest(client, reply.json())
    if reply.ok or reply.status == 404:
        return osworld_desktop(client)
    client.close()
    raise ComputerLost(f"no guest answers at {client.address}: {reply.line}; check the address")


class _TypedGuest(Closing):
    def __init__(self, client: GuestClient, about: dict[str, Any]) -> None:
        self._client = client
        self.platform = str(about.get("platform", "x11"))

    def observe(self, *, picture: bool = True) -> Observation:
        reply = check_reply(self._client.get("/v1/observe" if picture else "/v1/elements"))
        try:
            return unpack(reply.data)
        except ConfigError as error:
            raise ComputerLost(str(error)) from error

    def perform(self, action: Action, expected: Element | None = None) -> None:
        body = {"action": codec.plain(action, Action), "expected": expected and codec.plain(expected)}
        check_reply(self._client.post("/v1/perform", body, limit=120.0, again=True))

    def settle(self) -> Settled:
        reply = check_reply(self._client.post("/v1/settle", again=True))
        settled: Settled = codec.decode(Settled, reply.data, source="the guest's answer")
        return settled

    def start(self, where: str) -> None:
        check_reply(self._client.post("/v1/start", {"name": where}, limit=60.0, again=True))

    def opening(self, name: str) -> Opening:
        reply = check_reply(self._client.post("/v1/opening", {"name": name}, again=True))
        opening: Opening = codec.decode(Opening, reply.data, source="the guest's answer")
        return opening

    def close(self) -> None:
        self._client.close()
