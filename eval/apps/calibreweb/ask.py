"""Runs SQL on the application's own settings, `app.db`, and prints the rows found."""

import sqlite3
import sys

with sqlite3.connect("app.db") as settings:
    for row in settings.execute(sys.argv[1]).fetchall():
        print(" / ".join(str(value) for value in row))
