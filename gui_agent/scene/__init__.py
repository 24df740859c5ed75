"""The scene: one analysis per screen of its records, dialogs and labels, shared by all parts."""

from gui_agent.scene.records import ScreenRecord, ScreenRecords, label_fit
from gui_agent.scene.scene import Scene

__all__ = ["Scene", "ScreenRecord", "ScreenRecords", "label_fit"]
