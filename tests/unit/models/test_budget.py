from __future__ import annotations

from pathlib import Path

import pytest

from gui_agent.core.dialogue import Asked, Reply, Request, Traits, Usage
from gui_agent.core.errors import BudgetSpent, ConfigError
from gui_agent.models.budget import FREE, Budget, Price, Prices, meter, read_prices

PRICE = Price(2.0, 10.0, 0.2, 2.5)
REQUEST = Request("plan", (Asked(("hello",)),))


class Fixed:
    """A model that always uses the same number of tokens."""

    name = "m"
    traits = Traits()

    def complete(self, request: Request) -> Reply:
        return Reply("ok", usage=Usage(100_000, 50_000, 10_000, 10_000, 4_000), seconds=1.5)


def test_each_kind_of_token_has_its_price() -> None:
    assert PRICE.cost(Usage(1_000_000)) == pytest.approx(2.0)
    assert PRICE.cost(Usage(1_000_000, cached=1_000_000)) == pytest.approx(0.2)
    assert PRICE.cost(Usage(1_000_000, written=1_000_000)) == pytest.approx(2.5)
    assert PRICE.cost(Usage(wrote=1_000_000, reasoning=500_000)) == pytest.approx(10.0)
    assert Price(2.0, 10.0).cost(Usage(1_000_000, 500_000, 500_000)) == pytest.approx(2.0)


def test_a_budget_tells_how_much_of_it_is_used_and_ends() -> None:
    cost = PRICE.cost(Fixed().complete(REQUEST).usage)
    budget = Budget(Prices({"m": PRICE}), max_cost=cost * 10)
    model = meter(Fixed(), budget, listed_as="m")
    shares = []
    for _ in range(10):
        shares.append(round(budget.share, 6))
        model.complete(REQUEST)
    assert shares == [number / 10 for number in range(10)]
    with pytest.raises(BudgetSpent, match=r"budget is used up.*10 calls"):
        model.complete(REQUEST)
    assert budget.total.calls == 10 and budget.total.cost == pytest.approx(cost * 10)
    assert budget.by_purpose["plan"].usage.read == 1_000_000
    assert budget.by_model["m"].cache_share == 0.5


def test_tokens_can_be_limited_without_a_price() -> None:
    budget = Budget(max_tokens=220_000)
    model = meter(Fixed(), budget, listed_as="unknown")
    model.complete(REQUEST)
    assert budget.share == 0.5 and budget.total.unpriced == 1
    model.complete(REQUEST)
    assert budget.share == 1.0
    with pytest.raises(BudgetSpent):
        budget.admit()


def test_a_limit_of_money_needs_a_price() -> None:
    with pytest.raises(ConfigError, match="price of unknown is not known"):
        meter(Fixed(), Budget(max_cost=1.0), listed_as="unknown")
    free = meter(Fixed(), Budget(max_cost=1.0), listed_as="unknown", own_server=True)
    assert free._price is FREE


def test_the_table_that_comes_with_the_project_can_be_read() -> None:
    prices = read_prices(Path(__file__).parents[3] / "configs" / "prices.toml")
    assert prices.date and len(prices.table) >= 15
    for name, price in prices.table.items():
        assert 0 < (price.cached or price.input) <= price.input < price.output, name
    assert prices.price_of("claude-haiku-4-5-20251001") == prices.price_of("claude-haiku-4-5")
    assert prices.price_of("openrouter/gpt-5.4-mini") != prices.price_of("gpt-5.4")
    assert prices.price_of("gpt-5.4-nano") is None


def test_an_own_table_wins() -> None:
    own = Prices({"m": FREE}).with_fallback(Prices({"m": PRICE, "n": PRICE}, "2026-01-01"))
    assert (own.price_of("m"), own.price_of("n"), own.date) == (FREE, PRICE, "2026-01-01")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[price]]\ninput = 1", 'no "model"'),
        ('[[price]]\nmodel = "m"\ninput = 1', '"output" of m'),
        ('[[price]]\nmodel = "m"\ninput = -1\noutput = 1', '"input" of m'),
        ('[[price]]\nmodel = "m"\ninput = 1\noutput = 1\ncache = 1', 'did you mean "cached"'),
        ("price = 3", r"\[\[price\]\]"),
        ("[[price", "TOML"),
    ],
)
def test_a_wrong_table_is_named(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "prices.toml").write_text(text)
    with pytest.raises(ConfigError, match=words):
        read_prices(tmp_path / "prices.toml")
