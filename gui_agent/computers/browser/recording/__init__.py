"""Recording a person who uses the browser: what they do becomes steps like those of a run."""

from gui_agent.computers.browser.recording.recorder import BrowserRecorder

__all__ = ["BrowserRecorder"]
