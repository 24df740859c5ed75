"""Every action on a screen, as data.

Each action is generic in the type of its target. A planner proposes `AnyAction[Target]`; a device
accepts only `AnyAction[Point]`, so that an ungrounded proposal does not type-check as a device action.
Class docstrings become the schema and the description that a model reads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Generic, Literal, TypeAlias, TypeVar

from gui_agent.core.observation import BY_KIND, Fingerprint, Point, Strict, Target

PHONES = frozenset({"android", "ios"})
"""Platforms that are operated with fingers."""
P_co = TypeVar("P_co", covariant=True)
Button = Literal["left", "middle", "right"]


@dataclass(frozen=True, slots=True)
class Click(Strict, Generic[P_co]):
    """Click a place; `clicks` 2 is a double click, 3 selects a paragraph; `modifiers` are held keys."""

    at: P_co
    button: Button = "left"
    clicks: int = 1
    modifiers: tuple[str, ...] = ()
    kind: Literal["click"] = field(default="click", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Move(Strict, Generic[P_co]):
    """Move the pointer to a place and leave it there, as for menus that open on hover."""

    at: P_co
    kind: Literal["move"] = field(default="move", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Drag(Strict, Generic[P_co]):
    """Drag with the left button from `at` to `to`."""

    at: P_co
    to: P_co
    modifiers: tuple[str, ...] = ()
    kind: Literal["drag"] = field(default="drag", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Scroll(Strict, Generic[P_co]):
    """Turn the wheel over a place by pixels; positive `down` or `right` shows what lies that way."""

    at: P_co
    down: int = 0
    right: int = 0
    kind: Literal["scroll"] = field(default="scroll", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Swipe(Strict, Generic[P_co]):
    """Move a finger from `at` to `to`."""

    at: P_co
    to: P_co
    seconds: float = 0.3
    kind: Literal["swipe"] = field(default="swipe", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Pinch(Strict, Generic[P_co]):
    """Move two fingers apart by `scale`, or together when it is below 1, to zoom."""

    at: P_co
    scale: float = 2.0
    kind: Literal["pinch"] = field(default="pinch", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class LongPress(Strict, Generic[P_co]):
    """Hold a finger, or the left button, on a place."""

    at: P_co
    seconds: float = 0.8
    kind: Literal["long_press"] = field(default="long_press", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class TypeText(Strict, Generic[P_co]):
    """Type text into the field `at`, or where the focus is.

    `replace` removes what stood in the field first. `${secret:NAME}` is replaced at the device and
    never stored.
    """

    text: str
    at: P_co | None = None
    replace: bool = False
    kind: Literal["type"] = field(default="type", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Choose(Strict, Generic[P_co]):
    """Pick the option with this text in a list or combo box."""

    at: P_co
    option: str
    kind: Literal["choose"] = field(default="choose", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Select(Strict, Generic[P_co]):
    """Select these words, which stand once in the text or field `at`, for copying or formatting."""

    at: P_co
    text: str
    kind: Literal["select"] = field(default="select", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Check(Strict, Generic[P_co]):
    """Leave a checkbox, radio button or switch on (or off), whatever it is now."""

    at: P_co
    on: bool = True
    kind: Literal["check"] = field(default="check", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Upload(Strict, Generic[P_co]):
    """Give files from this machine to a file field or to the button that opens a file chooser."""

    at: P_co
    files: tuple[str, ...]
    kind: Literal["upload"] = field(default="upload", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Press(Strict):
    """Press keys together, such as ("ctrl", "s"); `times` repeats the chord."""

    keys: tuple[str, ...]
    times: int = 1
    kind: Literal["press"] = field(default="press", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Hold(Strict):
    """Hold keys down for some seconds."""

    keys: tuple[str, ...]
    seconds: float
    kind: Literal["hold"] = field(default="hold", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Open(Strict):
    """Open a program, a document or a file by its name or path."""

    name: str
    kind: Literal["open"] = field(default="open", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Navigate(Strict):
    """Go to an address in this tab, or with `new_tab` in another one."""

    url: str
    new_tab: bool = False
    kind: Literal["navigate"] = field(default="navigate", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Back(Strict):
    """Go back to the page or screen before."""

    kind: Literal["back"] = field(default="back", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Switch(Strict):
    """Bring the tab or window whose title contains `to` to the front."""

    to: str
    kind: Literal["switch"] = field(default="switch", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Close(Strict):
    """Close the current tab or window."""

    kind: Literal["close"] = field(default="close", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Rotate(Strict):
    """Hold the phone the other way; `to` is portrait or landscape."""

    to: Literal["portrait", "landscape"]
    kind: Literal["rotate"] = field(default="rotate", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Wait(Strict):
    """Wait until the text `until` is shown, at most `seconds`; without it, just that long.

    Carried out by the loop, never by a device.
    """

    seconds: float = 10.0
    until: str = ""
    kind: Literal["wait"] = field(default="wait", kw_only=True, repr=False)


Placed: TypeAlias = (
    Click[P_co]
    | Move[P_co]
    | Drag[P_co]
    | Scroll[P_co]
    | Swipe[P_co]
    | Pinch[P_co]
    | LongPress[P_co]
    | TypeText[P_co]
    | Choose[P_co]
    | Select[P_co]
    | Check[P_co]
    | Upload[P_co]
)

Unplaced: TypeAlias = Press | Hold | Open | Navigate | Back | Switch | Close | Rotate

AnyAction: TypeAlias = Annotated[Placed[P_co] | Unplaced, BY_KIND]
Action: TypeAlias = Annotated[Placed[Point] | Unplaced, BY_KIND]
"""An action that a device performs."""
Proposal: TypeAlias = Annotated[Placed[Target] | Unplaced | Wait, BY_KIND]
"""An action that a planner proposes."""
Recorded: TypeAlias = Annotated[Placed[Fingerprint] | Unplaced | Wait, BY_KIND]
"""An action as a demonstration stores it."""

PLACED: tuple[type, ...] = (
    Click,
    Move,
    Drag,
    Scroll,
    Swipe,
    Pinch,
    LongPress,
    TypeText,
    Choose,
    Select,
    Check,
    Upload,
)
ALL: tuple[type, ...] = (*PLACED, Press, Hold, Open, Navigate, Back, Switch, Close, Rotate, Wait)
