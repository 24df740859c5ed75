"""The recordings and runs of the fake computer, as for induction."""

from tests.unit.procedures.induction.conftest import record, run

__all__ = ["record", "run"]
