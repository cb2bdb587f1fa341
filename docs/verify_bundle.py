#!/usr/bin/env python3
"""Verifies an audit bundle offline; written from docs/bundle-format.md alone: S1, H1, B7 … are the rules of that page.

python3 verify_bundle.py BUNDLE --trust FILE      (Python 3.11, and the package `cryptography`)
"""
import argparse, base64, hashlib, json, sys, unicodedata
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from types import SimpleNamespace
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

LONGEST_LINE, DEEPEST, CLOCKS, EPOCH = 128 * 2**20, 200, 60_000, datetime(1970, 1, 1, tzinfo=timezone.utc)
MALFORMED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, InvalidSignature)
REST, IDS = "part block effect turn_end", ("turn_id", "workflow_id", "first_execution_run_id")
NEXT = {None: "bundle", "bundle": "object turn end", "object": "object turn end", "turn": "run " + REST, "block": REST,
        "run": "run event " + REST, "event": "run event " + REST, "part": REST, "effect": "part effect turn_end",
        "turn_end": "turn end", "end": ""}
IN_DIGEST = ("revision", "tool", "version", "class", "input_hash", "preview_ref", "policy_ref")
OUTCOME = {"runCall": "r", "settleEffect": "r", "inspectEffect": "r.outcome", "reconcileEffect": "r.settled"}

class Unknown(dict):
    """What was left out: its fields are unknown too, and it equals everything, so that a rule which needs it holds."""
    __eq__ = __ne__ = lambda self, other: True
    get = __getitem__ = lambda self, key: self
UNKNOWN = Unknown()

