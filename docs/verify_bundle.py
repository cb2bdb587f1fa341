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
OF_ANOTHER, IDS = "lookAtSubTurn", ("turn_id", "workflow_id", "first_execution_run_id")
OF_TURN = (*IDS, "agent", "requester", "store_id")
OF_CALL = ("revision", "tool", "version", "class", "input_hash", "preview_ref", "policy_ref")
UNSEEN = dict.fromkeys(  # characters that nobody sees
    point for span in """0-8 E-1F 7F-9F AD 34F 600-605 61C 6DD 70F 890-891 8E2 115F-1160 17B4-17B5 180B-180F 200B-200F
    202A-202E 2060-206F 2800 3164 FE00-FE0F FEFF FFA0 FFF0-FFFB 110BD 110CD 13430-1343F 16FE4 1BCA0-1BCA3 1D159
    1D173-1D17A E0000-E0FFF""".split()
    for point in range(int(span.split("-")[0], 16), int(span.split("-")[-1], 16) + 1))
RULE_OF = dict(turn="D1", run="D1", asked="D2", use="D2", step="D2", card="D3", call="D4", dispatch="D4", result="D6",
               block="D6", effect="D6")
RAN, MAY_BE_EMPTY = ("succeeded", "failed", "in_doubt"), ("turn.agent", "turn.message", "card.card", "call.key")
OF_PART = ("tool", "version", "class", "verdict", "reason", "error", "undecided")
ARGUMENT = ("turn_id", "agent", "requester", "session_id", "trace_id", "message", "attestation")
ENDED = dict(WORKFLOW_EXECUTION_COMPLETED="result", WORKFLOW_EXECUTION_CANCELED="details",
             WORKFLOW_EXECUTION_FAILED="failure.applicationFailureInfo.details")
SHOWN_OF_DECISION = ("decision", "by", "at", "note", "channel", "identity")
SAID = ("by", "note", "identity")

def table(**subjects):
    """What fields of a source say of a subject; `field:fact` where the fact has another name."""
    return [(it.split(":")[0], subject, it.split(":")[-1]) for subject in subjects for it in subjects[subject].split()]

TURN = table(turn="turn_id workflow_id first_execution_run_id agent requester session_id trace_id store_id parent")
ASKED = table(asked="id:call_id tool_use_id tool version class verdict reason error input_hash undecided"
                    " policy_ref untrusted target_hash")
STEP, QUESTION = table(step="stop_reason", turn="store_id"), table(card="digest card", call="preview_ref target_hash")
USAGE = table(step="input_tokens output_tokens cache_read_tokens cache_creation_tokens")
CALL = table(call="id:call_id revision tool version class input_hash input_ref preview_ref policy_ref target_hash")
BECAME = table(result="state effect summary error")
OUTCOME = table(call="call_id tool version class revision", use="tool_use_id", result="state effect summary error")
SHOWN = table(call="id:call_id revision tool version class idempotency_key:key",
              result="state effect error result_summary:summary")
VIEW = table(turn="turn_id workflow_id agent session_id requester trace_id store_id", run="run_id",
             block="state reason")
RECORD = table(turn="turn_id", call="idempotency_key:key tool act", block="dispatch", effect="state:effect result_ref")
OF_RESULT, OF_TOOL = table(result="id:call_id tool version"), table(result="tool_name:tool tool_version:version")
DISPATCHED = table(block="digest tool dispatch idempotency_key:key")
SUBJECT = table(turn="turn_id workflow_id agent requester", call="call_id revision tool version class")
DISPATCH = table(call="call_id tool version input_ref preview_ref input_hash policy_ref revision idempotency_key:key",
                 block="dispatch", dispatch="verdict")

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
def pick_there(value, names): return {name: value[name] for name in names if name in value}
def ms(time): return (datetime.fromisoformat(time) - EPOCH) // timedelta(milliseconds=1)

def form(value):  # None: it has no canonical form.
    try:
        return hash_of(value)
    except (ValueError, TypeError):
        return None

def at(value, path):  # None: there is no such field.
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value

