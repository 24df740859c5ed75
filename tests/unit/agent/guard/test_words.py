"""What the words on controls mean, in several languages."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.agent.guard import words
from gui_agent.agent.guard.fields import field_kinds

RISKY = [
    ("Send", "send"),
    ("SEND", "send"),
    ("Send now", "send"),
    ("Send later", "send"),
    ("Schedule send", "send"),
    ("Reply all", "send"),
    ("Save and send", "send"),
    ("Save & send", "send"),
    ("Yes, send it", "send"),
    ("Send (do not cancel)", "send"),
    ("Pay", "pay"),
    ("Pay $12.00", "pay"),
    ("Confirm and pay", "pay"),
    ("Place your order", "pay"),
    ("Buy now", "pay"),
    ("Check out", "pay"),
    ("Donate", "pay"),
    ("Transfer", "transfer"),
    ("Send money", "transfer"),
    ("Withdraw", "transfer"),
    ("Delete", "delete"),
    ("Delete file…", "delete"),
    ("Remove item", "delete"),
    ("Move to trash", "delete"),
    ("Delete permanently without recovery", "delete"),
    ("Discard changes", "delete"),
    ("Erase", "delete"),
    ("Cancel order", "delete"),
    ("No, delete it", "delete"),
    ("Keep one and delete the others", "delete"),
    ("Empty Recycle Bin", "delete"),
    ("Format disk", "format"),
    ("Factory reset", "format"),
    ("Publish", "publish"),
    ("Post", "publish"),
    ("Share", "share"),
    ("Invite", "share"),
    ("Sign document", "sign"),
    ("Adopt and sign", "sign"),
    ("Unsubscribe", "unsubscribe"),
    ("Cancel subscription", "unsubscribe"),
    ("Close my account", "unsubscribe"),
    ("Install", "install"),
    ("Run anyway", "install"),
    ("Submit", "submit"),
    ("Log in", "submit-credentials"),
    ("Senden", "send"),
    ("Jetzt absenden", "send"),
    ("Nachricht senden", "send"),
    ("Zahlungspflichtig bestellen", "pay"),
    ("Jetzt kaufen", "pay"),
    ("Löschen", "delete"),
    ("Konto löschen", "delete"),
    ("Loeschen", "delete"),
    ("Überweisen", "transfer"),
    ("Veröffentlichen", "publish"),
    ("Kündigen", "unsubscribe"),
    ("Festplatte formatieren", "format"),
    ("Unterschreiben", "sign"),
    ("Installieren", "install"),
    ("Envoyer", "send"),
    ("Payer", "pay"),
    ("Passer la commande", "pay"),
    ("Supprimer", "delete"),
    ("Supprimer définitivement", "delete"),
    ("Publier", "publish"),
    ("Se désabonner", "unsubscribe"),
    ("Partager", "share"),
    ("Enviar", "send"),
    ("Enviar mensaje", "send"),
    ("Pagar ahora", "pay"),
    ("Eliminar", "delete"),
    ("Borrar todo", "delete"),
    ("Darse de baja", "unsubscribe"),
    ("Formatear", "format"),
    ("Firmar", "sign"),
    ("Excluir", "delete"),
    ("Finalizar compra", "pay"),
    ("Cancelar assinatura", "unsubscribe"),
    ("Compartilhar", "share"),
    ("Invia", "send"),
    ("Acquista ora", "pay"),
    ("Elimina", "delete"),
    ("Pubblica", "publish"),
    ("Condividi", "share"),
    ("Verzenden", "send"),
    ("Nu kopen", "pay"),
    ("Verwijderen", "delete"),
    ("Bestelling plaatsen", "pay"),
    ("Ondertekenen", "sign"),
    ("Uitschrijven", "unsubscribe"),
    ("Skicka", "send"),
    ("Zapłać", "pay"),
    ("Usuń", "delete"),
    ("Удалить", "delete"),
    ("Отправить", "send"),
    ("送信する", "send"),
    ("削除", "delete"),
    ("立即购买", "pay"),
    ("删除", "delete"),
    ("D\u200belete", "delete"),
    ("Dеlеtе", "delete"),  # Cyrillic е
    ("Ｓｅｎｄ", "send"),
]

HARMLESS = [
    "Don't delete",
    "Don’t send",
    "Do not delete",
    "Cancel",
    "Cancel sending",
    "Keep",
    "No thanks",
    "Undo delete",
    "Never send",
    "Send feedback later",
    "Install later",
    "View order",
    "Order history",
    "Sort order",
    "My orders",
    "Show deleted",
    "Deleted items",
    "Sent",
    "Sender",
    "Next post",
    "Blog post",
    "Read post",
    "How to delete your account",
    "Learn about sending",
    "Share price",
    "Post code",
    "Fast forward",
    "Go forward",
    "Bring forward",
    "Remove filter",
    "Clear formatting",
    "Format painter",
    "Bold",
    "Search",
    "Next",
    "Save draft",
    "OK",
    "Payments",
    "Payment methods",
    "Add to cart",
    "Undelete",
    "Nicht löschen",
    "Löschen abbrechen",
    "Senden abbrechen",
    "Filter entfernen",
    "Gesendet",
    "Ne pas supprimer",
    "Annuler",
    "Supprimer les filtres",
    "No eliminar",
    "Cancelar",
    "Não excluir",
    "Non eliminare",
    "Niet verwijderen",
    "Verzenden annuleren",
    "キャンセル",
    "Firma",
    "Wissen",
    "",
    "   ",
    "🙂",
]


@pytest.mark.parametrize(("text", "meaning"), RISKY)
def test_risky_words_are_understood(text: str, meaning: str) -> None:
    assert meaning in words.commands(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_words_are_left_alone(text: str) -> None:
    assert words.commands(text) == ()


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Are you sure you want to delete this file?", "delete"),
        ("3 files will be permanently removed", "delete"),
        ("This cannot be undone", "delete"),
        ("You will be charged 12 €", "pay"),
        ("Möchten Sie die Datei wirklich löschen?", "delete"),
        ("Voulez-vous supprimer ce fichier ?", "delete"),
        ("La transferencia es de 50 €", "transfer"),
        ("Die Nachricht wird gesendet", "send"),
    ],
)
def test_a_dialog_tells_what_it_is_about(text: str, meaning: str) -> None:
    assert meaning in words.mentions(text)


@pytest.mark.parametrize("text", ["Keep the file?", "Your draft was saved", "Do not delete", "Good morning"])
def test_a_harmless_dialog_speaks_of_nothing_risky(text: str) -> None:
    assert words.mentions(text) == ()


@pytest.mark.parametrize("text", ["OK", "Yes", "Ja", "Oui", "Sí", "Sim", "Sì", "Confirm", "Weiter", "确定"])
def test_words_of_agreement(text: str) -> None:
    assert words.agrees(text)
    assert not words.refuses(text)


@pytest.mark.parametrize("text", ["Cancel", "No", "Nein", "Non", "Annuler", "Cancelar", "Keep", "Not now"])
def test_words_of_refusal(text: str) -> None:
    assert words.refuses(text)
    assert not words.agrees(text)


@pytest.mark.parametrize(
    ("names", "meaning"),
    [
        (("fa fa-trash-o",), "delete"),
        (("btnDelete",), "delete"),
        (("icon-paper-plane",), "send"),
        (("fa-paperplane",), "send"),
        (("🗑️",), "delete"),
        (("/img/trash.svg",), "delete"),
        (("icon_share",), "share"),
    ],
)
def test_icons_are_known_by_their_names(names: tuple[str, ...], meaning: str) -> None:
    assert meaning in words.icon_meanings(*names)


@pytest.mark.parametrize(
    "name", ["fa fa-star", "robin", "bind", "combine", "sender-name", "arrow-left", "resend"]
)
def test_other_icons_mean_nothing_risky(name: str) -> None:
    assert words.icon_meanings(name) == ()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Password", "password"),
        ("Current password", "password"),
        ("cc-number", "card"),
        ("cardNumber", "card"),
        ("Card number", "card"),
        ("CVV", "card"),
        ("IBAN", "card"),
        ("Contraseña", "password"),
        ("Kartennummer", "card"),
        ("Write a message", "message"),
        ("Address and search bar", "address"),
    ],
)
def test_fields_are_known_by_their_names(name: str, kind: str) -> None:
    assert kind in field_kinds(name)


@pytest.mark.parametrize(
    "text",
    [
        "Reject all applications",
        "Decline offer",
        "Deny 14 claims",
        "Alle Bewerber ablehnen",
        "Refuser la candidature",
    ],
)
def test_turning_down_what_somebody_asked_for_is_a_decision(text: str) -> None:
    assert "sign" in words.commands(text)


@pytest.mark.parametrize(
    "text",
    [
        "Reject all",
        "Reject all cookies",
        "Decline",
        "Alle ablehnen",
        "Tout refuser",
        "Dismiss notification",
        "Deny",
    ],
)
def test_cookies_and_notices_are_turned_down_freely(text: str) -> None:
    assert words.commands(text) == ()


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Order history", True),
        ("Reply options", True),
        ("Order history: delete", False),
        ("Payment settings – remove", False),
        ("Order status delete", False),
    ],
)
def test_what_is_done_to_a_thing_is_no_name_of_it(text: str, topic: bool) -> None:
    assert words.is_topic(text) is topic


def test_help_that_is_asked_for_is_a_wish() -> None:
    assert words.commands("Help me delete this") == ("delete",)
    assert words.commands("Help: delete") == ("delete",)
    assert words.commands("Help delete") == ()


def test_a_recipient_field_is_known_by_its_whole_name_only() -> None:
    assert "recipient" in field_kinds("To:")
    assert "recipient" not in field_kinds("What to do")


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for meaning in (*words.commands(text), *words.mentions(text), *words.icon_meanings(text)):
        assert meaning
    assert not (words.agrees(text) and words.refuses(text))


@given(st.sampled_from(RISKY), st.sampled_from(["", " ", "\u200b", "\u00ad", "\ufeff"]))
def test_case_and_invisible_characters_hide_nothing(case: tuple[str, str], noise: str) -> None:
    text, meaning = case
    assert meaning in words.commands(noise + text.upper() + noise)


@pytest.mark.parametrize(
    "name", [". " * 40_000, "send " * 16_000, "not " * 20_000 + "and ", "Löschen·" * 9_000, "删" * 80_000]
)
@pytest.mark.parametrize(
    "judge",
    [words.commands, words.mentions, words.refuses, words.agrees, words.icon_meanings, field_kinds],
)
def test_a_name_of_any_length_is_judged_at_once(judge: Callable[[str], object], name: str) -> None:
    began = time.process_time()
    judge(name)
    assert time.process_time() - began < 1.0


def test_a_long_name_is_judged_by_how_it_begins_and_how_it_ends() -> None:
    filling = "very " * 100
    assert words.commands(f"Delete this {filling} long file") == ("delete",)
    assert words.commands(f"This {filling} long file: delete") == ("delete",)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Don't send and delete", ("delete",)),
        ("Send or don't delete", ("send",)),
        ("View and delete", ("delete",)),
        ("View deleted items", ()),
        ("Löschen abbrechen", ()),
    ],
)
def test_a_conjunction_ends_what_a_negation_speaks_of(name: str, found: tuple[str, ...]) -> None:
    assert words.commands(name) == found


def test_a_whole_name_may_be_a_decision_and_what_closes_a_notice_is_none() -> None:
    assert all(map(words.decides_alone, ("Overrule", "Decline all", "Reject", "Deny", "Alle ablehnen")))
    assert not any(map(words.decides_alone, ("Dismiss", "Reject all cookies", "Continue", "Declined")))


@pytest.mark.parametrize(
    "text", ["This transfers ownership to Eve.", "It discards your draft", "Deleting the album"]
)
def test_a_sentence_has_its_verbs_in_any_form(text: str) -> None:
    assert words.mentions(text)


@pytest.mark.parametrize(
    "text",
    ["Clear all filters", "Delete formatting", "Reset the zoom", "Remove highlights", "Deletion policy"],
)
def test_what_is_only_done_to_a_view_is_harmless(text: str) -> None:
    assert words.is_topic(text, leads=True) or not words.commands(text)


def test_a_stake_is_paid() -> None:
    assert {words.one_word_meaning(one) for one in ("Bet 20", "Tip 5 €", "All in", "Tip $3.50")} == {"pay"}
