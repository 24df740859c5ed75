"""A form in Tk or ttk, from a file of tab-separated lines; Save writes what it holds as JSON.

    tk_form.py {classic|THEME} {left|above} LINES OUT

A line is kind (text, number, choice, tick, radio), label, and items separated by `|`.
"""

import json
import sys
import tkinter as tk
from pathlib import Path
from tkinter import ttk

style, place, lines, out = sys.argv[1:]
root = tk.Tk()
root.title("Form")
root.geometry("+60+40")
kit = tk if style == "classic" else ttk
if style != "classic":
    ttk.Style().theme_use(style)
outer = kit.Frame(root)
outer.pack(fill="both", expand=True, padx=16, pady=12)
readers = {}


def add_text(frame, label, _items):
    made = kit.Entry(frame, width=30)
    readers[label] = made.get
    return made


def add_number(frame, label, _items):
    made = kit.Spinbox(frame, from_=0, to=999, width=10)
    made.delete(0, "end")
    made.insert(0, "0")
    readers[label] = made.get
    return made


def add_choice(frame, label, items):
    chosen = tk.StringVar(value=items[0])
    readers[label] = chosen.get
    if style == "classic":
        return tk.OptionMenu(frame, chosen, *items)
    return ttk.Combobox(frame, values=items, textvariable=chosen, state="readonly", width=27)


def add_tick(frame, label, _items):
    chosen = tk.IntVar(value=0)
    readers[label] = lambda: bool(chosen.get())
    return kit.Checkbutton(frame, text=label, variable=chosen)


def add_radio(frame, label, items):
    chosen = tk.StringVar(value=items[0])
    readers[label] = chosen.get
    group = kit.Frame(frame)
    for item in items:
        kit.Radiobutton(group, text=item, value=item, variable=chosen).pack(side="left", padx=4)
    return group


ADDING = {"text": add_text, "number": add_number, "choice": add_choice, "tick": add_tick, "radio": add_radio}
for row, line in enumerate(Path(lines).read_text("utf-8").splitlines()):
    kind, label, items = line.split("\t")
    at = (2 * row, 0) if place == "above" else (2 * row, 1)
    if kind != "tick":
        kit.Label(outer, text=label).grid(row=2 * row, column=0, sticky="w", padx=(0, 12), pady=3)
        at = (2 * row + 1, 0) if place == "above" else (2 * row, 1)
    ADDING[kind](outer, label, items.split("|")).grid(row=at[0], column=at[1], sticky="w", pady=3)

said = kit.Label(outer, text="")


def save():
    Path(out).write_text(json.dumps({label: read() for label, read in readers.items()}), "utf-8")
    said.configure(text="Saved")


kit.Button(outer, text="Save", command=save).grid(row=99, column=0, sticky="w", pady=10)
said.grid(row=99, column=1, sticky="w")
root.mainloop()
