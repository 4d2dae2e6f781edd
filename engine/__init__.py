"""The rules of the game and nothing else: pure functions over frozen values, no I/O, clock, randomness or crypto.

Cards are handles (epoch, position) whose faces are unknown until an action shows them, so one engine serves players,
spectators, the verifier, bots and open-card tests. The way in: `new_match`, then `apply` with whatever
`State.pending` asks for. Read `state.py` first, then `slots.py` and `apply.py`.
"""

from .actions import (
    Accept,
    Action,
    Agree,
    Called,
    Caught,
    Challenge,
    Discard,
    Draw,
    EpochReady,
    Heard,
    Input,
    Keep,
    KeysLost,
    KeysReleased,
    NameColour,
    OpenHand,
    Pass,
    PlayCard,
    Quiet,
    RoundVoided,
    SeatAction,
    SeatLeft,
    Seen,
    ShowCards,
    Shown,
    Silent,
    Take,
    TurnUp,
    Verdict,
)
from .apply import apply
from .editions import EDITIONS, ICONS, WILDS, Card, CardKind, Edition
from .encoding import digest, encode
from .errors import IllegalAction, IllegalOptions
from .events import *  # noqa: F403 - every event, listed once there
from .events import __all__ as _events
from .ids import Handle, Seat
from .legal import Known, clock_action, favourite_colour, icons, is_guilty, legal_actions, surplus
from .matching import matches
from .options import Options
from .rounds import new_match
from .state import ChallengeCase, Kind, MatchOver, NeedActions, NeedEpoch, NeedFace, NeedKeys, Pending, State
from .view import View, view

__all__ = [
    "EDITIONS",
    "ICONS",
    "WILDS",
    "Accept",
    "Action",
    "Agree",
    "Called",
    "Card",
    "CardKind",
    "Caught",
    "Challenge",
    "ChallengeCase",
    "Discard",
    "Draw",
    "Edition",
    "EpochReady",
    "Handle",
    "Heard",
    "IllegalAction",
    "IllegalOptions",
    "Input",
    "Keep",
    "KeysLost",
    "KeysReleased",
    "Kind",
    "Known",
    "MatchOver",
    "NameColour",
    "NeedActions",
    "NeedEpoch",
    "NeedFace",
    "NeedKeys",
    "OpenHand",
    "Options",
    "Pass",
    "Pending",
    "PlayCard",
    "Quiet",
    "Seat",
    "RoundVoided",
    "SeatAction",
    "SeatLeft",
    "Seen",
    "ShowCards",
    "Shown",
    "Silent",
    "State",
    "Take",
    "TurnUp",
    "Verdict",
    "View",
    "apply",
    "clock_action",
    "digest",
    "encode",
    "favourite_colour",
    "icons",
    "is_guilty",
    "legal_actions",
    "matches",
    "new_match",
    "surplus",
    "view",
    *_events,
]
