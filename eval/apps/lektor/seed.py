"""Makes Lektor's own first site, with a blog, in the folder `site`."""

from lektor.quickstart import Generator

names = {"project_name": "Choir", "project_slug": "choir", "project_path": "site", "with_blog": True}
Generator("project").run({**names, "this_year": 2026, "today": "2026-11-01", "author_name": "Kim"}, "site")
