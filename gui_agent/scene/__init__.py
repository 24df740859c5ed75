"""The scene: a screen understood once, for everybody who asks which record, which dialog, which label."""

from gui_agent.scene.records import ScreenRecord, ScreenRecords, label_fit
from gui_agent.scene.scene import Scene

__all__ = ["Scene", "ScreenRecord", "ScreenRecords", "label_fit"]