def unbase64url(text):  # None: it is not in its one spelling.
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if base64.urlsafe_b64encode(data).rstrip(b"=").decode() == text else None

def person(name):
    seen = unicodedata.normalize("NFKC", name).translate(UNSEEN)
    return " ".join(unicodedata.normalize("NFKC", seen).split()).lower()

def payload(container):
    """The value of the first payload; None: there is none, or it is no JSON."""
    found = (at(container, "payloads") or [{}])[0]
    try:
        return UNKNOWN if found == {"redacted": True} else json.loads(base64.b64decode(found.get("data", "")))
    except ValueError:
        return None

def obj(value): return value if isinstance(value, dict) and value is not UNKNOWN else {}
def pick_all(values, name): return [value.get(name) for value in objs(values)]
def txt(value): return value if isinstance(value, str) else ""
def objs(values): return [obj(value) for value in values] if isinstance(values, list) else []

def is_cut(text): return isinstance(text, str) and text.endswith("…")

def is_short_of(text, whole):
    return text == whole if not is_cut(text) else isinstance(whole, str) and whole.startswith(text.rstrip("…"))

def is_shown(one, was):
    """Whether it is that decision, its texts shortened maybe."""
    return all(is_short_of(one.get(name), was[name]) if name in ("note", "identity") else
               form(one.get(name)) == form(was[name]) for name in was)

def ended(call):
    """What of a call's outcome is compared: a text that was shortened says nothing."""
    silent = lambda key, value: (key == "state" and value == "cancelled" or is_cut(value)
                                 or key == "error" and is_cut(obj(value).get("message")))
    return {key: call[key] for key in call if not silent(key, call[key])}

