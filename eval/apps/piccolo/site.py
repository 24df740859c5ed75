"""A cinema in Piccolo Admin: `site.py seed` makes its database, `site.py PORT` shows it to kim."""

import sys
from datetime import datetime, timedelta
from pathlib import Path

from piccolo.apps.user.tables import BaseUser
from piccolo.columns import Boolean, Date, ForeignKey, Integer, Real, Text, Varchar
from piccolo.columns.readable import Readable
from piccolo.engine.sqlite import SQLiteEngine
from piccolo.table import Table, create_db_tables_sync
from piccolo_admin.endpoints import create_admin
from piccolo_api.session_auth.tables import SessionsBase

DB = SQLiteEngine(path="cinema.db")


class Sessions(SessionsBase, db=DB):
    pass


class Staff(BaseUser, tablename="staff", db=DB):
    pass


class Director(Table, db=DB):
    name = Varchar(length=100)
    country = Varchar(length=2, default="")

    @classmethod
    def get_readable(cls):
        return Readable(template="%s", columns=[cls.name])


class Movie(Table, db=DB):
    title = Varchar(length=100, required=True)
    director = ForeignKey(references=Director)
    minutes = Integer(default=90)
    rating = Real(default=0.0)
    shown_on = Date(null=True, default=None)
    dubbed = Boolean(default=False)
    notes = Text(default="")


def signed_in(answer):
    cookie = b"id=" + Path("token").read_bytes()

    async def answer_as_kim(scope, receive, send):
        if scope["type"] == "http":
            kept = [one for one in scope["headers"] if one[0] != b"cookie"]
            ours = [one[1] for one in scope["headers"] if one[0] == b"cookie"]
            scope = {**scope, "headers": [*kept, (b"cookie", b"; ".join([*ours, cookie]))]}
        await answer(scope, receive, send)

    return answer_as_kim


if sys.argv[1] == "seed":
    create_db_tables_sync(Sessions, Staff, Director, Movie)
    Staff.create_user_sync(
        "kim", "kim-kim", email="kim@cinema.example", active=True, admin=True, superuser=True
    )
    ends = datetime.now() + timedelta(days=1)
    session = Sessions.create_session_sync(user_id=1, expiry_date=ends)
    Path("token").write_text(session.token)
    people = [Director(name=name) for name in ("Agnès Varda", "Akira Kurosawa", "Chantal Akerman")]
    for person in people:
        person.save().run_sync()
    for title, person, minutes in (("Cléo from 5 to 7", 0, 90), ("Ran", 1, 160), ("Ikiru", 1, 143)):
        Movie(title=title, director=people[person], minutes=minutes).save().run_sync()
else:
    import uvicorn

    admin = create_admin(
        [Director, Movie],
        auth_table=Staff,
        session_table=Sessions,
        production=False,
        site_name="Cinema",
        allowed_hosts=["127.0.0.1"],
    )
    uvicorn.run(signed_in(admin), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
