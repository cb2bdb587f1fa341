"""Verifies an audit bundle offline; written from bundle-format.md alone: S1, H1, T1 … are the rules of that page.
python3 verify_bundle.py BUNDLE --trust FILE      (Python 3.11, and the package `cryptography`)"""
import argparse, base64, hashlib, json, sys, unicodedata
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

LONGEST_LINE, DEEPEST, CLOCKS, END = 128 * 2**20, 200, 60_000, "9999-12-31T00:00:00Z"
EPOCH, REST = datetime(1970, 1, 1, tzinfo=timezone.utc), "part block effect turn_end"
NEXT = dict(nothing="bundle", bundle="object turn end", object="object turn end", turn="run " + REST,
            run="run event " + REST, event="run event " + REST, part=REST, block=REST, effect="part effect turn_end",
            turn_end="turn end", end="")
IDS = ("turn_id", "workflow_id", "first_execution_run_id")
OF_CALL = ("revision", "tool", "version", "class", "input_hash", "preview_ref", "policy_ref")

class Unknown(dict):
    """What was left out: its fields are unknown too, and it equals everything, so that a rule which needs it holds."""
    __eq__ = __ne__ = lambda self, other: True
    get = lambda self, key: self
UNKNOWN = Unknown()

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
    return json.encoder.encode_basestring(value) if isinstance(value, str) else json.dumps(value)

def sha256(data): return hashlib.sha256(data).hexdigest()
def hash_of(value): return sha256(canonical(value).encode())
def pick(value, names): return {name: value.get(name) for name in names}
def ms(time): return (datetime.fromisoformat(time) - EPOCH) // timedelta(milliseconds=1)

def at(value, path):  # None: there is no such field.
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value

def unbase64url(text):  # None: it is not in its one spelling.
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if base64.urlsafe_b64encode(data).rstrip(b"=").decode() == text else None

def person(name):
    name = unicodedata.normalize("NFKC", name)
    seen = "".join(c for c in name if c in "\t\n\v\f\r" or unicodedata.category(c) not in ("Cf", "Cc"))
    return " ".join(seen.split()).lower()

def payload(container):
    """The value of the first payload; None: there is none, or it is no JSON."""
    found = (at(container, "payloads") or [{}])[0]
    try:
        return UNKNOWN if found == {"redacted": True} else json.loads(base64.b64decode(found.get("data", "")))
    except ValueError:
        return None

def was_said(said, one):
    """Yields of each decision in the history whether it is this one: on this digest, by this person."""
    for decision, value in said:
        tokens, calls = at(value, "attestation") or [], [at(value, "call"), *(at(value, "calls") or [])]
        claims = [json.loads(unbase64url(token.split(".")[0])) for token in ([tokens] if "." in tokens else tokens)]
        names = [person(name) for name in [at(value, "by"), *(claim["principal"] for claim in claims)] if name]
        fits = person(one["by"]) in names and any(len(it) >= 12 and one["digest"].startswith(it) for it in calls if it)
        yield decision == one["decision"].replace("edit", "approve") and (fits or value is UNKNOWN)

def structure(lines, known):
    """Yields the rules S1 to S7, each with its line and whether it holds. After an exception: the last one does not."""
    n, kind, prev, complete, lost, hidden, parts, turns = -1, "nothing", None, True, 0, 0, set(), set()
    blocks = known["blocks"] = {None}
    for n, raw in enumerate(lines):
        yield n, "S7", kind != "end" and raw.endswith(b"\n")
        yield n, "S1", True
        text, line = raw[:-1].decode(), json.loads(raw)
        yield n, "S1", canonical(line) == text and "".join(sorted(line)) == "bodykindnprev"
        yield n, "S2", canonical(line["n"]) == str(n) and line["prev"] == prev
        yield n, "S3", line["kind"] in NEXT[kind].split()
        kind, body, prev = line["kind"], line["body"], sha256(raw[:-1])
        hidden += text.count('{"redacted":true}') if kind == "event" else 0
        if kind == "bundle":
            known["made"] = ms(body["made_at"])
            yield n, "S3", body["v"] == "holdfast.bundle/1"
        elif kind == "object":
            yield n, "S4", hash_of(body["value"]) == body["ref"]
        elif kind == "turn":
            yield n, "S3", body["turn_id"] not in turns
            turn_id, turns, missing = body["turn_id"], turns | {body["turn_id"]}, False
        elif kind == "part":
            part, lost = body["part"], lost + (body["part"] is None)
            yield n, "S4", part is None or hash_of(part) == body["ref"] and part["v"] == "holdfast.part/1"
            parts.add(body["ref"])
        elif kind == "block":
            block, parent = body["block"], body["block"]["parent"]
            yield n, "S4", hash_of(block) == body["ref"] and block["v"] == "holdfast.block/1"
            yield n, "S4", parts.issuperset(block["parts"]) and (parent in blocks or not missing)
            missing = missing or parent not in blocks
            blocks.add(body["ref"])
        elif kind == "turn_end":
            yield n, "S3", body["turn_id"] == turn_id
            yield n, "S5", body["head"] in blocks and body["complete"] == (body["why"] is None)
            yield n, "S5", not (body["complete"] and missing)
            complete = complete and body["complete"]
        elif kind == "end":
            left, public = body["redaction"] or {"parts": 0, "payloads": 0}, unbase64url(body["public"])
            signed = canonical({name: body[name] for name in body if name != "signature"}).encode()
            yield n, "S6", body["root"] == line["prev"] and body["lines"] == n + 1 and left["payloads"] == hidden
            yield n, "S6", left["parts"] == lost or left["parts"] < lost and not complete
            yield n, "S6", body["kid"] == sha256(public)[:16] and body["complete"] == (complete and len(turns) > 0)
            Ed25519PublicKey.from_public_bytes(public).verify(unbase64url(body["signature"]), signed)
            known.update(body)
    yield n + 1, "S7", kind == "end"

