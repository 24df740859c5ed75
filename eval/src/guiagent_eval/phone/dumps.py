"""The simulated phone's reports on its screen: hierarchy, windows, displays, keyboard."""

from __future__ import annotations

from dataclasses import dataclass

from guiagent_eval.phone.device import SimulatedPhone
from guiagent_eval.phone.views import hierarchy

KILLED = 137
PHYSICAL = 4619827259835644672
"""Android's id of the phone's display for screenshots; each further display has the next number."""


@dataclass(frozen=True, slots=True)
class Done:
    """The output of a command, and its exit code."""

    out: bytes = b""
    err: bytes = b""
    code: int = 0


def say(text: str = "", code: int = 0) -> Done:
    """The result of a command that writes a text."""
    return Done(text.encode() + (b"\n" if text else b""), b"", code)


def fail(text: str, code: int = 1) -> Done:
    """The result of a command that fails."""
    return Done(err=text.encode() + b"\n", code=code)


def forbidden(permission: str) -> Done:
    """The error of commands on phones whose maker has a switch for them."""
    return fail(f"java.lang.SecurityException: requires the caller to have {permission} permission.", 255)


def uiautomator(phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """`uiautomator dump [FILE]`."""
    if words[:1] != ["dump"]:
        return fail("Usage: uiautomator <subcommand> [options]")
    if phone.u2_runs:
        return fail("java.lang.IllegalStateException: UiAutomationService already registered!", KILLED)
    if phone.fault("dump_idle"):
        return fail("ERROR: could not get idle state.", 0)
    if phone.fault("dump_null"):
        return fail("ERROR: null root node returned by UiTestAutomationBridge.", 0)
    if phone.fault("dump_killed"):
        return Done(b"", b"Killed\n", KILLED)
    with phone.lock:
        written = _every_display(phone) if "--windows" in words else hierarchy(phone.window(), phone.rotation)
    target = next((word for word in words[1:] if word.startswith("/")), "/sdcard/window_dump.xml")
    said = f"UI hierchary dumped to: {target}"
    if target == "/dev/tty":
        return say(written + said)
    phone.files[target] = written.encode()
    return say(said)


def _every_display(phone: SimulatedPhone) -> str:
    """The output of `uiautomator dump --windows` since Android 11: each display with its windows."""
    told = ""
    for number, one in phone.displays.items():
        tree = hierarchy(one.window(), one.rotation).partition("?>")[2]
        window = f'<window index="0" title="{one.front.label}" active="true" focused="true">{tree}</window>'
        told += f'<display id="{number}">{window}</display>'
    return f"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><displays>{told}</displays>"


def dumpsys(phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """The output of `dumpsys` about windows, displays, keyboard and toasts, as far as it is used here."""
    what = words[0] if words else ""
    if what == "window":
        told = (_windows(one, number) for number, one in reversed(phone.displays.items()))
        return say("\n".join(["WINDOW MANAGER WINDOWS (dumpsys window windows)", *told]))
    if what == "SurfaceFlinger":
        names = (f"Display {PHYSICAL + one} (HWC display {one}): port={one}" for one in phone.displays)
        return say("\n".join(names))
    if what == "display":
        return say("\n".join(_viewport(at) for at in phone.displays))
    if what == "input_method":
        shown = f"  mInputShown={str(phone.keyboard).lower()}\n  mShowRequested=false"
        options = f"    inputType=0x1 imeOptions=0x{0x12000000 | phone.action():x} privateImeOptions=null"
        return say(f"{shown}\n{options}")
    if what == "notification":
        text = next(filter(None, (one.toast_text() for one in phone.displays.values())), "")
        record = (
            f"    TextToastRecord{{a1 99:{phone.recent[-1]}/u0a1 isSystemToast=false text={text} duration=0}}"
        )
        return say(f"  Toast Queue:\n{record}" if text else "")
    if what == "power":
        return say(f"  mWakefulness={'Awake' if phone.awake else 'Asleep'}")
    return fail(f"Can't find service: {what}")


def _viewport(number: int) -> str:
    unique = f"displayId={number}, uniqueId='local:{PHYSICAL + number}'"
    return f"  DisplayViewport{{type=INTERNAL, valid=true, isActive=true, {unique}, orientation=0}}"


def _windows(phone: SimulatedPhone, display: int) -> str:
    app = phone.front
    focus = f"{app.package}/{app.package}{app.activity}"
    flags = "LAYOUT_IN_SCREEN SPLIT_TOUCH" + (" SECURE" if app.secure else "")
    titles = [(focus, flags, phone.area)]
    if phone.keyboard:
        titles.append(("InputMethod", "NOT_FOCUSABLE SPLIT_TOUCH", phone.keyboard_box))
    if phone.toast_text():
        titles.append(("Toast", "NOT_FOCUSABLE", phone.area))
    front = "NotificationShade" if phone.locked or phone.shade else focus
    if phone.dialog is not None:
        title, _, _, package = phone.dialog
        front = f"{package}/{package}.GrantPermissionsActivity"
        if package == "android":
            name = phone.hangs or phone.crashed
            front = f"Application {'Not Responding' if phone.hangs else 'Error'}: {name}"
        elif package == app.package:
            front = focus
        else:
            titles.append((front, "DIM_BEHIND", phone.window().box))
    lines = [f"  Display: mDisplayId={display} (organized)"]
    for number, (title, flag, box) in enumerate(reversed(titles)):
        lines.append(f"  Window #{number} Window{{{number:x}a1 u0 {title}}}:")
        lines.append(f"    mDisplayId={display} mSession=Session")
        lines.append(f"    mAttrs={{(0,0)(fillxfill) ty=BASE_APPLICATION fl={flag}}}")
        lines.append(f"    touchable region=SkRegion(({box.left},{box.top},{box.right},{box.bottom}))")
        lines.append("    isOnScreen=true\n    isVisible=true")
    window = f"{sum(map(ord, app.package)):x}{'d' if phone.dialog else 'a'}"
    lines.append(f"  mCurrentFocus=Window{{{window} u0 {front}}}")
    lines.append(f"  mFocusedApp=ActivityRecord{{f1 u0 {app.package}/{app.activity} t12}}")
    lines.append(f"  mCurrentRotation=ROTATION_{phone.rotation * 90}")
    lines.append(f"    showing={str(phone.locked).lower()}")
    lines.append(f"    mAwake={str(phone.awake).lower()}")
    return "\n".join(lines)


def wm(phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """`wm size|density|dismiss-keyguard`."""
    if words[:1] == ["size"]:
        phone = phone.displays[int(words[2])] if "-d" in words else phone
        return say(f"Physical size: {phone.size.width}x{phone.size.height}")
    if words[:1] == ["dismiss-keyguard"]:
        phone.locked = False
        return Done()
    return say("Physical density: 240")


def ime(phone: SimulatedPhone, words: list[str], _data: bytes) -> Done:
    """`ime list|enable|disable|set`."""
    verb, *rest = words
    name = rest[-1] if rest else ""
    if verb == "list":
        return say("\n".join(one for one, enabled in phone.keyboards.items() if enabled or "-a" in rest))
    if verb == "set" and phone.faults["forbidden"]:
        return forbidden("WRITE_SECURE_SETTINGS")
    if name not in phone.keyboards:
        return fail(f"Error: Unknown input method {name} cannot be {verb}d for user #0", 255)
    if verb == "set" and not phone.keyboards[name]:
        return fail(f"Error: Input method {name} cannot be selected for user #0", 255)
    if verb == "set":
        phone.settings["secure"]["default_input_method"] = name
    else:
        phone.keyboards[name] = verb == "enable"
    return say(f"Input method {name}: now {'selected' if verb == 'set' else verb + 'd'} for user #0")
