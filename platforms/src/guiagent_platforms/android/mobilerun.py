"""Imports macros of mobilerun (formerly droidrun) as demonstrations: coordinates become names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gui_agent.core.actions import Back, Click, Drag, LongPress, Open, Press, Recorded, Swipe, TypeText
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import TEXT, Box, Element, Fingerprint, Observation, Place, Point, Size
from gui_agent.elements.roles import OPERABLE, TEXT_FIELDS
from gui_agent.procedures.importers.imported import NEEDLESS, DemonstrationDraft, Imported, Unsupported
from gui_agent.scene.fingerprints import fingerprint
from guiagent_platforms.android.hierarchy import ROLES, by_ending

SCHEMA = "macro_schema_version"
VERSION = "2.0"
BUTTONS: Mapping[str, Recorded] = {"back": Back(), "home": Press(("home",)), "enter": Press(("enter",))}
CODES = {4: "back", 3: "home", 66: "enter"}
STILL = 20
"""Maximum pixels of a swipe that stays in place, which is how a long press is recorded."""


class MobilerunMacros:
    """The importer of mobilerun macros."""

    def reads(self, data: Any) -> bool:
        """Whether parsed JSON is such a macro."""
        return isinstance(data, dict) and SCHEMA in data and isinstance(data.get("actions"), list)

    def read(self, data: Mapping[str, Any], task: str, source: str) -> Imported:
        """A macro as a demonstration. `task`: what was done; by default the macro's goal."""
        if data[SCHEMA] != VERSION:
            version = f"macros of version {data[SCHEMA]} do not contain the screens"
            raise ConfigError(f"{source}: {version}; record it again")
        reader = _Reader(DemonstrationDraft(task or str(data.get("description") or "")))
        for number, action in enumerate(data["actions"], start=1):
            kind = str(action.get("action_type", "")) if isinstance(action, Mapping) else ""
            try:
                for reason in reader.take(kind, action):
                    reader.draft.remark(number, kind, reason, dropped=False)
            except Unsupported as error:
                reader.draft.remark(number, kind or str(action), str(error))
            except (KeyError, TypeError, ValueError) as error:
                reader.draft.remark(number, kind, f"it is damaged: {error}")
        if not reader.draft.steps:
            raise ConfigError(f"{source}: no step of this macro is supported")
        return reader.draft.as_imported(source, platform="android")


class _Reader:
    def __init__(self, draft: DemonstrationDraft) -> None:
        self.draft = draft
        self._field: Fingerprint | None = None
        """The last tapped element, which receives typed text."""

    def take(self, kind: str, action: Mapping[str, Any]) -> list[str]:
        """Import one action. Returns the reasons for remarks about changes."""
        screen = _screen(action.get("pre_state") or {})
        match kind:
            case "start_app":
                return self._open(str(action["package"]))
            case "tap":
                self._field = _fingerprint_at(screen, action["x"], action["y"])
                return self.draft.act(Click(self._field))
            case "swipe" | "drag":
                return self._move(kind, action, screen)
            case "input_text" | "type_secret":
                secret = kind == "type_secret"
                text = f"${{secret:{action['secret_id']}}}" if secret else str(action["text"])
                return self.draft.act(TypeText(text, self._field, bool(action.get("clear"))))
            case "wait":
                raise Unsupported(f"{NEEDLESS}: the agent waits by itself")
            case "back" | "button_press" | "key_press":
                name = str(action.get("button") or CODES.get(action.get("keycode", 0), kind))
                if name not in BUTTONS:
                    raise Unsupported("phones have no such button here")
                return self.draft.act(BUTTONS[name])
        raise Unsupported("this action has no equivalent")

    def _open(self, package: str) -> list[str]:
        if self.draft.steps or self.draft.start:
            return self.draft.act(Open(package))
        self.draft.start = package
        return []

    def _move(self, kind: str, action: Mapping[str, Any], screen: Observation) -> list[str]:
        start = Point(int(action["start_x"]), int(action["start_y"]))
        end = Point(int(action["end_x"]), int(action["end_y"]))
        at = _fingerprint_at(screen, start.x, start.y)
        across, along = abs(start.x - end.x), abs(start.y - end.y)
        if max(across, along) <= STILL:
            return self.draft.act(LongPress(at))
        if kind == "swipe" and along >= across:
            raise Unsupported(f"{NEEDLESS}: the agent scrolls to its target by itself")
        to = Fingerprint("", "", box=Box(end.x, end.y, 1, 1))
        return self.draft.act(Drag(at, to) if kind == "drag" else Swipe(at, to))


def _fingerprint_at(screen: Observation, x: Any, y: Any) -> Fingerprint:
    point = Point(int(x), int(y))
    there = [one for one in screen.elements if one.box.contains(point)]
    if not there:
        raise Unsupported("the recording has only coordinates, which do not fit other screens")
    return fingerprint(
        min(there, key=lambda one: (one.role not in OPERABLE | TEXT_FIELDS, one.box.area)), screen
    )


def _screen(state: Mapping[str, Any]) -> Observation:
    size, where = state.get("screen") or {}, state.get("phone_state") or {}
    nodes = [one for one in state.get("nodes") or () if isinstance(one, Mapping) and one.get("bounds")]
    found = [_element(number, node, nodes) for number, node in enumerate(nodes, start=1)]
    elements = tuple(one for one in found if one.name or one.role in OPERABLE | TEXT_FIELDS)
    place = Place(str(where.get("package") or ""), str(where.get("activity") or "").rpartition(".")[2])
    return Observation(Size(int(size.get("width") or 0), int(size.get("height") or 0)), elements, place)


def _element(number: int, node: Mapping[str, Any], nodes: list[Mapping[str, Any]]) -> Element:
    box = _box(node)
    role = by_ending(ROLES, str(node.get("class") or ""), "button" if node.get("clickable") else TEXT)
    id = str(node.get("resource_id") or "")
    said = str(node.get("text") or node.get("content_description") or "")
    inside = (one for one in nodes if one is not node and box.encloses(_box(one)))
    name = said or next((str(one["text"]) for one in inside if one.get("text")), "")
    words = id.rpartition("/")[2].replace("_", " ")
    return Element(number, role, name or words, box, attributes={"id": id} if id else {})


def _box(node: Mapping[str, Any]) -> Box:
    edges = node["bounds"]
    return Box.from_edges(*(int(edges[side]) for side in ("left", "top", "right", "bottom")))