class Twice:
    """Rules D1 to D7 in one turn: whoever says a fact otherwise than another source; `broken` has what did not hold."""
    def __init__(self, turn, objects):
        self.objects, self.turn, self.said, self.broken, self.bodies = objects, turn, {}, [], {}
        self.own, self.applied = set(), {}
        self.runs, self.whole, self.unknown, self.lost, self.reset = [], False, False, False, False
        self.scheduled, self.ran_at, self.decisions, self.expiries = {}, {}, set(), set()
        self.heads, self.shown, self.dispatches, self.admitted, self.needs = set(), set(), set(), set(), set()
        self.texts, self.decided, self.decided_in = {}, {}, {}
        self.tell("turn", "", {name: turn[name] for name in IDS if turn[name] is not None})

    def rule(self, rule, holds):
        self.broken += [] if holds else [rule]

    def tell(self, subject, name, facts):
        for fact, value in facts.items() if isinstance(name, str) else ():
            if not (value in (None, "") and f"{subject}.{fact}" in MAY_BE_EMPTY):
                now = form(value)
                self.rule(RULE_OF[subject], self.said.setdefault((subject, name, fact), now) == now)

    def tell_all(self, table, source, **names):
        for field, subject, fact in table:
            if subject in names and field in source:
                self.tell(subject, names[subject], {fact: source[field]})

    def knows(self, subject, name, fact): return (subject, name, fact) in self.said if isinstance(name, str) else False

    def begin(self, body):
        self.whole = self.whole or not self.runs and body["run_id"] == self.turn["first_execution_run_id"]
        self.reset, self.runs = self.reset or body["began"] == "reset", self.runs + [body["run_id"]]
        self.scheduled = {}
        self.tell("run", str(len(self.runs)), pick(body, ["run_id"]))

    def hear(self, said):
        for one in map(obj, said):
            if one:
                self.decisions.add(form({name: one[name] for name in one if name != "revision"}))
            if one and one.get("decision") != "edit":
                shown = pick(one, SHOWN_OF_DECISION) | {"attested": "attestation" in one}
                self.decided.setdefault(txt(one.get("digest")), {}).setdefault(form(shown), shown)

    def go_on(self, before):
        """What a run knows is what the run knew that it goes on from."""
        known = self.decided_in.get(txt(before), {})
        self.decided = self.decided_in[self.runs[-1]] = {digest: dict(known[digest]) for digest in known}

    def scheduled_one(self, event_id, name, value, time):
        self.unknown, value = self.unknown or value is UNKNOWN, obj(value)
        self.scheduled[event_id], call, approvals = (name, value), obj(value.get("call")), value.get("approvals")
        digest = call.get("digest")
        self.tell_all(TURN, obj(value.get("turn")), turn="")
        self.tell_all(CALL, call, call=digest)
        self.tell("card", call.get("preview_ref"), pick_there(call, ["target_hash"]))
        if name != "admitCall":
            self.tell("card", call.get("preview_ref"), {"makers": call.get("makers", [])})
        self.rule("D4", not isinstance(call.get("input"), dict) or form(call["input"]) == call.get("input_hash"))
        if name in ("inspectEffect", "settleEffect", "reconcileEffect") and self.whole and not self.unknown:
            self.rule("D4", (txt(digest), form(call.get("dispatch"))) in self.dispatches)
        if name in ("runCall", "openSubTurn"):
            made = pick(self.turn, IDS[2:]) | pick(call, ("tool", "input_hash")) | {"call_id": call.get("id")}
            key = {"v": "holdfast.idem/1", **pick(self.turn, IDS[1:]), "call_id": call.get("id"), "digest": digest}
            act = form({"v": "holdfast.act/1", **made})
            self.tell("call", digest, {"key": "hf_" + (form(key) or "")[:40], "act": act})
            if "verdict" in value:
                self.tell("dispatch", f"{digest} {call.get('dispatch')}", pick(value, ["verdict"]))
            if self.knows("asked", call.get("input_ref"), "call_id") and "untrusted" in value:
                self.tell("asked", call["input_ref"], pick(value, ["untrusted"]))
        if name == "runCall":
            self.dispatches.add((txt(digest), form(call.get("dispatch"))))
            self.ran_at[txt(digest)] = min(time, self.ran_at.get(txt(digest), time))
        self.hear([*objs(approvals), value.get("approval"), *objs(call.get("earlier"))])
        for one in objs(value.get("outcomes")):
            self.hear([*objs(one.get("approvals")), one.get("decision"), *objs(one.get("earlier"))])
            self.known(one, "summary")
            result = one.get("result_ref")
            self.tell_all(OUTCOME, ended(one), call=one.get("digest"), result=result, use=one.get("call_id"))
            self.tell("result", result, pick_there(one, ["call_id"]))
        if "digest" in value:
            self.tell("card", value.get("card_ref"), pick(value, ["digest"]))
        self.expiries.add((txt(call.get("id")), form(value.get("expires_at"))))
        said = {"message": value.get("message")} if name == "takeStep" and value.get("message") is not None else {}
        if name in ("takeStep", "admitDirect"):
            self.tell("turn", "", said | pick_there(value, ["attestation"]))

    def completed(self, event_id, result):
        name, value = self.scheduled.get(event_id, ("", {}))
        if name == OF_ANOTHER:
            return
        self.unknown, result, call = self.unknown or result is UNKNOWN, obj(result), obj(value.get("call"))
        self.heads |= {head for head in (result.get("head"), result.get("answer_head")) if isinstance(head, str)}
        if name == "takeStep":
            for step in (result.get("head"), result.get("answer_head")):
                self.tell_all(STEP, result, step=step, turn="")
                self.tell_all(USAGE, obj(result.get("usage")), step=step)
        asked = {"takeStep": result.get("calls"), "admitDirect": [result.get("call")]}.get(name)
        if name == "admitDirect":
            self.tell("turn", "", pick_there(result, ["store_id"]))
        if name in ("takeStep", "admitDirect"):
            self.admitted.add(tuple(txt(one.get("input_ref")) for one in objs(asked)))
        for one in objs(asked):
            self.said.pop(("use", txt(one.get("id")), "tool_use_id"), None)
            self.tell("use", one.get("id"), pick_there(one, ["tool_use_id"]))
            self.tell_all(ASKED, one, asked=one.get("input_ref"))
            self.tell_all(CALL[:1] + CALL[2:7], one, call=one.get("digest"))
            if obj(one.get("input")) or one.get("input") == {}:
                self.tell("asked", one.get("input_ref"), {"input_hash": form(one["input"])})
            if "policy_ref" in one and "policy_ref" in obj(result.get("policy")):
                self.tell("asked", one.get("input_ref"), pick(result["policy"], ["policy_ref"]))
        if name == "admitCall" and result.get("ok") is True:
            card, digest = result.get("card_ref"), result.get("digest")
            self.tell_all(QUESTION, result, card=card, call=digest)
            self.rule("D3", result.get("run_id") in (None, "") or not self.whole or result["run_id"] in self.runs)
            self.tell("card", card, {"call_id": call.get("id")} | pick_there(result, ["card"]))
            shown = pick_there(result, ["target_hash"]) | {"makers": call.get("makers", [])}
            self.tell("card", result.get("preview_ref"), shown)
            now = {**call, **pick_there(obj(result.get("decided")), ("input_ref", "input_hash")),
                   **pick_there(obj(result.get("renewed")), ("policy_ref",))}
            self.tell_all([entry for entry in CALL if entry[0] != "preview_ref"], now, call=digest)
            self.shown |= {card} if isinstance(card, str) else set()
        if name == "readCard" and "card" in result:
            self.tell("card", value.get("card_ref"), pick(result, ["card"]))
        for one in (result, *(obj(result.get(name)) for name in ("outcome", "settled", "refused"))):
            ref, head = one.get("result_ref"), one.get("head")
            if isinstance(ref, str) and ref and one.get("state") in RAN:
                self.shown, self.heads = self.shown | {ref}, self.heads | ({head} if isinstance(head, str) else set())
                self.tell_all(BECAME, one, result=ref)
                self.tell_all(OF_RESULT, call, result=ref)
                self.tell("result", ref, {"success": one["state"] == "succeeded"})
                self.tell("effect", head, pick_there(one, ["effect"]))
                self.texts.setdefault(ref, (one.get("summary"), obj(one.get("error")).get("message")))
                if isinstance(one.get("effect"), str):
                    self.applied[txt(call.get("digest"))] = one["effect"] == "applied"

        if name == "settleEffect" and result.get("effect") == value.get("outcome"):
            self.tell("effect", result.get("head"), pick_there(value, SAID))

    def attested(self, ref):
        rules = obj(self.objects.get(txt(ref)))
        return "attested" in (rules.get("channel"), obj(self.objects.get(txt(rules.get("policy_ref")))).get("channel"))

    def known(self, one, summary):
        digest, ref, message = one.get("digest"), one.get("result_ref"), obj(one.get("error")).get("message")
        for text, whole in zip((one.get(summary), message), self.texts.get(ref, ()) if isinstance(ref, str) else ()):
            self.rule("D6", not is_cut(text) or is_short_of(text, whole))
        if isinstance(digest, str) and not isinstance(ref, str) and one.get("state") != "cancelled" and not self.reset:
            self.tell("result", "of " + digest, pick_there(ended(one), ("state", "effect", "error")))
        if self.whole and not self.unknown:
            self.rule("D4", not isinstance(digest, str) or self.knows("call", digest, "call_id"))
            self.rule("D6", not isinstance(ref, str) or self.knows("result", ref, "state"))
            self.rule("D6", self.reset or self.applied.get(txt(digest), False) == (one.get("effect") == "applied"))

    def view(self, view, head):
        if not isinstance(obj(view).get("calls"), list):
            return
        self.tell_all(VIEW, view, turn="", run=str(len(self.runs)), block=view.get("head"))
        self.rule("D1", "head" not in view or head == view["head"])
        there = set(map(txt, pick_all(view["calls"], "digest")))
        left_out = [it for it in self.applied if self.applied[it] and it not in there]
        for one in objs(view["calls"]):
            digest, approval = one.get("digest"), obj(one.get("approval"))
            self.known(one, "result_summary")
            self.tell_all(SHOWN, ended(one), call=digest, result=one.get("result_ref"))
            self.tell_all(OF_RESULT[:1], one, result=one.get("result_ref"))
            if self.whole and not self.unknown:
                self.approved(txt(one.get("id")), approval, list(self.decided.get(txt(digest), {}).values()))
        answered = texts(pick_all(view["calls"], "result_ref"))
        if isinstance(view.get("envelope"), dict) and len(answered) == 1:
            self.tell("result", answered[0], {"answer": form(view["envelope"])})
        forgotten = obj(view.get("earlier_calls")).get("applied", 0)
        self.rule("D6", self.unknown or self.reset or not self.whole or len(left_out) <= forgotten)

    def approved(self, call, approval, told):
        """The turn's result shows the decisions that activities were given, no fewer and no others."""
        last, until = told[-1] if told else {"decision": None, "note": None}, approval.get("expires_at")
        named = told if last["decision"] == "approve" else told[-1:]
        enough = last["decision"] != "approve" or len(told) >= (approval.get("quorum") or 1)
        if "decisions" in approval:
            shown = objs(approval["decisions"])
            self.rule("D5", len(shown) == len(told) and all(map(is_shown, shown, told)))
        self.rule("D5", approval.get("by") == [one["by"] for one in named if one["by"] != ""])
        self.rule("D5", approval.get("decision") == (last["decision"] if enough else None))
        self.rule("D5", is_short_of(approval.get("note"), last["note"]))
        self.rule("D5", until is None or (call, form(until)) in self.expiries)

    def part(self, ref, body):
        if not isinstance(body, dict):
            return
        own = body.get("first_execution_run_id", body.get("state"))
        if isinstance(body.get("subject"), dict) or isinstance(own, str):
            self.bodies[ref] = body
        if self.knows("asked", ref, "call_id"):
            self.tell_all([entry for entry in ASKED if entry[0] in OF_PART], body, asked=ref)
            told = {"input_hash": form(body.get("input")), "tool_use_id": str(body.get("tool_use_id") or "")[:200]}
            self.tell("asked", ref, told | pick_there(body, ["call_id"]))
            facts = obj(obj(body.get("facts")).get("turn"))
            self.tell("turn", "", pick_there(facts, ("agent", "requester")))
            if self.knows("asked", ref, "untrusted"):
                self.tell("asked", ref, pick_there(facts, ["untrusted"]))
        target = {"target_hash": form(body["target"]) if isinstance(body.get("target"), dict) else None}
        for subject in ("asked", "card"):
            if self.knows(subject, ref, "target_hash"):
                self.tell(subject, ref, target)
        if self.knows("card", ref, "makers"):
            self.tell("card", ref, {"makers": body.get("makers", [])})
        if self.knows("card", ref, "digest"):
            self.tell("card", ref, pick_there(body, ("digest", "card", "call_id")))
        if self.knows("result", ref, "state"):
            envelope = obj(body.get("envelope"))
            metadata = obj(envelope.get("metadata"))
            failed = pick_there(envelope, ["error"]) if envelope.get("success") is False else {}
            if self.knows("result", ref, "answer") and len(canonical(envelope).encode()) <= 2**17:
                self.tell("result", ref, {"answer": form(envelope)})
            self.tell_all(OF_TOOL, metadata, result=ref)
            self.tell("result", ref, pick_there(body, ("summary", "call_id")) | failed)
            self.tell("result", ref, pick_there(envelope, ["success"]))
            self.tell("turn", "", pick_there(body, ("turn_id", "session_id")) | pick_there(metadata, ["trace_id"]))

    def block(self, ref, block):
        body, kind = self.bodies.get(next(iter(block["parts"]), "")), block["kind"]
        starts = kind == "start" and body and body.get("first_execution_run_id") == self.turn["first_execution_run_id"]
        if not (starts or block["parent"] in self.own):
            return
        self.own.add(ref)
        if body is None:
            return
        digest, result = body.get("digest"), body.get("result_ref")
        if kind == "start":
            self.tell_all(TURN[:-1], {**body, "agent": obj(body.get("agent")).get("name")}, turn="")
            return self.tell("turn", "", pick_there(body, ["attestation"]))
        if kind == "admission":
            self.rule("B5", not self.whole or self.unknown or tuple(block["parts"][1:]) in self.admitted)
            self.tell_all(STEP, body, step=ref)
            self.tell_all(USAGE, obj(body.get("usage")), step=ref)
        if kind == "end":
            self.tell("block", ref, pick_there(body, ("state", "reason")))
        self.tell_all(SUBJECT, obj(body.get("subject")), turn="", call=digest)
        if kind == "decision":
            said = form({name: body[name] for name in body if name != "subject"})
            self.rule("D5", said in self.decisions or self.unknown or not self.whole)
            self.tell("card", body.get("card_ref"), pick_there(body, ["digest"]))
        if kind == "dispatch":
            self.tell_all(DISPATCH, body, call=digest, block=ref, dispatch=f"{digest} {body.get('dispatch')}")
            self.tell_all(DISPATCHED, body, block=ref)
            definition, policy = body.get("definition_ref"), body.get("approval")
            wanted = at(self.objects.get(txt(definition)), f"approvals.{body.get('tool')}")
            self.rule("B10", wanted is None or form(wanted) == form(policy))
            self.rule("B10", not self.attested(body.get("policy_ref")) or at(policy, "channel") == "attested")
            self.needs |= set(texts(definition))
        if kind in ("effect", "settlement"):
            effect = body.get("effect") if kind == "effect" else body.get("recorded", body.get("outcome"))
            self.tell("call", digest, pick_there(body, ["call_id"]))
            said = SAID if self.knows("effect", ref, "by") else ()
            self.tell("effect", ref, pick_there(body, ("digest", "result_ref", *said)) | {"effect": effect})
            self.tell("result", result, {"effect": effect})

    def effect(self, record):
        digest, head, last = record["digest"], record["head"], record["result_head"]
        self.rule("T2", record["v"] == "holdfast.effect/1" and record["turn_id"] == self.turn["turn_id"])
        self.rule("T2", ms(record["updated_at"]) >= ms(record["claimed_at"]))
        self.rule("T2", not self.whole or record["run_id"] in self.runs)
        self.rule("T2", not self.whole or digest in self.ran_at or self.unknown)
        self.rule("T2", not self.whole or ms(record["claimed_at"]) >= self.ran_at.get(digest, 0) - CLOCKS)
        self.tell_all(RECORD, record, turn="", call=digest, block=head, effect=last)
        if self.knows("block", head, "digest"):
            self.tell_all(DISPATCHED, record, block=head)
        self.tell("effect", last, {"digest": digest})
        self.heads |= {it for it in (head, last) if isinstance(it, str)}
        if record["state"] in ("applied", "in_doubt") and self.whole and not self.lost:
            self.rule("D7", self.knows("effect", last, "effect") and self.knows("block", head, "key"))

