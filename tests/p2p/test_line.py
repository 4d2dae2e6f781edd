"""The secure line: two ends back to back, and somebody in the middle who changes what passes."""

from __future__ import annotations

import pytest
from nodealer.crypto.identity import Identity
from nodealer.p2p import line as line_module
from nodealer.p2p.line import (
    GONE_AFTER,
    MAX_MESSAGE,
    LineError,
    LineGone,
    LineMisuse,
    SecureLine,
)

HANDSHAKE_SIZES = (2 + 32, 2 + 192, 2 + 160)
ALICE = Identity.from_seed(b"a" * 32)
BOB = Identity.from_seed(b"b" * 32)


def pair() -> tuple[SecureLine, SecureLine]:
    """Two fresh ends, nothing exchanged yet."""
    return SecureLine(True, ALICE, 0.0), SecureLine(False, BOB, 0.0)


def established() -> tuple[SecureLine, SecureLine]:
    """Two ends after the handshake."""
    alice, bob = pair()
    bob.receive(alice.data_to_send(), 0.0)
    alice.receive(bob.data_to_send(), 0.0)
    bob.receive(alice.data_to_send(), 0.0)
    assert alice.established
    assert bob.established
    return alice, bob


def flipped(data: bytes, place: int, bit: int = 0) -> bytes:
    changed = bytearray(data)
    changed[place] ^= 1 << bit
    return bytes(changed)


def test_handshake_tells_both_who_the_other_is() -> None:
    alice, bob = established()
    assert alice.remote_key == BOB.public
    assert bob.remote_key == ALICE.public
    assert alice.handshake_hash == bob.handshake_hash
    assert alice.handshake_hash is not None
    assert len(alice.handshake_hash) == 32


def test_handshake_has_exactly_the_documented_sizes() -> None:
    alice, bob = pair()
    first = alice.data_to_send()
    bob.receive(first, 0.0)
    second = bob.data_to_send()
    alice.receive(second, 0.0)
    third = alice.data_to_send()
    assert (len(first), len(second), len(third)) == HANDSHAKE_SIZES


def test_two_handshakes_have_different_hashes() -> None:
    assert established()[0].handshake_hash != established()[0].handshake_hash


@pytest.mark.parametrize("size", [0, 1, 1000, MAX_MESSAGE])
def test_messages_arrive_whole(size: int) -> None:
    alice, bob = established()
    alice.send(b"x" * size, 0.0)
    alice.send(b"next", 0.0)
    assert bob.receive(alice.data_to_send(), 0.0) == [b"x" * size, b"next"]
    bob.send(b"back", 0.0)
    assert alice.receive(bob.data_to_send(), 0.0) == [b"back"]


def test_everything_may_arrive_byte_by_byte() -> None:
    alice, bob = pair()
    for sender, receiver in ((alice, bob), (bob, alice), (alice, bob)):
        for byte in sender.data_to_send():
            assert receiver.receive(bytes((byte,)), 0.0) == []
    alice.send(b"slow", 0.0)
    arrived = [message for byte in alice.data_to_send() for message in bob.receive(bytes((byte,)), 0.0)]
    assert arrived == [b"slow"]


def test_last_handshake_message_and_first_frames_may_arrive_together() -> None:
    alice, bob = pair()
    bob.receive(alice.data_to_send(), 0.0)
    alice.receive(bob.data_to_send(), 0.0)
    alice.send(b"one", 0.0)
    alice.send(b"two", 0.0)
    assert bob.receive(alice.data_to_send(), 0.0) == [b"one", b"two"]


@pytest.mark.parametrize("bit", [0, 7])
@pytest.mark.parametrize("message", [0, 1, 2])
def test_a_change_of_any_handshake_byte_is_noticed(message: int, bit: int) -> None:
    for place in range(HANDSHAKE_SIZES[message]):
        alice, bob = pair()
        ends = [(alice, bob), (bob, alice), (alice, bob)]

        def run(ends: list[tuple[SecureLine, SecureLine]] = ends, place: int = place) -> None:
            for number, (sender, receiver) in enumerate(ends):
                data = sender.data_to_send()
                receiver.receive(flipped(data, place, bit) if number == message else data, 0.0)

        with pytest.raises(LineError):
            run()
        assert not bob.established


def test_a_change_of_any_frame_byte_is_noticed() -> None:
    alice, bob = established()
    alice.send(b"the card is red 7", 0.0)
    frame = alice.data_to_send()
    for place in range(len(frame)):
        alice, bob = established()
        alice.send(b"the card is red 7", 0.0)
        changed = flipped(alice.data_to_send(), place)
        if place < 2 and changed[:2] > frame[:2]:
            # A length that grew leaves the reader waiting for more: the next frame, or its clock, ends that.
            assert bob.receive(changed, 0.0) == []
            changed = bytes(300)
        with pytest.raises(LineError):
            bob.receive(changed, 0.0)
        assert bob.closed is not None


