"""Proof by use, its fading, retirement and leave-one-out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from memory_samples import run

from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.memory.entry import Entry, fade, reason_not_to_keep, score_after_use, trust
from gui_agent.memory.store import Store

NOW = datetime(2026, 1, 31, tzinfo=UTC)


def test_a_new_entry_is_trusted_a_losing_one_less_and_a_winning_one_again() -> None:
    new, lost, won = Entry("a"), Entry("a", losses=2.0), Entry("a", losses=2.0, wins=6.0)
    trusts = [trust(entry, NOW) for entry in (new, lost, won)]
    assert trusts == [1.0, 0.5, 0.8]


def test_proof_is_halved_every_half_life() -> None:
    assert fade(4.0, "2025-10-03T00:00:00Z", NOW) == pytest.approx(1.0)
    assert fade(4.0, "", NOW) == 4.0


def test_an_entry_that_keeps_failing_is_retired() -> None:
    entry = Entry("a")
    for _ in range(3):
        wins, losses, reason = score_after_use(entry, won=False, now=NOW)
        entry = Entry("a", wins=wins, losses=losses, used="2026-01-31T00:00:00Z", quarantined=reason)
    assert entry.quarantined == "retired after 3 failed and 0 good uses"


def test_old_failures_do_not_retire_an_entry() -> None:
    entry = Entry("a", losses=2.4, used=(NOW - timedelta(days=600)).isoformat())
    assert score_after_use(entry, won=False, now=NOW)[2] == ""


def test_a_win_does_not_lift_a_quarantine() -> None:
    assert score_after_use(Entry("a", quarantined="untrusted"), True, NOW)[2] == "untrusted"


def test_wins_and_losses_are_written_to_the_table(store: Store) -> None:
    id = store.add([Entry("a")])[0].id
    store.note([id, "forgotten"], won=True, now=NOW)
    store.note([id], won=False, now=NOW)
    entry = store.entry(id)
    assert (entry.wins, entry.losses, entry.used) == (1.0, 1.0, "2026-01-31T00:00:00Z")


def test_only_verified_runs_are_fit() -> None:
    assert reason_not_to_keep(run("a")) == ""
    assert "unexpected" in reason_not_to_keep(run("a", outcome="unexpected"))
    assert "limit" in reason_not_to_keep(run("a", ending="limit"))
    assert "not ended" in reason_not_to_keep(Trajectory(Task("a")))
