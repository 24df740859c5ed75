"""Records a person who uses a computer: their actions become steps like those of a run.

Each kind of computer has its own listener; the translation of events to steps is shared.
"""
