"""A simulated phone that real adb servers connect to: `with PhoneServer(SimulatedPhone()) as server: ...`."""

from __future__ import annotations

from guiagent_eval.phone.device import SimulatedPhone
from guiagent_eval.phone.wire import PhoneServer

__all__ = ["PhoneServer", "SimulatedPhone"]
