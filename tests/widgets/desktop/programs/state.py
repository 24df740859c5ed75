"""What a program of the matrix tells of itself: a JSON file, written anew at each change."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

KIND, PLACE = sys.argv[1], Path(sys.argv[2])
FRUIT = ["Apple", "Banana", "Cherry", "Grape", "Lemon", "Mango", "Orange", "Peach", "Pear", "Plum", "Quince"]
COUNTRIES = ["Canada", "Chile", "France", "Ghana", "India", "Japan", "Kenya", "Mexico", "Norway", "Peru"]
GOODS = [["Coffee", "3.40", "12"], ["Tea", "1.20", "30"], ["Cocoa", "2.75", "8"]]
PRICE = 1
"""Column of the price."""
HEADERS = ["Article", "Price", "Stock"]
TREE = {"Plants": ["Oak", "Rose"], "Animals": ["Cat", "Dog", "Horse"]}
_told: dict[str, Any] = {}


def tell(key: str, value: Any) -> None:
    """Note what something of the program holds now."""
    _told[key] = value
    new = PLACE.with_suffix(".new")
    new.write_text(json.dumps(_told), encoding="utf-8")
    new.replace(PLACE)
