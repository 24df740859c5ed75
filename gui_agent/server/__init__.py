"""The live view: a local page that shows the screen and steps of a run, and can hold or stop it."""

from typing import Any

from gui_agent.doors import find_name, names_of
from gui_agent.server.live import Feed, LiveServer

_HOMES = {
    "live": "BOUNDARY FRAMES HOST POLICY SAFE jpeg stream_part view_page",
}
"""The names that other rooms and extensions use, by the module that defines them."""

__all__ = [
    "Feed",
    "LiveServer",
]
__all__ += names_of(_HOMES)  # noqa: PLE0605 - the table above is no literal


def __getattr__(name: str) -> Any:
    return find_name(__name__, _HOMES, name)
