"""User-written paths, files that only their owner can read, and error messages for files."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from secrets import token_hex

from gui_agent.core.errors import ActionFailed, ConfigError

_DENIED = "permission denied; change its permissions, or choose another"
_FULL = "the disk is full; free some space"
_NONSENSE = "\ufffd"
_LONGEST_NAME, _LONGEST_PATH = 255, 4_000
"""Longest name and longest path, in bytes."""
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
    """The problem and its remedy, in words that end a sentence and do not name the file."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not text in UTF-8; give another file, or save it as UTF-8"
    return _WORDS.get(error.errno or 0) or (error.strerror or str(error)).lower()


@contextlib.contextmanager
def file_errors(fault: str) -> Iterator[None]:
    """Report what goes wrong with files here as a ConfigError: the fault, the problem and its remedy."""
    try:
        yield
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{fault}: {why(error)}") from error


def user_path(text: str | Path) -> Path:
    """The path that a text means, with `~` as a home folder.

    An impossible name stays a path to nothing, so that it is reported like any missing file: the home of an
    unknown user, and names with null bytes, without an encoding or of excessive length, in which a
    replacement character stands for the impossible part.
    """
    path = Path(_acceptable_path(str(text)))
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def demand_files(names: Iterable[str]) -> None:
    """Raise ActionFailed unless all of these files exist on this machine."""
    for path in map(user_path, names):
        if not path.is_file():
            raise ActionFailed(f"there is no file {path}; give the path of an existing file")


def _acceptable_path(path: str) -> str:
    """A path that the system accepts in a call."""
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
    """The path that a text means, with links followed; circular links as far as they lead."""
    return Path(os.path.realpath(user_path(text)))


def real_folders(given: Iterable[str], setting: str) -> list[Path]:
    """The folders that the texts of a setting mean. Raises ConfigError if one does not exist."""
    folders = [real_path(folder) for folder in given]
    if missing := [folder for folder in folders if not folder.is_dir()]:
        raise ConfigError(f"{setting}: there is no folder {missing[0]}")
    return folders


def private(path: str | Path, flags: int) -> int:
    """An `opener` for `open`: a new file is only for its owner, and an existing file of ours becomes so."""
    handle = os.open(path, flags, 0o600)
    take_back(handle)
    return handle


def replace_file(path: Path, data: bytes | Iterable[bytes], *, durable: bool = False) -> None:
    """Write a whole file atomically, readable only by its owner.

    Two processes may write it at once: the name of the unfinished file contains the process id.

    Args:
        durable: whether it must be on the disk when this returns.
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


def kept_bytes(path: Path, first: bytes) -> bytes:
    """The content of a file that only its owner can read; without a file, `first` is written to it.

    Of two processes that write it at once, one is first, and both get its bytes.
    """
    if not path.exists():
        private_folder(path.parent)
        part = path.with_name(f".{path.name}.{token_hex(8)}")
        with open(part, "xb", opener=private) as file:
            file.write(first)
        with contextlib.suppress(FileExistsError):
            os.link(part, path)
        part.unlink()
    take_back(path)
    return path.read_bytes()


def save_file(path: Path, data: bytes) -> None:
    """Write a whole file of the person's, and the folders above it.

    Raises:
        ConfigError: it cannot be written.
    """
    with file_errors(f"cannot write {path}"):
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)


def private_folder(path: Path) -> None:
    """Create a folder, and its missing parents, only for its owner; an existing folder is not changed."""
    for missing in reversed([folder for folder in (path, *path.parents) if not folder.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def take_back(path: str | Path | int) -> None:
    """Remove other users' rights to a file or folder that this user owns."""
    state = os.stat(path)  # noqa: PTH116 - an open file's handle, too
    ours = not hasattr(os, "geteuid") or state.st_uid == os.geteuid()
    if ours and state.st_mode & 0o077 and (stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)):
        os.chmod(path, stat.S_IMODE(state.st_mode) & 0o700)  # noqa: PTH101
