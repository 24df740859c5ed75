"""A bicycle rental in Flask AppBuilder: `site.py seed` makes its database, `site.py PORT` shows it."""

import datetime
import sys
from pathlib import Path

from flask import Flask
from flask_appbuilder import AppBuilder, Model
from flask_appbuilder.models.sqla.base import SQLA
from flask_appbuilder.models.sqla.interface import SQLAInterface
from flask_appbuilder.views import ModelView
from sqlalchemy import Boolean, Column, Date, Enum, ForeignKey, Integer, String, Text
from sqlalchemy.orm import relationship

app = Flask(__name__)
app.config.update(
    SECRET_KEY="only for a benchmark on this machine",
    SQLALCHEMY_DATABASE_URI=f"sqlite:///{Path.cwd() / 'bikes.db'}",
    AUTH_ROLE_PUBLIC="Admin",
    APP_NAME="Bike rental",
    FAB_API_SWAGGER_UI=False,
    WTF_CSRF_ENABLED=True,
)
db = SQLA(app)


class Station(Model):
    __tablename__ = "station"
    id = Column(Integer, primary_key=True)
    name = Column(String(60), unique=True, nullable=False)
    street = Column(String(100))
    phone = Column(String(20))

    def __repr__(self):
        return self.name


class Bike(Model):
    __tablename__ = "bike"
    id = Column(Integer, primary_key=True)
    label = Column(String(40), unique=True, nullable=False)
    kind = Column(Enum("city", "cargo", "child", "electric", name="kind"), default="city")
    bought = Column(Date)
    price = Column(Integer)
    ready = Column(Boolean, default=True)
    note = Column(Text)
    station_id = Column(Integer, ForeignKey("station.id"), nullable=False)
    station = relationship("Station")

    def __repr__(self):
        return self.label


class BikeView(ModelView):
    datamodel = SQLAInterface(Bike)
    list_columns = ["label", "kind", "station", "bought", "price", "ready"]
    add_columns = edit_columns = ["label", "kind", "station", "bought", "price", "ready", "note"]
    show_columns = add_columns
    search_columns = ["label", "kind", "station", "price", "note"]
    base_order = ("label", "asc")
    page_size = 8


class StationView(ModelView):
    datamodel = SQLAInterface(Station)
    list_columns = ["name", "street", "phone"]
    add_columns = edit_columns = show_columns = ["name", "street", "phone"]
    related_views = [BikeView]


def seed():
    names = [("Harbour", "Quay 3"), ("Old Town", "Bridge Street 12"), ("University", "Linden Way 1")]
    stations = [Station(name=name, street=street, phone="555 01") for name, street in names]
    db.session.add_all(stations)
    kinds = ("city", "city", "cargo", "electric", "child")
    for number in range(1, 13):
        db.session.add(
            Bike(
                label=f"B-{100 + 7 * number}",
                kind=kinds[number % 5],
                bought=datetime.date(2020 + number % 5, 1 + number % 12, 3 + number),
                price=300 + 45 * number,
                ready=number % 4 > 0,
                station=stations[number % 3],
            )
        )
    db.session.commit()


with app.app_context():
    appbuilder = AppBuilder(app, db.session)
    appbuilder.add_view(BikeView, "Bikes", icon="fa-bicycle", category="Fleet", category_icon="fa-cogs")
    appbuilder.add_view(StationView, "Stations", icon="fa-home", category="Fleet")
    db.create_all()
    if sys.argv[1] == "seed":
        seed()

if sys.argv[1] != "seed":
    app.run(port=int(sys.argv[1]))
