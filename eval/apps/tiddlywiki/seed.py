"""Two tiddlers in the wiki of the current folder."""

from pathlib import Path

place = Path("wiki/tiddlers")
place.mkdir(exist_ok=True)
(place / "Shopping.tid").write_text("title: Shopping\ntags: home\n\nmilk and bread")
(place / "Old idea.tid").write_text("title: Old idea\n\nforget it")
(place / "site.tid").write_text("title: $:/DefaultTiddlers\n\nShopping")
