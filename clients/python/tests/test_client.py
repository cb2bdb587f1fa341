"""What the client does when answers do not come, or come twice. Needs no gateway: python -m unittest discover tests"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import time
import unittest
from collections.abc import Callable, Iterable
from typing import Any
from unittest import mock

import httpx

from holdfast_client import ApiError, AsyncHoldfast, Holdfast, InvalidSignature, NoAnswer, WaitTimeout, webhooks

Answer = httpx.Response | Exception
RECEIPT = {"turn_id": "t1", "workflow_id": "turn/t1", "ui_url": None, "events_url": "/v1/turns/t1/events"}


def refusal(status: int, reason: str, *, retryable: bool = False, **headers: str) -> httpx.Response:
    error = {
        "code": "NETWORK_ERROR",
        "kind": "TRANSIENT_ERROR",
        "reason": reason,
        "message": "No.",
        "retryable": retryable,
    }
    body = {"success": False, "status": "error", "error": error, "metadata": {"timestamp": "2026-11-29T00:00:00Z"}}
    return httpx.Response(status, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


class Gateway:
    """Gives these answers, one after the other, and keeps the requests."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self, **settings: Any) -> Holdfast:
        return Holdfast("http://gateway.test/base", token="hft_x", transport=httpx.MockTransport(self), **settings)

    def headers(self, name: str) -> list[str | None]:
        return [request.headers.get(name) for request in self.requests]


class WithPauses(unittest.TestCase):
    def setUp(self) -> None:
        self.pauses: list[float] = []
        pause = mock.patch("time.sleep", self.pauses.append)
        pause.start()
        self.addCleanup(pause.stop)


