"""Writes 64-bit DLLs without a compiler: functions that Wine lacks, as machine code or handed on."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

BASE, SECTION, ALIGNMENT = 0x180000000, 0x1000, 0x200
RETURN_TRUE = bytes.fromhex("b801000000c3")
COMPLEX = {
    "creal": "f20f1001c3",
    "creall": "f20f1001c3",
    "cimag": "f20f104108c3",
    "cimagl": "f20f104108c3",
    "crealf": "660f6ec1c3",
    "cimagf": "48c1e920660f6ec1c3",
}
"""Parts of complex numbers: a double one comes by reference, a single one in a register."""
MATH, OWN_MATH = b"api-ms-win-crt-math-l1-1-0.dll", b"own-ms-win-crt-math-l1-1-0.dll"


def dll(name: str, code: Mapping[str, bytes], handed_on: Mapping[str, str]) -> bytes:
    """A DLL with these functions.

    Args:
        code: machine code by function.
        handed_on: `library.function` by function.
    """
    functions = sorted({*code, *handed_on})
    count = len(functions)
    addresses, names, ordinals = 40, 40 + 4 * count, 40 + 8 * count
    text, place = bytearray(), {}
    for one in (name, *functions, *handed_on.values()):
        place[one] = SECTION + ordinals + 2 * count + len(text)
        text += one.encode() + b"\0"
    machine, entry = bytearray(), {}
    begin = SECTION + ordinals + 2 * count + len(text)
    for one, body in (*code.items(), ("", RETURN_TRUE)):
        entry[one] = begin + len(machine)
        machine += body.ljust(16, b"\xcc")
    exports = struct.pack(
        "<IIHHIIIIIII",
        *(0, 0, 0, 0, place[name], 1, count, count, SECTION + addresses, SECTION + names, SECTION + ordinals),
    )
    exports += b"".join(struct.pack("<I", entry.get(one) or place[handed_on[one]]) for one in functions)
    exports += b"".join(struct.pack("<I", place[one]) for one in functions)
    exports += b"".join(struct.pack("<H", number) for number in range(count)) + text
    return _image(bytes(exports), bytes(machine), entry[""])


def _image(exports: bytes, machine: bytes, entry: int) -> bytes:
    content = exports + machine
    raw = -(-len(content) // ALIGNMENT) * ALIGNMENT
    whole = SECTION + -(-raw // SECTION) * SECTION
    head = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x80) + bytes(0x40)
    head += b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664, 1, 0, 0, 0, 0xF0, 0x2022)
    head += struct.pack("<HBBIIIII", 0x20B, 14, 0, raw, 0, 0, entry, SECTION)
    head += struct.pack("<QII6H", BASE, SECTION, ALIGNMENT, 6, 0, 0, 0, 6, 0)
    head += struct.pack("<IIIIHH", 0, whole, ALIGNMENT, 0, 2, 0x100)
    head += struct.pack("<4QII", 0x100000, 0x1000, 0x100000, 0x1000, 0, 16)
    head += struct.pack("<II", SECTION, len(exports)) + bytes(15 * 8)
    head += struct.pack("<8sIIII12xI", b".text", len(content), SECTION, raw, ALIGNMENT, 0x60000020)
    return head.ljust(ALIGNMENT, b"\0") + content.ljust(raw, b"\0")


def imported(data: bytes, library: bytes) -> Iterator[str]:
    """What a DLL imports from another one."""
    head = struct.unpack_from("<I", data, 0x3C)[0]
    count, optional = struct.unpack_from("<H12xH", data, head + 6)
    sections = [struct.unpack_from("<4I", data, head + 24 + optional + 40 * i + 8) for i in range(count)]

    def at(address: int) -> int:
        return next(
            raw + address - start
            for size, start, stored, raw in sections
            if start <= address < start + max(size, stored)
        )

    def text(offset: int) -> bytes:
        return data[offset : data.index(b"\0", offset)]

    table = at(struct.unpack_from("<I", data, head + 24 + 112 + 8)[0])
    while (name := struct.unpack_from("<I", data, table + 12)[0]) != 0:
        if text(at(name)) == library:
            thunk = at(struct.unpack_from("<I", data, table)[0])
            while (value := struct.unpack_from("<Q", data, thunk)[0]) != 0:
                yield text(at(value & 0x7FFFFFFF) + 2).decode()
                thunk += 8
        table += 20


def complete_math(modules: Path, system: Path) -> None:
    """Let extension modules that ask for parts of complex numbers import them from a DLL that has them."""
    wanted: set[str] = set()
    for module in modules.rglob("*.pyd"):
        data = module.read_bytes()
        functions = set(imported(data, MATH)) if MATH in data else set()
        if functions & set(COMPLEX):
            wanted |= functions
            module.write_bytes(data.replace(MATH, OWN_MATH))
    code = {one: bytes.fromhex(body) for one, body in COMPLEX.items()}
    others = {one: f"ucrtbase.{one}" for one in wanted - set(COMPLEX)}
    (system / OWN_MATH.decode()).write_bytes(dll(OWN_MATH.decode(), code, others))