def test_an_identity_without_its_signature_is_refused() -> None:
    class Impostor:
        public = Identity.from_seed(b"c" * 32).public

        def sign(self, label: str, message: bytes) -> bytes:
            return ALICE.sign(label, message)

    liar = SecureLine(True, Impostor(), 0.0)  # type: ignore[arg-type]
    bob = SecureLine(False, BOB, 0.0)
    bob.receive(liar.data_to_send(), 0.0)
    liar.receive(bob.data_to_send(), 0.0)
    with pytest.raises(LineError) as caught:
        bob.receive(liar.data_to_send(), 0.0)
    assert caught.value.check == "identity signature"
    assert bob.remote_key is None
    assert not bob.established


def test_a_signature_over_another_static_key_is_refused() -> None:
    class Replayer:
        """Has a true signature of Bob's, over the static key of another line."""

        public = BOB.public

        def sign(self, label: str, message: bytes) -> bytes:
            return BOB.sign(label, b"\x01" * 32)

    alice = SecureLine(True, ALICE, 0.0)
    replayer = SecureLine(False, Replayer(), 0.0)  # type: ignore[arg-type]
    replayer.receive(alice.data_to_send(), 0.0)
    with pytest.raises(LineError) as caught:
        alice.receive(replayer.data_to_send(), 0.0)
    assert caught.value.check == "identity signature"


def test_a_signature_with_another_label_is_refused() -> None:
    class Confused:
        public = BOB.public

        def sign(self, label: str, message: bytes) -> bytes:
            return BOB.sign("something else", message)

    alice = SecureLine(True, ALICE, 0.0)
    confused = SecureLine(False, Confused(), 0.0)  # type: ignore[arg-type]
    confused.receive(alice.data_to_send(), 0.0)
    with pytest.raises(LineError):
        alice.receive(confused.data_to_send(), 0.0)


def test_ones_own_identity_is_refused() -> None:
    dialler, listener = SecureLine(True, ALICE, 0.0), SecureLine(False, ALICE, 0.0)
    listener.receive(dialler.data_to_send(), 0.0)
    with pytest.raises(LineError) as caught:
        dialler.receive(listener.data_to_send(), 0.0)
    assert caught.value.check == "own key"


def test_another_protocol_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    alice = SecureLine(True, ALICE, 0.0)
    monkeypatch.setattr(line_module, "PROLOGUE", b"nodealer/2")
    bob = SecureLine(False, BOB, 0.0)
    bob.receive(alice.data_to_send(), 0.0)
    with pytest.raises(LineError):
        alice.receive(bob.data_to_send(), 0.0)


@pytest.mark.parametrize("point", [bytes(32), b"\x01" + bytes(31), b"\xec" + b"\xff" * 30 + b"\x7f"])
def test_a_point_of_low_order_is_refused(point: bytes) -> None:
    _, bob = pair()
    with pytest.raises(LineError) as caught:
        bob.receive(b"\x00\x20" + point, 0.0)
    assert caught.value.check == "handshake"


@pytest.mark.parametrize(
    "garbage", [b"GET / HTTP/1.1\r\n", b"\x00\x00", b"\x00\x21", b"\xff\xff", b"SSH-2.0-x", b"\x00\xc0" + bytes(192)]
)
def test_garbage_is_refused_on_its_first_two_bytes(garbage: bytes) -> None:
    _, bob = pair()
    with pytest.raises(LineError) as caught:
        bob.receive(garbage[:2], 0.0)
    assert caught.value.check == "handshake length"


@pytest.mark.parametrize("length", [0, 1, 16, 1 + MAX_MESSAGE + 16 + 1, 0xFFFF])
def test_a_frame_of_a_forbidden_length_is_refused_before_it_is_read(length: int) -> None:
    _, bob = established()
    with pytest.raises(LineError) as caught:
        bob.receive(length.to_bytes(2, "big"), 0.0)
    assert caught.value.check == "frame length"


def test_an_unfinished_frame_gives_nothing() -> None:
    alice, bob = established()
    alice.send(b"almost", 0.0)
    frame = alice.data_to_send()
    assert bob.receive(frame[:-1], 0.0) == []
    assert bob.receive(frame[-1:], 0.0) == [b"almost"]


