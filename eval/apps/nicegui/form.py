"""An order form made of NiceGUI's widgets, which appends each order to orders.json in the current folder."""

import json
import sys
from pathlib import Path

from nicegui import ui

orders = Path("orders.json")
orders.write_text("[]")


@ui.page("/")
def form() -> None:
    ui.page_title("Orders")
    ui.label("New order").classes("text-h4")
    name = ui.input("Customer")
    city = ui.select(["Oslo", "Kyōto", "São Paulo", "Wien"], label="City")
    count = ui.number("Pieces", value=1, min=1, max=99)
    size = ui.radio(["Small", "Medium", "Large"], value="Small").props("inline")
    gift = ui.switch("Gift wrap")
    terms = ui.checkbox("I accept the terms")
    speed = ui.slider(min=0, max=10, value=3)
    ui.label().bind_text_from(speed, "value", lambda value: f"Hurry: {value}")
    with ui.expansion("More options"):
        note = ui.textarea("Note")
        extras = ui.select(["ribbon", "card", "box"], label="Extras", multiple=True)

    def send() -> None:
        if not terms.value or not name.value:
            ui.notify("Please accept the terms and name a customer", type="negative")
            return
        told = {"name": name.value, "city": city.value, "count": count.value, "size": size.value}
        told |= {"gift": gift.value, "hurry": speed.value, "note": note.value, "extras": extras.value}
        orders.write_text(json.dumps([*json.loads(orders.read_text()), told], ensure_ascii=False))
        ui.notify("Order sent")
        table.add_row({"name": name.value, "city": city.value})

    ui.button("Send order", on_click=send)
    table = ui.table(
        columns=[
            {"name": "name", "label": "Customer", "field": "name", "sortable": True},
            {"name": "city", "label": "City", "field": "city"},
        ],
        rows=[],
    )


ui.run(host="127.0.0.1", port=int(sys.argv[1]), show=False, reload=False)
