"""The client of the HTTP API."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Mapping
from time import monotonic
from types import TracebackType
from typing import Any, Literal, Self

import httpx
from httpx_sse import aconnect_sse

from ._requests import (
    ENDED,
    STREAM_LIVED,
    STREAM_PAUSE,
    STREAM_SILENCE,
    WAITS_FOR_PERSON,
    Polling,
    address,
    answer_of,
    check_key,
    check_settings,
    error_of,
    fields,
    may_repeat,
    pause_before,
)
from .errors import ApiError, NoAnswer
from .types import (
    AnswerReceipt,
    CallReceipt,
    DecisionReceipt,
    Envelope,
    FileReceipt,
    Message,
    MessageReceipt,
    PendingTurn,
    SessionView,
    SteeringReceipt,
    TurnEvent,
    TurnReceipt,
    TurnSummary,
    TurnView,
)


class AsyncHoldfast:
    """
    Sends requests to a gateway, in the name of one principal.

    A request is sent again if no answer came, or if the answer says that it may succeed later. It counts once all the same:
    each has an idempotency key. With a `key` of your own, such as `pay-INV-7`, that is so even if your program crashes and
    begins anew.

    :param url: of the gateway, such as `http://localhost:8480`
    :param token: of the principal, whose roles say what it may do
    :param attempts: how often a request is sent at most
    :param timeout: seconds until an answer must be there
    :param transport: of httpx, for a proxy or for certificates of your own
    :raises ValueError: this is no address, or no token
    """

    def __init__(
        self,
        url: str,
        *,
        token: str,
        attempts: int = 6,
        timeout: float = 60,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        check_settings(url, token)
        self._attempts = attempts
        # Redirects are errors: the token goes to `url`, and nowhere else.
        self._http = httpx.AsyncClient(
            base_url=url,
            headers={"authorization": f"Bearer {token}"},
            timeout=timeout,
            follow_redirects=False,
            # Each stream keeps its connection until the turn has ended: behind a limit everything else would wait.
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
            transport=transport,
        )

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # Turns

    async def start_turn(
        self,
        agent: str,
        message: Message,
        *,
        key: str | None = None,
        session_id: str | None = None,
        callback_url: str | None = None,
    ) -> TurnReceipt:
        """Answers at once; the turn goes on by itself. The same `key` with the same request is the same turn."""
        body = fields(agent=agent, message=message, session_id=session_id, callback_url=callback_url)
        receipt: TurnReceipt = await self.request("POST", "/v1/turns", body=body, key=key)
        return receipt

    async def turn(self, turn_id: str) -> TurnView:
        """How a turn stands. In place of its id you can give the key that it was started with."""
        view: TurnView = await self.request("GET", address("v1", "turns", turn_id))
        return view

    def turns(self, *, state: str | None = None, agent: str | None = None) -> AsyncIterator[TurnSummary]:
        """All that the principal may see, the newest first."""
        return self._entries("/v1/turns", "turns", fields(state=state, agent=agent))

    async def wait(self, turn_id: str, *, timeout: float | None = None) -> TurnView:
        """
        Waits until a turn waits for a person (`waiting` has the calls, with their cards), or has ended.

        :param timeout: seconds; failures of the network are repeated no longer either
        :raises WaitTimeout:
        """
        return await self._wait(turn_id, WAITS_FOR_PERSON | ENDED, timeout)

    async def wait_for_end(self, turn_id: str, *, timeout: float | None = None) -> TurnView:
        """
        Waits until a turn has ended, however long people take.

        :param timeout: as that of `wait`
        :raises WaitTimeout:
        """
        return await self._wait(turn_id, ENDED, timeout)

    def events(self, turn_id: str, *, after: str | None = None) -> AsyncEventStream:
        """
        Follows a turn until it has ended: each durable event once, across broken connections.

        :param after: the `last_event_id` of an earlier stream, to go on where that ended
        """
        return AsyncEventStream(self._http, address("v1", "turns", turn_id, "events"), after, self._attempts)

    async def steer(self, turn_id: str, text: str, *, key: str | None = None) -> SteeringReceipt:
        """Says something to the model of a running turn."""
        path = address("v1", "turns", turn_id, "steer")
        receipt: SteeringReceipt = await self.request("POST", path, body={"text": text}, key=key)
        return receipt

    async def cancel(self, turn_id: str) -> None:
        """Cancels the running tools first, then the turn. Returns before both have ended."""
        await self.request("POST", address("v1", "turns", turn_id, "cancel"))

    # People

    def pending(self) -> AsyncIterator[PendingTurn]:
        """The turns in which a call waits for a person."""
        return self._entries("/v1/pending", "turns", {})

    async def approve(
        self,
        turn_id: str,
        call: str,
        *,
        note: str | None = None,
        on_behalf_of: str | None = None,
    ) -> DecisionReceipt:
        """
        Lets a call run.

        :param call: its digest: the exact call that the person has seen
        :param on_behalf_of: for whom the principal decides, as a deputy
        """
        return await self._decide(turn_id, decision="approve", call=call, note=note, on_behalf_of=on_behalf_of)

    async def deny(self, turn_id: str, call: str, *, note: str | None = None) -> DecisionReceipt:
        """Refuses a call. The model reads the note."""
        return await self._decide(turn_id, decision="deny", call=call, note=note)

    async def settle(
        self, turn_id: str, call: str, outcome: Literal["applied", "not_applied"], *, note: str | None = None
    ) -> DecisionReceipt:
        """Says what a call in doubt has done."""
        return await self._decide(turn_id, decision="settle", call=call, outcome=outcome, note=note)

    async def answer(self, turn_id: str, call: str, value: Any, *, note: str | None = None) -> AnswerReceipt:
        """Answers a question of the model."""
        path = address("v1", "turns", turn_id, "answers")
        receipt: AnswerReceipt = await self.request("POST", path, body=fields(call=call, note=note) | {"value": value})
        return receipt

    # Tools

    async def call_tool(
        self, name: str, input: Mapping[str, Any], *, agent: str | None = None, key: str | None = None
    ) -> Envelope | CallReceipt:
        """
        Calls one tool without a model. A tool that fails gives an envelope too (`success` is false).

        :returns: the envelope; or a receipt with a `call_id`, if the call waits for a person or takes longer
        """
        body = fields(input=input, agent=agent)
        answer: Envelope | CallReceipt = await self.request("POST", address("tools", name), body=body, key=key)
        return answer

    async def complete(self, token: str, result: Any) -> None:
        """Ends a call that is pending. It counts once: a second one is refused with the reason `not_accepted`."""
        await self._send("POST", address("v1", "completions", token), body={"result": result})

    async def complete_with_error(self, token: str, error: str) -> None:
        """Ends a call that is pending: its work was not done, and nothing has happened."""
        await self._send("POST", address("v1", "completions", token), body={"error": error})

    # Sessions and files

    async def open_session(
        self, agent: str, *, title: str | None = None, message: Message | None = None, key: str | None = None
    ) -> SessionView:
        """Begins a conversation."""
        body = fields(agent=agent, title=title, message=message)
        view: SessionView = await self.request("POST", "/v1/sessions", body=body, key=key)
        return view

    async def session(self, session_id: str) -> SessionView:
        view: SessionView = await self.request("GET", address("v1", "sessions", session_id))
        return view

    async def send_message(
        self, session_id: str, message: Message, *, callback_url: str | None = None, key: str | None = None
    ) -> MessageReceipt:
        """Says something in a session: a turn of its own, after those that wait."""
        path = address("v1", "sessions", session_id, "messages")
        body = fields(message=message, callback_url=callback_url)
        receipt: MessageReceipt = await self.request("POST", path, body=body, key=key)
        return receipt

    async def close_session(self, session_id: str) -> None:
        """What was taken is run; nothing more is."""
        await self.request("POST", address("v1", "sessions", session_id, "close"))

    async def put_file(self, content: bytes, name: str) -> FileReceipt:
        """Stores an image, a PDF or a text. What it gives can be a part of a message."""
        # The same file again has the same name: it needs no key.
        receipt: FileReceipt = await self._send(
            "POST", "/v1/files", query={"name": name}, content=content, counts_once=True
        )
        return receipt

    # Any route

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        key: str | None = None,
    ) -> Any:
        """
        Sends a request to any route of the gateway's `/docs` that answers with JSON.

        :raises ApiError: the gateway has refused it
        :raises NoAnswer: none came
        :raises ValueError: the key cannot be sent
        """
        if key is not None:
            check_key(key)
        if method == "POST" and key is None:
            key = str(uuid.uuid4())
        return await self._send(method, path, query=query, body=body, key=key, counts_once=True)

    async def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content: bytes | None = None,
        key: str | None = None,
        counts_once: bool = False,
        polling: Polling | None = None,
    ) -> Any:
        headers = fields(**{"idempotency-key": key})
        if content is not None:
            headers["content-type"] = "application/octet-stream"
        attempt = 0
        while True:
            attempt += 1
            failure: ApiError | NoAnswer
            timeout = self._http.timeout if polling is None else polling.within(self._http.timeout)
            try:
                response = await self._http.request(
                    method, path, params=query, json=body, content=content, headers=headers, timeout=timeout
                )
                return answer_of(response)
            except ApiError as error:
                failure = error
            except httpx.TransportError as error:
                failure = NoAnswer(f"{method} {path} got no answer: {error!r}")
                failure.__cause__ = error
            if attempt >= self._attempts or not may_repeat(failure, counts_once):
                raise failure
            pause = pause_before(attempt, failure)
            await asyncio.sleep(pause if polling is None else polling.at_most(pause, failure))

    async def _decide(self, turn_id: str, **decision: str | None) -> DecisionReceipt:
        path = address("v1", "turns", turn_id, "decisions")
        receipt: DecisionReceipt = await self.request("POST", path, body=fields(**decision))
        return receipt

    async def _wait(self, turn_id: str, states: set[str], timeout: float | None) -> TurnView:
        polling = Polling(turn_id, timeout)
        while True:
            try:
                path = address("v1", "turns", turn_id)
                view: TurnView = await self._send("GET", path, counts_once=True, polling=polling)
                if view["state"] in states:
                    return view
                standing = f"is {view['state']}"
            except ApiError as error:
                if error.reason != "not_begun":  # it waits for earlier turns of its session
                    raise
                standing = "has not begun"
            await asyncio.sleep(polling.pause(standing))

    async def _entries(self, path: str, name: str, query: Mapping[str, Any]) -> AsyncIterator[Any]:
        """All entries of a list, page after page."""
        cursor: str | None = None
        while True:
            page = await self.request("GET", path, query={**query, **fields(cursor=cursor)})
            for entry in page[name]:
                yield entry
            cursor = page["next_cursor"]
            if cursor is None:
                return


class AsyncEventStream:
    """The events of a turn. `last_event_id` is the position of the last durable one that was read."""

    def __init__(self, http: httpx.AsyncClient, path: str, after: str | None, attempts: int) -> None:
        self._http = http
        self._path = path
        self._attempts = attempts
        self.last_event_id = after

    async def __aiter__(self) -> AsyncIterator[TurnEvent]:
        #: Connections in a row that have brought nothing.
        attempt = 0
        while True:
            attempt += 1
            pause = STREAM_PAUSE
            failure: ApiError | NoAnswer | None = None
            headers = fields(**{"last-event-id": self.last_event_id})
            began = monotonic()
            try:
                async with aconnect_sse(
                    self._http, "GET", self._path, headers=headers, timeout=STREAM_SILENCE
                ) as source:
                    if source.response.status_code == 204:  # it has ended, and all has been told
                        return
                    if source.response.status_code != 200:
                        await source.response.aread()
                        raise error_of(source.response)
                    try:
                        async for message in source.aiter_sse():
                            if message.data == "":  # it only says how long to wait before a reconnection
                                continue
                            self.last_event_id = message.id or self.last_event_id
                            event: TurnEvent = json.loads(message.data)
                            if event["type"] == "turn_completed":
                                pause = 0  # the gateway will say so with a 204
                            yield event
                    finally:
                        # A quiet turn has no events for hours: comments, and time without a fault, say that all is well.
                        if source.response.num_bytes_downloaded > 0 or monotonic() - began >= STREAM_LIVED:
                            attempt = 0
            except ApiError as error:
                failure = error
            except httpx.TransportError as error:
                failure = NoAnswer(f"GET {self._path} broke off: {error!r}")
                failure.__cause__ = error
            if failure is not None:
                if attempt >= self._attempts or not may_repeat(failure, counts_once=True):
                    raise failure
                pause = pause_before(max(attempt, 1), failure)
            await asyncio.sleep(pause)
