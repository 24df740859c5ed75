"""The environment of programs on a private display: this process's own, without what they should not know."""

from __future__ import annotations

from pathlib import Path

from gui_agent.computers.environment import for_children

DROPPED = frozenset(
    (
        *("WAYLAND_DISPLAY", "WAYLAND_SOCKET", "SESSION_MANAGER", "DESKTOP_STARTUP_ID", "XDG_SESSION_ID"),
        *("XMODIFIERS", "GTK_IM_MODULE", "QT_IM_MODULE", "NO_AT_BRIDGE", "DBUS_STARTER_ADDRESS"),
        *("XDG_CURRENT_DESKTOP", "GTK_MODULES"),
    )
)
"""Of the person's session; programs on another display would follow them away from it."""
PERSONAL = {name: f"XDG_{name.upper()}_HOME" for name in ("config", "data", "cache", "state")}
"""Where programs keep settings and what they remember, by folder."""
ALWAYS = {
    "XDG_SESSION_TYPE": "x11",
    "GDK_BACKEND": "x11",
    "GTK_USE_PORTAL": "0",
    "GVFS_DISABLE_FUSE": "1",
    "QT_QPA_PLATFORM": "xcb",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
    "QT_ACCESSIBILITY": "1",
}
"""What makes each toolkit use this display and tell its elements."""

JAVA_BRIDGE = Path("/usr/share/java/java-atk-wrapper.jar")
JAVA_SETTING = "javax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper"
"""What makes programs in Java tell their elements; the bridge is in `libatk-wrapper-java-jni`."""


def for_programs(folder: Path, home: str = "") -> dict[str, str]:
    """The environment of programs on any private display.

    Args:
        folder: of the display; settings of programs are kept there when they have the person's own home,
            so that neither side changes or locks what the other one remembers.
        home: their home folder; empty for the person's own.
    """
    kept = {name: value for name, value in for_children().items() if name not in DROPPED}
    if not any("utf" in kept.get(name, "").lower() for name in ("LC_ALL", "LC_CTYPE", "LANG")):
        kept.pop("LC_ALL", None)
        kept["LANG"] = "C.UTF-8"
    for name, variable in PERSONAL.items():
        kept.pop(variable, None)
        if not home:
            kept[variable] = str(folder / "settings" / name)
    if list(Path("/usr/lib").glob("*/gtk-2.0/modules/libatk-bridge.so")):
        kept["GTK_MODULES"] = "gail:atk-bridge"  # programs of GTK 2 tell nothing without
    if JAVA_BRIDGE.exists():
        told = f"-Xbootclasspath/a:{JAVA_BRIDGE} -D{JAVA_SETTING}"
        kept["JAVA_TOOL_OPTIONS"] = " ".join(filter(None, (kept.get("JAVA_TOOL_OPTIONS"), told)))
    return {**kept, **ALWAYS, "HOME": home or kept.get("HOME") or str(Path.home())}
