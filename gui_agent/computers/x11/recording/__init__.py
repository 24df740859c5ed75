"""Recording a person on an X display, by the RECORD extension."""

from gui_agent.computers.x11.recording.recorder import X11Recorder

__all__ = ["X11Recorder"]