class Requests(WithPauses):
    def test_is_sent_again_under_the_same_key_until_it_is_taken(self) -> None:
        behind = refusal(503, "worker_behind", retryable=True, retry_after="5")
        lost = httpx.ConnectError("refused")
        gateway = Gateway(lost, httpx.ReadTimeout("late"), behind, httpx.Response(202, json=RECEIPT))
        self.assertEqual(gateway.client().start_turn("payables", "Pay INV-7."), RECEIPT)
        self.assertEqual(self.pauses, [1, 2, 5])
        [key] = set(gateway.headers("idempotency-key"))
        self.assertRegex(key or "", r"^[\x21-\x7e]{1,255}$")
        self.assertEqual({str(request.url) for request in gateway.requests}, {"http://gateway.test/base/v1/turns"})
        self.assertEqual(json.loads(gateway.requests[0].content), {"agent": "payables", "message": "Pay INV-7."})

    def test_each_request_has_a_key_of_its_own_or_the_one_that_was_given(self) -> None:
        gateway = Gateway(*(httpx.Response(202, json=RECEIPT) for _ in range(3)))
        client = gateway.client()
        client.start_turn("payables", "Pay INV-7.")
        client.start_turn("payables", "Pay INV-7.")
        client.start_turn("payables", "Pay INV-7.", key="pay-INV-7")
        self.assertEqual(len(set(gateway.headers("idempotency-key"))), 3)
        self.assertEqual(gateway.headers("idempotency-key")[2], "pay-INV-7")

    def test_a_refusal_that_is_final_is_raised_at_once(self) -> None:
        gateway = Gateway(refusal(409, "key_used", x_request_id="req_1"))
        with self.assertRaises(ApiError) as raised:
            gateway.client().start_turn("payables", "Pay INV-7.", key="pay-INV-7")
        error = raised.exception
        self.assertEqual((error.status, error.reason, error.request_id), (409, "key_used", "req_1"))
        self.assertEqual((len(gateway.requests), self.pauses), (1, []))

    def test_gives_up_after_its_attempts(self) -> None:
        gateway = Gateway(*(httpx.ConnectError("refused") for _ in range(3)))
        with self.assertRaises(NoAnswer) as raised:
            gateway.client(attempts=3).turn("t1")
        self.assertIsInstance(raised.exception.__cause__, httpx.ConnectError)
        self.assertEqual(self.pauses, [1, 2])

    def test_a_completion_is_sent_again_only_if_it_was_not_taken(self) -> None:
        taken = httpx.Response(200, json={"accepted": True})
        gateway = Gateway(refusal(503, "no_worker", retryable=True), taken)
        gateway.client().complete("secret", {"credited_on": "2026-12-03"})
        self.assertEqual(gateway.headers("idempotency-key"), [None, None])
        for failure in (httpx.ReadTimeout("late"), refusal(503, "no_answer_yet", retryable=True)):
            gateway = Gateway(failure)
            with self.assertRaises((NoAnswer, ApiError)):
                gateway.client().complete("secret", {"credited_on": "2026-12-03"})

    def test_the_failure_of_a_tool_is_a_result(self) -> None:
        error = {"code": "NETWORK_ERROR", "reason": "bank_down", "message": "No.", "retryable": True}
        envelope = {"success": False, "status": "error", "error": error, "metadata": {"tool_name": "pay_invoice"}}
        gateway = Gateway(httpx.Response(503, json=envelope))
        self.assertEqual(gateway.client().call_tool("pay_invoice", {"cents": 7}), envelope)

    def test_what_a_proxy_answers_is_no_result(self) -> None:
        page = "<html>Bad gateway</html>"
        gateway = Gateway(httpx.Response(502, text=page), httpx.Response(200, text=page))
        with self.assertRaises(ApiError) as raised:
            gateway.client().turn("t1")
        self.assertEqual((raised.exception.status, raised.exception.reason), (200, "no_envelope"))
        self.assertEqual(len(gateway.requests), 2)

    def test_the_token_follows_no_redirect(self) -> None:
        gateway = Gateway(httpx.Response(302, headers={"location": "http://elsewhere.test/"}))
        with self.assertRaises(ApiError):
            gateway.client().turn("t1")
        self.assertEqual(len(gateway.requests), 1)

    def test_lists_are_read_page_after_page(self) -> None:
        pages = [
            {"turns": [{"turn_id": "t2"}], "next_cursor": "c"},
            {"turns": [{"turn_id": "t1"}], "next_cursor": None},
        ]
        gateway = Gateway(*(httpx.Response(200, json=page) for page in pages))
        self.assertEqual([turn["turn_id"] for turn in gateway.client().turns(state="completed")], ["t2", "t1"])
        self.assertEqual(
            [str(request.url.query, "ascii") for request in gateway.requests],
            ["state=completed", "state=completed&cursor=c"],
        )

    def test_the_slash_of_a_direct_call_is_part_of_its_id(self) -> None:
        gateway = Gateway(httpx.Response(200, json={"state": "completed"}))
        gateway.client().wait("call/k_1")
        self.assertEqual(gateway.requests[0].url.raw_path, b"/base/v1/turns/call%2Fk_1")

    def test_a_wait_ends_at_its_timeout(self) -> None:
        gateway = Gateway(httpx.Response(200, json={"state": "running"}))
        with self.assertRaises(WaitTimeout):
            gateway.client().wait("t1", timeout=0)

    def test_a_wait_whose_looks_fail_ends_at_its_timeout(self) -> None:
        now = [1000.0]
        busy = [refusal(503, "worker_behind", retryable=True, retry_after="600") for _ in range(6)]
        lost = [httpx.ReadTimeout("late") for _ in range(6)]
        for failures in (busy, lost):
            gateway, began = Gateway(*failures), now[0]
            with mock.patch("time.monotonic", lambda: now[0]), mock.patch("time.sleep", lambda s: now.append(now.pop() + s)):
                with self.assertRaisesRegex(WaitTimeout, "could not be seen") as raised:
                    gateway.client(timeout=60).wait("t1", timeout=5)
            self.assertIsInstance(raised.exception.__cause__, (ApiError, NoAnswer))
            self.assertEqual(now[0] - began, 5)
            timeouts = [request.extensions["timeout"]["read"] for request in gateway.requests]
            self.assertEqual((timeouts[0], timeouts[-1]), (5, 1))

    def test_settings_that_cannot_be_sent_are_refused_at_once(self) -> None:
        for url in ("localhost:8480", "gateway.test", "", "http://", "ftp://gateway.test", "http://gateway.test\n"):
            for client in (Holdfast, AsyncHoldfast):
                self.assertRaisesRegex(ValueError, "http://", client, url, token="hft_x")
        for token in ("", "hft_x\n", "hft x", "hft_é"):
            with self.assertRaisesRegex(ValueError, "The token") as raised:
                Holdfast("http://gateway.test", token=token)
            self.assertNotIn("hft", str(raised.exception))
        for key in ("", "pay INV-7", "pay-INV-7\n", "pay-é", "k" * 256):
            gateway = Gateway()
            with self.assertRaisesRegex(ValueError, "The key"):
                gateway.client().start_turn("payables", "Pay INV-7.", key=key)
            self.assertEqual((gateway.requests, self.pauses), ([], []))

    def test_waits_for_a_turn_that_waits_for_others_of_its_session(self) -> None:
        behind = [refusal(409, "not_begun", retry_after="1") for _ in range(3)]
        for wait in ("wait", "wait_for_end"):
            gateway = Gateway(*behind, httpx.Response(200, json={"state": "completed"}))
            self.assertEqual(getattr(gateway.client(), wait)("t1"), {"state": "completed"})
            self.assertEqual(len(gateway.requests), 4)
        with self.assertRaisesRegex(WaitTimeout, "has not begun"):
            Gateway(*behind).client().wait("t1", timeout=0)
        with self.assertRaises(ApiError):
            Gateway(*behind).client().turn("t1")

    def test_does_the_same_without_blocking(self) -> None:
        gateway = Gateway(refusal(409, "not_begun"), httpx.Response(200, json={"state": "completed"}))

        async def state() -> str:
            transport = httpx.MockTransport(gateway)
            async with AsyncHoldfast("http://gateway.test", token="hft_x", transport=transport) as client:
                return (await client.wait("t1", timeout=60))["state"]

        with mock.patch("asyncio.sleep", mock.AsyncMock()):
            self.assertEqual(asyncio.run(state()), "completed")


