"""Parts by name: built-in, of others, and the options their constructors take."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Protocol

import pytest

from gui_agent import plugins
from gui_agent.core.errors import ConfigError


class Toaster:
    """A part with options of several kinds."""

    def __init__(
        self,
        slots: int,
        *,
        size: tuple[int, int] = (1, 2),
        store: Path | None = None,
        bell: Callable[[], None] = print,
    ) -> None:
        self.slots, self.size, self.store, self.bell = slots, size, store, bell


class Recipe(Protocol):
    def cook(self) -> None: ...


class Cook:
    """A part that is given another part by the wiring."""

    def __init__(self, recipe: Recipe | None = None, *, spoon: str = "big") -> None:
        self.recipe, self.spoon = recipe, spoon


class Open:
    def __init__(self, **anything: object) -> None:
        self.anything = anything


class Bare:
    pass


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("kitchen")
    vars(module).update(Toaster=Toaster, Cook=Cook, Open=Open, Bare=Bare, number=3)
    monkeypatch.setitem(sys.modules, "kitchen", module)


def test_options_become_what_the_constructor_asks_for() -> None:
    made = plugins.make("computers", "kitchen:Toaster", {"slots": 2, "size": [3, 4], "store": "crumbs"})
    assert (made.slots, made.size, made.store) == (2, (3, 4), Path("crumbs"))


def test_what_the_wiring_offers_is_passed_only_where_it_fits() -> None:
    made = plugins.make("computers", "kitchen:Toaster", {"slots": 1}, size=(5, 6), secrets={"a": "b"})
    assert made.size == (5, 6)


def test_a_setting_wins_over_what_the_wiring_offers() -> None:
    made = plugins.make("computers", "kitchen:Toaster", {"slots": 1, "size": [7, 8]}, size=(5, 6))
    assert made.size == (7, 8)


def test_a_part_that_no_settings_file_can_express_comes_from_the_wiring_only() -> None:
    recipe = object()
    assert plugins.make("computers", "kitchen:Cook", {}, recipe=recipe).recipe is recipe
    assert plugins.options_of(Cook) == {"spoon": "str = 'big'"}
    with pytest.raises(ConfigError, match='unknown option "recipe"'):
        plugins.make("computers", "kitchen:Cook", {"recipe": 3})


def test_a_constructor_may_take_anything() -> None:
    assert plugins.make("computers", "kitchen:Open", {"colour": "red"}).anything == {"colour": "red"}


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("kitchen:Toaster", {"slots": 1, "sice": [1, 2]}, 'unknown option "sice" (did you mean "size"?)'),
        ("kitchen:Toaster", {"slots": 1, "qqq": 1}, 'unknown option "qqq"; known: bell, size, slots, store'),
        ("kitchen:Toaster", {"slots": "many"}, 'option "slots": input should be a valid integer'),
        ("kitchen:Toaster", {"slots": 1, "size": [1]}, 'option "size": at 1: '),
        ("kitchen:Toaster", {}, 'option "slots" is required'),
        ("kitchen:Bare", {"a": 1}, 'unknown option "a"; it has no options'),
        ("kitchen:Missing", {}, "cannot import kitchen:Missing"),
        ("kitchen:number", {}, "kitchen:number is not a class or function"),
        ("no_such_package_here:Thing", {}, "No module named 'no_such_package_here'"),
        (":", {}, "cannot import"),
        ("browsr", {}, 'there is no "browsr" (did you mean "browser"?)'),
    ],
)
def test_a_mistake_is_one_line_that_names_it(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        plugins.make("computers", name, options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("group", ["computers", "desktops", "planners", "grounders", "benchmarks"])
def test_every_built_in_part_can_be_imported(group: plugins.Group) -> None:
    names = plugins.installed_parts(group)
    assert names
    for name in names:
        assert callable(plugins.find(group, name))


def test_options_are_listed_with_type_and_default() -> None:
    assert plugins.options_of(Toaster)["slots"] == "int"
    assert plugins.options_of(Toaster)["size"] == "tuple[int, int] = (1, 2)"
