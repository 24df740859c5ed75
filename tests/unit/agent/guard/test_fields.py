"""What a field is for is known by its names in many languages, by identifiers and by its hint."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gui_agent.agent.guard.fields import field_kind, field_kinds
from gui_agent.core.observation import Effects
from gui_agent.testing import field, screen

SECRET = (
    "TAN, mTAN, smsTan, pushTAN, pwd, txtPwd, user_pwd1, userPass, psw, "
    "PASSWD1, Passwоrd, Secret access key, Client "
    "secret, Access token, Recovery key, Mnemonic, Wallet seed, Security "
    "answer, otp-1, Enter the 6-digit code, Code from SMS, Codice di "
    "sicurezza, Código de seguridad, Código de segurança, Code de sécurité, "
    "Kod bezpieczeństwa, Код безопасности, Güvenlik kodu, Clé secrète, Chiave "
    "privata, Geheimer Schlüssel, Кодовое слово, Heslo, Jelszó, Κωδικός "
    "πρόσβασης, รหัสผ่าน, पासवर्ड, סיסמה, 暗証番号, 验证码"
)
CARD = (
    "CVC2, cvv2, card_cvv2, ccnum, ccNum, cc_exp_month, acctNum, Card #, "
    "MM/YY, mm / aa, MM-JJ, кк/рр, Name on card, Valid thru, Gültig bis, "
    "Karteninhaber, Numer rachunku, Номер счёта, 口座番号, セキュリティコード, 安全码, 보안 코드, "
    "1234 5678 9012 3456, 0000 0000 0000 0000, •••• •••• •••• ••••, Routing "
    "no., Kartenprüfnummer"
)
NEITHER = (
    "PIN code, Promo code, Country code, Zip code, Source code, Voucher, Booking code, Phone "
    "number, 10-digit mobile number, Tracking number, Order number, Recovery email, Max tokens, "
    "Compass, Passport, Passenger, Boarding pass, Titan, Keyword, palabra clave, DD/MM/YY, "
    "TT.MM.JJ, dd.mm.yyyy, HH:MM, Note, Search, Quantity, Business card, Address, Answer, Key, "
    "----, __/__/____, Scadenza, Data, Footprint, Spinach"
)


@pytest.mark.parametrize("name", SECRET.split(", "))
def test_a_secret_is_known_by_its_name(name: str) -> None:
    assert "password" in field_kinds(name)


@pytest.mark.parametrize("name", CARD.split(", "))
def test_payment_details_are_known_by_their_name(name: str) -> None:
    assert "card" in field_kinds(name)


@pytest.mark.parametrize("name", NEITHER.split(", "))
def test_everyday_fields_are_neither(name: str) -> None:
    assert {"password", "card"}.isdisjoint(field_kinds(name))


@pytest.mark.parametrize("hint", ["••••", "●●●●●●", "* * * *", "****"])
def test_dots_for_letters_are_a_secret(hint: str) -> None:
    assert "password" in field_kinds("", hint=hint)


def test_a_field_is_not_made_harmless_by_what_it_says_of_filling_in() -> None:
    lying = replace(field("Password"), does=Effects(fill="name"))
    assert field_kind(lying, screen(lying)) == "password"
    postal = replace(field("PIN code"), does=Effects(fill="postal-code"))
    assert field_kind(postal, screen(postal)) == ""


def test_a_field_that_shows_no_letters_is_a_secret() -> None:
    plain = replace(field("Code"), does=Effects(conceals=True))
    assert field_kind(plain, screen(plain)) == "password"
