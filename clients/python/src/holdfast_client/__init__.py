"""A client for the HTTP API of holdfast, a durable engine for agent turns."""

from ._async import AsyncEventStream, AsyncHoldfast
from ._sync import EventStream, Holdfast
from .errors import ApiError, HoldfastError, InvalidSignature, NoAnswer, WaitTimeout

__all__ = [
    "ApiError",
    "AsyncEventStream",
    "AsyncHoldfast",
    "EventStream",
    "Holdfast",
    "HoldfastError",
    "InvalidSignature",
    "NoAnswer",
    "WaitTimeout",
]
