"""The content folders are found and hold what they promise."""

import pytest

from gui_agent.content import FOLDERS, content
from gui_agent.core.errors import ConfigError


@pytest.mark.parametrize("name", FOLDERS)
def test_every_folder_says_what_lives_in_it(name: str) -> None:
    assert content(f"{name}/README.md").read_text().startswith(f"# {name}\n")


def test_unknown_content_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match='no content folder "tests"'):
        content("tests/unit")
    with pytest.raises(ConfigError, match="is missing from this copy"):
        content("configs/nothing.toml")
