"""Documents to begin with: workbooks, texts, slides and pictures."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tests.starter.work import Values

_NAMES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (("office", "office"), ("text", "text"), ("draw", "drawing"), ("manifest", "manifest"))
)


TEAS = (("kind", "price"), ("Assam", 4), ("Ceylon", 7), ("Darjeeling", 5), ("Earl Grey", 6), ("Green", 3))


def workbook(path: Path, values: Values) -> None:
    """A workbook with a list of teas, of another length each time."""
    from openpyxl import Workbook

    book = Workbook()
    for row in TEAS[: 2 + len(values["some"].splitlines())]:
        book.worksheets[0].append(row)
    book.save(path)


def letter(path: Path, values: Values) -> None:
    """A text with the lines of `some`, and with the old word of the task, if it has one."""
    lines = [*values["some"].splitlines(), *filter(None, [values.get("old", "")])]
    _open_document(path, "text", "".join(f"<text:p>{line}</text:p>" for line in lines))


def slides(path: Path, values: Values) -> None:
    """A presentation with a slide for each line of `some`."""
    pages = "".join(f'<draw:page draw:name="{line}"/>' for line in values["some"].splitlines())
    _open_document(path, "presentation", pages)


def picture(path: Path, values: Values) -> None:
    """A picture that is red on the left and blue on the right, of another size each time."""
    from PIL import Image

    width = 20 * len(values["some"].splitlines())
    image = Image.new("RGB", (2 * width, 40), (255, 0, 0))
    image.paste((0, 0, 255), (width, 0, 2 * width, 40))
    image.save(path)


def _open_document(path: Path, kind: str, body: str) -> None:
    media = f"application/vnd.oasis.opendocument.{kind}"
    entries = (("/", media), ("content.xml", "text/xml"))
    listed = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="{what}"/>'
        for name, what in entries
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", media)
        archive.writestr("META-INF/manifest.xml", f"<manifest:manifest {_NAMES}>{listed}</manifest:manifest>")
        archive.writestr(
            "content.xml",
            f"<office:document-content {_NAMES} office:version='1.2'><office:body><office:{kind}>{body}"
            f"</office:{kind}></office:body></office:document-content>",
        )
