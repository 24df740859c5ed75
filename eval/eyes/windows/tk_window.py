"""A window in Tk: the classic widgets, or ttk in one of its themes."""

import tkinter as tk
from tkinter import ttk

from parts import Truth, arguments, contents, makers, states

style, shade, content, truth_path = arguments()
title, columns, parts = contents(content)
root, truth = tk.Tk(), Truth(truth_path)
root.title(title)
root.geometry("+40+30")
kit = tk if style == "classic" else ttk
if style != "classic":
    ttk.Style().theme_use(style)
if shade == "dark":
    root.tk_setPalette(background="#2b2b2b", foreground="#e8e8e8", activeBackground="#444444")
outer = kit.Frame(root)
outer.pack(fill="both", expand=True)
variables = []


def place_of(widget):
    def box():
        if not widget.winfo_viewable():
            return None
        return widget.winfo_rootx(), widget.winfo_rooty(), widget.winfo_width(), widget.winfo_height()

    return box


def note(role, name, widget, value="", marks=()):
    truth.add(role, name, place_of(widget), value, marks)
    return widget


def disable(widget, part):
    if part.off:
        widget.configure(state="disabled")
    return widget


def variable(kind, value):
    variables.append(kind(value=value))
    return variables[-1]


def labelled(frame, part, made):
    kit.Label(frame, text=part.label, width=14, anchor="w").pack(side="left")
    made.pack(side="left", fill="x", expand=True)


def entry(frame, part):
    made = kit.Entry(frame, width=26, show="*" if part.kind == "password" else "")
    made.insert(0, part.value)
    labelled(frame, part, made)
    role = "searchbox" if part.kind == "search" else "textbox"
    note(role, part.label, made, "" if part.kind == "password" else part.value)


def textarea(frame, part):
    made = tk.Text(frame, width=26, height=3)
    made.insert("1.0", part.value)
    labelled(frame, part, made)
    note("textbox", part.label, made, part.value)


def number(frame, part):
    made = kit.Spinbox(frame, from_=0, to=99, width=8)
    made.delete(0, "end")
    made.insert(0, part.value)
    labelled(frame, part, made)
    note("spinbutton", part.label, made, part.value)


def select(frame, part):
    value = part.items[part.chosen]
    if style == "classic":
        made = tk.OptionMenu(frame, variable(tk.StringVar, value), *part.items)
    else:
        made = ttk.Combobox(frame, values=part.items, width=23, state="readonly")
        made.set(value)
    labelled(frame, part, made)
    note("combobox", part.label, made, value)


def checkbox(frame, part):
    made = kit.Checkbutton(frame, text=part.label, variable=variable(tk.IntVar, int(part.on)))
    disable(made, part).pack(anchor="w")
    note("checkbox", part.label, made, "", states(part))


def radios(frame, part):
    kit.Label(frame, text=part.label, width=14, anchor="w").pack(side="left")
    shared = variable(tk.IntVar, part.chosen)
    for number, item in enumerate(part.items):
        made = kit.Radiobutton(frame, text=item, variable=shared, value=number)
        made.pack(side="left")
        note("radio", item, made, "", ("checked",) if number == part.chosen else ())


def slider(frame, part):
    made = kit.Scale(frame, from_=0, to=100, orient="horizontal")
    made.set(int(part.value))
    labelled(frame, part, made)
    note("slider", part.label, made, part.value)


def button(frame, part):
    made = disable(kit.Button(frame, text=part.label), part)
    made.pack(anchor="w")
    note("button", part.label, made, "", states(part))


def toolbar(frame, part):
    for item in part.items:
        made = kit.Button(frame, text=item)
        made.pack(side="left")
        note("button", item, made)


def tabs(frame, part):
    book = ttk.Notebook(frame, width=320, height=30)
    for item in part.items:
        book.add(ttk.Frame(book), text=item)
    book.select(max(0, part.chosen))
    book.pack(anchor="w")
    for number, item in enumerate(part.items):

        def box(number=number):
            xs = [x for x in range(book.winfo_width()) if book.tk.call(book, "index", f"@{x},8") == number]
            return book.winfo_rootx() + xs[0], book.winfo_rooty(), len(xs), book.winfo_height() - 30

        truth.add("tab", item, box)


def table(frame, part):
    view = ttk.Treeview(frame, columns=part.items, show="headings", height=len(part.rows))
    for item in part.items:
        view.heading(item, text=item)
        view.column(item, width=130)
    for row in part.rows:
        view.insert("", "end", values=row)
    view.pack()


def tree(frame, part):
    view = ttk.Treeview(frame, show="tree", height=2 * len(part.items))
    for item in part.items:
        node = view.insert("", "end", text=item, open=True)
        view.insert(node, "end", text=f"{item} tests")
        for key, name in ((node, item), (view.get_children(node)[0], f"{item} tests")):

            def box(key=key):
                inner = view.bbox(key)
                return (
                    (view.winfo_rootx() + inner[0], view.winfo_rooty() + inner[1], *inner[2:])
                    if inner
                    else None
                )

            truth.add("treeitem", name, box, "", ("expanded",) if key == node else ())
    view.pack(anchor="w")


def menu(frame, part):
    made = kit.Menubutton(frame, text=part.label)
    made.pack(anchor="w")
    note("button", part.label, made)


def dialog(frame, part):
    kit.Label(frame, text=part.label).pack(anchor="w")
    toolbar(frame, part)


MADE = makers(
    globals(),
    textbox="entry",
    password="entry",
    search="entry",
    primary="button",
    link="button",
    switch="checkbox",
)
for place, part in enumerate(parts):
    frame = kit.Frame(outer)
    frame.grid(row=place // columns, column=place % columns, sticky="nw", padx=12, pady=7)
    MADE[part.kind](frame, part)
root.after(900, truth.write)
root.mainloop()
