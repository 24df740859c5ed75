"""A simulated phone that real adb servers connect to: `with PhoneServer(SimulatedPhone()) as server: ...`."""

from __future__ import annotations

from gui_agent.testing.phone.device import SimulatedPhone
from gui_agent.testing.phone.wire import PhoneServer

__all__ = ["PhoneServer", "SimulatedPhone"]