def texts(value): return [it for it in (value if isinstance(value, list) else [value]) if isinstance(it, str)]

def claims_of(token):
    """The claims of an attestation, whether it holds or not; {}: it is none."""
    try:
        claims, seal = map(unbase64url, token.split("."))
        read = json.loads(claims)
        return obj(read) if len(seal) == 64 and canonical(read).encode() == claims else {}
    except (ValueError, TypeError):
        return {}

def was_said(said, one):
    """Yields of each decision in the history whether it is this one: on this digest, by this person."""
    for decision, value in said:
        signed = [txt(claims_of(token).get("principal")) for token in texts(at(value, "attestation"))]
        by, calls = texts(at(value, "by")), texts(at(value, "call")) + texts(at(value, "calls"))
        fits = person(one["by"]) in map(person, by[:1] + signed)
        yield value is UNKNOWN or decision == one["decision"].replace("edit", "approve") and fits and any(
            len(it) >= 12 and one["digest"].startswith(it) for it in calls)

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
            yield n, "S3", body["v"] in ("holdfast.bundle/1", "holdfast.bundle/2")
            known["newer"] = body["v"] == "holdfast.bundle/2"
            yield n, "S3", len(body) == (8 if known["newer"] else 6) and (not known["newer"] or "tenant" in body)
            chained = body.get("chained", True)
        elif kind == "object":
            yield n, "S4", hash_of(body["value"]) == body["ref"]
        elif kind == "turn":
            yield n, "S3", body["turn_id"] not in turns
            turn_id, turns, missing = body["turn_id"], turns | {body["turn_id"]}, False
        elif kind == "part":
            part, lost = body["part"], lost + (body["part"] is None)
            yield n, "S4", part is None or hash_of(part) == body["ref"] and part["v"] == "holdfast.part/1"
            yield n, "S3", part is None or isinstance(part["salt"], str)
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
            yield n, "S3", ("contradiction" in body) == known["newer"]
            yield n, "S6", chained or body["previous"] is None
            yield n, "S6", not body.get("contradiction") or body["contradiction"]["line"] <= n
            yield n, "S6", body["root"] == line["prev"] and body["lines"] == n + 1 and left["payloads"] == hidden
            yield n, "S6", left["parts"] == lost or left["parts"] < lost and not complete
            yield n, "S6", body["kid"] == sha256(public)[:16] and body["complete"] == (complete and len(turns) > 0)
            Ed25519PublicKey.from_public_bytes(public).verify(unbase64url(body["signature"]), signed)
            known.update(body)
    yield n + 1, "S7", kind == "end"

