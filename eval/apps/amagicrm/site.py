"""A small firm in amagi-crm: `site.py seed` makes its data, `site.py PORT` shows them, signed in."""

import sys
from pathlib import Path

import uvicorn
from amagi_crm.api import create_app
from amagi_crm.config import Settings
from amagi_crm.db import Database
from amagi_crm.services import CRM, hash_token

TOKEN = "acrm_only-for-a-benchmark"
PEOPLE = (
    ("Nora", "Lind", "nora@example.org", "555 0101", "Lind Bakery", ["customer", "food"]),
    ("Peter", "Okafor", "peter@example.org", "555 0102", "Okafor Roofing", ["customer"]),
    ("Sofia", "Marino", "sofia@example.org", "555 0103", "Marino Travel", ["lead"]),
    ("James", "Webb", "james@example.org", "555 0104", "", ["lead", "private"]),
    ("Helen", "Strand", "helen@example.org", "555 0105", "Strand Dental", []),
)
DEALS = (
    ("Roof insurance", 2, "Lead", 1200000, "2027-02-01"),
    ("Bakery lease", 1, "Proposal", 450000, "2026-12-20"),
    ("Travel contract", 3, "Qualified", 230000, None),
    ("Dental practice sale", 5, "Negotiation", 9800000, "2027-03-15"),
)
TASKS = (("Send the draft to Nora", "2026-12-05"), ("Call Sofia back", "2026-12-07"), ("Order paper", None))


def office():
    database = Database(Settings.load(".env"))
    database.create_all()
    return CRM(database)


def seed():
    Path(".env").write_text(
        "DATABASE_URL=sqlite:///./office.db\n"
        "AMAGI_CRM_ENCRYPTION_KEYS=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n"
        "AMAGI_CRM_SECRET_KEY=only-for-a-benchmark-of-applications\n"
        "AMAGI_CRM_WORKING_HOURS=mon-sun 09:00-17:00\n"
    )
    crm = office()
    user, _ = crm.create_user("ruth", "admin", "seed")
    with crm.session() as session:
        session.get(type(user), user.id).token_hash = hash_token(TOKEN)
        session.commit()
    keys = ("first_name", "last_name", "email", "phone", "company", "tags")
    for person in PEOPLE:
        crm.create_contact(dict(zip(keys, person, strict=True)), "seed")
    for title, contact, stage, cents, close in DEALS:
        deal = {"title": title, "contact_id": contact, "stage": stage, "amount_cents": cents}
        crm.create_deal({**deal, "expected_close": close}, "seed")
    for title, due in TASKS:
        crm.create_task({"title": title, "due_date": due}, "seed")
    for title, start in (
        ("Signing with Peter", "2027-01-14T10:00"),
        ("Coffee with Helen", "2027-01-14T14:30"),
    ):
        crm.create_appointment({"title": title, "start": start, "duration_minutes": 30}, "seed")


def serve(port):
    app = create_app(office())

    @app.middleware("http")
    async def signed_in(request, call_next):
        answer = await call_next(request)
        if request.url.path != "/static/app.js":
            return answer
        from starlette.responses import Response

        text = b"".join([part async for part in answer.body_iterator]).decode()
        found = 'sessionStorage.getItem("amagi-crm-token")'
        return Response(text.replace(found, f'({found} || "{TOKEN}")'), media_type="text/javascript")

    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if sys.argv[1] == "seed":
    seed()
else:
    serve(int(sys.argv[1]))
