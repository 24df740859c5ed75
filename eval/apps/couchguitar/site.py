"""A song book for CouchGuitar: `site.py DATABASE` makes its songs and set lists."""

import sys

from cgw import database as db

SONGS = (
    ("Amazing Grace", "Traditional", "G", 80, "Gospel", "Beginner", ["church"]),
    ("Scarborough Fair", "Traditional", "Am", 96, "Folk", "Intermediate", ["evening", "slow"]),
    ("House of the Rising Sun", "Traditional", "Am", 78, "Folk", "Intermediate", ["campfire"]),
    ("Auld Lang Syne", "Robert Burns", "F", 100, "Folk", "Beginner", ["winter"]),
    ("Oh Susanna", "Stephen Foster", "D", 120, "Country", "Beginner", ["campfire"]),
    ("Greensleeves", "Unknown", "Em", 90, "Classical", "Advanced", ["slow"]),
    ("St. James Infirmary", "Traditional", "Dm", 72, "Blues", "Advanced", []),
)


def make(path):
    db.init_db(path)
    for title, artist, key, tempo, genre, level, tags in SONGS:
        words = f"{key}\nThese are the words of {title}\n{key}\nand this is the second line"
        song = db.create_song(title, words, artist, key, tempo, genre, level, db_path=path)
        db.set_song_tags(song["id"] if isinstance(song, dict) else song, tags, db_path=path)
    ids = {song["title"]: song["id"] for song in db.list_songs(db_path=path)["songs"]}
    for name, about, titles in (
        ("Campfire", "For the summer", ("Oh Susanna", "House of the Rising Sun")),
        ("Sunday", "At church", ("Amazing Grace",)),
    ):
        made = db.create_setlist(name, about, db_path=path)
        for title in titles:
            db.add_song_to_setlist(made["id"] if isinstance(made, dict) else made, ids[title], db_path=path)


make(sys.argv[1])
