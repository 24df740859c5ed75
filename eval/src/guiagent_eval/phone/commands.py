"""The commands of the simulated phone's shell, with output that follows the sources of Android."""

from __future__ import annotations

import base64
import hashlib
import re
import struct
from collections.abc import Callable

from gui_agent.core.observation import Point
from guiagent_eval.phone.device import ADB_KEYBOARD, U2_KEYBOARD, SimulatedPhone
from guiagent_eval.phone.dumps import PHYSICAL, Done, dumpsys, fail, forbidden, ime, say, uiautomator, wm

CODES = {"HOME": 3, "BACK": 4, "ENTER": 66, "DEL": 67, "APP_SWITCH": 187}
HELD = 400
"""Milliseconds after which a finger counts as held."""
BROADCASTS = {
    ADB_KEYBOARD: ("ADB_INPUT_B64", "msg", "ADB_EDITOR_CODE"),
    U2_KEYBOARD: ("ADB_KEYBOARD_INPUT_TEXT", "text", "ADB_KEYBOARD_EDITOR_CODE"),
}
Command = Callable[[SimulatedPhone, list[str], bytes], Done]

TOUCH, KEYS = "/dev/input/event2", "/dev/input/event0"
MOST = (4095, 8191)
"""The largest coordinates of the touch screen, which differ from those of the display."""
LISTED = f"""add device 1: {KEYS}
  name:     "gpio-keys"
  events:
    KEY (0001): KEY_VOLUMEDOWN        KEY_POWER
add device 2: {TOUCH}
  name:     "touchscreen"
  events:
    KEY (0001): BTN_TOUCH
    ABS (0003): ABS_MT_SLOT           : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_X     : value 0, min 0, max {MOST[0]}, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_Y     : value 0, min 0, max {MOST[1]}, fuzz 0, flat 0, resolution 0
                ABS_MT_TRACKING_ID    : value 0, min 0, max 65535, fuzz 0, flat 0, resolution 0
"""
"""The output of `getevent -lp`."""


