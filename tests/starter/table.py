"""Everything that the store holds, by the file it is in."""

from __future__ import annotations

from tests.starter.archives import ARCHIVES
from tests.starter.browsing import BROWSING
from tests.starter.files import FILES
from tests.starter.letters import LETTERS, SLIDES
from tests.starter.mails import MAILS
from tests.starter.pictures import PICTURES
from tests.starter.sheets import SHEETS
from tests.starter.texts import TEXTS
from tests.starter.work import Work

TABLE: dict[str, tuple[Work, ...]] = {
    "files": FILES,
    "texts": TEXTS,
    "sheets": SHEETS,
    "letters": LETTERS,
    "slides": SLIDES,
    "pictures": PICTURES,
    "archives": ARCHIVES,
    "browsing": BROWSING,
    "mails": MAILS,
}
WORKS = tuple(work for works in TABLE.values() for work in works)
