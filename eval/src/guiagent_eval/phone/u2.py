"""The server of uiautomator2 on the simulated phone, as far as its client and our back end use it."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gui_agent.core.observation import Point
from guiagent_eval.phone.views import PhoneView, every, hierarchy

if TYPE_CHECKING:
    from guiagent_eval.phone.device import SimulatedPhone
    from guiagent_eval.phone.services import Pipe

LIMIT = 1 << 20


def answer(phone: SimulatedPhone, pipe: Pipe) -> None:
    """Answer one request of HTTP."""
    head = b""
    while not head.endswith(b"\r\n\r\n") and len(head) < LIMIT and (letter := pipe.read(1)):
        head += letter
    lines = head.decode("latin-1").split("\r\n")
    fields = {key.lower(): value.strip() for key, _, value in (line.partition(":") for line in lines[1:])}
    body = pipe.read(int(fields.get("content-length", "0")))
    if lines[0].startswith("GET /ping"):
        said = b"pong"
    else:
        said = json.dumps(_result(phone, json.loads(body))).encode()
    top = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(said)}\r\n\r\n"
    pipe.write(top.encode() + said)


def _result(phone: SimulatedPhone, question: dict[str, Any]) -> dict[str, Any]:
    method, given = question["method"], question.get("params") or []
    phone.log.append(["u2", method])
    phone.wait(f"u2 {method}")
    if phone.fault("u2_dead") or method not in METHODS:
        return {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": f"no method {method}"}}
    try:
        found = METHODS[method](phone, *given)
    except LookupError as error:
        fault = f"androidx.test.uiautomator.UiObjectNotFoundException: {error}"
        return {"jsonrpc": "2.0", "id": 1, "error": {"code": -32001, "message": fault}}
    return {"jsonrpc": "2.0", "id": 1, "result": found}


def _info(phone: SimulatedPhone) -> dict[str, Any]:
    area = phone.area
    return {
        **{"currentPackageName": phone.front.package, "displayWidth": area.width},
        **{"displayHeight": area.height, "displayRotation": phone.rotation, "screenOn": phone.awake},
        **{"productName": "simulated", "sdkInt": 34, "naturalOrientation": phone.rotation % 2 == 0},
    }


def _dump(phone: SimulatedPhone, *_options: Any) -> str:
    with phone.lock:
        return hierarchy(phone.window(), phone.rotation, hints=True)


def _picture(phone: SimulatedPhone, _scale: float = 1, quality: int = 80) -> str | None:
    if phone.front.secure or phone.fault("no_picture"):
        return None
    sink = io.BytesIO()
    phone.frame().convert("RGB").save(sink, "JPEG", quality=quality)
    return base64.b64encode(sink.getvalue()).decode()


def _click(phone: SimulatedPhone, *given: Any) -> bool:
    """A tap at a place, or on the view of a selector."""
    if isinstance(given[0], dict):
        phone.tap(_find(phone, given[0]).box.center)
    else:
        phone.tap(Point(int(given[0]), int(given[1])), held=len(given) > 2 and given[2] >= 400)
    return True


def _swipe(phone: SimulatedPhone, left: float, top: float, right: float, bottom: float, *_steps: Any) -> bool:
    phone.swipe(Point(int(left), int(top)), Point(int(right), int(bottom)))
    return True


def _press(phone: SimulatedPhone, name: str, *_rest: Any) -> bool:
    {"home": phone.home, "back": phone.back, "delete": phone.erase}.get(name, lambda: None)()
    return True


def _set_text(phone: SimulatedPhone, selector: dict[str, Any], text: str) -> bool:
    package, field = phone.front.package, _find(phone, selector).id
    phone.apps[package].fields[field] = text
    return True


def _object(phone: SimulatedPhone, selector: dict[str, Any]) -> dict[str, Any]:
    view = _find(phone, selector)
    edges = {side: getattr(view.box, side) for side in ("left", "top", "right", "bottom")}
    return {
        **{"text": view.text, "className": view.kind, "contentDescription": view.description or None},
        **{"resourceName": view.id or None, "packageName": phone.front.package, "bounds": edges},
        **{"clickable": bool(view.do), "checked": "checked" in view.flags, "enabled": True},
    }


def _all(phone: SimulatedPhone, selector: dict[str, Any]) -> list[PhoneView]:
    asked = {"text": "text", "description": "description", "resourceId": "id", "className": "kind"}
    with phone.lock:
        views = [view for view in every([phone.window()]) if not view.drawn_only]
    return [
        view
        for view in views
        if all(getattr(view, part) == selector[name] for name, part in asked.items() if name in selector)
        and ("focused" not in selector or ("focused" in view.flags) == selector["focused"])
    ]


def _find(phone: SimulatedPhone, selector: dict[str, Any]) -> PhoneView:
    found = _all(phone, selector)
    number: int = selector.get("instance", 0)
    if len(found) <= number:
        raise LookupError(json.dumps(selector))
    return found[number]


def _gesture(
    phone: SimulatedPhone,
    _selector: Any,
    one: Any,
    other: Any,
    one_end: Any,
    other_end: Any,
    _steps: int = 100,
) -> bool:
    """Two fingers; their final distance as a multiple of the first."""
    wide = [abs(b["x"] - a["x"]) + abs(b["y"] - a["y"]) for a, b in ((one, other), (one_end, other_end))]
    phone.pinch(wide[1] / max(1, wide[0]))
    return True


METHODS: dict[str, Callable[..., Any]] = {
    "deviceInfo": _info,
    "dumpWindowHierarchy": _dump,
    "takeScreenshot": _picture,
    "click": _click,
    "swipe": _swipe,
    "drag": _swipe,
    "pressKey": _press,
    "gesture": _gesture,
    "setText": _set_text,
    "objInfo": _object,
    "getText": lambda phone, selector: _find(phone, selector).text,
    "count": lambda phone, selector: len(_all(phone, selector)),
    "exist": lambda phone, selector: bool(_all(phone, selector)),
    "waitForExists": lambda phone, selector, _limit: bool(_all(phone, selector)),
    "waitUntilGone": lambda phone, selector, _limit: not _all(phone, selector),
    "getLastToast": lambda phone: phone.toast_text() or None,
}