def event(seq: int, kind: str, *, id: bool = True) -> bytes:
    data = json.dumps({"seq": seq, "type": kind, "durable": id})
    return (f"event: {kind}\n" + (f"id: 1-{seq}-0\n" if id else "") + f"data: {data}\n\n").encode()


class Parts(httpx.SyncByteStream, httpx.AsyncByteStream):
    """What comes over a connection, which ends or breaks then."""

    def __init__(self, parts: Iterable[bytes], end: Exception | None) -> None:
        self.parts = parts
        self.end = end

    def __iter__(self) -> Any:
        yield from self.parts
        if self.end is not None:
            raise self.end

    async def __aiter__(self) -> Any:
        for part in self:
            yield part


def stream(*parts: bytes) -> httpx.Response:
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Parts(parts, None))


def broken(*parts: bytes) -> httpx.Response:
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Parts(parts, httpx.ReadError("reset")))


class Streams(WithPauses):
    def answers(self) -> list[Answer]:
        return [
            broken(
                b"retry: 1000\n\n",
                event(1, "turn_started"),
                event(0, "text_delta", id=False),
                event(2, "step_started")[:30],
            ),
            httpx.ConnectError("refused"),
            refusal(503, "gateway_full", retryable=True, retry_after="3"),
            stream(event(2, "step_started"), b": a gateway that ends\n\n"),
            stream(event(3, "turn_completed")),
            httpx.Response(204),
        ]

    def test_tells_each_durable_event_once_across_broken_connections(self) -> None:
        gateway = Gateway(*self.answers())
        events = gateway.client().events("t1")
        told = [one["type"] for one in events]
        self.assertEqual(told, ["turn_started", "text_delta", "step_started", "turn_completed"])
        self.assertEqual(gateway.headers("last-event-id"), [None, "1-1-0", "1-1-0", "1-1-0", "1-2-0", "1-3-0"])
        self.assertEqual(events.last_event_id, "1-3-0")
        self.assertEqual(self.pauses, [1, 1, 3, 1, 0])

    def test_says_where_it_was_when_its_token_ended(self) -> None:
        over = b": the token has ended; reconnect with a new one\n\n"
        gateway = Gateway(stream(event(1, "turn_started"), over), refusal(401, "no_principal"))
        events = gateway.client().events("t1")
        told = []
        with self.assertRaises(ApiError) as raised:
            for one in events:
                told.append(one["type"])
        self.assertEqual((told, raised.exception.status), (["turn_started"], 401))
        self.assertEqual((gateway.headers("last-event-id"), events.last_event_id), ([None, "1-1-0"], "1-1-0"))
        self.assertEqual(self.pauses, [1])

    def test_goes_on_after_an_id(self) -> None:
        gateway = Gateway(httpx.Response(204))
        self.assertEqual(list(gateway.client().events("t1", after="1-2-0")), [])
        self.assertEqual(gateway.headers("last-event-id"), ["1-2-0"])

    def test_raises_what_will_not_pass(self) -> None:
        with self.assertRaises(ApiError) as raised:
            list(Gateway(refusal(404, "unknown_turn")).client().events("t1"))
        self.assertEqual(raised.exception.reason, "unknown_turn")
        with self.assertRaises(NoAnswer):
            list(Gateway(*(httpx.ConnectError("refused") for _ in range(2))).client(attempts=2).events("t1"))

    def test_a_quiet_turn_uses_up_no_attempts(self) -> None:
        """A gateway that drains ends the stream with a comment; a proxy may cut it at any time."""
        lost = httpx.ConnectError("refused")
        drained = [stream(b"retry: 1000\n\n", b": the gateway is closing\n\n") for _ in range(3)]
        cut = [broken(b"retry: 1000\n\n", b": still here\n\n") for _ in range(3)]
        gateway = Gateway(*drained, lost, *cut, lost, stream(event(1, "turn_completed")), httpx.Response(204))
        self.assertEqual([one["type"] for one in gateway.client(attempts=2).events("t1")], ["turn_completed"])
        self.assertEqual(set(self.pauses), {0, 1})

    def test_connections_that_bring_nothing_are_counted(self) -> None:
        with self.assertRaises(NoAnswer):
            list(Gateway(*(broken() for _ in range(3))).client(attempts=3).events("t1"))
        self.assertEqual(self.pauses, [1, 2])

    def test_connections_that_have_lived_are_not_counted(self) -> None:
        gateway = Gateway(*(broken() for _ in range(3)), httpx.Response(204))
        with mock.patch("holdfast_client._sync.monotonic", iter(range(0, 1000, 10)).__next__):
            self.assertEqual(list(gateway.client(attempts=2).events("t1")), [])

    def test_does_the_same_without_blocking(self) -> None:
        gateway = Gateway(httpx.Response(202, json=RECEIPT), *self.answers())

        async def told() -> list[str]:
            transport = httpx.MockTransport(gateway)
            async with AsyncHoldfast("http://gateway.test", token="hft_x", transport=transport) as client:
                turn = await client.start_turn("payables", "Pay INV-7.")
                return [one["type"] async for one in client.events(turn["turn_id"])]

        with mock.patch("asyncio.sleep", mock.AsyncMock()) as pause:
            self.assertEqual(asyncio.run(told()), ["turn_started", "text_delta", "step_started", "turn_completed"])
        self.assertEqual([call.args[0] for call in pause.await_args_list], [1, 1, 3, 1, 0])


