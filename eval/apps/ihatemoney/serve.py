"""I hate money with a project of three people: `serve.py seed` makes it, `serve.py PORT` serves it."""

import sys
from pathlib import Path

Path("settings.cfg").write_text(
    f"SQLALCHEMY_DATABASE_URI = 'sqlite:///{Path.cwd() / 'money.db'}'\n"
    "SECRET_KEY = 'only for a benchmark'\nSESSION_COOKIE_SECURE = False\nSHOW_ADMIN_EMAIL = False\n"
    "ACTIVATE_DEMO_PROJECT = False\nMAIL_DEFAULT_SENDER = ('Budget', 'budget@example.org')\n"
)

from flask import redirect, session  # noqa: E402
from ihatemoney.models import Person, Project, db  # noqa: E402
from ihatemoney.run import create_app  # noqa: E402
from werkzeug.security import generate_password_hash  # noqa: E402

app = create_app()


@app.route("/enter")
def enter():
    session["projects"] = {"flat": "Flat"}
    return redirect("/flat/")


if __name__ == "__main__":
    if sys.argv[1] == "seed":
        with app.app_context():
            project = Project(
                id="flat", name="Flat", contact_email="flat@example.org", default_currency="XXX"
            )
            project.password = generate_password_hash("flat")
            db.session.add(project)
            people = [Person(project=project, name=name) for name in ("Ana", "Ben", "Cleo")]
            db.session.add_all(people)
            db.session.commit()
    else:
        app.run("127.0.0.1", int(sys.argv[1]))
