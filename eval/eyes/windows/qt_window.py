"""A window in Qt 5 or 6, in one of its styles; the first word of the style is the binding."""

import sys
from importlib import import_module

from parts import Truth, arguments, contents, makers, states

style, shade, content, truth_path = arguments()
binding, style = style.split("-")
W, C, G = (import_module(f"{binding}.{name}") for name in ("QtWidgets", "QtCore", "QtGui"))
title, columns, parts = contents(content)
application = W.QApplication(sys.argv)
application.setStyle(style)
if shade == "dark":
    roles, palette = G.QPalette.ColorRole, G.QPalette()
    for role, colour in (
        ("Window", "#2b2b2b"),
        ("Base", "#1e1e1e"),
        ("Button", "#3a3a3a"),
        ("Mid", "#555555"),
        ("WindowText", "#eeeeee"),
        ("Text", "#eeeeee"),
        ("ButtonText", "#eeeeee"),
    ):
        palette.setColor(getattr(roles, role), G.QColor(colour))
    application.setPalette(palette)
window, truth = W.QWidget(), Truth(truth_path)
window.setWindowTitle(title)
grid = W.QGridLayout(window)


def place_of(widget, part_of=None):
    def box():
        if not widget.isVisible():
            return None
        rect = part_of() if part_of else widget.rect()
        corner = widget.mapToGlobal(rect.topLeft())
        return corner.x(), corner.y(), rect.width(), rect.height()

    return box


def note(role, name, widget, value="", marks=()):
    truth.add(role, name, place_of(widget), value, marks)


def labelled(part, made):
    line = W.QHBoxLayout()
    label = W.QLabel(part.label)
    label.setMinimumWidth(110)
    line.addWidget(label)
    line.addWidget(made)
    return line


def entry(part):
    made = W.QLineEdit(part.value)
    if part.kind == "search":
        made.setPlaceholderText(part.label)
        note("searchbox", part.label, made)
        return made
    if part.kind == "password":
        made.setEchoMode(W.QLineEdit.EchoMode.Password)
    note("textbox", part.label, made, "" if part.kind == "password" else part.value)
    return labelled(part, made)


def textarea(part):
    made = W.QPlainTextEdit(part.value)
    made.setMaximumHeight(60)
    note("textbox", part.label, made, part.value)
    return labelled(part, made)


def number(part):
    made = W.QSpinBox()
    made.setValue(int(part.value))
    note("spinbutton", part.label, made, part.value)
    return labelled(part, made)


def select(part):
    made = W.QComboBox()
    made.addItems(part.items)
    made.setCurrentIndex(part.chosen)
    note("combobox", part.label, made, part.items[part.chosen])
    return labelled(part, made)


def checkbox(part):
    made = W.QCheckBox(part.label)
    made.setChecked(part.on)
    made.setEnabled(not part.off)
    note("checkbox", part.label, made, "", states(part))
    return made


def radios(part):
    made = W.QGroupBox(part.label)
    line = W.QHBoxLayout(made)
    for number, item in enumerate(part.items):
        one = W.QRadioButton(item)
        one.setChecked(number == part.chosen)
        line.addWidget(one)
        note("radio", item, one, "", ("checked",) if number == part.chosen else ())
    return made


def slider(part):
    made = W.QSlider(C.Qt.Orientation.Horizontal)
    made.setValue(int(part.value))
    note("slider", part.label, made, part.value)
    return labelled(part, made)


def button(part):
    made = W.QPushButton(part.label)
    made.setEnabled(not part.off)
    note("button", part.label, made, "", states(part))
    return made


def toolbar(part):
    bar = W.QToolBar()
    for item in part.items:
        one = W.QToolButton()
        one.setText(item)
        bar.addWidget(one)
        note("button", item, one)
    return bar


def tabs(part):
    bar = W.QTabBar()
    for number, item in enumerate(part.items):
        bar.addTab(item)
        truth.add("tab", item, place_of(bar, lambda number=number: bar.tabRect(number)))
    bar.setCurrentIndex(max(0, part.chosen))
    return bar


def table(part):
    view = W.QTableWidget(len(part.rows), len(part.items))
    view.setHorizontalHeaderLabels(part.items)
    for y, row in enumerate(part.rows):
        for x, text in enumerate(row):
            view.setItem(y, x, W.QTableWidgetItem(text))
    view.setMaximumHeight(140)
    return view


def tree(part):
    view = W.QTreeWidget()
    view.setHeaderHidden(True)
    view.setMaximumHeight(160)
    for item in part.items:
        node = W.QTreeWidgetItem([item])
        leaf = W.QTreeWidgetItem([f"{item} tests"])
        node.addChild(leaf)
        view.addTopLevelItem(node)
        node.setExpanded(True)
        for one, mark in ((node, ("expanded",)), (leaf, ())):
            truth.add(
                "treeitem",
                one.text(0),
                place_of(view.viewport(), lambda one=one: view.visualItemRect(one)),
                "",
                mark,
            )
    return view


def menu(part):
    bar = W.QMenuBar()
    bar.setNativeMenuBar(False)
    for item in (part.label, *part.items):
        action = bar.addMenu(item).menuAction()
        truth.add("menuitem", item, place_of(bar, lambda action=action: bar.actionGeometry(action)))
    return bar


def dialog(part):
    made = W.QGroupBox(part.label)
    line = W.QHBoxLayout(made)
    for item in part.items:
        one = W.QPushButton(item)
        line.addWidget(one)
        note("button", item, one)
    return made


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
    made = MADE[part.kind](part)
    (grid.addLayout if isinstance(made, W.QLayout) else grid.addWidget)(
        made, place // columns, place % columns
    )
window.move(40, 30)
window.show()
C.QTimer.singleShot(900, truth.write)
application.exec()
