"""What both clients do with a request that does not touch the network."""

from __future__ import annotations

import re
import time
from typing import Any
from urllib.parse import quote

import httpx

from .errors import NOT_TAKEN, ApiError, NoAnswer, WaitTimeout

#: States of a turn that has ended, and of one that waits for a person.
ENDED = {"completed", "refused", "cancelled", "failed", "limit"}
WAITS_FOR_PERSON = {"awaiting_approval", "awaiting_answer", "in_doubt"}

LONGEST_PAUSE = 30.0
#: The gateway sends a comment every 15 s: a stream that is silent for longer is dead.
STREAM_SILENCE = 40.0
#: A connection of a stream that has lived this long was a good one, even if it has brought nothing.
STREAM_LIVED = 5.0
#: How long to wait before a stream is opened again, as the gateway asks (`retry:`).
STREAM_PAUSE = 1.0


#: The last look of a wait may take this long, even if its time is up.
LAST_LOOK = 1.0

VISIBLE = re.compile(r"[\x21-\x7e]+")


def check_settings(url: str, token: str) -> None:
    try:
        parsed = httpx.URL(url)
        known = parsed.scheme in ("http", "https") and parsed.host != ""
    except httpx.InvalidURL:
        known = False
    if not known:
        raise ValueError(f"{url!r} is not the URL of a gateway: it begins with http:// or https://, and names a host.")
    if not VISIBLE.fullmatch(token):
        raise ValueError("The token is empty, or has a space, a line break or a character beyond ASCII in it.")


def check_key(key: str) -> None:
    if not VISIBLE.fullmatch(key) or len(key) > 255:
        raise ValueError(f"The key must be 1 to 255 visible ASCII characters, without spaces: {key!r}.")


def address(*parts: str) -> str:
    """A path of these parts. The slash in the id of a direct call is part of the id."""
    return "/" + "/".join(quote(part, safe="") for part in parts)


def fields(**values: Any) -> dict[str, Any]:
    """Those that are given."""
    return {name: value for name, value in values.items() if value is not None}


def answer_of(response: httpx.Response) -> Any:
    """The JSON of an answer. A tool that has failed has a result like any other: its envelope names the tool."""
    try:
        answer = response.json()
        if response.is_success or "tool_name" in answer["metadata"]:
            return answer
    except (ValueError, KeyError, TypeError):
        pass
    raise error_of(response)


def error_of(response: httpx.Response) -> ApiError:
    return ApiError.of(response.status_code, response.headers, response.content)


def may_repeat(failure: ApiError | NoAnswer, counts_once: bool) -> bool:
    if isinstance(failure, NoAnswer):
        return counts_once
    return failure.retryable and (counts_once or failure.reason in NOT_TAKEN)


def pause_before(attempt: int, failure: ApiError | NoAnswer | None = None) -> float:
    """As long as the gateway asks for; else 1, 2, 4… s."""
    if isinstance(failure, ApiError) and failure.retry_after is not None:
        return failure.retry_after
    return min(2.0 ** (attempt - 1), LONGEST_PAUSE)


class Polling:
    """The pauses between two looks at a turn: short at first. After the deadline there is none."""

    def __init__(self, turn_id: str, timeout: float | None) -> None:
        self._turn_id = turn_id
        self._timeout = timeout
        self._end = None if timeout is None else time.monotonic() + timeout
        self._pause = 0.1

    def pause(self, standing: str) -> float:
        self._pause = min(self._pause * 1.5, 2.0)
        return self.at_most(self._pause, standing)

    def at_most(self, pause: float, standing: str | ApiError | NoAnswer) -> float:
        """This pause, or what is left; `standing` says how the turn stands, or why nobody knows."""
        if self._end is None:
            return pause
        left = self._end - time.monotonic()
        if left > 0:
            return min(pause, left)
        after = f"After {self._timeout} s the turn {self._turn_id}"
        if isinstance(standing, str):
            raise WaitTimeout(f"{after} {standing}.")
        raise WaitTimeout(f"{after} could not be seen: {standing}") from standing

    def within(self, timeout: httpx.Timeout) -> httpx.Timeout:
        """These timeouts of a look, none longer than what is left."""
        if self._end is None:
            return timeout
        left = max(self._end - time.monotonic(), LAST_LOOK)
        return httpx.Timeout(**{name: min(left, given or left) for name, given in timeout.as_dict().items()})
