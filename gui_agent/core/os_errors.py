"""Saying why a file cannot be read or written, and what to do about it; no file is touched here."""

from __future__ import annotations

import errno

_DENIED = "permission denied; change its permissions, or choose another"
_FULL = "the disk is full; free some space"
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
