"""A simulated phone that a real adb server connects to: `with PhoneServer(Phone()) as server: server.address`."""

from __future__ import annotations

from gui_agent.testing.phone.device import Phone
from gui_agent.testing.phone.wire import PhoneServer

__all__ = ["Phone", "PhoneServer"]
