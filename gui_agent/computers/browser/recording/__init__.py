"""Records a person who uses the browser: their actions become steps like those of a run."""

from gui_agent.computers.browser.recording._recorder import BrowserRecorder

__all__ = ["BrowserRecorder"]
