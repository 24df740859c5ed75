"""A simulated phone that real adb servers connect to: `with PhoneServer(Phone()) as server: ...`."""

from __future__ import annotations

from gui_agent.testing.phone.device import Phone
from gui_agent.testing.phone.wire import PhoneServer

__all__ = ["Phone", "PhoneServer"]
