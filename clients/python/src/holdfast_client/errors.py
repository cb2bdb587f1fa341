"""What goes wrong: a refusal of the gateway, an answer that never came, or a wait that was too short."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .types import ErrorDetail

#: Refusals that say that the request was not taken, and will not be taken later.
NOT_TAKEN = {"too_many_requests", "workers_behind", "no_worker", "worker_behind"}


class HoldfastError(Exception):
    """All errors of this package are of this class."""


class ApiError(HoldfastError):
    """The gateway has refused a request. `reason` is for programs, `message` and `hint` are for people."""

    def __init__(
        self, status: int, error: Mapping[str, Any], *, retry_after: float | None, request_id: str | None
    ) -> None:
        super().__init__(f"{status} {error['reason']}: {error['message']} {error.get('hint') or ''}".strip())
        self.status = status
        self.code: str = error["code"]
        self.reason: str = error["reason"]
        self.message: str = error["message"]
        self.hint: str | None = error.get("hint")
        #: Which fields of the request do not fit.
        self.details: list[ErrorDetail] = error.get("details") or []
        #: Whether the same request may succeed later.
        self.retryable: bool = error.get("retryable", False)
        #: Seconds.
        self.retry_after = retry_after
        #: As the gateway's log has it.
        self.request_id = request_id

    @classmethod
    def of(cls, status: int, headers: Mapping[str, str], content: bytes) -> ApiError:
        try:
            error = json.loads(content)["error"]
            error["code"], error["reason"], error["message"]
        except (ValueError, KeyError, TypeError):
            # A proxy has answered, or the address is not a gateway's.
            message = f"The answer is not one of holdfast: {content[:200].decode(errors='replace')!r}"
            error = {
                "code": "NETWORK_ERROR",
                "reason": "no_envelope",
                "message": message,
                "retryable": status in (502, 503, 504),
            }
        retry_after = headers.get("retry-after", "")
        return cls(
            status,
            error,
            retry_after=float(retry_after) if retry_after.isascii() and retry_after.isdigit() else None,
            request_id=headers.get("x-request-id"),
        )


class NoAnswer(HoldfastError):
    """
    No answer came, and nobody knows whether the request counted. Send it again under the same `key`, and it counts once.
    Its `__cause__` says what happened to the connection.
    """


class WaitTimeout(HoldfastError, TimeoutError):
    """The turn goes on, and can be waited for again."""


class InvalidSignature(HoldfastError):
    """This webhook was not sent by holdfast, or not now."""
