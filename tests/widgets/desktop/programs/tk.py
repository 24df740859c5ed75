"""One widget of Tk in a window; Tk tells nothing of itself to anybody."""

from __future__ import annotations

import tkinter
from tkinter import filedialog, simpledialog, ttk

from state import COUNTRIES, FRUIT, GOODS, HEADERS, KIND, TREE, tell


def labelled(frame, name, widget):
    row = frame.grid_size()[1]
    ttk.Label(frame, text=name).grid(row=row, column=0, sticky="nw", padx=12, pady=8)
    widget.grid(row=row, column=1, sticky="ew", padx=12, pady=8)
    return widget


def alone(widget):
    widget.grid(sticky="w", padx=12, pady=8, columnspan=2)
    return widget


def watched(name, kind=tkinter.StringVar, start=None):
    held = kind(value=start) if start is not None else kind()
    held.trace_add("write", lambda *_: tell(name, _value(held)))
    return held


def _value(held):
    try:
        return held.get()
    except tkinter.TclError:
        return ""


def entry(frame, name):
    labelled(frame, name, ttk.Entry(frame, textvariable=_keep(watched(name.lower()))))


KEPT = []


def _keep(held):
    KEPT.append(held)
    return held


def text(frame):
    entry(frame, "Name")
    entry(frame, "City")


def textarea(frame):
    entry(frame, "Name")
    area = labelled(frame, "Notes", tkinter.Text(frame, width=40, height=8))
    area.bind("<KeyRelease>", lambda _: tell("notes", area.get("1.0", "end-1c")))


def number(frame):
    for name in ("Pages", "Copies"):
        held = _keep(watched(name.lower(), tkinter.IntVar, 1))
        labelled(frame, name, ttk.Spinbox(frame, from_=1, to=99, textvariable=held))


def checkbox(frame):
    for name in ("Internal", "Urgent"):
        held = _keep(watched(name.lower(), tkinter.BooleanVar, False))
        alone(ttk.Checkbutton(frame, text=name, variable=held))


def radio(frame):
    ttk.Label(frame, text="Delivery").grid(sticky="w", padx=12)
    held = _keep(watched("delivery", start="Standard"))
    for name in ("Standard", "Express", "Pickup"):
        alone(ttk.Radiobutton(frame, text=name, value=name, variable=held))


def dropdown(frame):
    entry(frame, "City")
    held = _keep(watched("country", start="Canada"))
    labelled(frame, "Country", ttk.Combobox(frame, values=COUNTRIES, textvariable=held, state="readonly"))


def listbox(frame):
    box = labelled(frame, "Fruit", tkinter.Listbox(frame, height=6, exportselection=False))
    box.insert("end", *FRUIT)
    box.bind("<<ListboxSelect>>", lambda _: tell("fruit", box.get(box.curselection()[0])))


def tree(frame):
    view = alone(ttk.Treeview(frame))
    view.heading("#0", text="Nature")
    for branch, leaves in TREE.items():
        parent = view.insert("", "end", text=branch)
        for leaf in leaves:
            view.insert(parent, "end", text=leaf)
    view.bind("<<TreeviewSelect>>", lambda _: tell("nature", view.item(view.selection()[0], "text")))


def table(frame):
    for x, header in enumerate(HEADERS):
        ttk.Label(frame, text=header).grid(row=0, column=x, padx=6)
    for y, row in enumerate(GOODS):
        for x, word in enumerate(row):
            if x == 1:
                held = _keep(watched(row[0].lower(), start=word))
                ttk.Entry(frame, textvariable=held).grid(row=y + 1, column=x)
            else:
                ttk.Label(frame, text=word).grid(row=y + 1, column=x, padx=6)


def tabs(frame):
    book = alone(ttk.Notebook(frame, width=400, height=200))
    for name in ("General", "Privacy", "About"):
        page = ttk.Frame(book)
        held = _keep(watched(name.lower(), tkinter.BooleanVar, False))
        ttk.Checkbutton(page, text=f"{name} extras", variable=held).grid(padx=12, pady=12)
        book.add(page, text=name)


def slider(frame):
    entry(frame, "Name")
    tell_it = lambda now: tell("volume", round(float(now)))  # noqa: E731
    labelled(frame, "Volume", tkinter.Scale(frame, to=100, orient="horizontal", length=300, command=tell_it))


def menu(frame):
    bar = tkinter.Menu(root)
    fill(bar, (("File", "New", "Quit"), ("Insert", "Picture", ("Shape", "Square", "Circle"))))
    root.config(menu=bar)
    entry(frame, "Name")


def fill(into, inside):
    for one in inside:
        if isinstance(one, tuple):
            below = tkinter.Menu(into, tearoff=False)
            fill(below, one[1:])
            into.add_cascade(label=one[0], menu=below)
        else:
            into.add_command(label=one, command=lambda n=one: tell("menu", n))


def dialog(frame):
    def ask():
        tell("answer", simpledialog.askstring("Rename", "New name", parent=root) or "cancelled")

    alone(ttk.Button(frame, text="Rename", command=ask))


def file(frame):
    def ask():
        if name := filedialog.askopenfilename(title="Picture"):
            tell("file", name)

    alone(ttk.Button(frame, text="Picture", command=ask))


def switch(frame):
    for name in ("Bluetooth", "Notifications"):
        held = _keep(watched(name.lower(), tkinter.BooleanVar, False))
        alone(ttk.Checkbutton(frame, text=name, variable=held, style="Toolbutton"))


root = tkinter.Tk()
root.title("Widgets")
root.geometry("520x420")
frame = ttk.Frame(root, padding=18)
frame.pack(fill="both", expand=True)
globals()[KIND](frame)
root.mainloop()
