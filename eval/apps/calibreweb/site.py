"""Calibre-Web with a small library: `site.py seed` makes its data, `site.py PORT` shows them, signed in."""

import os
import sqlite3
import sys
from importlib.util import find_spec
from pathlib import Path

os.environ["CALIBRE_DBPATH"] = str(Path.cwd())
sys.path.insert(0, find_spec("calibreweb").submodule_search_locations[0])

from cps import create_app, main, ub, web_server
from cps.cw_login import login_user
from cps.db import Base
from sqlalchemy import Float, create_engine

BOOKS = (
    ("Emma", "Jane Austen", "Novel", "Classics", 8),
    ("Persuasion", "Jane Austen", "Novel", "", 0),
    ("The Time Machine", "H. G. Wells", "Science fiction", "Classics", 6),
    ("Walden", "Henry David Thoreau", "Essay", "", 10),
    ("Treasure Island", "Robert Louis Stevenson", "Adventure", "Sea stories", 8),
    ("Kidnapped", "Robert Louis Stevenson", "Adventure", "Sea stories", 0),
)


def key_of(library, table, name):
    key = library.execute(f"select id from {table} where name = ?", (name,)).fetchone()
    return key[0] if key else library.execute(f"insert into {table} (name) values (?)", (name,)).lastrowid


def seed():
    here = Path.cwd()
    create_app()
    for table in Base.metadata.tables.values():
        table.schema = None  # The application attaches the file under a name of its own.
        for column in table.columns:
            column.nullable = not column.primary_key
    Base.metadata.tables["books"].columns.series_index.type = Float()
    Base.metadata.create_all(create_engine(f"sqlite:///{here}/metadata.db"))
    day = "2026-01-15 10:00:00"
    with sqlite3.connect(here / "metadata.db") as library:
        library.execute("insert into library_id (uuid) values ('7d3e7a52-0000-4000-8000-00000000beef')")
        for number, (title, author, tag, series, rating) in enumerate(BOOKS, start=1):
            path = f"{author}/{title} ({number})"
            (here / path).mkdir(parents=True)
            (here / path / "book.txt").write_text(f"{title}\n\nThe text of the book.\n")
            given = (
                number,
                title,
                title,
                author,
                day,
                day,
                day,
                path,
                f"00000000-0000-4000-8000-00000000000{number}",
            )
            library.execute(
                "insert into books (id, title, sort, author_sort, timestamp, pubdate, last_modified,"
                " path, uuid, series_index, has_cover)"
                " values (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0)",
                given,
            )
            library.execute(
                "insert into data (book, format, uncompressed_size, name) values (?, 'TXT', 30, 'book')",
                (number,),
            )
            links = [("authors", "author", author), ("tags", "tag", tag), ("series", "series", series)]
            for table, column, name in links:
                if name:
                    link = (number, key_of(library, table, name))
                    library.execute(f"insert into books_{table}_link (book, {column}) values (?, ?)", link)
            if rating:
                row = library.execute("select id from ratings where rating = ?", (rating,)).fetchone()
                key = (
                    row[0]
                    if row
                    else library.execute("insert into ratings (rating) values (?)", (rating,)).lastrowid
                )
                library.execute("insert into books_ratings_link (book, rating) values (?, ?)", (number, key))
        library.execute("update authors set sort = name, link = ''")
    with sqlite3.connect(here / "app.db") as settings:
        settings.execute("update settings set config_random_books = 0, config_calibre_dir = ?", (str(here),))
        settings.execute("insert into shelf (uuid, name, is_public, user_id) values ('1', 'To read', 0, 1)")


def serve(port):
    with sqlite3.connect(Path.cwd() / "app.db") as settings:
        settings.execute("update settings set config_port = ?", (port,))
    begin = web_server.start

    def start():
        def sign_in():
            from cps.cw_login import current_user

            if not current_user.is_authenticated:
                login_user(ub.session.query(ub.User).filter(ub.User.id == 1).one())
                ub.store_user_session()

        web_server.app.before_request_funcs.setdefault(None, []).insert(0, sign_in)
        return begin()

    web_server.start = start
    main.main()


word = sys.argv.pop(1)
if word == "seed":
    seed()
    sys.stdout.flush()
    os._exit(0)  # The application leaves a thread behind.
else:
    serve(int(word))