def at(value, path):
    """The field at a dotted path; None: there is none."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value

def canonical(value, depth=1):
    """The one text of a JSON value (RFC 8785)."""
    if isinstance(value, (dict, list)) and depth > DEEPEST or isinstance(value, (int, float)) and abs(value) >= 2**53:
        raise ValueError("nested too deep, or a number too large")
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(key)}:{canonical(value[key], depth + 1)}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item, depth + 1) for item in value) + "]"
    if isinstance(value, float):  # Python finds the digits that ECMAScript does, but begins sooner with exponents.
        text = str(int(value)) if value.is_integer() else repr(value)
        return f"{Decimal(text):f}" if text.endswith(("e-05", "e-06")) else text.replace("e-0", "e-")
    return json.dumps(value, ensure_ascii=False)

def sha256(data): return hashlib.sha256(data).hexdigest()
def hash_of(value): return sha256(canonical(value).encode())
def ms(time): return (datetime.fromisoformat(time) - EPOCH) // timedelta(milliseconds=1)
def pick(value, names): return {name: value.get(name) for name in names}

def unbase64url(text):
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode() != text:
        raise ValueError("not base64url in its one spelling")
    return data

def person(name):
    name = "".join(c for c in unicodedata.normalize("NFKC", name) if c.isspace() or unicodedata.category(c) not in ("Cf", "Cc"))
    return " ".join(name.split()).lower()

def payload(container):
    """The value of the first payload; None: there is none."""
    found = (at(container, "payloads") or [None])[0]
    if found is None or found == {"redacted": True}:
        return found and UNKNOWN
    return None if at(found, "metadata.encoding") == "YmluYXJ5L251bGw=" else json.loads(base64.b64decode(found["data"]))

def was_said(turn, one):
    """Whether the history has this decision, on this digest, by this person."""
    for decision, value in turn.said:
        tokens, calls = at(value, "attestation") or [], [at(value, "call"), *(at(value, "calls") or [])]
        tokens = [tokens] if isinstance(tokens, str) else tokens
        names = [at(value, "by"), *(json.loads(unbase64url(token.split(".")[0]))["principal"] for token in tokens)]
        if decision == one["decision"].replace("edit", "approve") and (value is UNKNOWN or (
                any(len(call) >= 12 and one["digest"].startswith(call) for call in calls if call)
                and person(one["by"]) in [person(name) for name in names if name])):
            return True
    return False

def judge(lines, known):
    """Yields rules of the page, in order, each with its line and whether it holds. After an exception: the last one does not."""
    kind, prev, turn, parts, blocks, turns, complete, lost, redacted = None, None, None, {}, set(), {}, True, 0, 0
    for n, raw in enumerate(lines):
        yield n, "S7", (kind == "end") == (raw == b"")
        if raw == b"":
            return
        yield n, "S1", raw.endswith(b"\n")
        text, line = raw[:-1].decode(), json.loads(raw)
        yield n, "S1", canonical(line) == text and "".join(sorted(line)) == "bodykindnprev"
        yield n, "S2", canonical(line["n"]) == str(n) and line["prev"] == prev
        yield n, "S3", line["kind"] in NEXT[kind].split()
        kind, body, before, prev = line["kind"], line["body"], prev, sha256(raw[:-1])
        if kind == "bundle":
            yield n, "S3", body["v"] == "holdfast.bundle/1"
            known["made_at"] = ms(body["made_at"])
        elif kind == "object":
            yield n, "S4", hash_of(body["value"]) == body["ref"]
        elif kind == "turn":
            yield n, "S3", body["turn_id"] not in turns
            turn = turns[body["turn_id"]] = SimpleNamespace(**body, runs=[], reset=False, missing=False, said=[], acts=[], heads=[],
                                                            head=None, outcomes=[], own=set(), approved=[], dispatched=[], says={})
        elif kind == "run":
            turn.runs, events, clock, scheduled = [*turn.runs, body["run_id"]], 0, 0, {}
            turn.reset, whole = turn.reset or body["began"] == "reset", turn.runs[0] == turn.first_execution_run_id
        elif kind == "event":
            event, events, redacted = body["event"], events + 1, redacted + text.count('{"redacted":true}')
            name, time = event["eventType"].removeprefix("EVENT_TYPE_"), ms(event["eventTime"])
            facts = next((event[name] for name in event if name.endswith("EventAttributes")), {})
            value = payload(facts.get("input"))
            yield n, "H1", event["eventId"] == str(events) and (time >= clock - CLOCKS or name == "ACTIVITY_TASK_STARTED")
            clock = max(clock, time)
            if events == 1:
                yield n, "H2", facts["firstExecutionRunId"] == turn.first_execution_run_id and at(value, "turn_id") == turn.turn_id
                yield n, "H2", turn.parent is None or pick(value["parent"], ("turn_id", "call_id")) == turn.parent
            elif name == "WORKFLOW_EXECUTION_SIGNALED":
                turn.said.append((facts["signalName"], value))
            elif name in ("WORKFLOW_EXECUTION_UPDATE_ACCEPTED", "WORKFLOW_EXECUTION_UPDATE_ADMITTED"):
                request = at(facts, "acceptedRequest.input") or at(facts, "request.input")
                value = payload(at(request, "args"))
                turn.said += [(at(value, "decision"), value)] if at(request, "name") == "decide" else []
            elif name == "ACTIVITY_TASK_SCHEDULED":
                name, call, approvals = facts["activityType"]["name"], at(value, "call"), at(value, "approvals") or []
                scheduled[event["eventId"]] = name, value
                turn.heads += [at(value, "head")] if name in ("takeStep", "runCall", "endTurn", "settleEffect") else []
                turn.acts += [call] if name == "runCall" else []
                if name in ("runCall", "openSubTurn") and value is not UNKNOWN:
                    digest = {"v": "holdfast.call/1", "turn_id": turn.turn_id, "call_id": call["id"], **pick(call, IN_DIGEST),
                              "requester": value["turn"]["requester"]}
                    again = f":{call['dispatch']}" if call["dispatch"] != 1 else ""
                    yield n, "H3", pick(value["turn"], IDS) == pick(vars(turn), IDS) and call["digest"] == hash_of(digest)
                    yield n, "H3", facts["activityId"] == f"{call['id']}:{call['tool']}:{call['digest'][:16]}{again}"
                    yield n, "H3", call["input"] is None or call["input_hash"] == hash_of(call["input"])
                    for one in approvals:
                        yield n, "H4", (one["decision"], one["digest"]) == ("approve", call["digest"])
                        yield n, "H4", ms(one["at"]) <= ms(one["expires_at"]) and (not whole or was_said(turn, one))
                    yield n, "H4", len({person(one["by"]) for one in approvals}) == len(approvals)
            elif name == "ACTIVITY_TASK_COMPLETED" and facts["scheduledEventId"] in scheduled:
                (name, value), result = scheduled[facts["scheduledEventId"]], {"r": payload(facts.get("result"))}
                turn.outcomes += [(at(result, OUTCOME[name]), at(value, "call.digest"))] if name in OUTCOME else []
                for path in ("r.head", "r.outcome.head", "r.settled.head", "r.refused.head") if name != "lookAtSubTurn" else ():
                    turn.head = at(result, path) or turn.head
        elif kind == "part":
            part = body["part"]
            yield n, "S4", part is None or hash_of(part) == body["ref"] and part["v"] == "holdfast.part/1"
            parts[body["ref"]], lost = UNKNOWN if part is None else part["body"], lost + (part is None)
        elif kind == "block":
            ref, block, parent = body["ref"], body["block"], body["block"]["parent"]
            yield n, "S4", hash_of(block) == ref and block["v"] == "holdfast.block/1" and set(block["parts"]) <= set(parts)
            yield n, "S4", parent is None or parent in blocks or not turn.missing
            turn.missing |= parent is not None and parent not in blocks
            body, what = parts[block["parts"][0]] if block["parts"] else {}, block["kind"]
            blocks.add(ref)
            if parent in turn.own or what == "start" and at(body, "first_execution_run_id") == turn.first_execution_run_id:
                turn.own.add(ref)
        elif kind == "effect":
            pass
        elif kind == "turn_end":
            yield n, "S3", body["turn_id"] == turn.turn_id
            yield n, "S5", (body["head"] is None or body["head"] in blocks) and (body["why"] is None) == body["complete"]
            yield n, "S5", not (body["complete"] and turn.missing)
            yield n, "T1", not turn.runs or body["head"] == turn.head
            complete = complete and body["complete"]
        elif kind == "end":
            counts, public = body["redaction"] or {"parts": 0, "payloads": 0}, unbase64url(body["public"])
            yield n, "S6", body["root"] == before and body["lines"] == n + 1 and body["complete"] == (complete and bool(turns))
            yield n, "S6", counts["payloads"] == redacted and (lost == counts["parts"] or not complete and lost > counts["parts"])
            yield n, "S6", sha256(public)[:16] == body["kid"]
            signed = canonical({name: body[name] for name in body if name != "signature"}).encode()
            Ed25519PublicKey.from_public_bytes(public).verify(unbase64url(body["signature"]), signed)
            known.update(body)

def verify(path, keys):
    """The answer for a file."""
    fault, known = None, {}
    try:
        with open(path, "rb") as file:
            for n, rule, holds in judge(iter(lambda: file.readline(LONGEST_LINE), None), known):
                fault = (n, rule) if not holds and (fault is None or rule[0] == "S") else fault
                if not holds and rule[0] == "S":
                    break
    except MALFORMED:
        fault = fault if fault and rule[0] != "S" else (n, rule)
    key, made = keys.get(known.get("kid"), {}), known.get("made_at", 0)
    trusted = (key.get("use") == "bundle" and key["public"] == known["public"] and "revoked_at" not in key
               and ms(key["created_at"]) <= made + CLOCKS and ("expires_at" not in key or ms(key["expires_at"]) > made))
    (line, rule), counts = fault or (None, None), known.get("redaction") or {"parts": 0, "payloads": 0}
    return {"verdict": "broken" if fault else "intact" if trusted else "signer_unknown", "line": line, "rule": rule,
            "why": f"rule {rule} of bundle-format.md does not hold" if fault else "each line is as it was signed",
            "complete": known.get("complete", False), "signed_by": known.get("kid"), "redactions": counts["parts"] + counts["payloads"]}

def trusted_keys(path):
    with open(path, encoding="utf-8") as file:
        return {key["kid"]: key for key in json.load(file)}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Verifies an audit bundle offline.")
    parser.add_argument("bundle")
    parser.add_argument("--trust", required=True)
    options = parser.parse_args()
    answer = verify(options.bundle, trusted_keys(options.trust))
    print(json.dumps(answer))
    sys.exit(0 if answer["verdict"] == "intact" else 1)