def screencap(phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """`screencap [-p] [-d DISPLAY]`: raw pixels behind a header, or a PNG."""
    if "-d" in words:
        number = int(words[words.index("-d") + 1]) - PHYSICAL
        if number not in phone.displays:
            return fail(f"Display Id '{number + PHYSICAL}' is not valid.")
        phone = phone.displays[number]
    if phone.fault("no_picture"):
        return fail("Failed to take screenshot. Status: -1")
    picture, kind = phone.frame(), "PNG" if "-p" in words else "RGBA"
    data = phone.pixels(kind)
    if kind == "RGBA":
        colors = b"" if phone.fault("old_picture") else bytes(4)
        data = struct.pack("<3I", picture.width, picture.height, 1) + colors + data
    if phone.fault("cut_picture"):
        data = data[: len(data) // 2]
    target = next((word for word in words if word.startswith("/")), "")
    if target:
        phone.files[target] = data
    return Done(b"" if target else data)


def input_(phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """`input [-d DISPLAY] tap|swipe|draganddrop|text|keyevent|keycombination`."""
    verb, *rest = [word for word in words if word not in ("touchscreen", "keyboard")] or [""]
    if phone.faults["forbidden"]:
        return forbidden("INJECT_EVENTS")
    if verb == "-d":
        verb, phone, rest = rest[1], phone.displays[int(rest[0])], rest[2:]
    if phone.fault("cut"):
        phone.unplug()
        return Done()
    return _input_done(phone, verb, rest)


def _input_done(phone: SimulatedPhone, verb: str, rest: list[str]) -> Done:
    if verb == "text":
        text = " ".join(rest).replace("%s", " ")
        if not text.isascii():
            return fail("java.lang.NullPointerException: Attempt to get length of null array", 255)
        phone.type(text)
    elif verb == "keyevent":
        for word in (one for one in rest if not one.startswith("--")):
            key(phone, word)
    elif verb == "keycombination":
        phone.chord([int(code) for code in rest])
    elif verb == "tap":
        phone.tap(Point(int(rest[0]), int(rest[1])))
    elif verb in ("swipe", "draganddrop"):
        start, end = Point(int(rest[0]), int(rest[1])), Point(int(rest[2]), int(rest[3]))
        lasts = int(rest[4]) if len(rest) > 4 else 300
        if start == end:
            phone.tap(start, held=lasts >= HELD)
        else:
            phone.swipe(start, end)
    else:
        return fail(f"Error: Unknown command: {verb}", 255)
    return Done()


def key(phone: SimulatedPhone, name: str) -> None:
    """Press a key by its number or name."""
    code = int(name) if name.isdecimal() else CODES.get(name.removeprefix("KEYCODE_"), 0)
    if code in (26, 223, 224):
        phone.awake = {26: not phone.awake, 223: False, 224: True}[code]
    elif not phone.awake or phone.hangs:
        return
    elif code == 3:
        phone.home()
    elif code == 4:
        phone.back()
    elif code == 187:
        phone.show_recent()
    elif code == 67:
        phone.erase()
    elif code == 66:
        _enter(phone)


def _enter(phone: SimulatedPhone) -> None:
    """The action of the keyboard: search, send, go; closes it here, and goes to an address."""
    app = phone.front
    if phone.focus and phone.focus[1].rpartition("/")[2] in app.actions:
        phone.type("\n")
        return
    if phone.focus:
        app.enter(phone, phone.focus[1].rpartition("/")[2])
    phone.keyboard = False


def am(phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """`am start|broadcast|force-stop`."""
    given = {word: words[place + 1] for place, word in enumerate(words[:-1]) if word.startswith("-")}
    if words[:1] == ["start"]:
        return _start(phone, words, given)
    if words[:1] == ["broadcast"]:  # A keyboard types on the display that has it.
        phone = next((one for one in phone.displays.values() if one.focus), phone)
        ime = phone.settings["secure"]["default_input_method"]
        action, extra, editor = BROADCASTS.get(ime, ("", "", ""))
        if given.get("-a") == editor and phone.focus is not None:
            if int(words[words.index("code") + 1]) == phone.action():
                phone.front.enter(phone, phone.focus[1].rpartition("/")[2])
            return say(f"Broadcasting: Intent {{ act={editor} }}\nBroadcast completed: result=-1")
        heard = given.get("-a") == action and phone.focus is not None and not phone.fault("deaf")
        if heard:
            phone.type(base64.b64decode(words[words.index(extra) + 1]).decode())
        return say(
            f"Broadcasting: Intent {{ act={given.get('-a')} }}\n"
            f"Broadcast completed: result={-1 if heard else 0}"
        )
    if words[:1] == ["force-stop"] and len(words) > 1 and words[1] in phone.apps:
        phone.apps[words[1]] = type(phone.apps[words[1]])()
        phone.recent = [one for one in phone.recent if one != words[1]] or ["com.android.launcher3"]
    return Done()


def _start(phone: SimulatedPhone, words: list[str], given: dict[str, str]) -> Done:
    package = given.get("-n", "").partition("/")[0]
    url = given.get("-d", "")
    if url:
        package = "com.android.browser" if url.startswith(("http://", "https://")) else ""
    if package not in phone.apps:
        wanted = given.get("-n") or url
        return say(
            f"Starting: Intent {{ {wanted} }}\n"
            f"Error: Activity not started, unable to resolve Intent {{ {wanted} }}"
        )
    if "--display" in given:
        phone = phone.displays[int(given["--display"])]
    if url:
        phone.apps[package].__dict__["url"] = url
    phone.launch(package)
    return say(
        f"Starting: Intent {{ cmp={given.get('-n', package)} }}\nStatus: ok\nActivity: {package}\nComplete"
    )


def pm(phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """`pm list packages`, `pm path`, `pm install`, and the subcommands shared with `cmd package`."""
    if words[:2] == ["list", "packages"]:
        return say("\n".join(f"package:{package}" for package in phone.apps))
    if words[:1] == ["query-activities"]:
        return say("\n".join(f"{app.package}/{app.activity}" for app in phone.apps.values()))
    if words[:1] == ["resolve-activity"]:
        app = phone.apps.get(words[-1])
        return say(
            f"priority=0 preferredOrder=0\n{app.package}/{app.activity}" if app else "No activity found"
        )
    if words[:1] == ["install"]:
        return say("Success") if words[-1] in phone.files else fail("Error: Unable to open file")
    return Done()


def settings(phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """`settings get|put|delete SPACE KEY [VALUE]`."""
    verb, space, *rest = [*words, "", ""][:4]
    if verb != "get" and phone.faults["forbidden"]:
        return forbidden("WRITE_SECURE_SETTINGS")
    values = phone.settings.setdefault(space, {})
    if verb == "get":
        return say(values.get(rest[0], "null"))
    if verb == "put":
        values[rest[0]] = rest[1]
        if rest[0] == "user_rotation" and phone.front.turns:
            phone.rotation = int(rest[1])
    elif verb == "delete":
        values.pop(rest[0], None)
        if rest[0] == "user_rotation":
            phone.rotation = 0
    return Done()


PROPS = {
    "ro.build.version.release": "14",
    "ro.build.version.sdk": "34",
    "ro.product.manufacturer": "guiagent",
}


def getprop(phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """`getprop [NAME]`."""
    props = {**PROPS, **phone.banner}
    if words:
        return say(props.get(words[0], ""))
    return say("\n".join(f"[{key}]: [{value}]" for key, value in props.items()))


def logcat(phone: SimulatedPhone, _words: list[str], _data: bytes) -> Done:
    """`logcat -d -b crash`."""
    return say("\n".join(phone.crashes))


def cmd(phone: SimulatedPhone, words: list[str], data: bytes) -> Done:
    """`cmd package ...` and `cmd input ...`; other services do not exist."""
    known = {"package": pm, "input": input_}
    if words[:1] and words[0] in known:
        return known[words[0]](phone, words[1:], data)
    return fail(f"cmd: Can't find service: {(words or [''])[0]}", 20)


def grep(_phone: SimulatedPhone, words: list[str], data: bytes) -> Done:
    """`grep [-E] PATTERN` of the piped input; code 1 without a hit."""
    pattern = re.compile(next(word for word in words if not word.startswith("-")))
    found = [line for line in data.decode().splitlines() if pattern.search(line)]
    return say("\n".join(found), 0 if found else 1)


def echo(_phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """`echo WORDS`."""
    return Done(" ".join(words).encode() + b"\n")


def cat(phone: SimulatedPhone, words: list[str], data: bytes) -> Done:
    """`cat FILE`, or the piped input."""
    if not words:
        return Done(data)
    if words[0] == "/proc/net/unix":
        name = f"@{phone.web_socket}" if phone.web else ""
        return say(f"Num       RefCount Protocol Flags    Type St Inode Path\n0: 2 0 10000 0001 01 31 {name}")
    held = phone.files.get(words[0])
    return Done(held) if held is not None else fail(f"cat: {words[0]}: No such file or directory")


def ls(phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """`ls FOLDER`."""
    folder = (words or ["/"])[-1].rstrip("/") + "/"
    return say("\n".join(sorted(path for path in phone.files if path.startswith(folder))))


def rm(phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """`rm FILE`."""
    for word in words:
        phone.files.pop(word, None)
    return Done()


def md5sum(phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """`md5sum FILE`."""
    held = phone.files.get((words or [""])[-1])
    if held is None:
        return fail(f"md5sum: {(words or [''])[-1]}: No such file or directory")
    return say(f"{hashlib.md5(held, usedforsecurity=False).hexdigest()}  {words[-1]}")


def toybox(phone: SimulatedPhone, words: list[str], data: bytes) -> Done:
    """`toybox COMMAND`."""
    return COMMANDS[words[0]](phone, words[1:], data) if words and words[0] in COMMANDS else Done()


def monkey(phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """`monkey -p PACKAGE 1`, which many tools use to start an app."""
    package = words[words.index("-p") + 1] if "-p" in words[:-1] else ""
    if package not in phone.apps:
        return fail("** No activities found to run, monkey aborted.", 252)
    phone.launch(package)
    return say("Events injected: 1")


def getevent(_phone: SimulatedPhone, _words: list[str], _data: bytes) -> Done:
    """`getevent -lp`: the devices; their events are a service of its own."""
    return say(LISTED)


def nothing(_phone: SimulatedPhone, _words: list[str], _data: bytes) -> Done:
    """Commands that are accepted and do nothing here: `svc`, `true`, `id`."""
    return Done()


_OF_ANDROID = (
    screencap,
    uiautomator,
    input_,
    am,
    pm,
    settings,
    ime,
    dumpsys,
    wm,
    getprop,
    logcat,
    cmd,
    monkey,
)
_OF_UNIX = (getevent, grep, echo, cat, ls, rm, md5sum, toybox)
COMMANDS: dict[str, Command] = {one.__name__.rstrip("_"): one for one in (*_OF_ANDROID, *_OF_UNIX)}
COMMANDS |= dict.fromkeys(("svc", "true", "id"), nothing)
