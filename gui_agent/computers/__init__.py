"""Devices: each turns a screen with keyboard and pointer into a `core.protocols.Computer`."""

from typing import Any

from gui_agent.doors import find_name, names_of

_HOMES = {
    "atspi.bounds": "OF_WINDOW box_of boxes",
    "atspi.bus": (
        "Bus CallFailed MethodCall PROPERTIES Reference answer_to answers_of ask ask_each "
        "attribute get method reference"
    ),
    "atspi.program": "AccessibleProgram MANY introduce read running",
    "atspi.source": "AtspiSource",
    "atspi.tables": "references visible",
    "atspi.vocabulary": (
        "AccessibleItem MEASURED OPERABLE Role State TELLING TYPED_INTO aria_role aria_states has "
        "short states_of"
    ),
    "browser": "BrowserComputer",
    "browser.act.navigation": "address",
    "browser.cdp.isolated_world": "NAME effects_of script",
    "browser.cdp.sender": "Limited Sender errors translate_errors value_of",
    "browser.controller": "Browsing",
    "browser.launch": "Launch find_executable start_driver",
    "browser.lent": "ExternalPage",
    "browser.look.preview": "capture",
    "browser.recording": "BrowserRecorder",
    "current_platform": "LocalComputer",
    "desktop.acting": "active",
    "desktop.computer": (
        "DesktopComputer Format ScreenComputer SingleScreenComputer WatchedDevice encode_picture"
    ),
    "desktop.elements": "Elements Eyes Observe confirm merge places_on seeing with_source",
    "desktop.fields": "CHECKED",
    "desktop.monitor": "ScreenCapture on_monitor",
    "desktop.parts": (
        "Device HeldInput Node OneWindow ScreenReading Source UntoldDevice Unwatched Window "
        "close_by_keys in_time notches"
    ),
    "desktop.person_watch": "Ears PersonWatch keys_taken no_panic_key panic_keys",
    "desktop.settling": "SettleTimes Settling TINY Waits differences",
    "environment": "adopt for_children private_place",
    "event_loop": "LoopThread turns",
    "recording.events": (
        "Down Heard Moved Pressed Spot Touched Typed Typing Up distance focused_field has_effect "
        "kind_of_front spot_at"
    ),
    "recording.secrets": "Secrecy",
    "recording.steps": "LookingRecorder",
    "virtual.computer": "VirtualComputer",
    "virtual.private": "KeptLauncher PACKAGES PrivateDisplay Shelf for_programs is_gone",
    "virtual.supervisor": "PARENT_DEATH SUBREAPER answer_one descendants libc",
    "vision.network": "Floats SAME SIDE STRIDE icon_square network_input read_cells",
    "vision.source": "VisionSource",
    "x11.computer": "PanicKeyListener X11Computer",
    "x11.device": "X11Device",
    "x11.keyboard": "Keyboard key_symbol symbol_of",
    "x11.programs": "Launcher Launches LocalLauncher",
    "x11.recording": "X11Recorder",
    "x11.windows": "Connection",
}
"""The names that other rooms and extensions use, by the module that defines them."""

__all__ = names_of(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    return find_name(__name__, _HOMES, name)
