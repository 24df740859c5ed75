"""Frames of the WebSocket protocol: what is written can be read, and nothing is read before it is whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gui_agent.eval.cdp_connection import frame, unframed


def served(payload: bytes, *, last: bool = True) -> bytes:
    """A text as a server sends it: without the mask."""
    sent = frame(payload)
    bare = len(sent) - len(payload) - 4
    return bytes((sent[0] if last else sent[0] & 0x7F, sent[1] & 0x7F)) + sent[2:bare] + payload


@given(st.one_of(st.binary(max_size=300), st.sampled_from([65_535, 65_536, 70_000]).map(bytes)))
def test_a_frame_is_read_as_it_was_written(payload: bytes) -> None:
    data = served(payload)
    assert unframed(data + b"more") == (1, True, payload, len(data))


@given(st.sampled_from([0, 1, 125, 126, 200, 65_535, 65_536]), st.data())
def test_a_frame_that_has_not_come_whole_is_waited_for(size: int, data: st.DataObject) -> None:
    whole = served(bytes(size))
    assert unframed(whole[: data.draw(st.integers(0, len(whole) - 1))]) is None


def test_a_part_is_known_not_to_be_the_last() -> None:
    assert unframed(served(b"{", last=False)) == (1, False, b"{", 3)


def test_what_a_client_sends_is_marked_as_masked() -> None:
    assert frame(b"hi", 0xA) == b"\x8a\x82\0\0\0\0hi"
