"""Imports recordings of other tools as demonstrations, parsing scripts without running them."""

from gui_agent.procedures.importers._devtools_recorder import import_devtools
from gui_agent.procedures.importers._playwright_codegen import import_playwright
from gui_agent.procedures.importers.imported import Imported, Remark

__all__ = ["Imported", "Remark", "import_devtools", "import_playwright"]
