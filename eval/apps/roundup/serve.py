"""A tracker of Roundup's classic template: `serve.py seed` makes it, `serve.py PORT` shows it."""

import base64
import sys
from wsgiref.simple_server import make_server

PORT = sys.argv[1]

from roundup import configuration  # noqa: E402

if PORT == "seed":
    from roundup import init, instance
    from roundup.admin import AdminTool

    template = AdminTool().listTemplates()["classic"]
    init.install("tracker", template["path"])
    config = configuration.CoreConfig("tracker")
    for name, value in {
        "MAIL_DOMAIN": "bakery.example",
        "MAIL_HOST": "localhost",
        "TRACKER_WEB": "http://127.0.0.1/",
        "MAIL_DEBUG": "mail.txt",
        "TRACKER_NAME": "Bakery",
        "RDBMS_BACKEND": "sqlite",
    }.items():
        config[name] = value
    config.save()
    tracker = instance.open("tracker")
    from roundup.password import Password

    tracker.init(Password("admin", config=config))
    db = tracker.open("admin")
    for title, priority in (
        ("Oven 2 stays cold", "1"),
        ("Scale shows too much", "3"),
        ("Door of the van jams", "2"),
    ):
        db.issue.create(title=title, priority=priority)
    db.keyword.create(name="ovens")
    db.commit()
    db.close()
else:
    from roundup.cgi.wsgi_handler import RequestDispatcher

    # Roundup accepts forms only from the address in its configuration.
    config = configuration.CoreConfig("tracker")
    config["TRACKER_WEB"] = f"http://127.0.0.1:{PORT}/"
    config.save()
    answer = RequestDispatcher("tracker")

    def signed_in(environment, start):
        environment["HTTP_AUTHORIZATION"] = "Basic " + base64.b64encode(b"admin:admin").decode()
        return answer(environment, start)

    make_server("127.0.0.1", int(PORT), signed_in).serve_forever()
