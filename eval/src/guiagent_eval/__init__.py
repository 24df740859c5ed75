"""Benchmarks: running many tasks honestly, quickly and so that a run can be resumed and compared."""
