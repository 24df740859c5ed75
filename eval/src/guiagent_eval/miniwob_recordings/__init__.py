"""An importer of recordings that people made with MiniWoB++'s own recorder, as a plug-in."""

from __future__ import annotations

from typing import Any

from gui_agent.procedures.importers.imported import Imported
from guiagent_eval.miniwob_recordings.importer import import_miniwob
from guiagent_eval.miniwob_recordings.recording import is_event_recording, read_event_recording


class MiniWobRecordings:
    """Reads the data that the pages send if they are opened with `?record=true`, in all versions."""

    def reads(self, data: Any) -> bool:
        """Whether parsed JSON has the outer form of such a recording."""
        return is_event_recording(data)

    def read(self, data: Any, task: str, source: str) -> Imported:
        """The demonstration; raises as `import_miniwob` does."""
        return import_miniwob(read_event_recording(data, source, task), source)
