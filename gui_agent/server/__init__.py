"""The live view: a local page that shows the screen and steps of a run, and can hold or stop it."""

from gui_agent.server.live import Feed, LiveServer

__all__ = ["Feed", "LiveServer"]
