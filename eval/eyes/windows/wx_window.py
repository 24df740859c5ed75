"""A window in wxWidgets."""

import wx
from parts import Truth, arguments, contents, states

style, shade, content, truth_path = arguments()
title, columns, parts = contents(content)
application = wx.App()
truth, frame = Truth(truth_path), wx.Frame(None, title=title, pos=(40, 30))
panel = wx.Panel(frame)
grid = wx.GridBagSizer(12, 24)


def note(role, name, widget, value="", marks=()):
    truth.add(role, name, lambda: (*widget.GetScreenPosition(), *widget.GetSize()), value, marks)
    return widget


def row(*widgets):
    box = wx.BoxSizer(wx.HORIZONTAL)
    for one in widgets:
        box.Add(one, 0, wx.ALIGN_CENTRE_VERTICAL | wx.RIGHT, 6)
    return box


def labelled(part, made):
    return row(wx.StaticText(panel, label=part.label, size=(110, -1)), made)


def entry(part):
    lines = wx.TE_MULTILINE if part.kind == "textarea" else wx.TE_PASSWORD if part.kind == "password" else 0
    made = wx.TextCtrl(
        panel, value=part.value, size=(230, 60 if part.kind == "textarea" else -1), style=lines
    )
    role = "searchbox" if part.kind == "search" else "textbox"
    return labelled(part, note(role, part.label, made, "" if part.kind == "password" else part.value))


def number(part):
    made = wx.SpinCtrl(panel, value=part.value)
    return labelled(part, note("spinbutton", part.label, made, part.value))


def select(part):
    made = wx.Choice(panel, choices=part.items)
    made.SetSelection(part.chosen)
    return labelled(part, note("combobox", part.label, made, part.items[part.chosen]))


def checkbox(part):
    made = wx.CheckBox(panel, label=part.label)
    made.SetValue(part.on)
    made.Enable(not part.off)
    return row(note("checkbox", part.label, made, "", states(part)))


def radios(part):
    made = [wx.StaticText(panel, label=part.label, size=(80, -1))]
    for number, item in enumerate(part.items):
        one = wx.RadioButton(panel, label=item, style=wx.RB_GROUP if number == 0 else 0)
        one.SetValue(number == part.chosen)
        made.append(note("radio", item, one, "", ("checked",) if number == part.chosen else ()))
    return row(*made)


def slider(part):
    made = wx.Slider(panel, value=int(part.value), size=(220, -1))
    return labelled(part, note("slider", part.label, made, part.value))


def button(part):
    made = wx.Button(panel, label=part.label)
    made.Enable(not part.off)
    return row(note("button", part.label, made, "", states(part)))


def several(part):
    title = [wx.StaticText(panel, label=part.label)] if part.kind == "dialog" else []
    return row(*title, *(note("button", one, wx.Button(panel, label=one)) for one in part.items))


MADE = {
    **dict.fromkeys(("textbox", "password", "search", "textarea"), entry),
    **dict.fromkeys(("button", "primary", "link", "menu"), button),
    **dict.fromkeys(("checkbox", "switch"), checkbox),
    **dict.fromkeys(("toolbar", "dialog"), several),
    "number": number,
    "select": select,
    "radios": radios,
    "slider": slider,
}
place = 0
for part in parts:
    if part.kind in MADE:
        grid.Add(MADE[part.kind](part), (place // columns, place % columns))
        place += 1
outer = wx.BoxSizer()
outer.Add(grid, 1, wx.ALL, 18)
panel.SetSizerAndFit(outer)
frame.Fit()
frame.Show()
wx.CallLater(1500, truth.write)
application.MainLoop()
