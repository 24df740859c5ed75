"""A folder with some files in it."""

from pathlib import Path

for name, text in {
    "report-2025.txt": "numbers\n",
    "draft.txt": "a draft\n",
    "photos/one.txt": "picture one\n",
    "old/notes.txt": "old notes\n",
}.items():
    path = Path("share") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
