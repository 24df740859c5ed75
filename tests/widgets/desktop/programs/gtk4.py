"""One widget of GTK 4 in a window."""

from __future__ import annotations

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, GLib, Gtk  # noqa: E402
from state import COUNTRIES, FRUIT, GOODS, HEADERS, KIND, PRICE, TREE, tell  # noqa: E402


def labelled(text, widget):
    label = Gtk.Label(label=text, xalign=0)
    label.set_mnemonic_widget(widget)
    row = Gtk.Box(spacing=12)
    row.append(label)
    widget.set_hexpand(True)
    row.append(widget)
    return row


def column(*widgets):
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12)
    for side in ("top", "bottom", "start", "end"):
        getattr(box, f"set_margin_{side}")(18)
    for widget in widgets:
        box.append(widget)
    return box


def scrolled(widget):
    area = Gtk.ScrolledWindow(min_content_height=220, vexpand=True)
    area.set_child(widget)
    return area


def entry(name):
    field = Gtk.Entry()
    field.connect("changed", lambda _: tell(name.lower(), field.get_text()))
    return labelled(name, field)


def text(window):
    return column(entry("Name"), entry("City"))


def textarea(window):
    area = Gtk.TextView()
    buffer = area.get_buffer()
    buffer.connect("changed", lambda b: tell("notes", b.get_text(b.get_start_iter(), b.get_end_iter(), True)))
    label = Gtk.Label(label="Notes", xalign=0)
    label.set_mnemonic_widget(area)
    return column(entry("Name"), label, scrolled(area))


def number(window):
    def spin(name):
        field = Gtk.SpinButton.new_with_range(1, 99, 1)
        field.connect("value-changed", lambda _: tell(name.lower(), field.get_value_as_int()))
        return labelled(name, field)

    return column(spin("Pages"), spin("Copies"))


def checkbox(window):
    def box(name):
        widget = Gtk.CheckButton(label=name)
        widget.connect("toggled", lambda w: tell(name.lower(), w.get_active()))
        return widget

    return column(box("Internal"), box("Urgent"))


def radio(window):
    first, made = None, []
    for name in ("Standard", "Express", "Pickup"):
        one = Gtk.CheckButton(label=name, group=first)
        first = first or one
        one.connect("toggled", lambda w, n=name: w.get_active() and tell("delivery", n))
        made.append(one)
    return column(Gtk.Label(label="Delivery", xalign=0), *made)


def dropdown(window):
    box = Gtk.DropDown.new_from_strings(COUNTRIES)
    box.connect("notify::selected", lambda b, _: tell("country", COUNTRIES[b.get_selected()]))
    return column(entry("City"), labelled("Country", box))


def listbox(window):
    box = Gtk.ListBox()
    for name in FRUIT:
        box.append(Gtk.Label(label=name, xalign=0))
    box.connect("row-selected", lambda _, row: row and tell("fruit", FRUIT[row.get_index()]))
    return column(Gtk.Label(label="Fruit", xalign=0), scrolled(box))


def view(model, headers):
    widget = Gtk.TreeView(model=model)
    for number, header in enumerate(headers):
        cell = Gtk.CellRendererText(editable=number == PRICE)
        cell.connect("edited", lambda _, path, new: (model[path].__setitem__(PRICE, new), tell("tea", new)))
        widget.append_column(Gtk.TreeViewColumn(header, cell, text=number))
    return widget


def tree(window):
    model = Gtk.TreeStore(str)
    for branch, leaves in TREE.items():
        parent = model.append(None, [branch])
        for leaf in leaves:
            model.append(parent, [leaf])
    widget = view(model, ["Nature"])
    selection = widget.get_selection()
    selection.connect("changed", lambda s: s.get_selected()[1] and tell("nature", _chosen(s)))
    return column(scrolled(widget))


def _chosen(selection):
    model, place = selection.get_selected()
    return model[place][0]


def table(window):
    model = Gtk.ListStore(str, str, str)
    for row in GOODS:
        model.append(row)
    return column(scrolled(view(model, HEADERS)))


def tabs(window):
    book = Gtk.Notebook()
    for name in ("General", "Privacy", "About"):
        box = Gtk.CheckButton(label=f"{name} extras")
        box.connect("toggled", lambda w, n=name: tell(n.lower(), w.get_active()))
        book.append_page(column(box), Gtk.Label(label=name))
    return column(book)


def slider(window):
    scale = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
    scale.connect("value-changed", lambda s: tell("volume", int(s.get_value())))
    return column(entry("Name"), labelled("Volume", scale))


def menu(window):
    def filled(name, action, *inside):
        made = Gio.Menu()
        for one in inside:
            if isinstance(one, str):
                made.append(one, f"win.do::{one}")
            else:
                made.append_submenu(*one)
        return name, made

    action = Gio.SimpleAction.new("do", GLib.VariantType("s"))
    action.connect("activate", lambda _, which: tell("menu", which.get_string()))
    group = Gio.SimpleActionGroup()
    group.add_action(action)
    window.insert_action_group("win", group)
    shape = filled("Shape", action, "Square", "Circle")
    bar = Gio.Menu()
    for name, inside in (filled("File", action, "New", "Quit"), filled("Insert", action, "Picture", shape)):
        bar.append_submenu(name, inside)
    return column(Gtk.PopoverMenuBar.new_from_model(bar), entry("Name"))


def dialog(window):
    def ask(_):
        box = Gtk.Dialog(title="Rename", transient_for=window, modal=True)
        box.add_button("Cancel", Gtk.ResponseType.CANCEL)
        box.add_button("OK", Gtk.ResponseType.OK)
        field = Gtk.Entry()
        box.get_content_area().append(labelled("New name", field))

        def answered(_, answer):
            tell("answer", field.get_text() if answer == Gtk.ResponseType.OK else "cancelled")
            box.destroy()

        box.connect("response", answered)
        box.present()

    button = Gtk.Button(label="Rename")
    button.connect("clicked", ask)
    return column(button)


def file(window):
    def ask(_):
        window.asking = Gtk.FileChooserNative.new("Picture", window, Gtk.FileChooserAction.OPEN, None, None)
        window.asking.connect("response", lambda b, _: b.get_file() and tell("file", b.get_file().get_path()))
        window.asking.show()

    button = Gtk.Button(label="Picture")
    button.connect("clicked", ask)
    return column(button)


def date(window):
    calendar = Gtk.Calendar()
    calendar.select_day(GLib.DateTime.new_local(2024, 5, 3, 0, 0, 0))
    calendar.connect("day-selected", lambda c: tell("date", c.get_date().format("%Y-%m-%d")))
    return column(Gtk.Label(label="Date", xalign=0), calendar)


def switch(window):
    def one(name):
        widget = Gtk.Switch(halign=Gtk.Align.END)
        widget.connect("notify::active", lambda w, _: tell(name.lower(), w.get_active()))
        return labelled(name, widget)

    return column(one("Bluetooth"), one("Notifications"))


def start(app):
    window = Gtk.ApplicationWindow(application=app, title="Widgets")
    window.set_default_size(520, 420)
    window.set_child(globals()[KIND](window))
    window.present()


app = Gtk.Application(flags=Gio.ApplicationFlags.NON_UNIQUE)
app.connect("activate", start)
app.run()
