"""Some files to work on."""

from pathlib import Path

work = Path("work")
work.mkdir()
(work / "notes.md").write_text("# Notes\n")
(work / "data.csv").write_text("name,count\napple,3\npear,5\n")
(work / "old.txt").write_text("old\n")
(work / "archive").mkdir()