class ManyStreams(unittest.IsolatedAsyncioTestCase):
    """Over real connections: a mock transport has no limits."""

    async def test_do_not_block_other_requests(self) -> None:
        over = asyncio.Event()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            request = await reader.readuntil(b"\r\n\r\n")
            if b"/events " in request:
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
                writer.write(event(1, "turn_started"))
                await writer.drain()
                await over.wait()
            else:
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 19\r\nconnection: close\r\n\r\n" + b'{"state":"running"}')
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1") as server:
            port = server.sockets[0].getsockname()[1]
            async with AsyncHoldfast(f"http://127.0.0.1:{port}", token="hft_x", timeout=10) as client:
                told = asyncio.Semaphore(0)

                async def follow(number: int) -> None:
                    async for _ in client.events(f"t{number}"):
                        told.release()

                following = [asyncio.create_task(follow(number)) for number in range(120)]
                for _ in following:
                    await told.acquire()
                self.assertEqual((await client.turn("t1"))["state"], "running")
                for one in following:
                    one.cancel()
                await asyncio.gather(*following, return_exceptions=True)
                over.set()


class Webhooks(unittest.TestCase):
    KEY = bytes(range(32))
    BODY = b'{"type": "turn.ended"}'

    def headers(self, at: float, key: bytes = KEY) -> dict[str, str]:
        mac = hmac.new(key, f"msg_1.{int(at)}.".encode() + self.BODY, hashlib.sha256).digest()
        signature = "v1,b3RoZXI= v1," + base64.b64encode(mac).decode()
        return {"Webhook-Id": "msg_1", "Webhook-Timestamp": str(int(at)), "Webhook-Signature": signature}

    def verify(self, headers: dict[str, str], body: bytes = BODY) -> dict[str, Any]:
        return webhooks.verify("whsec_" + base64.b64encode(self.KEY).decode(), headers, body)

    def test_takes_what_is_signed(self) -> None:
        self.assertEqual(self.verify(self.headers(time.time())), {"type": "turn.ended"})

    def test_refuses_another_key_an_old_time_another_body_and_none(self) -> None:
        now = time.time()
        attempts: list[Callable[[], object]] = [
            lambda: self.verify(self.headers(now, bytes(32))),
            lambda: self.verify(self.headers(now - 3600)),
            lambda: self.verify(self.headers(now), b'{"type": "turn.began"}'),
            lambda: self.verify({}),
            lambda: self.verify(self.headers(now) | {"Webhook-Timestamp": "²"}),
        ]
        for attempt in attempts:
            self.assertRaises(InvalidSignature, attempt)

    def test_a_time_of_many_digits_is_no_time(self) -> None:
        now = int(time.time())
        for timestamp in ("9" * 400, "9" * 5000, f"000{now}", f"+{now}", f"{now}.0", "²", ""):
            headers = self.headers(now) | {"Webhook-Timestamp": timestamp}
            self.assertRaises(InvalidSignature, self.verify, headers)

    def test_a_secret_that_anybody_can_guess_is_refused(self) -> None:
        short = "whsec_" + base64.b64encode(bytes(23)).decode()
        padding = "whsec_" + "*" * 40
        for secret in ("", "whsec_", "***", "hello", short, padding, f"whsec_{'é' * 40}"):
            with self.assertRaisesRegex(ValueError, "24 random bytes"):
                webhooks.verify(secret, self.headers(time.time(), b""), self.BODY)
        webhooks.verify(
            "whsec_" + base64.b64encode(bytes(24)).decode(), self.headers(time.time(), bytes(24)), self.BODY
        )


if __name__ == "__main__":
    unittest.main()
