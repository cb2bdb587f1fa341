"""Callbacks of holdfast are Standard Webhooks: each has an id, a time and a signature over both and the body."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

from .errors import InvalidSignature

#: Bytes of a secret's key, at least: a shorter one can be guessed, and that of an empty secret is known to everybody.
SHORTEST_KEY = 24
#: Digits of a time, at most: those of the next 30,000 years.
LONGEST_TIME = 12


def verify(secret: str, headers: Mapping[str, str], body: bytes, *, tolerance: float = 300) -> dict[str, Any]:
    """
    Checks a callback, and gives what it says. It may come twice: `webhook-id` is then the same.

    :param secret: HOLDFAST_CALLBACK_SECRET, `whsec_…`
    :param body: the bytes as they arrived
    :param tolerance: seconds that its time may differ from now: an old one is somebody's who has recorded it
    :raises InvalidSignature:
    :raises ValueError: the secret is none, whatever the callback is
    """
    key = _key_of(secret)
    given = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    digits = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= LONGEST_TIME
    if not digits or abs(time.time() - int(timestamp)) > tolerance:
        raise InvalidSignature("The time of this webhook is missing, or is not now.")
    mac = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    signature = b"v1," + base64.b64encode(mac)
    candidates = given.get("webhook-signature", "").encode().split(b" ")
    if not any(hmac.compare_digest(signature, candidate) for candidate in candidates):
        raise InvalidSignature("This webhook is not signed with the secret.")
    message: dict[str, Any] = json.loads(body)
    return message


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        key = b""
    if len(key) < SHORTEST_KEY:
        raise ValueError(
            "The secret of callbacks must be whsec_ and the base64 of at least 24 random bytes. "
            "Give the gateway's HOLDFAST_CALLBACK_SECRET; without one no callback can be checked."
        )
    return key
