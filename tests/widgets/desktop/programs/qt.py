"""One widget of Qt in a window; the third word says which binding: PyQt5 or PyQt6."""

from __future__ import annotations

import importlib
import sys

from state import COUNTRIES, FRUIT, GOODS, HEADERS, KIND, PRICE, TREE, tell

W = importlib.import_module(f"{sys.argv[3]}.QtWidgets")
C = importlib.import_module(f"{sys.argv[3]}.QtCore")
G = importlib.import_module(f"{sys.argv[3]}.QtGui")
HORIZONTAL = C.Qt.Orientation.Horizontal if sys.argv[3] == "PyQt6" else C.Qt.Horizontal


def form(*rows):
    widget = W.QWidget()
    layout = W.QFormLayout(widget)
    for row in rows:
        layout.addRow(*row) if isinstance(row, tuple) else layout.addRow(row)
    return widget


def entry(name):
    field = W.QLineEdit()
    field.textChanged.connect(lambda now: tell(name.lower(), now))
    return name, field


def text(window):
    return form(entry("Name"), entry("City"))


def textarea(window):
    area = W.QPlainTextEdit()
    area.textChanged.connect(lambda: tell("notes", area.toPlainText()))
    return form(entry("Name"), ("Notes", area))


def number(window):
    def spin(name):
        field = W.QSpinBox(minimum=1, maximum=99)
        field.setKeyboardTracking(False)
        field.valueChanged.connect(lambda now: tell(name.lower(), now))
        return name, field

    return form(spin("Pages"), spin("Copies"))


def checkbox(window):
    def box(name):
        widget = W.QCheckBox(name)
        widget.toggled.connect(lambda on: tell(name.lower(), on))
        return widget

    return form(box("Internal"), box("Urgent"))


def radio(window):
    group = W.QGroupBox("Delivery")
    layout = W.QVBoxLayout(group)
    for name in ("Standard", "Express", "Pickup"):
        one = W.QRadioButton(name)
        one.setChecked(name == "Standard")
        one.toggled.connect(lambda on, n=name: on and tell("delivery", n))
        layout.addWidget(one)
    return form(group)


def dropdown(window):
    box = W.QComboBox()
    box.addItems(COUNTRIES)
    box.currentTextChanged.connect(lambda now: tell("country", now))
    return form(entry("City"), ("Country", box))


def listbox(window):
    widget = W.QListWidget()
    widget.addItems(FRUIT)
    widget.setFixedHeight(120)
    widget.currentTextChanged.connect(lambda now: tell("fruit", now))
    return form(("Fruit", widget))


def tree(window):
    widget = W.QTreeWidget()
    widget.setHeaderLabels(["Nature"])
    for branch, leaves in TREE.items():
        parent = W.QTreeWidgetItem(widget, [branch])
        for leaf in leaves:
            W.QTreeWidgetItem(parent, [leaf])
    widget.currentItemChanged.connect(lambda now, _: tell("nature", now.text(0)))
    return form(widget)


def table(window):
    widget = W.QTableWidget(len(GOODS), len(HEADERS))
    widget.setHorizontalHeaderLabels(HEADERS)
    for y, row in enumerate(GOODS):
        for x, word in enumerate(row):
            widget.setItem(y, x, W.QTableWidgetItem(word))
    names = ["coffee", "tea", "cocoa"]
    widget.itemChanged.connect(
        lambda i: tell(names[i.row()] + ("" if i.column() == PRICE else "?"), i.text())
    )
    return form(widget)


def tabs(window):
    book = W.QTabWidget()
    for name in ("General", "Privacy", "About"):
        box = W.QCheckBox(f"{name} extras")
        box.toggled.connect(lambda on, n=name: tell(n.lower(), on))
        book.addTab(form(box), name)
    return book


def slider(window):
    widget = W.QSlider(HORIZONTAL)
    widget.setMaximum(100)
    widget.valueChanged.connect(lambda now: tell("volume", now))
    return form(entry("Name"), ("Volume", widget))


def menu(window):
    bar = window.menuBar()
    for name, inside in (("File", ("New", "Quit")), ("Insert", ("Picture", ("Shape", "Square", "Circle")))):
        fill(bar.addMenu(name), inside)
    return form(entry("Name"))


def fill(into, inside):
    for one in inside:
        if isinstance(one, tuple):
            fill(into.addMenu(one[0]), one[1:])
        else:
            into.addAction(one).triggered.connect(lambda _, n=one: tell("menu", n))


def dialog(window):
    def ask():
        name, taken = W.QInputDialog.getText(window, "Rename", "New name")
        tell("answer", name if taken else "cancelled")

    button = W.QPushButton("Rename")
    button.clicked.connect(ask)
    return form(button)


def file(window):
    def ask():
        name, _ = W.QFileDialog.getOpenFileName(window, "Picture")
        name and tell("file", name)

    button = W.QPushButton("Picture")
    button.clicked.connect(ask)
    return form(button)


def date(window):
    field = W.QDateEdit(C.QDate(2024, 1, 3))
    field.setDisplayFormat("yyyy-MM-dd")
    field.setCalendarPopup(True)
    field.dateChanged.connect(lambda now: tell("date", now.toString("yyyy-MM-dd")))
    return form(entry("Name"), ("Date", field))


def switch(window):
    def one(name):
        widget = W.QPushButton(name, checkable=True)
        widget.toggled.connect(lambda on: tell(name.lower(), on))
        return widget

    return form(one("Bluetooth"), one("Notifications"))


app = W.QApplication(sys.argv[:1])
window = W.QMainWindow()
window.setWindowTitle("Widgets")
window.setCentralWidget(globals()[KIND](window))
window.resize(520, 420)
window.show()
(app.exec if hasattr(app, "exec") else app.exec_)()
