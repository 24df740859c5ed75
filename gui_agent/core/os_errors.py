"""Paths as people write them, files that only their owner can read, and why one cannot be read or written."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path

_DENIED = "permission denied; change its permissions, or choose another"
_FULL = "the disk is full; free some space"
_NONSENSE = "\ufffd"
_LONGEST_NAME, _LONGEST_PATH = 255, 4_000
"""Bytes of a name and of a whole path."""
_WORDS = {
    errno.ENOENT: "there is no such file or folder; check the path",
    errno.EISDIR: "it is a folder; give a file",
    errno.ENOTDIR: "a part of the path is no folder; check the path",
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.EROFS: "the disk is read-only; choose another place",
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
}


def why(error: OSError | UnicodeDecodeError) -> str:
    """What is in the way and what to do, in a few words that end a sentence and name no file."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not text in UTF-8; give another file, or save it as UTF-8"
    return _WORDS.get(error.errno or 0) or (error.strerror or str(error)).lower()


def user_path(text: str | Path) -> Path:
    """The path that a text means, `~` being a home folder.

    What no file can be called stays a path to nothing, so that it is told like every file that is not there:
    the home of a user who does not exist, and names with null bytes, in no encoding or of endless length, in
    which the sign for nonsense stands for what cannot be.
    """
    path = Path(_possible(str(text)))
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def _possible(path: str) -> str:
    """A path that the system can be asked for."""
    try:
        data = os.fsencode(path.replace("\0", _NONSENSE))
    except UnicodeEncodeError:
        data = path.replace("\0", _NONSENSE).encode("utf-8", "replace") + _NONSENSE.encode()
    if len(data) > _LONGEST_PATH:
        data = _NONSENSE.encode() + data[-_LONGEST_PATH // 4 :]
    parts = data.split(b"/")
    fit = (part if len(part) <= _LONGEST_NAME else part[:60] + _NONSENSE.encode() for part in parts)
    return os.fsdecode(b"/".join(fit))


def real_path(text: str | Path) -> Path:
    """The path that a text means, with links followed; links in a circle are followed as far as they lead."""
    return Path(os.path.realpath(user_path(text)))


def private(path: str | Path, flags: int) -> int:
    """An `opener` for `open`: what is made is for its owner alone, and what is ours already becomes so."""
    handle = os.open(path, flags, 0o600)
    take_back(handle)
    return handle


def replace_file(path: Path, data: bytes | Iterable[bytes], *, durable: bool = False) -> None:
    """Write a whole file that is either there completely or not at all; readable by its owner.

    Two processes may write it at once: the name of what is not whole yet holds the process.

    Args:
        durable: it is on the disk when this returns.
    """
    part = path.with_name(f".{path.name[-200:]}.{os.getpid()}.part")
    try:
        with open(part, "wb", opener=private) as file:
            file.writelines((data,) if isinstance(data, bytes) else data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def private_folder(path: Path) -> None:
    """Make a folder for its owner alone, and those above it; one that is there stays as it is."""
    for missing in reversed([folder for folder in (path, *path.parents) if not folder.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def take_back(path: str | Path | int) -> None:
    """Take the rights of others from a file or folder that is this user's own."""
    state = os.stat(path)  # noqa: PTH116 - of an open file, too
    ours = not hasattr(os, "geteuid") or state.st_uid == os.geteuid()
    if ours and state.st_mode & 0o077 and (stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)):
        os.chmod(path, stat.S_IMODE(state.st_mode) & 0o700)  # noqa: PTH101
