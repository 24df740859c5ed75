"""Records a display as a film, with ffmpeg."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from gui_agent.computers.environment import for_children
from gui_agent.core.errors import ActionFailed
from gui_agent.core.geometry import Size

STARTING = 1.0
"""Seconds after which a recorder that still runs is taken to work."""
ENDING = 15.0


class Recording:
    """One recording at a time."""

    def __init__(self) -> None:
        self._recorder: subprocess.Popen[bytes] | None = None
        self._film: Path | None = None

    def start(self, display: str, size: Size) -> None:
        """Begin.

        Raises:
            ActionFailed: one is under way, or ffmpeg is not installed or does not start.
        """
        if self._recorder is not None and self._recorder.poll() is None:
            raise ActionFailed("Recording is already in progress.")
        program = shutil.which("ffmpeg")
        if program is None:
            raise ActionFailed("ffmpeg is required for recording but was not found in PATH.")
        if self._film is not None:
            self._film.unlink(missing_ok=True)
        self._film = Path(tempfile.mkstemp(prefix="guiagent-film-", suffix=".mp4")[1])
        looked = ("-f", "x11grab", "-draw_mouse", "1", "-s", f"{size.width}x{size.height}", "-r", "30")
        command = [program, "-y", "-loglevel", "error", *looked, "-i", display]
        self._recorder = subprocess.Popen(
            [*command, "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", str(self._film)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=for_children(),
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._recorder.wait(STARTING)
            raise ActionFailed("Failed to start recording. ffmpeg terminated unexpectedly.")

    def stop(self) -> Path:
        """End it; the film.

        Raises:
            ActionFailed: none is under way, or there is no film.
        """
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            raise ActionFailed("No recording in progress to stop.")
        try:
            recorder.communicate(b"q\n", ENDING)
        except subprocess.TimeoutExpired:
            recorder.kill()
            recorder.wait(ENDING)
        if self._film is None or not self._film.exists() or not self._film.stat().st_size:
            raise ActionFailed("Recording failed. The output file is missing or empty.")
        return self._film
