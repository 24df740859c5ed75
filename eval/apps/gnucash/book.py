"""Reads a GnuCash book, `book.py FILE`, or changes it, `book.py FILE account WORDS` and the like."""

import sys
import uuid
from xml.etree import ElementTree

NAMES = {
    name: f"http://www.gnucash.org/XML/{name}"
    for name in ["gnc", "act", "trn", "split", "slot", "ts", "cmdty", "addr", "cust", "book", "cd"]
}


def q(name: str) -> str:
    space, _, rest = name.partition(":")
    return f"{{{NAMES[space]}}}{rest}"


def text(element, way: str) -> str:
    for step in way.split("/"):
        element = element.find(q(step)) if element is not None else None
    return (element.text or "").strip() if element is not None else ""


def slot(account, key: str) -> str:
    for one in account.iter("slot"):
        if text(one, "slot:key") == key:
            return text(one, "slot:value")
    return ""


def show(book) -> None:
    accounts = {text(one, "act:id"): one for one in book.iter(q("gnc:account"))}
    name = {key: text(one, "act:name") for key, one in accounts.items()}
    for one in accounts.values():
        parent = name.get(text(one, "act:parent"), "")
        facts = (text(one, "act:description"), slot(one, "placeholder"), slot(one, "notes"))
        print("account", parent, text(one, "act:name"), *facts, sep="|")
    for one in book.iter(q("gnc:transaction")):
        splits = sorted(
            f"{name[text(part, 'split:account')]}={text(part, 'split:value')}"
            for part in one.iter(q("trn:split"))
        )
        print("transaction", text(one, "trn:description"), *splits, sep="|")
    for one in book.iter(q("gnc:GncCustomer")):
        address = "cust:addr/addr:"
        facts = (text(one, address + word) for word in ("name", "addr1", "phone"))
        print("customer", text(one, "cust:name"), *facts, sep="|")


def put(parent, name: str, value: str = "", **facts: str):
    made = ElementTree.SubElement(parent, q(name) if ":" in name else name, facts)
    made.text = value
    return made


def change(book, deed: str, words: list[str]) -> None:
    top = next(book.iter(q("gnc:book")))
    accounts = {text(one, "act:name"): one for one in book.iter(q("gnc:account"))}
    if deed == "account":
        made = put(top, "gnc:account")
        put(made, "act:name", words[0])
        put(made, "act:id", uuid.uuid4().hex)
        put(made, "act:description", words[1])
        put(made, "act:parent", text(accounts["Expenses"], "act:id"))
    elif deed == "rename":
        accounts[words[0]].find(q("act:name")).text = words[1]
        put(accounts[words[0]], "act:description", words[2])
    elif deed == "delete":
        top.remove(accounts[words[0]])
    elif deed == "placeholder":
        slots = put(accounts[words[0]], "act:slots")
        for key, value in (("placeholder", "true"), ("notes", words[1])):
            one = put(slots, "slot")
            put(one, "slot:key", key)
            put(one, "slot:value", value)
    elif deed == "transfer":
        made = put(top, "gnc:transaction")
        put(made, "trn:description", words[0])
        splits = put(made, "trn:splits")
        for account, value in ((words[1], "-" + words[3]), (words[2], words[3])):
            one = put(splits, "trn:split")
            put(one, "split:value", value)
            put(one, "split:account", text(accounts[account], "act:id"))
    elif deed == "forget":
        for one in list(top.iter(q("gnc:transaction"))):
            if text(one, "trn:description") == words[0]:
                top.remove(one)
    elif deed == "customer":
        made = put(top, "gnc:GncCustomer")
        put(made, "cust:name", words[0])
        address = put(made, "cust:addr")
        for key, value in zip(("name", "addr1", "phone"), words[1:], strict=True):
            put(address, f"addr:{key}", value)


book = ElementTree.parse(sys.argv[1])
if len(sys.argv) == 2:
    show(book.getroot())
else:
    change(book.getroot(), sys.argv[2], sys.argv[3:])
    book.write(sys.argv[1], encoding="utf-8")
