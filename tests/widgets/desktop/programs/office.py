"""One widget of LibreOffice in a dialog of its own toolkit; menus and cells are those of its programs."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

import uno
import unohelper
from com.sun.star.awt import (
    XActionListener,
    XAdjustmentListener,
    XItemListener,
    XSpinListener,
    XTextListener,
)
from com.sun.star.view import XSelectionChangeListener
from state import COUNTRIES, FRUIT, KIND, TREE, tell

PIPE = f"widgets{os.getpid()}"
AWT = "com.sun.star.awt."


def connected():
    folder = tempfile.mkdtemp(prefix="widgets-office-")
    application = {"menu": "--writer", "table": "--calc", "file": "--writer"}.get(KIND, "--invisible")
    subprocess.Popen(
        [
            *("soffice", "--norestore", "--nologo", f"--accept=pipe,name={PIPE};urp;"),
            *(f"-env:UserInstallation=file://{folder}", application),
        ]
    )
    resolver = uno.getComponentContext().ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
    while True:
        try:
            return resolver.resolve(f"uno:pipe,name={PIPE};urp;StarOffice.ComponentContext")
        except Exception:  # noqa: BLE001 - whatever it is, it is not there yet
            time.sleep(0.2)


class Heard(
    unohelper.Base,
    XTextListener,
    XItemListener,
    XActionListener,
    XAdjustmentListener,
    XSpinListener,
    XSelectionChangeListener,
):
    """Calls a function on any change."""

    def __init__(self, call):
        self.call = call

    def __getattr__(self, name):
        if name.startswith(("text", "item", "action", "adjust", "selection", "up", "down", "first", "last")):
            return self.call
        raise AttributeError(name)

    def disposing(self, event):
        pass


class Form:
    """A dialog that is built line by line."""

    def __init__(self, context, title="Widgets"):
        self.create = lambda name: context.ServiceManager.createInstanceWithContext(name, context)
        self.model = self.create(AWT + "UnoControlDialogModel")
        self.model.Title, self.model.Width, self.model.Height = title, 220, 160
        self.dialog = self.create(AWT + "UnoControlDialog")
        self.dialog.setModel(self.model)
        self.row = 8

    def add(self, kind, name, height=14, label="", **values):
        if label:
            self.add("FixedText", name + "Label", Label=label)
            self.row -= 18
        made = self.model.createInstance(AWT + f"UnoControl{kind}Model")
        made.Name = name
        made.PositionX, made.PositionY, made.Width, made.Height = 80 if label else 8, self.row, 110, height
        for key, value in values.items():
            setattr(made, key, value)
        self.model.insertByName(name, made)
        self.row += height + 4
        return self.dialog.getControl(name)

    def show(self):
        self.dialog.createPeer(self.create(AWT + "Toolkit"), None)
        return self.dialog.execute()


def entry(form, name, **values):
    field = form.add("Edit", name, label=name, **values)
    field.addTextListener(Heard(lambda _: tell(name.lower(), field.getText())))


def text(form):
    entry(form, "Name")
    entry(form, "City")


def textarea(form):
    entry(form, "Name")
    entry(form, "Notes", MultiLine=True, height=50)


def number(form):
    for name in ("Pages", "Copies"):
        field = form.add("NumericField", name, label=name, Value=1, DecimalAccuracy=0, Spin=True)
        field.addTextListener(Heard(lambda _, f=field, n=name: tell(n.lower(), int(f.getValue()))))


def checkbox(form):
    for name in ("Internal", "Urgent"):
        box = form.add("CheckBox", name, Label=name)
        box.addItemListener(Heard(lambda _, b=box, n=name: tell(n.lower(), b.getState() == 1)))


def radio(form):
    form.add("FixedText", "Delivery", Label="Delivery")
    for name in ("Standard", "Express", "Pickup"):
        one = form.add("RadioButton", name, Label=name, State=int(name == "Standard"))
        one.addItemListener(Heard(lambda _, o=one, n=name: o.getState() and tell("delivery", n)))


def chooser(form, key, label, words, height, **values):
    box = form.add("ListBox", label, height, label=label, StringItemList=tuple(words), **values)
    box.addItemListener(Heard(lambda _: tell(key, box.getSelectedItem())))
    return box


def dropdown(form):
    entry(form, "City")
    chooser(form, "country", "Country", COUNTRIES, 14, Dropdown=True, SelectedItems=(0,))


def listbox(form):
    chooser(form, "fruit", "Fruit", FRUIT, 50)


def tree(form):
    data = form.create(AWT + "tree.MutableTreeDataModel")
    top = data.createNode("Nature", True)
    data.setRoot(top)
    for branch, leaves in TREE.items():
        parent = data.createNode(branch, True)
        top.appendChild(parent)
        for leaf in leaves:
            parent.appendChild(data.createNode(leaf, False))
    made = form.model.createInstance(AWT + "tree.TreeControlModel")
    made.Name, made.DataModel = "Tree", data
    made.PositionX, made.PositionY, made.Width, made.Height = 8, 8, 150, 120
    made.RootDisplayed = made.ShowsHandles = made.ShowsRootHandles = True
    form.model.insertByName("Tree", made)
    view = form.dialog.getControl("Tree")
    view.addSelectionChangeListener(
        Heard(lambda _: view.getSelection() and tell("nature", view.getSelection().getDisplayValue()))
    )
    form.after = lambda: view.expandNode(top)


def tabs(form):
    made = form.model.createInstance(AWT + "UnoMultiPageModel")
    made.PositionX, made.PositionY, made.Width, made.Height = 8, 8, 190, 120
    for number, name in enumerate(("General", "Privacy", "About"), 1):
        page = made.createInstance(AWT + "UnoPageModel")
        page.Title = name
        box = page.createInstance(AWT + "UnoControlCheckBoxModel")
        box.Name, box.Label = name, f"{name} extras"
        box.PositionX, box.PositionY, box.Width, box.Height = 10, 24, 100, 14
        page.insertByName(name, box)
        made.insertByName(f"page{number}", page)
    form.model.insertByName("Tabs", made)
    for name, page in zip(
        ("General", "Privacy", "About"), form.dialog.getControl("Tabs").getControls(), strict=True
    ):
        box = page.getControl(name)
        box.addItemListener(Heard(lambda _, b=box, n=name: tell(n.lower(), b.getState() == 1)))


def slider(form):
    entry(form, "Name")
    bar = form.add("ScrollBar", "Volume", label="Volume", ScrollValueMax=100, Orientation=0)
    bar.addAdjustmentListener(Heard(lambda _: tell("volume", bar.getValue())))


def dialog(form):
    def ask(_):
        inner = Form(context, "Rename")
        field = inner.add("Edit", "New name", label="New name")
        inner.add("Button", "OK", Label="OK", PushButtonType=1)
        inner.add("Button", "Cancel", Label="Cancel", PushButtonType=2)
        tell("answer", field.getText() if inner.show() else "cancelled")

    form.add("Button", "Rename", Label="Rename").addActionListener(Heard(ask))


def date(form):
    entry(form, "Name")
    start = uno.createUnoStruct("com.sun.star.util.Date", 3, 1, 2024)
    field = form.add("DateField", "Date", label="Date", Date=start, DateFormat=11, Dropdown=True)
    field.addTextListener(Heard(lambda _: tell("date", _day(field.getDate()))))


def _day(told):
    return f"{told.Year}-{told.Month:02}-{told.Day:02}"


def switch(form):
    for name in ("Bluetooth", "Notifications"):
        one = form.add("Button", name, Label=name, Toggle=True)
        one.addActionListener(Heard(lambda _, o=one, n=name: tell(n.lower(), o.Model.State == 1)))


def of_document(desktop):
    """Watch what becomes of the document that is open."""
    while (document := desktop.getCurrentComponent()) is None:
        time.sleep(0.2)
    if KIND == "table":
        sheet = document.Sheets.getByIndex(0)
        for y, row in enumerate((("Article", "Price"), ("Coffee", 3.4), ("Tea", 1.2), ("Cocoa", 2.75))):
            sheet.getCellByPosition(0, y).String = row[0]
            if y:
                sheet.getCellByPosition(1, y).Value = row[1]
            else:
                sheet.getCellByPosition(1, y).String = row[1]
    while True:
        time.sleep(0.1)
        try:
            if KIND == "table" and sheet.getCellByPosition(1, 2).Value != 1.2:
                tell("tea", sheet.getCellByPosition(1, 2).String)
            elif (
                KIND == "menu"
                and document.DrawPage.Count + document.Bookmarks.Count + document.TextSections.Count
            ):
                tell("menu", "Bookmark" if document.Bookmarks.Count else "Horizontal Line")
            elif (
                KIND == "menu"
                and document.Text.String == ""
                and document.Text.createEnumeration().nextElement().ParaStyleName != "Standard"
            ):
                tell("menu", document.Text.createEnumeration().nextElement().ParaStyleName)
            elif KIND == "file":
                now = desktop.getCurrentComponent()
                if now is not None and now.getURL():
                    tell("file", uno.fileUrlToSystemPath(now.getURL()))
        except Exception:  # noqa: BLE001 - the document is being closed
            sys.exit()


context = connected()
if KIND in ("menu", "table", "file"):
    of_document(context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context))
form = Form(context)
globals()[KIND](form)
form.show()
