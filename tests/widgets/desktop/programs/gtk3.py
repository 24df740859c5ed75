"""One widget of GTK 3 in a window."""

from __future__ import annotations

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402
from state import COUNTRIES, FRUIT, GOODS, HEADERS, KIND, PRICE, TREE, tell  # noqa: E402


def labelled(text, widget):
    label = Gtk.Label(label=text, xalign=0)
    label.set_mnemonic_widget(widget)
    row = Gtk.Box(spacing=12)
    row.pack_start(label, False, False, 0)
    row.pack_start(widget, True, True, 0)
    return row


def column(*widgets):
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12, margin=18)
    for widget in widgets:
        box.pack_start(widget, isinstance(widget, Gtk.ScrolledWindow | Gtk.Notebook), True, 0)
    return box


def scrolled(widget):
    area = Gtk.ScrolledWindow()
    area.set_min_content_height(140)
    area.add(widget)
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
    first = None
    made = []
    for name in ("Standard", "Express", "Pickup"):
        first = Gtk.RadioButton.new_with_label_from_widget(first, name)
        first.connect("toggled", lambda w, n=name: w.get_active() and tell("delivery", n))
        made.append(first)
    return column(Gtk.Label(label="Delivery", xalign=0), *made)


def dropdown(window):
    box = Gtk.ComboBoxText()
    for name in COUNTRIES:
        box.append_text(name)
    box.set_active(0)
    box.connect("changed", lambda b: tell("country", b.get_active_text()))
    return column(entry("City"), labelled("Country", box))


def view(model, headers, tree=None):
    widget = Gtk.TreeView(model=model)
    for number, header in enumerate(headers):
        cell = Gtk.CellRendererText(editable=number == PRICE)
        cell.connect("edited", lambda _, path, new: (model[path].__setitem__(PRICE, new), tell("tea", new)))
        widget.append_column(Gtk.TreeViewColumn(header, cell, text=number))
    return widget


def listbox(window):
    model = Gtk.ListStore(str)
    for name in FRUIT:
        model.append([name])
    widget = view(model, ["Fruit"])
    widget.get_selection().connect("changed", lambda s: s.get_selected()[1] and tell("fruit", _chosen(s)))
    return column(scrolled(widget))


def _chosen(selection):
    model, place = selection.get_selected()
    return model[place][0]


def tree(window):
    model = Gtk.TreeStore(str)
    for branch, leaves in TREE.items():
        parent = model.append(None, [branch])
        for leaf in leaves:
            model.append(parent, [leaf])
    widget = view(model, ["Nature"])
    selection = widget.get_selection()
    selection.set_mode(Gtk.SelectionMode.SINGLE)
    selection.connect("changed", lambda s: s.get_selected()[1] and tell("nature", _chosen(s)))
    return column(scrolled(widget))


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
    def item(name, *inside):
        made = Gtk.MenuItem(label=name)
        if inside:
            made.set_submenu(Gtk.Menu())
            for one in inside:
                made.get_submenu().append(one)
        else:
            made.connect("activate", lambda _: tell("menu", name))
        return made

    bar = Gtk.MenuBar()
    bar.append(item("File", item("New"), item("Quit")))
    bar.append(item("Insert", item("Picture"), item("Shape", item("Square"), item("Circle"))))
    return column(bar, entry("Name"))


def dialog(window):
    def ask(_):
        box = Gtk.Dialog(title="Rename", transient_for=window, modal=True)
        box.add_buttons("Cancel", Gtk.ResponseType.CANCEL, "OK", Gtk.ResponseType.OK)
        field = Gtk.Entry()
        box.get_content_area().add(labelled("New name", field))
        box.show_all()
        tell("answer", field.get_text() if box.run() == Gtk.ResponseType.OK else "cancelled")
        box.destroy()

    button = Gtk.Button(label="Rename")
    button.connect("clicked", ask)
    return column(button)


def file(window):
    button = Gtk.FileChooserButton(title="Picture")
    button.connect("file-set", lambda b: tell("file", b.get_filename()))
    return column(labelled("Picture", button))


def date(window):
    calendar = Gtk.Calendar(year=2024, month=4, day=3)
    calendar.connect("day-selected", lambda c: tell("date", "{}-{:02}-{:02}".format(*_day(c.get_date()))))
    return column(Gtk.Label(label="Date", xalign=0), calendar)


def _day(told):
    return told[0], told[1] + 1, told[2]


def switch(window):
    def one(name):
        widget = Gtk.Switch(halign=Gtk.Align.END)
        widget.connect("notify::active", lambda w, _: tell(name.lower(), w.get_active()))
        return labelled(name, widget)

    return column(one("Bluetooth"), one("Notifications"))


window = Gtk.Window(title="Widgets")
window.set_default_size(520, 420)
window.connect("destroy", Gtk.main_quit)
window.add(globals()[KIND](window))
window.show_all()
Gtk.main()
