"""A database of animals in the current folder."""

import sqlite3

with sqlite3.connect("zoo.db") as database:
    database.executescript("""
        create table animal (id integer primary key, name text not null, kind text, born date, weight real);
        create table keeper (id integer primary key, name text not null);
        insert into keeper (name) values ('Ana'), ('Bill');
        insert into animal (name, kind, born, weight) values
            ('Leo', 'lion', '2015-04-01', 190.5), ('Mia', 'meerkat', '2020-09-13', 0.9),
            ('Otto', 'otter', '2018-01-30', 8.2);
    """)
