"""Everyday work with files in a file manager."""

from __future__ import annotations

from pathlib import Path

from tests.end_to_end.desktop.effects import all_of, exists, gone, has_bytes
from tests.starter.work import Values, Work


def things(path: Path, values: Values) -> None:
    """A folder that holds another number of files each time."""
    path.mkdir()
    for number in range(len(values["some"].splitlines())):
        (path / f"{number} of {path.parent.name}.txt").write_text(values["some"])


FILES = (
    Work(
        "rename-file",
        "Rename the file {file} to {new_name} in the file manager",
        'open PCManFM; click "{file}"; press F2; press ctrl+a; type "{new_name}"; press Enter',
        (
            {"file": "draft.txt", "new_name": "final.txt"},
            {"file": "plan.md", "new_name": "schedule.md"},
        ),
        {"file": "letter.txt", "new_name": "letter of May.txt"},
        lambda v: all_of(exists(v["new_name"]), gone(v["file"])),
        ("pcmanfm",),
        {"{file}": "{some}"},
    ),
    Work(
        "make-folder",
        "Make a new folder called {folder} with the file manager",
        'open PCManFM; choose File > Create New... > Folder; type "{folder}"; press Enter',
        ({"folder": "Letters"}, {"folder": "Old bills"}),
        {"folder": "Tickets"},
        lambda v: exists(v["folder"]),
        ("pcmanfm",),
    ),
    Work(
        "copy-file",
        "Copy the file {file} into the folder {folder} with the file manager",
        'open PCManFM; click "{file}"; press ctrl+c; double-click "{folder}"; '
        'wait until the title is "{folder}"; press ctrl+v',
        ({"file": "note.txt", "folder": "Archive"}, {"file": "bill.md", "folder": "Backup"}),
        {"file": "cake.txt", "folder": "Recipes"},
        lambda v: all_of(exists(f"{v['folder']}/{v['file']}"), exists(v["file"])),
        ("pcmanfm",),
        {"{file}": "{some}", "{folder}": things},
    ),
    Work(
        "move-file",
        "Move the file {file} into the folder {folder} with the file manager",
        'open PCManFM; click "{file}"; choose Edit > Cut; double-click "{folder}"; '
        'wait until the title is "{folder}"; press ctrl+v',
        ({"file": "note.txt", "folder": "Archive"}, {"file": "bill.md", "folder": "Backup"}),
        {"file": "cake.txt", "folder": "Recipes"},
        lambda v: all_of(exists(f"{v['folder']}/{v['file']}"), gone(v["file"])),
        ("pcmanfm",),
        {"{file}": "{some}", "{folder}": things},
    ),
    Work(
        "make-empty-file",
        "Make an empty file called {file} with the file manager",
        'open PCManFM; choose File > Create New... > Empty File; type "{file}"; press Enter',
        ({"file": "list.txt"}, {"file": "ideas.md"}),
        {"file": "guests.csv"},
        lambda v: exists(v["file"]),
        ("pcmanfm",),
    ),
    Work(
        "delete-file",
        "Delete the file {file} with the file manager",
        'open PCManFM; click "{file}"; press delete; click "Yes"',
        ({"file": "old.txt"}, {"file": "draft.md"}),
        {"file": "spam.csv"},
        lambda v: gone(v["file"]),
        ("pcmanfm",),
        {"{file}": "{some}"},
    ),
    Work(
        "sort-files",
        'Sort the files in the file manager "{order}"',
        "open PCManFM; choose View > Sort Files > {order}",
        ({"order": "By Size"}, {"order": "By Modification Time"}),
        {"order": "By File Type"},
        lambda v: has_bytes(
            ".config/pcmanfm/default/pcmanfm.conf",
            {"By Size": b"sort=size", "By File Type": b"sort=desc", "By Modification Time": b"sort=mtime"}[
                v["order"]
            ],
        ),
        ("pcmanfm",),
    ),
)
