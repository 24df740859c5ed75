"""Reads or sets tags of music files through kid3-cli: `tags.py HOME FILE FIELD [VALUE]`."""

import os
import subprocess
import sys

home, file, field, *value = sys.argv[1:]
told = f"set {field} '{value[0]}' 2" if value else f"get {field} 2"
command = ["kid3-cli", "-c", told, *(["-c", "save"] if value else []), file]
environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": f"{home}/.reader"}
done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=15, check=True)
print(done.stdout.strip())
