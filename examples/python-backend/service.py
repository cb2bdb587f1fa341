"""A service that pays invoices through an agent. It can start a payment; a person approves it, with a token of their own."""

import json
import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from holdfast_client import ApiError, Holdfast, InvalidSignature, NoAnswer, webhooks

PORT = int(os.environ["PORT"])
SECRET = os.environ["HOLDFAST_CALLBACK_SECRET"]
engine = Holdfast(os.environ["HOLDFAST"], token=os.environ["STARTER"])
seen = set()  # in a service of yours: a table, written together with what the message causes


def pay(invoice, cents):
    """The same invoice is the same turn, however often it is asked for."""
    message = f"Pay {cents} cents for {invoice}."
    callback = f"http://localhost:{PORT}/holdfast"
    turn = engine.start_turn("payables", message, key=f"pay-{invoice}", callback_url=callback)
    return {"turn": turn["turn_id"]}


def show(invoice):
    """How it stands, and what a person has to decide: `call` is what an approval names."""
    view = engine.turn(f"pay-{invoice}")
    waiting = [{"call": call["digest"], "will_happen": call["card"].get("will_happen")} for call in view["waiting"]]
    return {"state": view["state"], "waiting": waiting}


def approve(invoice, call, token):
    """In the person's name: the token is theirs, and the service keeps it no longer than this."""
    with Holdfast(os.environ["HOLDFAST"], token=token) as person:
        turn = engine.turn(f"pay-{invoice}")["turn_id"]  # a key is its principal's own; an id is everybody's
        return {"approved_by": person.approve(turn, call)["by"]}


def called_back(message_id, message):
    """Where a service tells people that something waits for them, or that it is done."""
    if message_id not in seen:
        seen.add(message_id)
        print(message["type"], message["turn"]["state"], flush=True)


class Service(BaseHTTPRequestHandler):
    def do_GET(self):
        match self.path.split("/"):
            case ["", "invoices", invoice]:
                self.answer(lambda: show(invoice))
            case _:
                self.send(404, {"error": "not_found"})

    def do_POST(self):
        length = self.headers.get("content-length", "0")
        if not re.fullmatch("[0-9]{1,5}", length):  # at most 100 kB
            return self.send(413, {"error": "too_large"})
        body = self.rfile.read(int(length))
        match self.path.split("/"):
            case ["", "invoices"]:
                self.answer(lambda: pay(**json.loads(body)))
            case ["", "invoices", invoice, "approval"]:
                token = self.headers.get("authorization", "").removeprefix("Bearer ")
                self.answer(lambda: approve(invoice, json.loads(body)["call"], token))
            case ["", "holdfast"]:
                self.answer(lambda: called_back(self.headers["webhook-id"], self.verify(body)))
            case _:
                self.send(404, {"error": "not_found"})

    def verify(self, body):
        return webhooks.verify(SECRET, self.headers, body)

    def answer(self, act):
        try:
            self.send(200, act())
        except ApiError as error:
            self.send(error.status, {"error": error.reason, "message": error.message})
        except NoAnswer as error:
            self.send(502, {"error": "no_answer", "message": str(error)})
        except InvalidSignature as error:
            self.send(401, {"error": "invalid_signature", "message": str(error)})
        except (ValueError, KeyError, TypeError) as error:
            self.send(400, {"error": "bad_request", "message": str(error)})

    def send(self, status, body):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("localhost", PORT), Service)
    print(f"listens on http://localhost:{PORT}", flush=True)
    server.serve_forever()