def meaning(lines, known):
    """Yields some of the other rules in the same way."""
    for n, line in enumerate(map(json.loads, lines)):
        yield n, "S3", True
        kind, body = line["kind"], line["body"]
        if kind == "turn":
            turn, whole, runs, head, said, heads = body, False, 0, None, [], set()
        elif kind == "run":
            whole = whole or runs == 0 and body["run_id"] == turn["first_execution_run_id"]
            runs, events, clock, scheduled = runs + 1, 0, 0, {}
        elif kind == "event":
            event, events = body["event"], events + 1
            name, time = event["eventType"].removeprefix("EVENT_TYPE_"), ms(event["eventTime"])
            facts = next((event[field] for field in event if field.endswith("EventAttributes")), {})
            value = payload(facts.get("input"))
            yield n, "H1", event["eventId"] == str(events) and (time >= clock or name == "ACTIVITY_TASK_STARTED")
            clock = max(clock, time - CLOCKS)
            if events == 1:
                yield n, "H2", name == "WORKFLOW_EXECUTION_STARTED" and at(value, "turn_id") == turn["turn_id"]
                yield n, "H2", facts["firstExecutionRunId"] == turn["first_execution_run_id"]
                yield n, "H2", turn["parent"] is None or pick(value.get("parent"), turn["parent"]) == turn["parent"]
            elif name == "WORKFLOW_EXECUTION_SIGNALED":
                said.append((facts["signalName"], value))
            elif name in ("WORKFLOW_EXECUTION_UPDATE_ACCEPTED", "WORKFLOW_EXECUTION_UPDATE_ADMITTED"):
                request = at(facts, "acceptedRequest.input") or at(facts, "request.input")
                value = payload(at(request, "args"))
                said += [(at(value, "decision"), value)] if at(request, "name") == "decide" else []
            elif name == "ACTIVITY_TASK_SCHEDULED":
                name, call, approvals = facts["activityType"]["name"], at(value, "call"), at(value, "approvals") or []
                scheduled[event["eventId"]] = name
                if name in ("takeStep", "runCall", "endTurn", "settleEffect") and value is not UNKNOWN:
                    heads.add(value.get("head"))
                if name in ("runCall", "openSubTurn") and value is not UNKNOWN:
                    asked = {"call_id": call["id"], **pick(value["turn"], ("turn_id", "requester"))}
                    digest = hash_of({"v": "holdfast.call/1", **asked, **pick(call, OF_CALL)})
                    again = f":{call['dispatch']}" if call["dispatch"] != 1 else ""
                    yield n, "H3", pick(value["turn"], IDS) == pick(turn, IDS) and call["digest"] == digest
                    yield n, "H3", call["input"] is None or call["input_hash"] == hash_of(call["input"])
                    yield n, "H3", facts["activityId"] == f"{call['id']}:{call['tool']}:{digest[:16]}{again}"
                    for one in approvals:
                        yield n, "H4", one["decision"] == "approve" and one["digest"] == digest
                        yield n, "H4", ms(one["at"]) <= ms(one["expires_at"])
                        yield n, "H4", not whole or any(was_said(said, one))
                    yield n, "H4", len({person(one["by"]) for one in approvals}) == len(approvals)
            elif name == "ACTIVITY_TASK_COMPLETED" and scheduled.get(facts["scheduledEventId"]) != "lookAtSubTurn":
                for path in ("head", "outcome.head", "settled.head", "refused.head"):
                    head = at(payload(facts.get("result")), path) or head
        elif kind == "turn_end":
            yield n, "T1", runs == 0 or body["head"] == head and (not body["complete"] or heads <= known["blocks"])

def first_fault(file, known):
    for look in (structure, meaning):
        file.seek(0)
        try:
            for n, rule, holds in look(iter(lambda: file.readline(LONGEST_LINE), b""), known):
                if not holds:
                    return n, rule
        except Exception:  # What cannot be read does not keep the rule that was looked at.
            return n, rule

def verify(file, trust):
    known = {}
    line, rule = first_fault(file, known) or (None, None)
    keys = [key for key in trust if (key["use"], key["public"]) == ("bundle", known.get("public"))
            and "revoked_at" not in key and ms(key["created_at"]) <= known["made"] + CLOCKS
            and known["made"] < ms(key.get("expires_at", END))]
    redactions = sum((known.get("redaction") or {}).get(name, 0) for name in ("parts", "payloads"))
    return {"verdict": "broken" if rule else "intact" if keys else "signer_unknown", "line": line, "rule": rule,
            "why": f"rule {rule} of bundle-format.md does not hold" if rule else "each line is as it was signed",
            "complete": known.get("complete", False), "signed_by": known.get("kid"), "redactions": redactions}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Verifies an audit bundle offline.")
    parser.add_argument("bundle", type=argparse.FileType("rb"))
    parser.add_argument("--trust", type=argparse.FileType(encoding="utf-8"), required=True)
    options = parser.parse_args()
    try:
        answer = verify(options.bundle, json.load(options.trust))
    except (ValueError, LookupError, TypeError) as error:
        parser.error(f"the trust file cannot be used: {error!r}")
    print(json.dumps(answer))
    sys.exit(0 if answer["verdict"] == "intact" else 1)
