"""Everything that the store holds, by the file it is in."""

from __future__ import annotations

from tests.starter.files import FILES
from tests.starter.texts import TEXTS
from tests.starter.work import Work

TABLE: dict[str, tuple[Work, ...]] = {"files": FILES, "texts": TEXTS}
WORKS = tuple(work for works in TABLE.values() for work in works)
