"""Everyday work with archives."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

from tests.starter.work import Values, Work


def archive(path: Path, values: Values) -> None:
    """An archive with another number of files each time, of the kind that its name says."""
    held = {f"page {number}.txt": line for number, line in enumerate(values["some"].splitlines(), start=1)}
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as file:
            for name, text in held.items():
                file.writestr(name, text)
        return
    folder = path.with_suffix(".parts")
    folder.mkdir()
    with tarfile.open(path, "w") as tape:
        for name, text in held.items():
            (folder / name).write_text(text)
            tape.add(folder / name, name)


ARCHIVES = (
    Work(
        "extract-archive",
        "Extract the archive {archive} into the folder {folder}",
        'open "xarchiver {archive}"; choose Action > Extract; '
        'type "{folder}" into "Extract to"; '
        'click the button "Extract"; wait 2 seconds',
        ({"archive": "old.zip", "folder": "out"}, {"archive": "mail.zip", "folder": "letters"}),
        {"archive": "trip.tar", "folder": "photos"},
        lambda v: lambda home: len(list((home / v["folder"]).rglob("page *.txt"))) >= 2,
        ("xarchiver",),
        {"{archive}": archive},
    ),
    Work(
        "extract-flat",
        "Extract the archive {archive} into the folder {folder} without a folder of its own",
        'open "xarchiver {archive}"; choose Action > Extract; '
        'type "{folder}" into "Extract to"; '
        'untick "Ensure a containing directory"; click the button "Extract"; wait 2 seconds',
        ({"archive": "old.zip", "folder": "out"}, {"archive": "mail.zip", "folder": "letters"}),
        {"archive": "trip.zip", "folder": "photos"},
        lambda v: lambda home: len(list((home / v["folder"]).glob("page *.txt"))) >= 2,
        ("xarchiver",),
        {"{archive}": archive},
    ),
)
