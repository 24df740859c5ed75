"""Makes a Trac environment in the current folder in which every visitor has all rights."""

import subprocess
import sys

ADMIN = sys.argv[1]
COMMANDS = [
    ["initenv", "Garden", "sqlite:db/trac.db"],
    ["permission", "add", "anonymous", "TRAC_ADMIN"],
    ["component", "add", "Greenhouse", "kim"],
    ["version", "remove", "1.0"],
    ["config", "set", "trac", "default_language", "en"],
]
for command in COMMANDS:
    subprocess.run([ADMIN, "env", *command], check=True, stdout=subprocess.DEVNULL)
