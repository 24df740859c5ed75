"""Prices and budgets of models, in tokens and money."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gui_agent.core.dialogue import Model, Purpose, Reply, Request, Traits, Usage, close
from gui_agent.core.errors import BudgetSpent, ConfigError
from gui_agent.core.parsing import read_toml
from gui_agent.core.texts import suggestion

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens."""

    input: float
    output: float
    cached: float | None = None
    """Input tokens read from the cache; by default the input price."""
    written: float | None = None
    """Input tokens written to the cache; by default the input price."""

    def cost(self, usage: Usage) -> float:
        """The cost of one call in dollars; reasoning tokens count as output, which includes them."""
        cached = self.input if self.cached is None else self.cached
        written = self.input if self.written is None else self.written
        plain = max(0, usage.read - usage.cached - usage.written)
        paid = plain * self.input + usage.cached * cached + usage.written * written
        return (paid + usage.wrote * self.output) / MILLION


FREE = Price(0.0, 0.0, 0.0, 0.0)
_KEYS = {"model", "input", "output", "cached", "written", "since"}


@dataclass(frozen=True, slots=True)
class Prices:
    """A price table; a model's name matches the longest listed prefix."""

    table: Mapping[str, Price]
    date: str = ""
    """When the table was checked."""

    def price_of(self, model: str) -> Price | None:
        bare = model.rpartition("/")[2] if model not in self.table else model
        fitting = [name for name in self.table if bare == name or bare.startswith(f"{name}-20")]
        return self.table[max(fitting, key=len)] if fitting else None

    def with_fallback(self, other: Prices) -> Prices:
        """This table with another one as fallback."""
        return Prices({**other.table, **self.table}, self.date or other.date)


def read_prices(path: Path) -> Prices:
    """Read a price table: `date = "..."` and `[[price]]` rows with model, input, output, cached, written."""
    data = read_toml(path)
    rows = data.get("price", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ConfigError(f"{path}: write each price as a [[price]] table")
    return Prices(dict(_row(row, path) for row in rows), str(data.get("date", "")))


def _row(row: Mapping[str, Any], path: Path) -> tuple[str, Price]:
    name = row.get("model")
    if not isinstance(name, str) or not name:
        raise ConfigError(f'{path}: a [[price]] has no "model"')
    for key in row:
        if key not in _KEYS:
            raise ConfigError(f'{path}: unknown key "{key}" for {name}{suggestion(key, _KEYS)}')
    for key in ("input", "output", "cached", "written"):
        value = row.get(key)
        wrong = not isinstance(value, (int, float)) or isinstance(value, bool) or value < 0
        if wrong and (value is not None or key in ("input", "output")):
            raise ConfigError(f'{path}: "{key}" of {name} has to be dollars per million tokens')
    return name, Price(row["input"], row["output"], row.get("cached"), row.get("written"))


@dataclass(frozen=True, slots=True)
class Spending:
    """The usage so far."""

    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float = 0.0
    """Dollars of the calls with a known price."""
    unpriced: int = 0
    """Number of calls without a known price."""
    seconds: float = 0.0

    @property
    def cache_share(self) -> float:
        """The share of the input that came from the cache, 0 to 1."""
        return self.usage.cached / self.usage.read if self.usage.read else 0.0

    def plus(self, reply: Reply, cost: float | None) -> Spending:
        paid = (self.cost + (cost or 0.0), self.unpriced + (cost is None))
        return Spending(self.calls + 1, self.usage + reply.usage, *paid, self.seconds + reply.seconds)


@dataclass
class Budget:
    """Counts all calls of a run, by model and by purpose, against the limits."""

    prices: Prices = field(default_factory=lambda: Prices({}))
    max_cost: float | None = None
    """Maximum dollars."""
    max_tokens: int | None = None
    """Maximum input and output tokens together."""
    total: Spending = Spending()
    by_model: dict[str, Spending] = field(default_factory=dict)
    by_purpose: dict[Purpose, Spending] = field(default_factory=dict)
    heard: Callable[[tuple[Request, Reply, float | None]], object] = lambda said: None
    """Receives each request with its reply, and its cost in dollars if the price is known."""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def share(self) -> float:
        """The share of money or of tokens used, whichever is larger; 0 without a limit."""
        shares = [0.0]
        if self.max_cost is not None:
            shares.append(self.total.cost / self.max_cost if self.max_cost > 0 else 1.0)
        if self.max_tokens is not None:
            used = self.total.usage.read + self.total.usage.wrote
            shares.append(used / self.max_tokens if self.max_tokens > 0 else 1.0)
        return max(shares)

    def charge(self, model: str, purpose: Purpose, reply: Reply, price: Price | None) -> float | None:
        """Count one call, and return its cost."""
        cost = None if price is None else price.cost(reply.usage)
        with self._lock:
            self.total = self.total.plus(reply, cost)
            self.by_model[model] = self.by_model.get(model, Spending()).plus(reply, cost)
            self.by_purpose[purpose] = self.by_purpose.get(purpose, Spending()).plus(reply, cost)
        return cost

    def admit(self) -> None:
        """Raise BudgetSpent if no further call is allowed."""
        if self.share >= 1.0:
            again = "guiagent resume continues with the same budget again"
            raise BudgetSpent(f"the budget is used up ({self.summary()}); {again}")

    def summary(self) -> str:
        used = self.total
        limit = f" of ${self.max_cost:.2f}" if self.max_cost is not None else ""
        money = f"${used.cost:.4f}{limit}; " if used.cost or limit else ""
        unknown = f", {used.unpriced} calls without a known price" if used.unpriced else ""
        cached = f", {used.cache_share:.0%} of the input from the cache" if used.usage.cached else ""
        tokens = f"{used.usage.read} tokens in, {used.usage.wrote} out"
        return f"{money}{used.calls} calls, {tokens}{cached}{unknown}"


class MeteredModel:
    """A model whose calls count against a budget."""

    def __init__(self, model: Model, budget: Budget, price: Price | None) -> None:
        self._model, self._budget, self._price = model, budget, price

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def traits(self) -> Traits:
        return self._model.traits

    def complete(self, request: Request) -> Reply:
        self._budget.admit()
        reply = self._model.complete(request)
        cost = self._budget.charge(self.name, request.purpose, reply, self._price)
        self._budget.heard((request, reply, cost))
        return reply

    def close(self) -> None:
        close(self._model)


def meter(model: Model, budget: Budget, *, listed_as: str, own_server: bool = False) -> MeteredModel:
    """Put a model under a budget; the user's own server costs nothing unless the price table lists it."""
    price = budget.prices.price_of(listed_as) or (FREE if own_server else None)
    if price is None and budget.max_cost is not None:
        raise ConfigError(f"the price of {listed_as} is not known; add it to the price table or limit tokens")
    return MeteredModel(model, budget, price)
