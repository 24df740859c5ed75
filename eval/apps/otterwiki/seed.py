"""An Otter Wiki with one page in the current folder, which every visitor may change."""

import subprocess
from pathlib import Path

here, pages = Path.cwd(), Path.cwd() / "pages"
pages.mkdir()
Path("settings.cfg").write_text(
    f"REPOSITORY = '{pages}'\nSQLALCHEMY_DATABASE_URI = 'sqlite:///{here / 'users.db'}'\n"
    "SECRET_KEY = 'only for a benchmark on this machine'\nREAD_ACCESS = 'ANONYMOUS'\n"
    "WRITE_ACCESS = 'ANONYMOUS'\nATTACHMENT_ACCESS = 'ANONYMOUS'\n"
)
(pages / "home.md").write_text("# Home\n\nWelcome.\n")
(pages / "recipes.md").write_text("# Recipes\n\n- soup\n- salad\n")
(pages / "old-plans.md").write_text("# Old plans\n\nnothing\n")
for command in (
    ["init", "-q"],
    ["add", "."],
    ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "x"],
):
    subprocess.run(["git", *command], cwd=pages, check=True)
