"""A window in GTK 3 or 4; the style is the number of the version."""

import gi
from parts import Truth, arguments, contents, makers, states

style, shade, content, truth_path = arguments()
four = style == "4"
gi.require_version("Gtk", "4.0" if four else "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

title, columns, parts = contents(content)
truth = Truth(truth_path, "window")
Gtk.init() if four else Gtk.init([])
Gtk.Settings.get_default().set_property("gtk-application-prefer-dark-theme", shade == "dark")
window, grid = Gtk.Window(title=title), Gtk.Grid(column_spacing=24, row_spacing=14)
window.set_decorated(False)
for side in ("top", "bottom", "start", "end"):
    getattr(grid, f"set_margin_{side}")(18)
(window.set_child if four else window.add)(grid)


def put(box, widget):
    box.append(widget) if four else box.pack_start(widget, False, False, 0)


def line(gap=8):
    return Gtk.Box(orientation=Gtk.Orientation.HORIZONTAL, spacing=gap)


def place_of(widget):
    def box():
        if not widget.get_mapped():
            return None
        if four:
            _, bounds = widget.compute_bounds(window)
            return bounds.get_x(), bounds.get_y(), bounds.get_width(), bounds.get_height()
        left, top = widget.translate_coordinates(window, 0, 0)
        return left, top, widget.get_allocated_width(), widget.get_allocated_height()

    return box


def note(role, name, widget, value="", marks=()):
    truth.add(role, name, place_of(widget), value, marks)


def labelled(part, made):
    box = line()
    label = Gtk.Label(label=part.label, xalign=0)
    label.set_size_request(110, -1)
    put(box, label)
    put(box, made)
    return box


def entry(part):
    made = Gtk.SearchEntry() if part.kind == "search" else Gtk.Entry()
    made.set_text(part.value)
    if part.kind == "search":
        made.set_property("placeholder-text", part.label)
        note("searchbox", part.label, made)
        return made
    if part.kind == "password":
        made.set_visibility(False)
    note("textbox", part.label, made, "" if part.kind == "password" else part.value)
    return labelled(part, made)


def textarea(part):
    made = Gtk.TextView()
    made.set_size_request(220, 60)
    made.get_buffer().set_text(part.value)
    frame = Gtk.Frame()
    (frame.set_child if four else frame.add)(made)
    note("textbox", part.label, frame, part.value)
    return labelled(part, frame)


def number(part):
    made = Gtk.SpinButton.new_with_range(0, 99, 1)
    made.set_value(int(part.value))
    note("spinbutton", part.label, made, part.value)
    return labelled(part, made)


def select(part):
    if four:
        made = Gtk.DropDown.new_from_strings(part.items)
        made.set_selected(part.chosen)
    else:
        made = Gtk.ComboBoxText()
        for item in part.items:
            made.append_text(item)
        made.set_active(part.chosen)
    note("combobox", part.label, made, part.items[part.chosen])
    return labelled(part, made)


def checkbox(part):
    made = Gtk.CheckButton(label=part.label)
    made.set_active(part.on)
    made.set_sensitive(not part.off)
    made.set_halign(Gtk.Align.START)
    note("checkbox", part.label, made, "", states(part))
    return made


def switch(part):
    made = Gtk.Switch()
    made.set_active(part.on)
    made.set_valign(Gtk.Align.CENTER)
    note("switch", part.label, made, "", states(part))
    return labelled(part, made)


def radios(part):
    box, first = line(), None
    put(box, Gtk.Label(label=part.label))
    for number, item in enumerate(part.items):
        if four:
            one = Gtk.CheckButton(label=item)
            one.set_group(first)
        else:
            one = Gtk.RadioButton.new_with_label_from_widget(first, item)
        first = first or one
        one.set_active(number == part.chosen)
        put(box, one)
        note("radio", item, one, "", ("checked",) if number == part.chosen else ())
    return box


def slider(part):
    made = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
    made.set_size_request(200, -1)
    made.set_value(int(part.value))
    note("slider", part.label, made, part.value)
    return labelled(part, made)


def button(part):
    made = Gtk.Button(label=part.label)
    made.set_sensitive(not part.off)
    made.set_halign(Gtk.Align.START)
    if part.kind == "primary":
        made.get_style_context().add_class("suggested-action")
    note("button", part.label, made, "", states(part))
    return made


def link(part):
    made = Gtk.LinkButton.new_with_label("about:blank", part.label)
    made.set_halign(Gtk.Align.START)
    note("link", part.label, made)
    return made


def toolbar(part):
    box = line(0)
    for item in part.items:
        one = Gtk.Button(label=item)
        put(box, one)
        note("button", item, one)
    return box


def tabs(part):
    book = Gtk.Notebook()
    for item in part.items:
        label = Gtk.Label(label=item)
        book.append_page(Gtk.Label(label=""), label)
        note("tab", item, label)
    book.set_current_page(max(0, part.chosen))
    return book


def table(part):
    grid = Gtk.Grid(column_spacing=40, row_spacing=6)
    for y, row in enumerate([part.items, *part.rows]):
        for x, text in enumerate(row):
            grid.attach(Gtk.Label(label=text, xalign=0), x, y, 1, 1)
    return grid


def tree(part):
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for item in part.items:
        one = Gtk.Expander(label=item)
        put(box, one)
        note("button", item, one)
    return box


def menu(part):
    made = Gtk.MenuButton()
    if four:
        made.set_label(part.label)
    else:
        made.add(Gtk.Label(label=part.label))
    made.set_halign(Gtk.Align.START)
    note("button", part.label, made)
    return made


def dialog(part):
    box = line()
    put(box, Gtk.Label(label=part.label))
    put(box, toolbar(part))
    return box


MADE = makers(
    globals(),
    textbox="entry",
    password="entry",
    search="entry",
    primary="button",
)
for place, part in enumerate(parts):
    grid.attach(MADE[part.kind](part), place % columns, place // columns, 1, 1)
window.present() if four else window.show_all()
loop = GLib.MainLoop()
GLib.timeout_add(1500, truth.write)
loop.run()
