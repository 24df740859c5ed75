"""What a request means is read from its method, address, body and the sites that it goes from and to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gui_agent.agent.guard import _requests as requests
from gui_agent.agent.guard._requests import SentRequest
from gui_agent.agent.guard.hosts import is_same_site
from gui_agent.core.protocols import Outgoing

PAGE = "https://app.example.org"


def sent(method: str, path: str, body: Any = "", kind: str = "Fetch") -> SentRequest:
    text = body if isinstance(body, str) else json.dumps(body)
    return SentRequest.from_request(Outgoing(method, PAGE + path, text, kind))


def verdict(one: SentRequest) -> str:
    """Its meanings in a fixed order, and whether it only reads."""
    return " ".join([*sorted(one.meanings()), *["light"] * one.is_light])


MADE = {
    "pay": "order checkout payment purchase charge donation booking reservation bid trade pledge",
    "transfer": "transfer withdrawal payout remittance",
    "send": "message mail email sms fax letter dm",
    "publish": "post tweet toot comment review publication",
    "share": "share invitation member collaborator permission role acl",
}
ACTS = {
    "pay": "topup",
    "delete": "deletion",
    "unsubscribe": "cancel cancellation leave",
    "sign": "signature accept reject decline",
    "share": "recovery recovery-email forwarding",
}
NAMING_AN_ACT = (
    "action act op operation operationName method methodName cmd command do intent function submit button"
    " eventTarget __EVENTARGUMENT"
)
FIELDS: dict[str, list[tuple[str, Any]]] = {
    "pay": [
        *((name, "4111") for name in ("cardNumber", "ccnumber", "pan", "cvc", "cvv")),
        *(("items", {name: 9, "items": [1]}) for name in ("amount", "total", "sum", "grandTotal", "price")),
        *((name, [{"price": 9}]) for name in ("lines", "products", "items")),
    ],
    "transfer": [
        (name, {"amount": 9, name: "NO93"})
        for name in ["iban", "payee", "beneficiary", "toAccount", "creditor", "wallet", "toAddress"]
    ],
    "send": [
        *((name, {name: "eve", "text": "hi"}) for name in ["to", "cc", "bcc", "recipient", "sendTo"]),
        *((name, {name: "hi", "to": "eve"}) for name in ["message", "body", "content", "subject"]),
    ],
    "submit-credentials": [
        (name, "hunter22") for name in ["password", "passwd", "pwd", "passphrase", "newPassword", "otp"]
    ],
    "share": [
        *((name, "admin") for name in ["role", "permission", "accessLevel"]),
        *((name, True) for name in ["isAdmin", "admin", "superuser", "is_superuser"]),
        *((name, "eve") for name in ["owner", "forwardTo", "recoveryEmail"]),
        *((name, False) for name in ["twoFactor", "mfa", "mfaEnabled"]),
    ],
    "publish": [
        *((name, True) for name in ["public", "isPublic", "published"]),
        *((name, "everyone") for name in ["visibility", "audience"]),
    ],
    "delete": [
        ("deleted", True),
        *(
            (name, "delete_it")
            for name in ["action", "act", "op", "operation", "operationName", "method", "methodName"]
        ),
        *((name, "delete_it") for name in ["cmd", "command", "do", "intent", "function", "submit", "button"]),
        *((name, "delete_it") for name in ["eventTarget", "__EVENTARGUMENT"]),
    ],
}
LIGHT = (
    "get search find filter query lookup list count suggest preview validate check quote estimate rate"
    " detail history status view track log collect envelope event metric beacon stat ping heartbeat poll"
    " report consent"
)
CASES: list[tuple[SentRequest, str]] = [
    *(
        (sent("POST", f"/my/{word}" + "s" * (len(word) > 3)), meaning)
        for meaning, made in MADE.items()
        for word in made.split()
    ),
    *((sent("PUT", f"/things/7/{word}"), meaning) for meaning, acts in ACTS.items() for word in acts.split()),
    *(
        (sent("PATCH", "/thing", value if isinstance(value, dict) else {name: value}), meaning)
        for meaning, fields in FIELDS.items()
        for name, value in fields
    ),
    *((sent("POST", f"/things/{word}", {"a": 1}), "light") for word in LIGHT.split()),
    *((sent("POST", f"/{word}", {"to": "eve", "text": "hi"}), "") for word in ("drafts", "autosave")),
    (sent("POST", "/comments", {"pending": 1}), ""),
    *((sent("PUT", f"/{word}", {"items": [1], "total": 9}), "") for word in ("cart", "basket", "wishlist")),
    *((sent("DELETE", f"/{word}s/7"), "") for word in ("like", "favorite", "bookmark", "star")),
    (sent("DELETE", "/watches/7"), ""),
]
CASES += [(sent("POST", f"/graphql/hide{word}"), "") for word in ("Fax", "Tweet", "Transfer", "Share")]
CASES.append((sent("POST", "/bids"), "pay"))
CODES = [(name, "DROP TABLE users") for name in ("sql", "code", "script")]


@pytest.mark.parametrize(("one", "expected"), CASES, ids=lambda one: getattr(one, "template", None))
def test_a_request_means_what_its_words_say(one: SentRequest, expected: str) -> None:
    assert verdict(one) == expected


@pytest.mark.parametrize(("name", "value"), CODES)
def test_code_that_nobody_typed_is_known(name: str, value: str) -> None:
    one = sent("POST", "/console", {name: value})
    assert one.has_code(()) and not one.has_code(["drop table users"])


def test_each_word_is_held_by_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [
        (part, word) for part in ("made", "acts", "light", "holds") for word in requests._word_kinds(part)
    ]
    known, idle = requests._word_kinds, []
    for part, word in words:
        less = {one: kind for one, kind in known(part).items() if one != word}
        with monkeypatch.context() as patch:
            patch.setattr(
                requests, "_word_kinds", lambda of, part=part, less=less: less if of == part else known(of)
            )
            fresh = [SentRequest.from_request(one.request) for one, _ in CASES]
            changed = any(verdict(one) != was for one, (_, was) in zip(fresh, CASES, strict=True))
            coded = all(sent("POST", "/console", {name: said}).has_code(()) for name, said in CODES)
            priced = "9 EUR" in sent("POST", "/x", {"total": 9, "currency": "EUR"}).describe("pay")
        idle += [f"{part}: {word}"] * (not changed and coded and priced)
    assert " ".join(idle) == ""
    assert len(words) <= 200


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("query A { k } mutation B { deleteNote(id: 7) { id } }", True),
        (",,mutation { x: deleteNote(id: [1, {a: 2}]) @include(if: true) { id } }", True),
        ('\ufeff# query\nmutation X { deleteNote(text: "} {") { id } }', True),
        ("fragment F on M { deleteNote } mutation { ...F }", True),
        ("mutation { ... on M { deleteNote { id } } }", True),
        ("mutation { keep { deleteNote } }", False),
        ("{ deleteNote }", False),
        ('query A { k(text: "mutation { deleteNote }") }', False),
    ],
)
def test_a_graphql_document_does_what_its_operations_call(body: str, called: bool) -> None:
    one = sent("POST", "/graphql", {"query": body})
    assert ("delete" in one.meanings()) == called and one.is_light == body.lstrip(",").startswith(
        ("{", "query A { k(")
    )


@pytest.mark.parametrize(
    "body",
    [
        {"a": {"b": [{"action": "delete"}]}},
        "payload=" + '{"action": "delete"}',
        ")]}'\n" + '{"action": "delete"}',
        '\ufeff{"action": "delete"}',
        'for(;;);{"action": "delete"}',
        "--B\r\nContent-Disposition: form-data; name=action\r\n\r\ndelete\r\n--B--",
        '--B\r\nContent-Disposition: form-data; name="a"; filename="delete"\r\n\r\n0\r\n--B--\r\n',
        "<?xml version='1.0'?><methodCall><methodName>notes.delete</methodName></methodCall>",
        "<s:Envelope xmlns:s='u'><s:Body><DeleteNote><id>7</id></DeleteNote></s:Body></s:Envelope>",
        [{"jsonrpc": "2.0", "method": "ping"}, {"jsonrpc": "2.0", "method": "notes.delete"}],
        {"fill": "a" * 200_000, "action": "delete"},
        '{"action": "delete", "action": "view"}',
        '{"n": ' + "1" * 5_000 + ', "action": "delete"}',
        '{"event": 1}\n{"action": "delete"}',
        "a=1\r\naction=delete\r\n",
        "&&action=delete",
        "preamble\r\n--B\r\nContent-Disposition: form-data; name=action\r\n\r\ndelete\r\n--B--",
        {**{f"k{n}": n for n in range(221)}, "action": "delete"},
    ],
)
def test_an_act_is_found_wherever_a_body_holds_it(body: Any) -> None:
    if isinstance(body, str) and "filename" in body:
        assert sent("POST", "/x", body).fields == (("a", "delete"),)
    else:
        assert "delete" in sent("POST", "/x", body).meanings()


@pytest.mark.parametrize(
    "body",
    [
        '{"words": ' * 40 + "1" + "}" * 40,
        "words=" + "a" * 2_000_001,
        '{"words": 1',
        "<words>",
        '{"words": [' + "1," * 5_000 + "1]}",
    ],
)
def test_what_cannot_be_read_whole_is_neither_light_nor_readable(body: str) -> None:
    one = sent("POST", "/things/list", body)
    assert not one.is_light and not one.is_readable and one.changes


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (sent("POST", "/posts/7/like"), ""),
        (sent("POST", "/graphql/hidePost"), ""),
        (sent("POST", "/graphql/PostDetail"), "light"),
        (sent("POST", "/orders/search"), "light"),
        (sent("POST", "/sessions/7/cancel"), "unsubscribe"),
        (sent("POST", "/search/index/purge"), "delete"),
        (sent("POST", "/drafts/7/send"), "send"),
        (sent("POST", "/pay2now"), "pay"),
        (sent("POST", "/v1.NoteService/DeleteNote"), "delete"),
        (sent("POST", "/notes/7", "_method=delete"), "delete"),
        (sent("POST", "/notes/7", "_method=post"), ""),
        (sent("POST", "/mail", "_action=send&_draft=1"), ""),
        (sent("DELETE", "/lists/7"), "delete light"),
        (sent("GET", "/delete.php?id=7"), "delete"),
        (sent("GET", "/index.php?action=delete"), "delete"),
        (sent("GET", "/notes/delete/7/now"), "delete"),
        (sent("GET", "/list/unsubscribe.aspx"), "unsubscribe"),
        (sent("GET", "/delete-your-account-step-by-step"), ""),
        (sent("GET", "/orders"), ""),
        (sent("POST", "/labels", {"add": ["A"], "remove": []}), ""),
        (sent("PUT", "/boards/7", {"pin": True}), ""),
    ],
    ids=lambda one: getattr(one, "template", None),
)
def test_the_last_word_decides_and_names_of_views_do_nothing(one: SentRequest, expected: str) -> None:
    assert verdict(one) == expected


@pytest.mark.parametrize(
    ("url", "page", "same"),
    [
        ("https://api.example.org/x", "https://www.example.org/", True),
        ("https://shop.co.uk/", "https://shop.co.uk/", True),
        ("https://evil.co.uk/", "https://shop.co.uk/", False),
        ("https://eve.github.io/", "https://ada.github.io/", False),
        ("https://evil.com.au/", "https://shop.com.au/", False),
        ("http://127.0.0.1:9999/", "http://127.0.0.1:9500/", False),
        ("http://10.0.0.1/", "http://192.0.0.1/", False),
        ("http://example.org/", "https://example.org/", False),
        ("https://example.org/", "http://example.org/", True),
        ("https://example.org/", "file:///a.html", False),
        ("http://a.shop.localhost:81/", "http://b.shop.localhost:81/", True),
    ],
)
def test_a_site_is_what_one_owner_registers(url: str, page: str, same: bool) -> None:
    assert is_same_site(url, page) == same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("/hb1", "/pay2now", False), ("/notes/7", "/notes/8", True), ("/s1/t1", "/s1/delete9", False)],
)
def test_requests_are_alike_if_only_numbers_differ(one: str, other: str, same: bool) -> None:
    assert (sent("POST", one).template == sent("POST", other).template) == same