def meaning(lines, known):
    """Yields some of the other rules in the same way."""
    twice, objects = None, {}
    for n, line in enumerate(map(json.loads, lines)):
        yield n, "S3", True
        kind, body = line["kind"], line["body"]
        if kind == "object":
            objects[body["ref"]] = body["value"]
        if kind == "turn":
            turn, whole, runs, head, said, heads, twice = body, False, 0, None, [], set(), Twice(body, objects)
        elif kind == "run":
            whole = whole or runs == 0 and body["run_id"] == turn["first_execution_run_id"]
            runs, events, clock, scheduled = runs + 1, 0, 0, {}
            twice.begin(body)
            run_id, began = body["run_id"], body["began"]
        elif kind == "event":
            event, events = body["event"], events + 1
            yield n, "H1", isinstance(event.get("eventType"), str)
            name, time = event["eventType"].removeprefix("EVENT_TYPE_"), ms(event["eventTime"])
            first, *rest = name.lower().split("_")
            facts = obj(event.get(first + "".join(map(str.capitalize, rest)) + "EventAttributes"))
            value = payload(facts.get("input"))
            yield n, "H1", event["eventId"] == str(events) and (time >= clock or name == "ACTIVITY_TASK_STARTED")
            clock = max(clock, time - CLOCKS)
            if events == 1:
                said_first, before = obj(value), facts.get("continuedExecutionRunId")
                twice.go_on(before)
                reset = facts.get("originalExecutionRunId") not in (None, "", run_id)
                yield n, "H2", began == ("reset" if reset else "continued" if before else "start")
                twice.tell("turn", "", pick_there(said_first, ARGUMENT))
                yield n, "H2", name == "WORKFLOW_EXECUTION_STARTED" and at(value, "turn_id") == turn["turn_id"]
                yield n, "H2", facts["firstExecutionRunId"] == turn["first_execution_run_id"]
                yield n, "H2", turn["parent"] is None or pick(value.get("parent"), turn["parent"]) == turn["parent"]
            elif name == "WORKFLOW_EXECUTION_SIGNALED":
                if facts.get("signalName") in ("approve", "deny", "settle"):
                    said.append((facts["signalName"], value))
            elif name in ("WORKFLOW_EXECUTION_UPDATE_ACCEPTED", "WORKFLOW_EXECUTION_UPDATE_ADMITTED"):
                request = at(facts, "acceptedRequest.input") or at(facts, "request.input")
                value = payload(at(request, "args"))
                said += [(at(value, "decision"), value)] if at(request, "name") == "decide" else []
            elif name == "ACTIVITY_TASK_SCHEDULED":
                name, call = txt(at(facts, "activityType.name")), at(value, "call")
                approvals = at(value, "approvals") or []
                scheduled[event["eventId"]] = name
                twice.scheduled_one(event["eventId"], name, value, time)
                if name in ("takeStep", "runCall", "endTurn", "settleEffect"):
                    heads |= {head for head in [obj(value).get("head")] if isinstance(head, str)}
                if name in ("runCall", "openSubTurn") and value is not UNKNOWN:
                    bound = "store_id" in value["turn"]
                    whose = OF_TURN if bound else ("turn_id", "requester")
                    asked = {"call_id": call["id"], **pick(value["turn"], whose)}
                    more = pick(call, ("definition_ref", "target_hash")) if bound else {}
                    version = "holdfast.call/2" if bound else "holdfast.call/1"
                    digest = hash_of({"v": version, **asked, **pick(call, OF_CALL), **more})
                    again = f":{call['dispatch']}" if call["dispatch"] != 1 else ""
                    yield n, "H3", pick(value["turn"], IDS) == pick(turn, IDS) and call["digest"] == digest
                    yield n, "H3", call["input"] is None or call["input_hash"] == hash_of(call["input"])
                    yield n, "H3", facts["activityId"] == f"{call['id']}:{call['tool']}:{digest[:16]}{again}"
                    for one in approvals:
                        yield n, "H4", one["decision"] == "approve" and one["digest"] == digest
                        yield n, "H4", ms(one["at"]) <= ms(one["expires_at"])
                        yield n, "H4", not whole or any(was_said(said, one))
                    yield n, "H4", len({person(one["by"]) for one in approvals}) == len(approvals)
            elif name == "ACTIVITY_TASK_COMPLETED" and scheduled.get(txt(facts.get("scheduledEventId"))) != OF_ANOTHER:
                result = payload(facts.get("result"))
                named = [at(result, path) for path in ("head", "outcome.head", "settled.head", "refused.head")]
                head = UNKNOWN if result is UNKNOWN else next((it for it in named if isinstance(it, str)), head)
                twice.completed(txt(facts.get("scheduledEventId")), result)
            elif name in ENDED:
                twice.view(payload(at(facts, ENDED[name])), head)
        elif kind == "part":
            twice.lost = twice.lost or body["part"] is None
            twice.part(body["ref"], at(body, "part.body"))
            known.setdefault("parts", set()).add(body["ref"])
        elif kind == "block":
            twice.block(body["ref"], body["block"])
        elif kind == "effect":
            twice.effect(body["record"])
        elif kind == "turn_end":
            yield n, "T1", runs == 0 or body["head"] == head and (not body["complete"] or heads <= known["blocks"])
            yield n, "T4", not body["complete"] or twice.needs <= objects.keys()
            missing = twice.heads - known["blocks"] or twice.shown - known.get("parts", set())
            yield n, "D7", not (body["complete"] and missing)
        yield n, *next(((rule, False) for rule in (twice.broken if twice else ())), ("D1", True))

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
    told = (known.get("contradiction") or None) if rule is None or rule[0] != "S" else None
    contradictory = told and (rule is None or told["line"] <= line)
    line, rule = (told["line"], told["rule"]) if contradictory else (line, rule)
    keys = [key for key in trust if (key["use"], key["public"]) == ("bundle", known.get("public"))
            and "revoked_at" not in key and ms(key["created_at"]) <= known["made"] + CLOCKS
            and known["made"] < ms(key.get("expires_at", END))]
    redactions = sum((known.get("redaction") or {}).get(name, 0) for name in ("parts", "payloads"))
    why = f"rule {rule} of bundle-format.md does not hold" if rule else "each line is as it was signed"
    verdict = "broken" if rule else "intact" if keys else "signer_unknown"
    if contradictory:
        verdict, why = "contradictory", f"whoever made it has signed that {why}"
    return {"verdict": verdict, "line": line, "rule": rule, "why": why,
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
