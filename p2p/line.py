"""The secure line between two peers: bytes of a stream in and out, whole authentic messages in and out.

Theory of operation. A line lives on one reliable byte stream (TCP; this module has no socket and no clock, time is
given in). Everything on the stream is a *frame*: u16be length, then that many bytes. The first three frames are the
Noise handshake ``Noise_XX_25519_ChaChaPoly_SHA256`` (Noise revision 34, section 7.5), with the prologue below::

    initiator -> e                           32 bytes
    responder -> e, ee, s, es + payload     192 bytes
    initiator -> s, se        + payload     160 bytes

The payload is the sender's Ed25519 identity key (32 bytes) and its signature (64 bytes) over its Noise static key, as
libp2p does. The static key is fresh for every line: only the identity lasts. All three sizes are exact, so a longer or
shorter handshake is refused on its length alone; what will ever change changes the prologue.

After the handshake each frame is one Noise transport message. Its plaintext is a kind byte and a body: ``PING`` has no
body, ``DATA`` carries one message of the layer above. Noise counts the frames, so a frame that is dropped, doubled,
moved or changed does not decrypt, and the line ends there: there is no second try.

States: *handshake* (until both identities are known), *established*, *closed* (a LineError was raised; every later call
raises it again). The other side is *gone* when no authentic frame came for GONE_AFTER seconds in which this program
was awake; each side sends a ping when it has sent nothing for PING_EVERY seconds.
"""

from __future__ import annotations

from cryptography.exceptions import InvalidTag
from nodealer.crypto.errors import CryptoError
from nodealer.crypto.identity import Identity, verify
from noise.connection import NoiseConnection  # type: ignore[import-untyped]
from noise.exceptions import (  # type: ignore[import-untyped]
    NoiseHandshakeError,
    NoiseInvalidMessage,
    NoiseMaxNonceError,
    NoiseValueError,
)

NOISE_NAME = b"Noise_XX_25519_ChaChaPoly_SHA256"
PROLOGUE = b"nodealer/1"
SIGNATURE_LABEL = "line static key"

MAX_MESSAGE = 60_000
"""Longest message of the layer above, in bytes; the rest of the 65535 that Noise allows is room for headers."""

PING_EVERY = 1.0
"""Seconds without an own frame after which a ping goes out."""

GONE_AFTER = 4.0
"""Seconds without an authentic frame after which the other side counts as gone."""

HANDSHAKE_WITHIN = 5.0
"""Seconds that the whole handshake may take, however busily the other side dribbles bytes."""

_TAG = 16
_KEY = 32
_PAYLOAD = 32 + 64
_FIRST = _KEY
_SECOND = _KEY + _KEY + _TAG + _PAYLOAD + _TAG
_THIRD = _KEY + _TAG + _PAYLOAD + _TAG
_MIN_FRAME = 1 + _TAG
_MAX_FRAME = 1 + MAX_MESSAGE + _TAG

_PING = 0
_DATA = 1

_NOISE_FAULTS = (InvalidTag, ValueError, NoiseValueError, NoiseHandshakeError, NoiseInvalidMessage, NoiseMaxNonceError)


class LineError(Exception):
    """The line is over; the text is a sentence that says why. ``check`` is the short name of what failed."""

    def __init__(self, check: str, sentence: str) -> None:
        super().__init__(sentence)
        self.check = check


class LineGone(LineError):
    """Nothing authentic came from the other side for too long."""


class LineMisuse(Exception):
    """This program asked the line for what it cannot do; nothing was sent and the line is as it was."""