def test_a_repeated_frame_is_refused() -> None:
    alice, bob = established()
    alice.send(b"once", 0.0)
    frame = alice.data_to_send()
    bob.receive(frame, 0.0)
    with pytest.raises(LineError) as caught:
        bob.receive(frame, 0.0)
    assert caught.value.check == "frame tag"


def test_swapped_and_lost_frames_are_refused() -> None:
    alice, bob = established()
    alice.send(b"one", 0.0)
    alice.data_to_send()
    alice.send(b"two", 0.0)
    with pytest.raises(LineError):
        bob.receive(alice.data_to_send(), 0.0)


def test_a_frame_sent_back_to_its_writer_is_refused() -> None:
    alice, _ = established()
    alice.send(b"mirror", 0.0)
    with pytest.raises(LineError):
        alice.receive(alice.data_to_send(), 0.0)


@pytest.mark.parametrize("plain", [b"\x00x", b"\x02", b"\xff..."])
def test_an_unknown_kind_is_refused(plain: bytes) -> None:
    alice, bob = established()
    alice._seal(plain[0], plain[1:])
    with pytest.raises(LineError) as caught:
        bob.receive(alice.data_to_send(), 0.0)
    assert caught.value.check == "frame kind"


def test_a_closed_line_stays_closed() -> None:
    alice, bob = established()
    with pytest.raises(LineError) as first:
        bob.receive(b"\xff\xff", 0.0)
    alice.send(b"too late", 0.0)
    with pytest.raises(LineError) as second:
        bob.receive(alice.data_to_send(), 0.0)
    assert second.value is first.value
    with pytest.raises(LineError):
        bob.tick(1.0)
    with pytest.raises(LineMisuse):
        bob.send(b"", 1.0)
    assert bob.next_deadline() is None
    assert bob.data_to_send() == b""


def test_too_long_and_too_early_messages_are_ones_own_mistake() -> None:
    alice, _ = pair()
    with pytest.raises(LineMisuse):
        alice.send(b"early", 0.0)
    alice, bob = established()
    with pytest.raises(LineMisuse):
        alice.send(b"x" * (MAX_MESSAGE + 1), 0.0)
    alice.send(b"the line still works", 0.0)
    assert bob.receive(alice.data_to_send(), 0.0) == [b"the line still works"]


def test_pings_keep_an_idle_line_alive() -> None:
    alice, bob = established()
    now = 0.0
    for _ in range(30):
        deadlines = [line.next_deadline() for line in (alice, bob)]
        now = min(deadline for deadline in deadlines if deadline is not None)
        alice.tick(now)
        bob.tick(now)
        assert bob.receive(alice.data_to_send(), now) == []
        assert alice.receive(bob.data_to_send(), now) == []
    assert now > 5 * GONE_AFTER


def test_no_ping_while_there_is_traffic() -> None:
    alice, bob = established()
    for tenth in range(1, 50):
        bob.send(b"", tenth / 10)
        alice.receive(bob.data_to_send(), tenth / 10)
        alice.send(b"busy", tenth / 10)
        alice.data_to_send()
        alice.tick(tenth / 10)
        assert alice.data_to_send() == b""


def test_silence_ends_the_line_after_four_seconds() -> None:
    alice, _ = established()
    moments: list[float] = []

    def wait() -> None:
        while (deadline := alice.next_deadline()) is not None and len(moments) < 20:
            moments.append(deadline)
            alice.tick(deadline)

    with pytest.raises(LineGone):
        wait()
    assert moments[-1] == pytest.approx(GONE_AFTER)


def test_an_own_sleep_does_not_count_as_silence() -> None:
    alice, bob = established()
    alice.tick(3600.0)
    bob.tick(3600.0)
    alice.receive(bob.data_to_send(), 3600.0)
    for second in range(4):
        alice.tick(3600.0 + second * 0.9)
    assert alice.closed is None


def test_bytes_that_complete_no_frame_are_silence() -> None:
    alice, bob = established()
    alice.send(b"x" * 1000, 0.0)
    frame = alice.data_to_send()

    def dribble() -> None:
        for place, byte in enumerate(frame[:100]):
            bob.receive(bytes((byte,)), place / 10)
            bob.tick(place / 10)

    with pytest.raises(LineGone):
        dribble()


def test_a_handshake_must_end_in_time() -> None:
    """The first message comes just before silence ends the line, the third never."""
    alice, bob = pair()

    def linger() -> None:
        for tenth in range(100):
            if tenth == 35:
                bob.receive(alice.data_to_send(), tenth / 10)
            bob.tick(tenth / 10)

    with pytest.raises(LineGone) as caught:
        linger()
    assert caught.value.check == "handshake time"
