"""Questions of a phone whether an app may do something are put to the person, in whatever language."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gui_agent.agent.guard import classify
from gui_agent.core.actions import Click
from gui_agent.testing import button, screen, spot, text

PACKAGES = ("com.android.permissioncontroller", "com.google.android.permissioncontroller")
IDS = {"Отклонить": "com.android.permissioncontroller:id/permission_deny_button"}


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("Allow", "permission"),
        ("While using the app", "permission"),
        ("Nur dieses Mal", "permission"),
        ("Don’t allow", "plain"),
        ("Отклонить", "plain"),
        ("Cancel", "plain"),
    ],
)
def test_only_a_refusal_needs_no_question(package: str, name: str, meaning: str) -> None:
    asked = replace(button(name), attributes={"package": package, "id": IDS.get(name, "")})
    shown = screen(text("Allow Maps to access this device’s location?"), asked)
    place = spot(shown, name)
    assert [one.meaning for one in classify(Click(place.point), {"at": place}, shown)] == [meaning]


def test_the_same_word_in_an_app_of_its_own_is_no_permission() -> None:
    shown = screen(replace(button("Allow"), attributes={"package": "com.example.reader"}))
    place = spot(shown, "Allow")
    found = [one.meaning for one in classify(Click(place.point), {"at": place}, shown)]
    assert "permission" not in found