class SecureLine:
    """One end of a line. ``now`` is in seconds of any clock that only goes forward.

    ``remote_key`` is the other side's Ed25519 identity and ``handshake_hash`` the 32 bytes that name this one
    handshake (the same on both ends, for binding anything to the line); both are None until ``established``.
    ``frames`` counts what came in, pings and handshake included.
    """

    def __init__(self, initiator: bool, identity: Identity, now: float) -> None:
        self._initiator = initiator
        self._identity = identity
        self._input = bytearray()
        self._output = bytearray()
        self._error: LineError | None = None
        self._last_tick = now
        self._last_sent = now
        self._silence = 0.0
        self._handshake_age = 0.0
        self.frames = 0
        self.established = False
        self.remote_key: bytes | None = None
        self.handshake_hash: bytes | None = None

        self._noise = NoiseConnection.from_name(NOISE_NAME)
        self._noise.set_prologue(PROLOGUE)
        static = self._noise.noise_protocol.dh_fn.generate_keypair()
        self._static_public: bytes = static.public_bytes
        self._noise.noise_protocol.keypairs["s"] = static
        if initiator:
            self._noise.set_as_initiator()
        else:
            self._noise.set_as_responder()
        self._awaited = _SECOND if initiator else _FIRST
        self._noise.start_handshake()
        # The library deletes its handshake state, and with it the other side's static key, inside the very call that
        # reads the last handshake message: whoever wants to check that key must hold the state from before.
        self._handshake = self._noise.noise_protocol.handshake_state
        if initiator:
            self._put(bytes(self._noise.write_message(b"")))

    @property
    def closed(self) -> LineError | None:
        """Why the line is over, or None while it is not."""
        return self._error

    def receive(self, data: bytes, now: float) -> list[bytes]:
        """Takes bytes of the stream; returns the whole messages that they complete, in order.

        Raises LineError on anything wrong. Messages that came before the fault in the same bytes are lost with the
        line: what counts is sent again on the next one. Keeps at most one unfinished frame.
        """
        self._check_open()
        self._input += data
        messages: list[bytes] = []
        start = 0
        while len(self._input) - start >= 2:
            length = int.from_bytes(self._input[start : start + 2], "big")
            self._check_length(length)
            end = start + 2 + length
            if len(self._input) < end:
                break
            frame = bytes(self._input[start + 2 : end])
            start = end
            self.frames += 1
            if self.established:
                message = self._open(frame)
                if message is not None:
                    messages.append(message)
            else:
                self._shake(frame)
            self._silence = 0.0
            self._last_tick = now
        del self._input[:start]
        return messages

    def send(self, message: bytes, now: float) -> None:
        """Queues one message of 0 to MAX_MESSAGE bytes. Raises LineMisuse if it is longer or the line is not up."""
        if self._error is not None or not self.established:
            raise LineMisuse("A message was given to a line that is not established.")
        if len(message) > MAX_MESSAGE:
            raise LineMisuse(f"A message of {len(message)} bytes is longer than a line carries ({MAX_MESSAGE}).")
        self._seal(_DATA, message)
        self._last_sent = now

    def data_to_send(self) -> bytes:
        """Takes what is to be written to the stream now."""
        data = bytes(self._output)
        self._output.clear()
        return data

    def tick(self, now: float) -> None:
        """Lets time pass: queues a ping when one is due. Raises LineGone when the other side is gone."""
        self._check_open()
        # A step longer than a ping's time means that this program slept or was busy, and what the other side sent
        # meanwhile is still unread: it counts as one ping's time only.
        step = min(max(now - self._last_tick, 0.0), PING_EVERY)
        self._last_tick = now
        self._silence += step
        if not self.established:
            self._handshake_age += step
            if self._handshake_age >= HANDSHAKE_WITHIN:
                raise self._fail(LineGone("handshake time", "The other side did not finish the handshake in time."))
        if self._silence >= GONE_AFTER:
            raise self._fail(LineGone("silence", f"Nothing was heard from the other side for {GONE_AFTER:.0f} s."))
        if self.established and now - self._last_sent >= PING_EVERY:
            self._seal(_PING, b"")
            self._last_sent = now

    def next_deadline(self) -> float | None:
        """When ``tick`` wants to be called at the latest; None once the line is over."""
        if self._error is not None:
            return None
        deadline = min(self._last_tick + PING_EVERY, self._last_tick + GONE_AFTER - self._silence)
        if self.established:
            return min(deadline, self._last_sent + PING_EVERY)
        return min(deadline, self._last_tick + HANDSHAKE_WITHIN - self._handshake_age)

    # Handshake

    def _shake(self, frame: bytes) -> None:
        try:
            payload = bytes(self._noise.read_message(frame))
            if self._awaited == _FIRST:
                self._answer()
                return
            remote_key = self._check_introduction(payload, bytes(self._handshake.rs.public_bytes))
            if self._initiator:
                self._answer()
        except _NOISE_FAULTS as fault:
            # Answering can fail by the other side's doing too: an ephemeral key of low order.
            raise self._fail(LineError("handshake", "The handshake of the other side does not verify.")) from fault
        self.handshake_hash = bytes(self._noise.get_handshake_hash())
        self._handshake = None
        self.remote_key = remote_key
        self.established = True

    def _answer(self) -> None:
        introduction = self._identity.public + self._identity.sign(SIGNATURE_LABEL, self._static_public)
        self._put(bytes(self._noise.write_message(introduction)))
        self._awaited = _THIRD

    def _check_introduction(self, payload: bytes, static: bytes) -> bytes:
        key, signature = payload[:32], payload[32:]
        if key == self._identity.public:
            raise self._fail(LineError("own key", "The other side has this program's own identity."))
        try:
            verify(key, SIGNATURE_LABEL, static, signature)
        except (CryptoError, ValueError) as fault:
            raise self._fail(
                LineError("identity signature", "The other side did not prove the identity that it claims.")
            ) from fault
        return key

    # Frames

    def _check_length(self, length: int) -> None:
        """Refuses a frame on its length alone, before its bytes are waited for or kept."""
        if self.established:
            if not _MIN_FRAME <= length <= _MAX_FRAME:
                raise self._fail(LineError("frame length", f"A frame of {length} bytes is not allowed."))
            return
        if length != self._awaited:
            raise self._fail(
                LineError("handshake length", "The other side does not speak this version of the protocol.")
            )

    def _open(self, frame: bytes) -> bytes | None:
        try:
            plain = bytes(self._noise.decrypt(frame))
        except _NOISE_FAULTS as fault:
            raise self._fail(LineError("frame tag", "A frame was changed, lost or repeated on the way.")) from fault
        if plain[0] == _DATA:
            return plain[1:]
        if plain[0] == _PING and len(plain) == 1:
            return None
        raise self._fail(LineError("frame kind", "The other side sent a frame of an unknown kind."))

    def _seal(self, kind: int, body: bytes) -> None:
        self._put(bytes(self._noise.encrypt(bytes((kind,)) + body)))

    def _put(self, frame: bytes) -> None:
        self._output += len(frame).to_bytes(2, "big") + frame

    def _check_open(self) -> None:
        if self._error is not None:
            raise self._error

    def _fail(self, error: LineError) -> LineError:
        self._error = error
        self._input.clear()
        self._output.clear()
        return error
