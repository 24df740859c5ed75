"""The live view: a page on this machine that shows screen and steps of a run, and holds or ends it."""

from gui_agent.server.live import Feed, LiveServer

__all__ = ["Feed", "LiveServer"]
