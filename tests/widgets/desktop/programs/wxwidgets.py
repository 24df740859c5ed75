"""One widget of wxWidgets in a window."""

from __future__ import annotations

import wx
import wx.adv
import wx.dataview
import wx.grid
from state import COUNTRIES, FRUIT, GOODS, HEADERS, KIND, PRICE, TREE, tell


def form(panel, *rows):
    grid = wx.FlexGridSizer(2, 12, 12)
    grid.AddGrowableCol(1)
    for name, make in rows:
        grid.Add(wx.StaticText(panel, label=name) if name else (1, 1))
        grid.Add(make(), 1, wx.EXPAND)
    return grid


def entry(panel, name, style=0):
    def make():
        field = wx.TextCtrl(panel, style=style, size=(300, 120 if style else -1))
        field.Bind(wx.EVT_TEXT, lambda _: tell(name.lower(), field.GetValue()))
        return field

    return name, make


def text(panel):
    return form(panel, entry(panel, "Name"), entry(panel, "City"))


def textarea(panel):
    return form(panel, entry(panel, "Name"), entry(panel, "Notes", wx.TE_MULTILINE))


def number(panel):
    def spin(name):
        def make():
            field = wx.SpinCtrl(panel, min=1, max=99)
            field.Bind(wx.EVT_SPINCTRL, lambda _: tell(name.lower(), field.GetValue()))
            return field

        return name, make

    return form(panel, spin("Pages"), spin("Copies"))


def checkbox(panel):
    def box(name):
        def make():
            widget = wx.CheckBox(panel, label=name)
            widget.Bind(wx.EVT_CHECKBOX, lambda _: tell(name.lower(), widget.GetValue()))
            return widget

        return "", make

    return form(panel, box("Internal"), box("Urgent"))


def radio(panel):
    def make():
        box = wx.RadioBox(
            panel, label="Delivery", choices=["Standard", "Express", "Pickup"], style=wx.RA_VERTICAL
        )
        box.Bind(wx.EVT_RADIOBOX, lambda _: tell("delivery", box.GetStringSelection()))
        return box

    return form(panel, ("", make))


def dropdown(panel):
    def make():
        box = wx.Choice(panel, choices=COUNTRIES)
        box.SetSelection(0)
        box.Bind(wx.EVT_CHOICE, lambda _: tell("country", box.GetStringSelection()))
        return box

    return form(panel, entry(panel, "City"), ("Country", make))


def listbox(panel):
    def make():
        box = wx.ListBox(panel, choices=FRUIT, size=(200, 120))
        box.Bind(wx.EVT_LISTBOX, lambda _: tell("fruit", box.GetStringSelection()))
        return box

    return form(panel, ("Fruit", make))


def tree(panel):
    def make():
        widget = wx.dataview.TreeListCtrl(panel, size=(300, 240))
        widget.AppendColumn("Nature")
        for branch, leaves in TREE.items():
            parent = widget.AppendItem(widget.GetRootItem(), branch)
            for leaf in leaves:
                widget.AppendItem(parent, leaf)
        widget.Bind(
            wx.dataview.EVT_TREELIST_SELECTION_CHANGED,
            lambda event: event.GetItem().IsOk() and tell("nature", widget.GetItemText(event.GetItem())),
        )
        return widget

    return form(panel, ("", make))


def table(panel):
    def make():
        widget = wx.dataview.DataViewListCtrl(panel, size=(400, 200))
        for number, header in enumerate(HEADERS):
            mode = wx.dataview.DATAVIEW_CELL_EDITABLE if number == PRICE else wx.dataview.DATAVIEW_CELL_INERT
            widget.AppendTextColumn(header, mode)
        for row in GOODS:
            widget.AppendItem(row)
        widget.Bind(
            wx.dataview.EVT_DATAVIEW_ITEM_VALUE_CHANGED,
            lambda event: tell(
                widget.GetTextValue(widget.ItemToRow(event.GetItem()), 0).lower(),
                widget.GetTextValue(widget.ItemToRow(event.GetItem()), PRICE),
            ),
        )
        return widget

    return form(panel, ("", make))


def tabs(panel):
    def make():
        book = wx.Notebook(panel, size=(400, 200))
        for name in ("General", "Privacy", "About"):
            page = wx.Panel(book)
            box = wx.CheckBox(page, label=f"{name} extras", pos=(20, 20))
            box.Bind(wx.EVT_CHECKBOX, lambda event, n=name: tell(n.lower(), event.IsChecked()))
            book.AddPage(page, name)
        return book

    return form(panel, ("", make))


def slider(panel):
    def make():
        widget = wx.Slider(panel, maxValue=100, size=(300, -1))
        widget.Bind(wx.EVT_SLIDER, lambda _: tell("volume", widget.GetValue()))
        return widget

    return form(panel, entry(panel, "Name"), ("Volume", make))


def menu(panel):
    def fill(into, inside):
        for one in inside:
            if isinstance(one, tuple):
                into.AppendSubMenu(fill(wx.Menu(), one[1:]), one[0])
            else:
                item = into.Append(wx.ID_ANY, one)
                frame.Bind(wx.EVT_MENU, lambda _, n=one: tell("menu", n), item)
        return into

    frame = panel.GetParent()
    bar = wx.MenuBar()
    bar.Append(fill(wx.Menu(), ("New", "Quit")), "File")
    bar.Append(fill(wx.Menu(), ("Picture", ("Shape", "Square", "Circle"))), "Insert")
    frame.SetMenuBar(bar)
    return form(panel, entry(panel, "Name"))


def button(panel, name, pressed):
    def make():
        widget = wx.Button(panel, label=name)
        widget.Bind(wx.EVT_BUTTON, pressed)
        return widget

    return form(panel, ("", make))


def dialog(panel):
    def ask(_):
        with wx.TextEntryDialog(panel, "New name", "Rename") as box:
            tell("answer", box.GetValue() if box.ShowModal() == wx.ID_OK else "cancelled")

    return button(panel, "Rename", ask)


def file(panel):
    def ask(_):
        with wx.FileDialog(panel, "Picture") as box:
            if box.ShowModal() == wx.ID_OK:
                tell("file", box.GetPath())

    return button(panel, "Picture", ask)


def date(panel):
    def make():
        field = wx.adv.DatePickerCtrl(panel, dt=wx.DateTime(3, 0, 2024), style=wx.adv.DP_DROPDOWN)
        field.Bind(wx.adv.EVT_DATE_CHANGED, lambda _: tell("date", field.GetValue().FormatISODate()))
        return field

    return form(panel, entry(panel, "Name"), ("Date", make))


def switch(panel):
    def one(name):
        def make():
            widget = wx.ToggleButton(panel, label=name)
            widget.Bind(wx.EVT_TOGGLEBUTTON, lambda _: tell(name.lower(), widget.GetValue()))
            return widget

        return "", make

    return form(panel, one("Bluetooth"), one("Notifications"))


app = wx.App()
frame = wx.Frame(None, title="Widgets", size=(520, 420))
panel = wx.Panel(frame)
outer = wx.BoxSizer()
outer.Add(globals()[KIND](panel), 1, wx.ALL | wx.EXPAND, 18)
panel.SetSizer(outer)
frame.Show()
app.MainLoop()
