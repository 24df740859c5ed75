"""AK5 with one board of tickets: `site.py seed` makes its data, `site.py PORT` shows them."""

import asyncio
import os
import subprocess
import sys
import time

import httpx
from ak5.cli.commands import serve, up
from ak5.daemon.credentials import load_credential

TICKETS = (
    ("Repaint the reading room", "The walls of the reading room are white again.", "high", ["building"]),
    ("Order new chairs", "Twelve chairs for the reading room.", "low", ["shopping"]),
    ("Print the spring programme", "Two hundred copies of the programme.", "medium", ["print", "events"]),
    ("Fix the back door", "The back door closes by itself.", "urgent", ["building"]),
)
REQUESTS = ("Can we get a coffee machine?", "The heating is too loud")


def show(port):
    os.environ["AK5_LOCAL_AUTO_LOGIN"] = "1"
    serve.run_serve(
        **{"host": "127.0.0.1", "port": port, "ui": True, "daemon": False, "tailscale_serve": False},
        **{"ssl_keyfile": None, "ssl_certfile": None, "reload": False, "insecure": False},
        **{"no_browser": True, "dev_insecure_identify": True},
    )


def seed():
    up._prepare_database()
    port = "38977"
    asyncio.run(up.bootstrap_local_profiles(f"http://127.0.0.1:{port}/api/v1"))
    with subprocess.Popen([sys.executable, __file__, port]) as server:
        try:
            key = load_credential("me").access_token
            client = httpx.Client(
                base_url=f"http://127.0.0.1:{port}/api/v1", headers={"Authorization": f"Bearer {key}"}
            )
            for _ in range(100):
                try:
                    client.get("/boards").raise_for_status()
                    break
                except httpx.HTTPError:
                    time.sleep(0.3)
            made = client.post("/boards", json={"name": "Library", "board_id": "library"})
            made.raise_for_status()
            for title, text, priority, labels in TICKETS:
                ticket = {"title": title, "description": text, "priority": priority, "labels": labels}
                given = {**ticket, "board_id": "library", "spec": text, "acceptance_criteria": ["It is done"]}
                client.post("/tickets", json=given).raise_for_status()
            for text in REQUESTS:
                client.post("/tickets", json={"title": text, "original_request": text}).raise_for_status()
        finally:
            server.terminate()


if sys.argv[1] == "seed":
    seed()
else:
    show(int(sys.argv[1]))
