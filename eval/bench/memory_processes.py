"""Counts the entries lost when processes write to one memory at once, or are killed during writes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

WRITER = """
import sys
from gui_agent.memory.entry import Entry
from gui_agent.memory.store import Store
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
store = Store(path)
for number in range(count):
    added = store.add([Entry(f"task {number} of writer {name}", screen="x" * 2000)])[0]
    # The id is printed only after the transaction has been committed.
    sys.stdout.write(added.id + "\\n")
    sys.stdout.flush()
"""


def _start(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _missing(path: Path, acknowledged: set[str]) -> int:
    from gui_agent.memory.store import Store

    store = Store(path)
    faults = store.check()
    if faults:
        raise AssertionError(f"the file is damaged: {faults}")
    return len(acknowledged - {entry.id for entry in store.entries()})


def lost_by_parallel_writers(path: Path, writers: int, each: int) -> int:
    """Entries that are missing after this many processes wrote to a new file at the same time."""
    processes = [_start(path, str(name), each) for name in range(writers)]
    acknowledged: set[str] = set()
    for process in processes:
        told, _ = process.communicate()
        if process.returncode:
            raise AssertionError(f"a writer failed with {process.returncode}")
        acknowledged.update(told.split())
    if len(acknowledged) != writers * each:
        raise AssertionError(f"{len(acknowledged)} ids for {writers * each} entries")
    return _missing(path, acknowledged)


def lost_after_kills(path: Path, kills: int, after: int = 25) -> int:
    """Acknowledged entries that are missing after writers were killed with SIGKILL during writes."""
    acknowledged: set[str] = set()
    for name in range(kills):
        process = _start(path, str(name), 100_000)
        assert process.stdout is not None
        for _ in range(after + name):
            acknowledged.add(process.stdout.readline().strip())
        os.kill(process.pid, signal.SIGKILL)
        # Ids acknowledged before the signal count too; the last line may be cut short.
        rest = process.stdout.read()
        acknowledged.update(line for line in rest.splitlines(keepends=False) if len(line) == 12)
        process.wait()
        process.stdout.close()
    return _missing(path, acknowledged)
