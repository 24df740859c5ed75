"""A shop in Flask-Admin: `site.py seed` makes its database, `site.py PORT` serves it."""

import datetime
import sys
from pathlib import Path

from flask import Flask
from flask_admin import Admin
from flask_admin.contrib.sqla import ModelView
from flask_sqlalchemy import SQLAlchemy
from wtforms import FloatField

app = Flask(__name__)
app.config.update(
    SECRET_KEY="only for a benchmark", SQLALCHEMY_DATABASE_URI=f"sqlite:///{Path.cwd() / 'shop.db'}"
)
db = SQLAlchemy(app)


class Customer(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(80), nullable=False)
    email = db.Column(db.String(80))
    since = db.Column(db.Date)
    active = db.Column(db.Boolean, default=True)

    def __str__(self):
        return self.name


class Invoice(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    number = db.Column(db.String(20), nullable=False)
    amount = db.Column(db.Float)
    state = db.Column(db.Enum("open", "paid", "void", name="state"), default="open")
    customer_id = db.Column(db.ForeignKey("customer.id"))
    customer = db.relationship(Customer, backref="invoices")

    def __str__(self):
        return self.number


class Customers(ModelView):
    column_searchable_list = ["name"]
    column_filters = ["active"]
    column_editable_list = ["email"]


class Invoices(ModelView):
    column_list = ["number", "amount", "state", "customer"]
    form_extra_fields = {"amount": FloatField("Amount")}
    page_size = 10


admin = Admin(app, name="Shop")
admin.add_view(Customers(Customer, db, endpoint="customers", name="Customers"))
admin.add_view(Invoices(Invoice, db, endpoint="invoices", name="Invoices"))

if __name__ == "__main__":
    if sys.argv[1] == "seed":
        with app.app_context():
            db.create_all()
            for number, name in enumerate(("Ada Byron", "Bo Ek", "Chen Yu", "Dora Maar"), 1):
                since = datetime.date(2020, number, number)
                db.session.add(Customer(name=name, email=f"c{number}@example.org", since=since))
            for number in range(1, 16):
                db.session.add(
                    Invoice(number=f"R-{100 + number}", amount=10.0 * number, customer_id=number % 4 + 1)
                )
            db.session.commit()
    else:
        app.run("127.0.0.1", int(sys.argv[1]))
