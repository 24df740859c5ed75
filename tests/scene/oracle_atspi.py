"""Run by the system's Python inside a display: what toolkits tell of labels, rows and dialogs."""

import json

import gi
import gi.repository.GLib

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402


def extents(item):
    try:
        box = item.get_component_iface().get_extents(Atspi.CoordType.SCREEN)
        return [box.x, box.y, box.width, box.height]
    except (AttributeError, gi.repository.GLib.Error):  # it has no place on the screen
        return None


def is_shown(item):
    states = item.get_state_set()
    return states.contains(Atspi.StateType.SHOWING) and states.contains(Atspi.StateType.VISIBLE)


def labels(item):
    for relation in item.get_relation_set():
        if relation.get_relation_type() == Atspi.RelationType.LABELLED_BY:
            yield from (relation.get_target(place) for place in range(relation.get_n_targets()))


def rows(table):
    """The shown cells by row and column, and the headers."""
    face = table.get_table_iface()
    if face is None:
        return None
    heads = []
    for column in range(min(face.get_n_columns(), 12)):
        header = face.get_column_header(column)
        heads.append((header.get_name() if header else face.get_column_description(column)) or "")
    found = []
    for row in range(min(face.get_n_rows(), 40)):
        cells = []
        for column in range(min(face.get_n_columns(), 12)):
            cell = face.get_accessible_at(row, column)
            if cell is not None and is_shown(cell):
                ticked = cell.get_state_set().contains(Atspi.StateType.CHECKABLE)
                told = {"column": column, "name": cell.get_name() or "", "box": extents(cell)}
                cells.append({**told, "ticked": ticked})
        if cells:
            found.append(cells)
    return {"heads": heads, "rows": found, "box": extents(table)}


def walk(item, depth=0):
    if depth > 40:
        return
    yield item
    for place in range(min(item.get_child_count(), 400)):
        child = item.get_child_at_index(place)
        if child is not None:
            yield from walk(child, depth + 1)


told = {"labels": [], "tables": [], "dialogs": []}
TABLES = (Atspi.Role.TABLE, Atspi.Role.TREE_TABLE)
DIALOGS = (Atspi.Role.DIALOG, Atspi.Role.ALERT, Atspi.Role.FILE_CHOOSER)
desktop = Atspi.get_desktop(0)
for number in range(desktop.get_child_count()):
    program = desktop.get_child_at_index(number)
    for item in walk(program) if program is not None else ():
        if not is_shown(item):
            continue
        if item.get_role() in DIALOGS:
            told["dialogs"].append(item.get_name() or "")
        if item.get_role() in TABLES:
            table = rows(item)
            if table and len(table["rows"]) < 40:
                told["tables"].append(table)
        for label in labels(item):
            told["labels"].append({"of": extents(item), "text": label.get_name() or "", "by": extents(label)})
print(json.dumps(told))
