"""What every local guest begins with: a home in which the first questions of programs are answered."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

from gui_agent.computers.guest.namespaces import OWN, UID, USER

FOLDERS = ("Desktop", "Documents", "Downloads", "Music", "Pictures", "Public", "Templates", "Videos")
_OFFICE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
{items}
</oor:items>
"""
_ITEM = (
    '<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse">'
    "<value>{value}</value></prop></item>"
)
_ANSWERS = (
    ("Office.Common/Misc", "FirstRun", "false"),
    ("Office.Common/Misc", "ShowTipOfTheDay", "false"),
    ("Office.Common/Misc", "CrashReport", "false"),
    ("Office.Common/Save/Document", "WarnAlienFormat", "false"),
    ("Setup/Office", "ooSetupInstCompleted", "true"),
    ("Setup/Office", "LastCompatibilityCheckID", ""),
    ("Setup/Product", "ooSetupLastVersion", "99.9"),
    ("Office.UI.Infobar/Enabled", "WhatsNew", "false"),
    ("Office.UI.Infobar/Enabled", "GetInvolved", "false"),
    ("Office.UI.Infobar/Enabled", "Donate", "false"),
)
_VLC = """[qt]
qt-privacy-ask=0
qt-updates-notif=0
[core]
extraintf=http
metadata-network-access=0
aout=adummy
[lua]
http-password=password
"""
_OPENERS = {
    "libreoffice-calc": (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet application/vnd.ms-excel text/csv "
        "application/vnd.oasis.opendocument.spreadsheet"
    ),
    "libreoffice-writer": (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document application/msword "
        "application/vnd.oasis.opendocument.text application/rtf"
    ),
    "libreoffice-impress": (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation "
        "application/vnd.oasis.opendocument.presentation application/vnd.ms-powerpoint"
    ),
    "gimp": "image/png image/jpeg image/x-xcf image/gif image/bmp image/tiff",
    "vlc": "video/mp4 audio/mpeg video/x-matroska audio/x-wav video/webm",
    "chromium": "text/html application/pdf x-scheme-handler/http x-scheme-handler/https",
    "org.xfce.mousepad": "text/plain application/json text/x-python text/markdown",
}
_SHIMS = {
    "google-chrome": "exec chromium --no-sandbox --no-first-run --password-store=basic "
    '--force-renderer-accessibility --user-data-dir="$HOME/.config/google-chrome" "$@"',
    "sudo": 'while [ "${1#-}" != "$1" ]; do [ "$1" = -S ] && read -r _; shift; done; exec "$@"',
    "pkill": 'for word; do shift; [ "$word" = chrome ] && word=chromium; set -- "$@" "$word"; done\n'
    'exec /usr/bin/pkill "$@"',
    "python": f'[ -x {OWN}/evaluators/venv/bin/python ] && exec {OWN}/evaluators/venv/bin/python "$@"\n'
    'exec /usr/bin/python3 "$@"',
}
"""Names under which tasks made for OSWorld's own machine call programs."""


def make_image(folder: Path) -> Path:
    """The lowest layer of homes, made once for each version of what is in it."""
    files = {
        ".config/libreoffice/4/user/registrymodifications.xcu": _OFFICE.format(
            items="\n".join(_ITEM.format(path=path, name=name, value=value) for path, name, value in _ANSWERS)
        ),
        ".config/vlc/vlcrc": _VLC,
        ".config/vlc/vlc-qt-interface.conf": "[MainWindow]\nadv-controls=0\n",
        ".config/google-chrome/First Run": "",
        ".config/chromium/First Run": "",
        ".config/gtk-3.0/settings.ini": "[Settings]\ngtk-enable-animations=0\ngtk-font-name=DejaVu Sans 10\n",
        ".config/mimeapps.list": "[Default Applications]\n"
        + "".join(f"{kind}={name}.desktop\n" for name, kinds in _OPENERS.items() for kind in kinds.split()),
        ".bashrc": "PS1='user@guest:\\w$ '\n",
    }
    mark = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:12]
    image = folder / f"image-{mark}"
    if image.exists():
        return image
    part = folder / f"part-{os.getpid()}"
    shutil.rmtree(part, ignore_errors=True)
    for name in FOLDERS:
        (part / name).mkdir(parents=True)
    for place, text in files.items():
        path = part / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for path in (part, *part.rglob("*")):
        shutil.chown(path, UID, UID)
    part.rename(image)
    return image


def make_surroundings(folder: Path) -> Path:
    """The files of one guest that are outside its home: who it is in `etc`, names of programs in `bin`."""
    accounts = {
        "passwd": f"{USER}:x:{UID}:{UID}:{USER}:/home/{USER}:/bin/bash\n",
        "group": f"{USER}:x:{UID}:\n",
    }
    (folder / "etc").mkdir()
    for name, line in accounts.items():
        here = [one for one in Path("/etc", name).read_text().splitlines(True) if f":{UID}:" not in one]
        (folder / "etc" / name).write_text("".join(here) + line)
    (folder / "etc" / "hosts").write_text("127.0.0.1 localhost guest\n")
    shims = folder / "bin"
    shims.mkdir()
    for name, text in _SHIMS.items():
        (shims / name).write_text(f"#!/bin/sh\n{text}\n")
        (shims / name).chmod(0o755)
    (shims / "guest-python").symlink_to(sys.executable)
    return shims
