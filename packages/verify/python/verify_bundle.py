"""Verifies an audit bundle offline; written from bundle-format.md alone: S1, H1, T1 … are the rules of that page.
The rules of permissions.md, which B12 asks again, are in verify_rules.py and the files that it names, beside this.
python3 verify_bundle.py BUNDLE --trust FILE      (Python 3.11, and the package `cryptography`)"""
import argparse, json, math, re, sys
from itertools import chain
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from verify_admission_facts import AdmissionFacts
from verify_decision_facts import DecisionFacts
from verify_deputies import reaches, voices, votes
from verify_files import BundleFiles, TurnFiles
from verify_kept_said import KeptSaid
from verify_lists import is_it, is_of_list, is_same_list, list_in, roles_then, wants_signatures
from verify_message_facts import Each, MessageFacts
from verify_receipts import Receipts
from verify_questions import answer_of, is_question, kind_of
from verify_rules import NoRule, entries_for, is_definition, is_written, lets_run, rules_of, tools_of, within
from verify_shapes import has_fields
from verify_signatures import DEPUTIES, Signatures, claims_of
from verify_sub_turn_facts import SubTurnFacts
from verify_told import Told
from verify_results import Results
from verify_run_facts import RunFacts
from verify_turn_facts import TurnFacts
from verify_values import (CLOCKS, END, UNKNOWN, at, canonical, form, hash_of, meant, ms, number, obj, objs, payload,
                           person, pick, pick_all, pick_there, sha256, texts, there, txt, unbase64url, when)

LONGEST_LINE = 128 * 2**20
REST = "part block effect turn_end"
NEXT = dict(nothing="bundle", bundle="object turn end", object="object turn end", turn="run " + REST,
            run="run event " + REST, event="run event session " + REST, session="session " + REST,
            part=REST, block=REST, effect="part effect turn_end",
            turn_end="turn end", end="receipt", receipt="receipt")
OF_ANOTHER, IDS = "lookAtSubTurn", ("turn_id", "workflow_id", "first_execution_run_id")
OF_TURN, OF_OLDER = (*IDS, "agent", "requester", "store_id"), ("turn_id", "requester")
OF_CALL = ("revision", "tool", "version", "class", "input_hash", "preview_ref", "policy_ref")
RULE_OF = dict(turn="D1", run="D1", asked="D2", use="D2", step="D2", card="D3", call="D4", dispatch="D4", result="D6",
               block="D6", effect="D6", said="D5")
EFFECT = dict(succeeded="applied", failed="not_applied", in_doubt="in_doubt")  # of a destructive call that ended so
RAN, MAY_BE_EMPTY = (*EFFECT,), ("turn.agent", "turn.message", "card.card", "call.key")
OF_PART = ("tool", "version", "class", "verdict", "reason", "error", "undecided")
ARGUMENT = ("turn_id", "agent", "requester", "session_id", "trace_id", "message", "attestation", "options")
ENDED = dict(WORKFLOW_EXECUTION_COMPLETED="result", WORKFLOW_EXECUTION_CANCELED="details",
             WORKFLOW_EXECUTION_FAILED="failure.applicationFailureInfo.details")
SHOWN_OF_DECISION = ("decision", "by", "on_behalf_of", "at", "note", "channel", "identity")
SAID = ("by", "note", "identity")

def table(**subjects):
    """What fields of a source say of a subject; `field:fact` where the fact has another name."""
    return [(it.split(":")[0], subject, it.split(":")[-1]) for subject in subjects for it in subjects[subject].split()]

TURN = table(turn="turn_id workflow_id first_execution_run_id agent requester session_id trace_id store_id parent")
ASKED = table(asked="id:call_id tool_use_id tool version class verdict reason error input_hash undecided"
                    " policy_ref untrusted target_hash")
STEP = table(step="stop_reason text origin passed", turn="store_id")
QUESTION = table(card="digest card", call="preview_ref target_hash")
USAGE = table(step="input_tokens output_tokens cache_read_tokens cache_creation_tokens")
CALL = table(call="id:call_id revision tool version class input_hash input_ref preview_ref policy_ref target_hash")
USE = table(use="tool_use_id tool version class")
BECAME = table(result="state effect summary error")
OUTCOME = table(call="call_id tool version class revision", use="tool_use_id", result="state effect summary error")
SHOWN = table(call="id:call_id revision tool version class idempotency_key:key",
              result="state effect error result_summary:summary")
VIEW = table(turn="turn_id workflow_id agent session_id requester trace_id store_id parent:answers", run="run_id",
             block="state reason")
LOOK, FOUND = table(turn="session_id"), table(turn="state reason usage context_full ended_at", block="state reason")
RECORD = table(turn="turn_id", call="idempotency_key:key tool act", block="dispatch", effect="state:effect result_ref")
OF_RESULT, OF_TOOL = table(result="id:call_id tool version"), table(result="tool_name:tool tool_version:version")
DISPATCHED = table(block="digest tool dispatch idempotency_key:key")
SUBJECT = table(turn="turn_id workflow_id agent requester", call="call_id revision tool version class")
DISPATCH = table(call="call_id tool version input_ref preview_ref input_hash policy_ref revision idempotency_key:key",
                 block="dispatch", dispatch="verdict")

def call_digest(turn, call):
    """Of version 2 in a turn that is bound to a store. None: a field is missing."""
    of = (2, OF_TURN, (*OF_CALL, "definition_ref", "target_hash")) if "store_id" in turn else (1, OF_OLDER, OF_CALL)
    asked = {it: turn[it] if it in turn else ... for it in of[1]}
    asked |= {it: call[it] if it in call else ... for it in of[2]}
    return form({"v": f"holdfast.call/{of[0]}", "call_id": call["id"] if "id" in call else ..., **asked})

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
    """Rules D1 to D8 in one turn: whoever says a fact otherwise than another source."""
    def __init__(self, turn, rule):
        self.turn, self.rule, self.said, self.bodies = turn, rule, {}, {}
        self.applied = {}
        self.runs, self.whole, self.unknown, self.lost, self.reset = [], False, False, False, False
        # Since a reset: calls with their input in another part (None: any), and dispatches that were judged otherwise.
        self.apart = set()
        self.scheduled, self.decisions, self.expiries = {}, set(), set()
        self.heads, self.shown, self.dispatches, self.inputs = set(), set(), set(), {}
        self.beginnings = set()  # blocks that the turn may begin after: their hashes; none: nothing says so
        self.owed, self.written = set(), set()  # decisions that activities have written, and that the transcript has
        self.texts, self.decided, self.decided_in = {}, {}, {}
        self.told = Told(form, number)
        self.tell("turn", "", {name: turn[name] for name in IDS if turn[name] is not None})

    def tell(self, subject, name, facts):
        for fact, value in facts.items() if isinstance(name, str) else ():
            of = f"{subject}.{fact}"
            apart = of in ("call.input_ref", "dispatch.verdict") and name in self.apart
            apart = apart or of == "call.input_ref" and None in self.apart
            if not (value in (None, "") and of in MAY_BE_EMPTY or apart):
                now = form(value)
                self.rule(RULE_OF[subject], self.said.setdefault((subject, name, fact), now) == now)

    def tell_all(self, table, source, **names):
        for field, subject, fact in table:
            if subject in names and field in source:
                self.tell(subject, names[subject], {fact: source[field]})

    def renew(self, call):
        """After a reset: the call with the input that was last said, which an earlier run had in another part."""
        name, ref = txt(call.get("digest")), form(call.get("input_ref"))
        known = "input_ref" in call and self.inputs.get(txt(call.get("id"))) == ref
        if self.reset and known and self.said.get(("call", name, "input_ref"), ref) != ref:
            self.apart.add(name)

    def knows(self, subject, name, fact): return (subject, name, fact) in self.said if isinstance(name, str) else False

    def begin(self, body):
        self.whole = self.whole or not self.runs and body["run_id"] == self.turn["first_execution_run_id"]
        self.reset, self.runs = self.reset or body["began"] == "reset", self.runs + [body["run_id"]]
        self.scheduled = {}
        self.tell("run", str(len(self.runs)), pick(body, ["run_id"]))

    def event(self, event, name, facts, head):
        value = payload(facts.get("input"))
        if name == "WORKFLOW_EXECUTION_STARTED":
            self.go_on(facts.get("continuedExecutionRunId"))
            self.tell("turn", "", pick_there(obj(value), ARGUMENT))
        if name == "ACTIVITY_TASK_SCHEDULED":
            self.scheduled_one(txt(event.get("eventId")), txt(at(facts, "activityType.name")), value)
        if name == "ACTIVITY_TASK_COMPLETED":
            self.completed(txt(facts.get("scheduledEventId")), payload(facts.get("result")))
        if name in ENDED:
            self.view(payload(at(facts, ENDED[name])), head)

    def session(self, name, facts, closed):
        """How its session has found the turn."""
        if name == "ACTIVITY_TASK_SCHEDULED":
            self.tell_all(LOOK, obj(payload(facts.get("input"))), turn="")
        said = obj(payload(facts.get("result")))
        if name == "ACTIVITY_TASK_COMPLETED" and not self.reset:
            self.tell_all(FOUND, said, turn="", **({"block": said.get("head")} if closed else {}))

    def hear(self, said):
        for one in map(obj, said):
            if one:
                self.decisions.add(form({name: one[name] for name in one if name != "revision"}))
            if one.get("decision") != "edit" and isinstance(one.get("digest"), str):
                shown = pick(one, SHOWN_OF_DECISION) | {"attested": "attestation" in one}
                self.decided.setdefault(one["digest"], {}).setdefault(form(shown), shown)

    def go_on(self, before):
        """What a run knows is what the run knew that it goes on from."""
        known = self.decided_in.get(txt(before), {})
        self.decided = self.decided_in[self.runs[-1]] = {digest: dict(known[digest]) for digest in known}

    def scheduled_one(self, event_id, name, value):
        self.unknown, value = self.unknown or value is UNKNOWN, obj(value)
        self.scheduled[event_id], call, approvals = (name, value), obj(value.get("call")), value.get("approvals")
        digest = call.get("digest")
        self.tell_all(TURN, obj(value.get("turn")), turn="")
        self.renew(call)
        self.tell_all(CALL, call, call=digest)
        self.tell("card", call.get("preview_ref"), pick_there(call, ["target_hash"]))
        if name != "admitCall":
            self.tell("card", call.get("preview_ref"), {"makers": call.get("makers", [])})
        self.rule("D4", call.get("input") is None or form(call["input"]) == call.get("input_hash"))
        if name in OUTCOMES and name != "runCall" and self.whole and not self.unknown:
            self.rule("D4", (txt(digest), form(call.get("dispatch"))) in self.dispatches)
        if name in ("runCall", "openSubTurn"):
            made = pick(self.turn, IDS[2:]) | pick(call, ("tool", "input_hash")) | {"call_id": call.get("id")}
            key = {"v": "holdfast.idem/1", **pick(self.turn, IDS[1:]), "call_id": call.get("id"), "digest": digest}
            act = form({"v": "holdfast.act/1", **made})
            self.tell("call", digest, {"key": "hf_" + (form(key) or "")[:40], "act": act})
            of, verdict = f"{digest} {call.get('dispatch')}", pick_there(value, ["verdict"])
            known = self.said.get(("dispatch", of, "verdict"))
            if self.reset and verdict and known not in (None, form(value["verdict"])):
                self.apart.add(of)  # a classifier may judge the same call otherwise
            self.tell("dispatch", of, verdict)
            self.tell("turn", "", pick_there(value, ["options"]))
            if self.knows("asked", call.get("input_ref"), "call_id") and "untrusted" in value:
                self.tell("asked", call["input_ref"], pick(value, ["untrusted"]))
        if name == "runCall":
            self.dispatches.add((txt(digest), form(call.get("dispatch"))))
        self.hear([*objs(approvals), value.get("approval"), *objs(call.get("earlier"))])
        for one in objs(value.get("outcomes")):
            self.hear([*objs(one.get("approvals")), one.get("decision"), *objs(one.get("earlier"))])
            self.known(one, "summary")
            result = one.get("result_ref")
            self.told.outcome(one)
            self.tell_all(OUTCOME, ended(one), call=one.get("digest"), result=result, use=one.get("call_id"))
            self.tell("result", result, pick_there(one, ["call_id"]))
            self.proposed(one.get("call_id"), one)
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
        if name in ("takeStep", "endTurn") and result is not UNKNOWN:
            for one in objs(value.get("outcomes")):
                given = [one.get("decision"), *objs(one.get("approvals")), *objs(one.get("earlier"))]
                self.owed |= {form({field: it[field] for field in it if field != "revision"})
                              for it in given if isinstance(it, dict)}
        known = result is not UNKNOWN and (name != "admitCall" or "id" in obj(value.get("call")))
        if name in (*ADMITTING, "admitCall") and self.reset and not known:
            self.apart.add(None)
        self.unknown, result, call = self.unknown or result is UNKNOWN, obj(result), obj(value.get("call"))
        self.heads |= {head for head in (result.get("head"), result.get("answer_head")) if isinstance(head, str)}
        if name == "takeStep":
            for step in (result.get("head"), result.get("answer_head")):
                self.tell_all(STEP, result, step=step, turn="")
                self.tell_all(USAGE, obj(result.get("usage")), step=step)
        asked = {"takeStep": result.get("calls"), "admitDirect": [result.get("call")]}.get(name)
        if name == "admitDirect":
            self.tell("turn", "", pick_there(result, ["store_id"]))
        for one in objs(asked):
            self.inputs |= {txt(one.get("id")): form(one["input_ref"])} if "input_ref" in one else {}
            self.renew(one)
            for _, _, fact in USE:
                self.said.pop(("use", txt(one.get("id")), fact), None)
            self.tell_all(USE, one, use=one.get("id"))
            self.ready(one, obj(value.get("turn")), result, name)
            self.tell_all(ASKED, one, asked=one.get("input_ref"))
            self.tell_all(CALL[:1] + CALL[2:7], one, call=one.get("digest"))
            if one.get("input") is not None:
                self.tell("asked", one.get("input_ref"), {"input_hash": form(one["input"])})
            if "policy_ref" in one and "policy_ref" in obj(result.get("policy")):
                self.tell("asked", one.get("input_ref"), pick(result["policy"], ["policy_ref"]))
        if name == "runCall" and result.get("state") == "succeeded" and is_question(call):
            answer = answer_of(next(iter(approvals_in(value)), {}))
            self.tell("result", result.get("result_ref"), {"answered": form(answer)})
        if name == "admitCall" and result.get("ok") is True:
            card, digest = result.get("card_ref"), result.get("digest")
            self.tell_all(QUESTION, result, card=card, call=digest)
            self.rule("D3", result.get("run_id") in (None, "") or not self.whole or result["run_id"] in self.runs)
            asked = {"call_id": call["id"]} if "id" in call else {}
            self.tell("card", card, asked | pick_there(result, ["card"]))
            self.rule("D3", txt(digest) in (txt(result.get("card")) or txt(digest)))
            shown = pick_there(result, ["target_hash"]) | ({"makers": call.get("makers", [])} if asked else {})
            self.tell("card", result.get("preview_ref"), shown)
            decided = obj(result.get("decided"))
            self.inputs |= {txt(call.get("id")): form(decided["input_ref"])} if "input_ref" in decided else {}
            now = {**call, **pick_there(decided, ("input_ref", "input_hash")),
                   **pick_there(obj(result.get("renewed")), ("policy_ref",))}
            self.renew(now | {"digest": digest})
            self.tell_all([it for it in CALL if it[0] not in ("preview_ref", "target_hash")], now, call=digest)
            self.shown |= {ref for ref in (card, result.get("preview_ref")) if isinstance(ref, str)}
        if name == "readCard" and "card" in result:
            self.tell("card", value.get("card_ref"), pick(result, ["card"]) | pick_there(result, ["digest"]))
        for one in (result, *(obj(result.get(name)) for name in ("outcome", "settled", "refused"))):
            ref, head = one.get("result_ref"), one.get("head")
            if isinstance(ref, str) and ref and one.get("state") in RAN:
                self.shown, self.heads = self.shown | {ref}, self.heads | ({head} if isinstance(head, str) else set())
                self.tell_all(BECAME, one, result=ref)
                self.tell_all(OF_RESULT, call, result=ref)
                self.tell("result", ref, {"success": one["state"] == "succeeded"})
                self.tell("effect", head, pick_there(one, ["effect"]))
                self.texts.setdefault(ref, (one.get("summary"), obj(one.get("error")).get("message")))
                did = EFFECT[one["state"]] if call.get("class") == "destructive" else None
                self.rule("D6", one.get("effect", 0) == did or not isinstance(call.get("class"), str))
                if isinstance(one.get("effect"), str):
                    self.applied[txt(call.get("digest"))] = one["effect"] == "applied"
        if name == "settleEffect" and result.get("effect") == value.get("outcome"):
            self.tell("effect", result.get("head"), pick_there(value, SAID))

    def ready(self, one, turn, result, name):
        """Which digest a step gives a call that needs no further admission."""
        digest, needs, verdict = one.get("digest"), one.get("needs_admit"), one.get("verdict")
        if "digest" not in one:
            return
        ready = verdict != "rejected" and needs is False
        self.rule("D2", "needs_admit" not in one or ready == (digest is not None))
        if digest is not None and isinstance(turn.get("turn_id"), str):
            turn = turn | pick_there(result, ["store_id", "agent"] if name == "admitDirect" else ["store_id"])
            policy = pick_there(obj(result.get("policy")), ["policy_ref"])
            self.rule("D2", digest == call_digest(turn, {**policy, **one, "revision": 1, "preview_ref": None}))

    def proposed(self, name, one):
        """Which tool was asked for, of a call that did not run too."""
        if self.whole and not self.unknown:
            self.tell_all(USE[1:], one, use=name)

    def known(self, one, summary):
        digest, ref, message = one.get("digest"), one.get("result_ref"), obj(one.get("error")).get("message")
        for text, whole in zip((one.get(summary), message), self.texts.get(ref, ()) if isinstance(ref, str) else ()):
            self.rule("D6", not is_cut(text) or is_short_of(text, whole))
        if isinstance(digest, str) and not isinstance(ref, str) and one.get("state") != "cancelled" and not self.reset:
            self.tell("result", "of " + digest, pick_there(ended(one), ("state", "effect", "error")))
        acts = one.get("class", "destructive") == "destructive"
        self.rule("D6", acts or not isinstance(one["class"], str) or not isinstance(one.get("effect"), str))
        if self.whole and not self.unknown:
            self.rule("D4", not isinstance(digest, str) or self.knows("call", digest, "call_id"))
            self.rule("D6", not isinstance(ref, str) or self.knows("result", ref, "state"))
            self.rule("D6", self.reset or self.applied.get(txt(digest), False) == (one.get("effect") == "applied"))

    def view(self, view, head):
        if not isinstance(obj(view).get("calls"), list):
            return
        self.tell_all(VIEW, view, turn="", run=str(len(self.runs)), block=view.get("head"))
        if not self.reset:  # A turn that was reset has ended more than once.
            told = pick_there(view, ("state", "reason", "usage", "ended_at"))
            told["context_full"] = view.get("context_full") is True
            self.tell("turn", "", told)
        self.rule("D1", "head" not in view or head == view["head"])
        there = set(map(txt, pick_all(view["calls"], "digest")))
        left_out = [it for it in self.applied if self.applied[it] and it not in there]
        for one in objs(view["calls"]):
            digest, approval = one.get("digest"), obj(one.get("approval"))
            self.known(one, "result_summary")
            self.tell_all(SHOWN, ended(one), call=digest, result=one.get("result_ref"))
            self.tell_all(OF_RESULT[:1], one, result=one.get("result_ref"))
            self.proposed(one.get("id"), one)
            if self.whole and not self.unknown:
                self.approved(txt(one.get("id")), approval, list(self.decided.get(txt(digest), {}).values()))
        answered = texts(pick_all(view["calls"], "result_ref"))
        if isinstance(view.get("envelope"), dict) and len(answered) == 1:
            self.tell("result", answered[0], {"answer": form(view["envelope"])})
        forgotten = next((it for it in [at(view, "earlier_calls.applied")] if type(it) in (int, float)), 0)
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
        own = txt(body.get("first_execution_run_id")) or body.get("state")
        if isinstance(body.get("subject"), dict) or isinstance(own, str):
            self.bodies[ref] = body
        self.told.part(ref, body)
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
            self.told.result(ref, body, envelope)
            metadata = obj(envelope.get("metadata"))
            failed = pick_there(envelope, ["error"]) if envelope.get("success") is False else {}
            if self.knows("result", ref, "answer") and len(canonical(envelope).encode()) <= 2**17:
                self.tell("result", ref, {"answer": form(envelope)})
            if self.knows("result", ref, "answered"):
                self.tell("result", ref, {"answered": form(envelope.get("data"))})
            self.tell_all(OF_TOOL, metadata, result=ref)
            self.tell("result", ref, pick_there(body, ("summary", "call_id")) | failed)
            self.tell("result", ref, pick_there(envelope, ["success"]))
            self.tell("turn", "", pick_there(body, ("turn_id", "session_id")) | pick_there(metadata, ["trace_id"]))

    def block(self, ref, block):
        body, kind = self.bodies.get(next(iter(block["parts"]), "")), block["kind"]
        self.told.block(block)
        if body is None:
            return
        digest, result = body.get("digest"), body.get("result_ref")
        if kind == "start":
            self.tell_all(TURN, {**body, "agent": obj(body.get("agent")).get("name")}, turn="")
            return self.tell("turn", "", pick_there(body, ["attestation"]))
        if kind == "admission":
            self.tell_all(STEP, body, step=ref)
            self.tell_all(USAGE, obj(body.get("usage")), step=ref)
        if kind == "end":
            self.tell("block", ref, pick_there(body, ("state", "reason")) | pick(body, ["result_of"]))
        self.tell_all(SUBJECT, obj(body.get("subject")), turn="", call=digest)
        if kind == "decision":
            said = form({name: body[name] for name in body if name != "subject"})
            self.written.add(said)
            self.rule("D5", said in self.decisions or self.unknown or not self.whole)
            self.tell("card", body.get("card_ref"), pick_there(body, ["digest"]))
        if kind == "dispatch":
            self.tell_all(DISPATCH, body, call=digest, block=ref, dispatch=f"{digest} {body.get('dispatch')}")
            self.tell_all(DISPATCHED, body, block=ref)
        if kind in ("effect", "settlement"):
            effect = state_in(kind, body)
            self.tell("call", digest, pick_there(body, ["call_id"]))
            said = SAID if self.knows("effect", ref, "by") else ()
            self.tell("effect", ref, pick_there(body, ("digest", "result_ref", *said)) | {"effect": effect})
            self.tell("result", result, {"effect": effect})

    def effect(self, record, told):  # told: an own effect or settlement says what became of it
        digest, head, last = record.get("digest"), record.get("head"), record.get("result_head")
        self.tell_all(RECORD, record, turn="", call=digest, block=head, effect=last)
        if self.knows("block", head, "digest"):
            self.tell_all(DISPATCHED, record, block=head)
        if not self.reset:
            self.tell("effect", last, {"digest": digest})
        self.heads |= {it for it in (head, last) if isinstance(it, str)}
        if record.get("state") in ("applied", "in_doubt") and self.whole and not self.lost:
            self.rule("D7", told and self.knows("block", head, "key"))


# ---------------------------------------------------------------- the history of a turn: rules H1 to H6

CALLS, NO_STORE = ("runCall", "openSubTurn"), object()
GIVEN_A_HEAD = ("takeStep", "runCall", "endTurn", "settleEffect")
ADMITTING = ("takeStep", "admitDirect")
OUTCOMES = {"runCall": "", "settleEffect": "", "inspectEffect": "outcome", "reconcileEffect": "settled",
            "completeCall": "settled"}

def attributes_of(event, name):
    first, *rest = name.lower().split("_")
    return obj(event.get(first + "".join(map(str.capitalize, rest)) + "EventAttributes"))

def approvals_in(value):
    """Histories from before there could be several approvals have one, or null."""
    if isinstance(value.get("approvals"), list):
        return [obj(one) for one in value["approvals"]]
    return [value["approval"]] if isinstance(value.get("approval"), dict) else []

class History:
    def __init__(self, turn, namespace, signatures, rule):
        self.turn, self.rule, self.signatures = turn, rule, signatures
        self.audience = {"namespace": namespace, "workflow_id": turn["workflow_id"],
                         "first_execution_run_id": turn["first_execution_run_id"] or ""}
        self.runs, self.reset, self.closed = [], False, False
        self.started_by = None  # the workflow, its run and the event that has started the turn, as the server says
        self.started_with = {}
        self.argument, self.store, self.began, self.latest = UNKNOWN, NO_STORE, math.nan, -math.inf
        self.said, self.asked_until = [], set()
        self.timers = []  # when each has fired, and when the last completed task before it began
        self.escalations = {}  # who may approve as well, and from when on, by digest
        self.policies = {}  # the rules under which an input was admitted, by the part that has it
        self.names_objects = set()  # rules and definitions of scheduled calls
        self.calls, self.by_input = {}, {}  # scheduled calls, by digest and by the part with their input
        self.outcomes, self.admitted, self.given, self.head = [], set(), set(), None
        self.named = []  # blocks that results have named: the ref, the kinds that it may have, and what it admits
        self.unknown = set()  # what was left out: calls, questions, outcomes, admissions

    @property
    def whole(self): return self.runs[:1] == [self.turn["first_execution_run_id"]]

    def begin(self, body):
        self.runs.append(body["run_id"])
        self.run, self.events, self.clock, self.activities, self.closed = body, 0, -math.inf, {}, False
        self.tasks, self.task = {}, math.nan  # when each task began, and the last completed one
        self.reset = self.reset or body["began"] == "reset"

    def event(self, event, name, facts):
        self.events, time = self.events + 1, when(event.get("eventTime"))
        self.rule("H1", isinstance(event.get("eventType"), str) and event.get("eventId") == str(self.events))
        self.rule("H1", time >= self.clock - CLOCKS or name == "ACTIVITY_TASK_STARTED" and time == time)
        self.began = time if math.isnan(self.began) else self.began
        self.clock, self.latest = max(self.clock, time), max(self.latest, time)
        self.closed = name in ENDED
        value = payload(facts.get("input"))
        if self.events == 1:
            self.first(name, facts, value)
        self.hear(name, facts, value, time)
        if name == "ACTIVITY_TASK_SCHEDULED":
            self.scheduled(txt(event.get("eventId")), facts, value, time)
        if name == "ACTIVITY_TASK_COMPLETED":
            self.completed(txt(facts.get("scheduledEventId")), payload(facts.get("result")), time)

    def first(self, name, facts, value):
        turn, original = self.turn, facts.get("originalExecutionRunId")
        self.rule("H2", name == "WORKFLOW_EXECUTION_STARTED")
        self.rule("H2", facts.get("firstExecutionRunId") == turn["first_execution_run_id"])
        began = "start" if facts.get("continuedExecutionRunId") in ("", None) else "continued"
        self.rule("H2", self.run["began"] == ("reset" if original not in ("", None, self.runs[-1]) else began))
        if value is not UNKNOWN:
            self.rule("H2", obj(value).get("turn_id") == turn["turn_id"])
            above = pick(obj(obj(value).get("parent")), ("turn_id", "call_id"))
            self.rule("H2", turn["parent"] is None or above == turn["parent"])
        if len(self.runs) == 1 and self.whole:
            self.argument, above = value, facts.get("parentWorkflowExecution")
            self.started_with = facts
            if isinstance(above, dict):
                self.started_by = (above.get("workflowId"), above.get("runId"), facts.get("parentInitiatedEventId"))

    # What people said.

    def hear(self, name, facts, value, time):
        if name == "WORKFLOW_TASK_STARTED":
            self.tasks[str(self.events)] = time
        if name == "WORKFLOW_TASK_COMPLETED":
            self.task = self.tasks.get(txt(facts.get("startedEventId")), math.nan)
        if name == "TIMER_FIRED":
            self.timers.append((time, self.task))
        if name == "WORKFLOW_EXECUTION_SIGNALED":
            if facts.get("signalName") in ("approve", "deny", "settle", "answer"):
                self.note(facts["signalName"], value, time, self.task)
        if name in ("WORKFLOW_EXECUTION_UPDATE_ACCEPTED", "WORKFLOW_EXECUTION_UPDATE_ADMITTED"):
            request = obj(there(facts, "acceptedRequest", "request"))
            if at(request, "input.name") == "decide":
                value = payload(at(request, "input.args"))
                self.note(txt(obj(value).get("decision")), value, time)
            if at(request, "input.name") == "answer":
                self.note("answer", payload(at(request, "input.args")), time)

    def note(self, kind, value, time, task=math.nan):
        if value is UNKNOWN:
            self.unknown.add("decisions")
        value = obj(value)
        by = texts(value.get("by"))[:1] if isinstance(value.get("by"), str) else []
        signed = [txt(claims_of(token).get("principal")) for token in texts(value.get("attestation"))]
        calls = [it for it in texts(value.get("call")) + texts(value.get("calls")) if len(it) >= 12]
        # An activity checks an answer, an edit, and what is signed: the workflow counts them in a later task.
        checked = kind == "answer" or value.get("input") is not None or texts(value.get("attestation"))
        times = time, math.nan if checked else task
        self.said.append((kind, {*map(person, by + signed)}, calls, value.get("outcome"), times))

    def has_said(self, decision, digest, by, at=math.inf, outcome=None, expires=math.inf):
        """Whether this person has said it of the call so far, before `at`, or it was left out what somebody said.
        A query may have seen it first, by the clock of the task before."""
        kind = "approve" if decision == "edit" else decision
        return "decisions" in self.unknown or any(
            one == kind and person(txt(by)) in people and any(txt(digest).startswith(it) for it in calls)
            and (not time > at + CLOCKS or task == at and not time > expires + CLOCKS)
            and (kind != "settle" or form(became) == form(outcome))
            for one, people, calls, became, (time, task) in self.said)

    def has_expired(self, time, until):
        """Likewise. The timer is in this history, or in a run that was lost."""
        lost = not self.whole and time < until and not time >= self.began
        return time >= until - CLOCKS or lost or any(
            task == time and fired >= until - CLOCKS for fired, task in self.timers)

    def attested(self, one, **said):
        """H5"""
        if "attestation" in one:
            time = when(said.pop("at"))
            said["note"] = one.get("note")
            if said["decision"] == "answer":
                said["input_hash"] = form(one.get("value"))
            self.rule("H5", self.signatures.holds(one["attestation"], said, self.audience, time))

    # What was to run.

    def scheduled(self, event_id, facts, value, time):
        name = txt(at(facts, "activityType.name"))
        call = obj(obj(value).get("call"))
        self.activities[event_id] = (name, call)
        if value is UNKNOWN:
            self.unknown |= {{"runCall": "calls", "admitCall": "questions"}.get(name, "")}
            self.unknown |= {"digests"} if name in OUTCOMES else set()
            return
        value = obj(value)
        if name in CALLS:
            self.call(value, call, facts, time)
            kept = {"call": call, "value": value, "at": time}
            self.by_input.setdefault(txt(call.get("input_ref")), []).append(kept)
            self.names_objects |= {call[name] for name in OBJECT_REFS if isinstance(call.get(name), str)}
            if name == "runCall":
                self.calls.setdefault(txt(call.get("digest")), []).append(kept)
        if name == "admitCall":
            self.asked_until.add((txt(call.get("id")), txt(value.get("expires_at"))))
        if name == "settleEffect":
            for one in [value, *objs(value.get("settlements"))]:
                digest, by, outcome = call.get("digest"), one.get("by"), one.get("outcome")
                then = one.get("at", value.get("at"))
                self.rule("H6", not self.whole or self.has_said("settle", digest, by, when(then), outcome))
                self.rule("H6", when(then) <= time + CLOCKS)
                self.attested(one, digest=digest, decision="settle", outcome=outcome, by=by, at=then)
        if name in GIVEN_A_HEAD and isinstance(value.get("head"), str):
            self.given.add(value["head"])

    def call(self, value, call, facts, time):
        turn = obj(value.get("turn"))
        digest = call_digest(turn, call)
        again = f":{call.get('dispatch')}" if call.get("dispatch") != 1 else ""
        self.rule("H3", pick(turn, IDS) == pick(self.turn, IDS) and digest is not None and call.get("digest") == digest)
        self.rule("H3", type(call.get("dispatch")) is int and call["dispatch"] > 0 and "input" in call)
        self.rule("H3", call.get("input") is None or call.get("input_hash") == form(call["input"]))
        name = f"{txt(call.get('id'))}:{txt(call.get('tool'))}:{txt(digest)[:16]}{again}"
        self.rule("H3", facts.get("activityId") == name)
        store = turn.get("store_id") if isinstance(turn.get("store_id"), str) else None
        if self.store is NO_STORE:
            self.store = self.audience["store_id"] = store
        self.rule("H3", self.store == store)
        people, kind = set(), kind_of(call)
        for one in approvals_in(value):
            by, until = one.get("by"), one.get("expires_at")
            self.rule("H4", one.get("decision") == kind and one.get("digest") == call.get("digest"))
            self.rule("H4", when(one.get("at")) <= when(until) and person(txt(by)) not in people)
            people.add(person(txt(by)))
            if self.whole:
                self.rule("H4", self.has_said(kind, call.get("digest"), by))
                self.rule("H6", "questions" in self.unknown or (txt(call.get("id")), txt(until)) in self.asked_until)
                self.rule("H6", self.has_said(
                    kind, call.get("digest"), by, when(one.get("at")), expires=when(until)))
            self.rule("H6", when(one.get("at")) <= time + CLOCKS and when(one.get("at")) <= when(one.get("until", END)))
            self.attested(one, digest=call.get("digest"), decision=kind, outcome=None, by=by, at=one.get("at"))

    def key_of(self, call):
        """The idempotency key of a scheduled call."""
        of = {"call_id": call.get("id"), "digest": call.get("digest")}
        return "hf_" + txt(form({"v": "holdfast.idem/1", **pick(self.turn, IDS[1:]), **of}))[:40]

    def dispatched(self, digest, dispatch):
        """The scheduled calls of this dispatch: after a reset another run may have scheduled it again."""
        return [one for one in self.calls.get(txt(digest), []) if form(one["call"].get("dispatch")) == form(dispatch)]

    # What became of it.

    def completed(self, event_id, result, time):
        name, call = self.activities.get(event_id, ("", {}))
        if name == OF_ANOTHER:
            return
        if result is UNKNOWN:
            self.head = UNKNOWN
            self.unknown |= {"escalations"} if name == "admitCall" else set()
            self.unknown |= {"outcomes"} if name in OUTCOMES else {"admissions"} if name in ADMITTING else set()
            return
        result = obj(result)
        if name == "admitCall" and "escalations" in result:
            self.escalations.setdefault(txt(result.get("digest")), objs(result["escalations"]))
        named = [at(result, path) for path in ("head", "outcome.head", "settled.head", "refused.head")]
        self.head = next((it for it in named if isinstance(it, str)), self.head)
        became = result.get(OUTCOMES[name]) if OUTCOMES.get(name) else result
        if name in OUTCOMES and isinstance(became, dict):
            self.outcomes.append({"digest": call.get("digest"), "at": time, **pick(became, ("head", "effect"))})
        asked = result.get("calls") if name == "takeStep" else [obj(result.get("call"))]
        for one in objs(asked) if name in ADMITTING else []:
            self.policies[txt(one.get("input_ref"))] = one.get("policy_ref")
        if name == "admitCall" and isinstance(at(result, "decided.input_ref"), str):
            renewed = at(result, "renewed.policy_ref")
            self.policies[result["decided"]["input_ref"]] = call.get("policy_ref") if renewed is None else renewed
        self.names(name, result, tuple(txt(one.get("input_ref")) for one in objs(asked)))
        if name in ADMITTING:
            self.admitted.add(tuple(txt(one.get("input_ref")) for one in objs(asked)))

    def names(self, name, result, admits):
        """T7: what an activity has written, by what it answers."""
        head, answer = result.get("head"), there(result, "answer_head", "head")
        named = [(head, ["end"], None)] if name == "endTurn" or name == "takeStep" and "answer_head" in result else []
        # An older build did not say where the answer stands before the end.
        if name == "takeStep" and ("answer_head" in result or result.get("next") != "end") or name == "admitDirect":
            named.append((answer if name == "takeStep" else head, ["admission"], admits))
        if name in ("runCall", "settleEffect"):
            named.append((head, ["effect", "settlement"], None))
        if name in ("reconcileEffect", "completeCall"):
            named.append((obj(result.get("settled")).get("head"), ["effect", "settlement"], None))
        self.named += [one for one in named if isinstance(one[0], str)]

# ---------------------------------------------------------------- blocks: rules B2 to B12

PART_REFS, OBJECT_REFS = ("card_ref", "input_ref", "preview_ref", "result_ref"), ("policy_ref", "definition_ref")

def state_in(kind, body):
    if kind == "effect":
        return body.get("effect")
    return body.get("outcome") if body.get("recorded") is None else body["recorded"]

def is_of_time(run, block): return "at" not in run["value"] or when(run["value"]["at"]) == block["at"]

def defined(objects, body):
    """The agent's definition that a body names; {}: it is not there."""
    found = obj(objects.get(txt(body.get("definition_ref"))))
    return found if found.get("v") == "holdfast.agent/1" else {}

class Blocks:
    def __init__(self, turn, history, objects, blocks, rule, files):
        self.turn, self.history, self.objects, self.seen, self.rule = turn, history, objects, blocks, rule
        self.files = TurnFiles(files)
        self.before = {}  # blocks before its own: of a turn that ended before it began, all that there is
        self.own, self.parts, self.sub_turns, self.needs = {}, {}, [], {"parts": set(), "objects": set()}
        self.editors, self.steerers, self.admitted, self.dispatches = {}, set(), {}, {}
        self.shows_message, self.entries = False, {}  # the entries that may apply to a call, by its digest
        self.unknown = set()  # what was left out: starts, decisions, admissions, messages, dispatches

    def part(self, ref, part):
        body = None if part is None else obj(part["body"])
        self.parts[ref] = body
        self.files.part(ref, part)
        for run in self.history.by_input.get(ref, []) if part else []:
            self.rule("B12", allowed(self.objects, run, body, self.history.policies.get(ref), self.entries))

    def block(self, ref, block):
        """Whether it is one of the turn's own."""
        kind, parent, history, body = block["kind"], self.own.get(block["parent"]), self.history, None
        if block["parts"]:
            body = self.parts.get(block["parts"][0])
        starts = kind == "start" and body is not None
        lost = kind == "start" and body is None and next(iter(block["parts"]), "") in self.parts
        starts = starts and body.get("first_execution_run_id") == self.turn["first_execution_run_id"]
        # One whose part stands in another turn's lines was not left out: it is no start of this turn.
        self.unknown |= {"starts"} if lost else set()
        self.unknown |= {"parents"} if block["parent"] is not None and block["parent"] not in self.seen else set()
        admits = tuple(block["parts"][1:]) if kind == "admission" else None
        if not self.own:
            self.before[ref] = {"kind": kind, "admits": admits}
        if not (starts or parent):
            other = kind == "start" and body is not None and history.whole
            self.rule("B3", not other or body.get("workflow_id") != self.turn["workflow_id"])
            return False
        time, after = when(block["at"]), parent["at"] if parent else history.began
        if history.whole:
            self.rule("B2", max(after, history.began) <= time <= history.latest)
        approvals = parent["approvals"] if parent else ()  # in it, and in the blocks that it follows
        if kind == "decision" and body is not None and body.get("decision") == "approve":
            approvals = (*approvals, (form(body.get("digest")), person(txt(body.get("by")))))
        self.own[ref] = {"at": time, "kind": kind, "body": body, "admits": admits, "approvals": approvals}
        if body is not None and kind in ("start", "decision", "dispatch", "effect", "settlement"):
            self.refer(body)
        if kind == "start":
            self.start(body, time)
        if kind == "decision":
            self.decision(body, time)
        if kind == "dispatch":
            self.dispatch(body, self.own[ref])
        elif kind in ("message", "admission"):
            getattr(self, kind)(body, block["parts"])
        elif kind in ("effect", "settlement"):
            self.effect(body, ref, kind)
        return True

    def refer(self, body):
        for group, names in (("parts", PART_REFS), ("objects", OBJECT_REFS)):
            self.needs[group] |= {body[name] for name in names if isinstance(body.get(name), str)}

    def start(self, body, time):
        if body is None:
            return
        history, asked = self.history, obj(self.history.argument)
        self.rule("H7", self.started_by(body, time))
        self.rule("B3", pick(body, IDS[:2]) == pick(self.turn, IDS[:2]))
        self.rule("B3", history.store is NO_STORE or body.get("store_id") == history.store)
        if not history.whole or history.argument is UNKNOWN:
            return
        self.rule("B3", form(body.get("requester")) == form(asked.get("requester")))
        if isinstance(asked.get("message"), (str, list)):
            self.rule("B3", body.get("message_hash") == form(asked["message"]))
            self.rule("B3", obj(body.get("agent")).get("name") == asked.get("agent"))
        if isinstance(asked.get("input_json"), str):
            call = obj(body.get("call"))
            self.rule("B3", call.get("tool") == asked.get("tool"))
            self.rule("B3", call.get("asked_hash") == form(asked["input_json"]))
            signed = {"agent": asked.get("agent") or "", "message_hash": form(pick(asked, ("tool", "input_json")))}
            self.rule("B3", not isinstance(body.get("signed_for"), dict) or pick(body["signed_for"], signed) == signed)

    def started_by(self, body, time):
        """Whether the start is signed where decisions are; a sub-agent's turn has the signature of the turn above."""
        asked = {"agent": obj(body.get("agent")).get("name"), "message_hash": body.get("message_hash")}
        signed = body["signed_for"] if isinstance(body.get("signed_for"), dict) else asked
        said = pick(signed, asked) | pick(body, ["requester"])
        session = [f"session/{body['session_id']}"] if isinstance(body.get("session_id"), str) else []
        workflows, namespace = [self.turn["workflow_id"], *session], self.history.audience["namespace"]
        token = body.get("attestation")
        holds = "attestation" in body and self.history.signatures.start_holds(token, said, namespace, workflows, time)
        approvals = obj(defined(self.objects, body).get("approvals"))
        signs = wants_signatures(defined(self.objects, body).get("approval_lists"))
        return holds or "parent" in body or not signs and "attested" not in pick_all([*approvals.values()], "channel")

    def message(self, body, parts):
        said = obj(self.history.argument).get("message")
        bodies = [self.parts.get(ref) for ref in parts]
        self.unknown |= {"messages"} if None in bodies else set()
        if isinstance(said, str) and {"type": "text", "text": said} in [it for it in bodies if it is not None]:
            self.shows_message = True
        if isinstance(said, list) and [form(it) for it in said] == [form(it) for it in bodies[1:]]:
            self.shows_message = True
        self.files.message(parts)
        if body is not None:
            if isinstance(body.get("steer"), dict):
                self.steered(body["steer"], bodies[1] if len(bodies) > 1 else None)
            self.sub_turns += objs(body.get("sub_turns"))

    def steered(self, steer, said):
        """H5: what somebody has said to the running turn."""
        by = steer.get("by")
        self.steerers.add(person(txt(by)))
        if said is not None:
            digest = form({"v": "holdfast.steer/1", "text": said.get("text")})
            self.history.attested(steer, digest=digest, decision="steer", outcome=None, by=by, at=steer.get("at"))

    def admission(self, body, parts):
        bodies, history = [self.parts.get(ref) for ref in parts[1:]], self.history
        self.unknown |= {"admissions"} if None in bodies else set()
        for one in bodies:
            if one is not None:
                self.admitted.setdefault(txt(one.get("call_id")), []).append(one)
        if history.whole:
            said = obj(history.argument).get("message")
            self.rule("B4", not isinstance(said, (str, list)) or self.shows_message or "messages" in self.unknown)
            self.rule("B5", tuple(parts[1:]) in history.admitted or "admissions" in history.unknown)

    def decision(self, body, written):
        if body is None:
            self.unknown.add("decisions")
            return
        history, decision, digest, by = self.history, body.get("decision"), body.get("digest"), body.get("by")
        time, until = when(body.get("at")), when(body.get("expires_at"))
        history.attested(body, digest=digest, decision=decision, outcome=None, by=by, at=body.get("at"))
        head = claims_of(body.get("attestation")).get("head")
        self.rule("H5", head is None or head in self.seen)
        if decision == "answer":  # the model reads it: its author had a hand in what follows
            self.steerers.add(person(txt(by)))
        if decision == "edit":
            self.editors.setdefault(txt(obj(body.get("subject")).get("call_id")), set()).add(person(txt(by)))
        if decision in ("approve", "deny", "edit", "answer") and history.whole:
            self.rule("B6", history.has_said(decision, digest, by, time, expires=until))
        self.rule("B6", time <= written + CLOCKS)
        if decision != "edit":
            self.rule("B6", history.has_expired(time, until) if decision == "expired" else time <= until)

    def dispatch(self, body, block):
        if body is None:
            self.unknown.add("dispatches")
            return
        key, number, history = form(body.get("idempotency_key")), form(body.get("dispatch")), self.history
        self.dispatches |= {(key, number): body, (key, form(None)): body}
        runs = history.dispatched(body.get("digest"), body.get("dispatch")) if history.whole else []
        if history.reset and "calls" in history.unknown:  # the one that was left out may have written the block
            runs = [run for run in runs if is_of_time(run, block)]
        found = [self.dispatched(body, run, block) for run in runs]  # one must hold; else the first one counts
        for rule, holds in next((one for one in found if all(holds for _, holds in one)), next(iter(found), [])):
            self.rule(rule, holds)
        if history.whole and not runs:
            self.rule("B7", "calls" in history.unknown)
        rules = obj(self.objects.get(txt(body.get("policy_ref"))))
        channels = (rules.get("channel"), obj(self.objects.get(txt(within(rules)))).get("channel"))
        self.rule("B10", "attested" not in channels or obj(body.get("approval")).get("channel") == "attested")
        definition = defined(self.objects, body)
        approvals, wanted = obj(definition.get("approvals")), pick(body, ("tool", "version"))
        if txt(body.get("tool")) in approvals:
            self.rule("B10", form(approvals[txt(body.get("tool"))]) == form(body.get("approval")))
        if definition:
            self.under_entry(body, obj(definition.get("approval_lists")).get(txt(body.get("tool"))))
        tools = [one for one in objs(definition.get("tools")) if form(pick(one, ("name", "version"))) == form(
            {"name": wanted["tool"], "version": wanted["version"]})]
        kind = obj(body.get("subject")).get("class", "destructive")
        self.rule("B10", kind == "destructive" and (not tools or kind in pick_all(tools, "class")))

    def under_entry(self, body, of):
        """B10: the policy is that of the entry that applies by the rules, and the definition has these rules."""
        try:
            rules = rules_of(self.objects, body.get("policy_ref"))[0]
            known = rules.get("v") == "holdfast.policy/1"
            self.rule("B10", not known or is_same_list(list_in(rules, body.get("tool")), of))
        except NoRule:
            pass
        entry, may = obj(body.get("approval")).get("entry"), self.entries.get(txt(body.get("digest")), [])
        self.rule("B10", of is None or is_of_list(form, body.get("approval"), of))
        self.rule("B10", of is None or not may or any(is_it(entry, one) for one in may))

    def dispatched(self, body, run, block):
        """B7 to B9, as rules and whether they hold, if this call was dispatched."""
        call, found = run["call"], []
        rule = lambda name, holds: found.append((name, holds))
        same = ("tool", "version", "input_ref", "preview_ref")
        rule("B7", form(pick(body, same)) == form(pick(call, same)) and body.get("call_id") == call.get("id"))
        value, reset = run["value"], self.history.reset
        rule("B7", not reset or "verdict" not in body or form(body["verdict"]) == form(value.get("verdict")))
        rule("B7", not reset or is_of_time(run, block))
        rule("B7", body.get("idempotency_key") == self.history.key_of(call) and call.get("class") == "destructive")
        alike = lambda one: pick(one, ("tool", "version")) == pick(body, ("tool", "version"))
        admitted = [one for one in self.admitted.get(txt(body.get("call_id")), [])
                    if alike(one) and one.get("verdict") != "rejected"]
        rule("B8", admitted or "admissions" in self.unknown)
        self.approved(body, run, admitted, block["approvals"], rule)
        return found

    def approved(self, body, run, admitted, written, rule):
        """B9: enough people approved, and none who must not."""
        call, approvals, policy = run["call"], approvals_in(run["value"]), obj(body.get("approval"))
        people = {person(txt(one.get("by"))) for one in approvals}
        own = {name for digest, name in written if digest == form(body.get("digest"))}
        rule("B9", people == own or "decisions" in self.unknown)
        behind = voices(approvals)
        asks = [one for one in admitted if one.get("verdict") == "ask" and "undecided" not in one]
        quorum = policy.get("quorum") if type(policy.get("quorum")) in (int, float) else 1
        rule("B9", not (asks or run["value"].get("verdict") == "ask") or votes(behind) >= quorum)
        rule("B9", not any(name.startswith(("schedule/", "trigger/")) for name in chain(*behind)))
        if policy.get("four_eyes") is True:
            asked = obj(self.history.argument).get("requester"), obj(body.get("subject")).get("requester")
            makers = call.get("makers") if isinstance(call.get("makers"), list) else []
            involved = {person(txt(name)) for name in (*asked, *makers)} - {""}
            changed_by = self.editors.get(txt(body.get("call_id")), set()) | self.steerers
            rule("B9", not {*chain(*behind)} & (involved | changed_by))
        for one in approvals:
            read = DEPUTIES.read(one.get("attestation"))
            agent = obj(body.get("subject")).get("agent")
            rule("B9", read is None or reaches(read, policy, body.get("tool"), agent))
        if policy.get("channel") == "attested":
            for one in approvals:
                claims, time = claims_of(one.get("attestation")), when(one.get("at"))
                known, unknown = self.history.escalations.get(txt(call.get("digest")), []), self.history.unknown
                roles = roles_then(policy, known, "escalations" in unknown, lambda at: when(at) <= time)
                rule("B9", claims and (not roles or any(role in roles for role in claims["roles"])))

    def effect(self, body, ref, kind):
        if body is None:
            return
        name = form(body.get("idempotency_key")), form(body.get("dispatch") if kind == "effect" else None)
        self.rule("B11", self.is_of(body, self.dispatches.get(name)) or "dispatches" in self.unknown)
        if self.history.whole:
            said = [one for one in self.history.outcomes if one["head"] == ref]
            self.rule("B11", all(form(one["effect"]) == form(state_in(kind, body)) for one in said))

    def is_of(self, body, dispatch):
        """Whether it is the outcome of that dispatch. After a reset the same call may have another digest."""
        if dispatch is None or form(body.get("digest")) == form(dispatch.get("digest")):
            return dispatch is not None
        act = form({"id": dispatch.get("call_id"), **pick(dispatch, ("tool", "input_hash"))})
        calls = [one["call"] for one in self.history.calls.get(txt(body.get("digest")), [])]
        is_same = any(form(pick(one, ("id", "tool", "input_hash"))) == act for one in calls)
        return self.history.reset and (is_same or "calls" in self.history.unknown)

    def has_stray_step(self):
        """Whether a step has written a block of these lines that is not the turn's own, as far as anybody can tell."""
        steps = {ref for ref, _, admits in self.history.named if admits is not None and ref in self.before}
        return self.history.whole and not self.unknown & {"starts", "parents"} and not steps <= self.own.keys()

    def unended(self):
        """Whether something was dispatched, and no block says what became of it."""
        if any(one["body"] is None and one["kind"] != "message" for one in self.own.values()):
            return False
        keys = {"dispatch": set(), "effect": set(), "settlement": set()}
        for one in self.own.values():
            if one["kind"] in keys:
                keys[one["kind"]].add((form(one["body"].get("digest")), form(one["body"].get("idempotency_key"))))
        return not keys["dispatch"] <= keys["effect"] | keys["settlement"]

    def says(self, ref):
        """State and result in an own effect or settlement; UNKNOWN: it was left out. None: it is none."""
        own = self.own.get(ref) if isinstance(ref, str) else None
        if not own or own["kind"] not in ("effect", "settlement"):
            return None
        return UNKNOWN if own["body"] is None else [state_in(own["kind"], own["body"]), own["body"].get("result_ref")]

    def key_at(self, ref):
        """The idempotency key in an own block that was not left out."""
        return txt(obj(self.own.get(txt(ref), {}).get("body")).get("idempotency_key"))

# ---------------------------------------------------------------- the rules asked again: B12

def allowed(objects, run, body, admitted_under, entries):
    """Whether the rules may have let a call run as it did. `admitted_under`: those under which its input was admitted.
    `entries` gets those of approval rules that may apply."""
    call, agent = run["call"], obj(run["value"].get("turn")).get("agent")
    if form(body.get("input")) != call.get("input_hash"):
        return False
    rules, modes = rules_of(objects, call.get("policy_ref"))
    tools, ref = tools_of(objects, agent, call), txt(call.get("definition_ref"))
    if not tools and is_definition(objects.get(ref)):
        return False
    permissions = obj(rules.get("permissions"))
    lists = [permissions.get(effect) for effect in ("allow", "ask", "deny")]
    if rules.get("v") != "holdfast.policy/1" or not tools or not all(isinstance(entries, list) for entries in lists):
        return True
    if rules.get("mode", "default") not in ("default", "auto", "plan", "locked") or sum(map(len, lists)) > 10_000:
        return True
    before = rules_of(objects, admitted_under)[0]
    known = before.get("v") == "holdfast.policy/1"
    try:
        now = list_in(rules, call.get("tool"))
        if len(tools) == 1 and now is not None:
            entries[txt(call.get("digest"))] = entries_for(now, tools[0][0], run, body)
        return any(lets_run(lists, modes, one, now, run, body) and (
            not known or is_written(list_in(before, call.get("tool")), one[0], run, body)) for one in tools)
    except NoRule:
        return True

# ---------------------------------------------------------------- what its session says of a turn: H8, T8

EVENT_ID = re.compile("[1-9][0-9]{0,14}")

def update_of(facts):
    meta = at(there(facts, "acceptedRequest", "request"), "meta")
    return txt(obj(facts.get("meta") if meta is None else meta).get("updateId")) or txt(facts.get("protocolInstanceId"))

def fields_of(value):
    """Of a memo, or of search attributes."""
    fields = at(value, "fields")
    fields = obj(at(value, "indexedFields") if fields is None else fields)
    return {name: payload({"payloads": [fields[name]]}) for name in fields}

class OfSession:
    def __init__(self, turn, history, rule):
        self.turn, self.history, self.rule, self.latest = turn, history, rule, -math.inf
        self.before, self.runs, self.there, self.events = ("", 0), set(), set(), set()

    def event(self, run, event, name, facts):
        history, turn, own = self.history, self.turn, (run, txt(event.get("eventId")))
        place = int(own[1]) if EVENT_ID.fullmatch(own[1]) else None
        rises = run not in self.runs if run != self.before[0] else (place or 0) > self.before[1]
        self.rule("H8", place is not None and rises)
        self.before, self.runs, time = (run, place or 0), self.runs | {run}, when(event.get("eventTime"))
        self.rule("H8", time >= self.latest - CLOCKS)
        self.latest = max(self.latest, time)
        self.rule("H8", history.argument is UNKNOWN or isinstance(self.of(history.argument), str))
        if name in ("WORKFLOW_EXECUTION_UPDATE_ADMITTED", "WORKFLOW_EXECUTION_UPDATE_ACCEPTED"):
            self.events |= {("message", *own), ("update", run, update_of(facts))}
            request = obj(there(facts, "acceptedRequest", "request"))
            if "input" in request:
                self.there.add("sent")
                self.rule("H8", at(request, "input.name") == "send")
                self.sent(payload(at(request, "input.args")))
        elif name == "WORKFLOW_EXECUTION_UPDATE_COMPLETED":
            self.there.add("taken")
            answers = {("message", run, txt(facts.get("acceptedEventId"))), ("update", run, update_of(facts))}
            self.rule("H8", "sent" not in self.there or answers <= self.events)
            self.names(payload(at(facts, "outcome.success")))
        elif name == "START_CHILD_WORKFLOW_EXECUTION_INITIATED":
            self.there.add("started")
            self.events.add(("start", *own))
            self.rule("H8", not history.whole or time <= history.began + CLOCKS)
            self.begun(run, event, facts)
        elif name == "CHILD_WORKFLOW_EXECUTION_STARTED":
            self.rule("H8", at(facts, "workflowExecution.runId") == turn["first_execution_run_id"])
            self.rule("H8", at(facts, "workflowExecution.workflowId") == turn["workflow_id"])
            asked = ("start", run, txt(facts.get("initiatedEventId")))
            self.rule("H8", "started" not in self.there or asked in self.events)
            self.rule("H8", not history.whole or time >= history.began - CLOCKS)
            self.rule("H8", history.started_by is None or self.as_begun(facts, "workflowType.name"))
        elif name == "ACTIVITY_TASK_SCHEDULED":
            self.events.add(("look", *own))
            self.rule("H8", at(facts, "activityType.name") == "lookAtTurn")
            self.rule("H8", EVENT_ID.fullmatch(txt(facts.get("activityId"))) is not None)
            self.rule("H8", history.started_by is None or self.as_begun(facts, "taskQueue.name"))
            self.looks(payload(facts.get("input")))
        elif name == "ACTIVITY_TASK_COMPLETED":
            self.rule("H8", ("look", run, txt(facts.get("scheduledEventId"))) in self.events)
            if history.runs and not history.reset:
                self.ended(payload(facts.get("result")), time, history.closed and history.whole)
        else:
            self.rule("H8", False)

    def of(self, argument): return obj(argument).get("session_workflow_id")

    def as_begun(self, facts, path): return form(at(facts, path)) == form(at(self.history.started_with, path))

    def sent(self, said):
        if said is not UNKNOWN and self.history.argument is not UNKNOWN:
            for name in ("message", "requester", "attestation", "callback_ref"):
                self.rule("H8", form(obj(said).get(name)) == form(obj(self.history.argument).get(name)))

    def begun(self, run, event, facts):
        started, given, argument = self.history.started_by, payload(facts.get("input")), self.history.argument
        self.rule("H8", facts.get("workflowId") == self.turn["workflow_id"])
        self.rule("H8", started is None or started[1:] == (run, event.get("eventId")))
        if given is not UNKNOWN and argument is not UNKNOWN:
            self.rule("H8", form(given) == form(argument))
            self.rule("H8", started is None or started[0] == self.of(argument))
        if started is None:
            return
        self.rule("H8", self.as_begun(facts, "workflowType.name") and self.as_begun(facts, "taskQueue.name"))
        for group in ("memo", "searchAttributes"):
            asked, there = fields_of(facts.get(group)), fields_of(self.history.started_with.get(group))
            for name in asked:
                known = asked[name] is not UNKNOWN and there.get(name) is not UNKNOWN
                self.rule("H8", not known or form(asked[name]) == form(there.get(name)))

    def looks(self, value):
        self.names(value)
        of, argument = obj(value).get("of"), obj(self.history.argument)
        if value is UNKNOWN or not isinstance(of, dict):
            return
        message = argument.get("message")
        self.rule("H8", not isinstance(message, (str, list)) or of.get("message_hash") == form(message))
        memo = fields_of(self.history.started_with.get("memo")).get("holdfast_of_session", UNKNOWN)
        if self.history.started_by is not None and memo is not UNKNOWN:
            self.rule("H8", form(obj(memo).get("session_run")) == form(of.get("session_run")))

    def ended(self, said, time, over):
        self.rule("H8", not over or time >= self.history.latest - CLOCKS)
        head = obj(said).get("head", UNKNOWN)
        self.rule("H8", not over or said is UNKNOWN or obj(said).get("state") != "lost")
        known = head is not UNKNOWN and self.history.head is not UNKNOWN and (head is not None or over)
        self.rule("H8", not known or head == self.history.head)

    def names(self, value):
        self.rule("H8", value is UNKNOWN or obj(value).get("turn_id") == self.turn["turn_id"])
        self.rule("H8", value is UNKNOWN or obj(value).get("again") is not True)

    def end(self):
        history = self.history
        if history.whole and history.argument is not UNKNOWN and isinstance(self.of(history.argument), str):
            self.rule("T8", self.there >= {"sent", "taken", "started"})

# ---------------------------------------------------------------- a turn, its effects, and how it ends: T1 to T5

class Turn:
    def __init__(self, body, known, objects, signatures):
        self.body, self.broken, self.objects, self.known, self.records = body, [], objects, known, []
        self.history = History(body, known["namespace"], signatures, self.rule)
        self.blocks = Blocks(body, self.history, objects, known["seen"], self.rule, known["files"])
        self.twice, self.of_session = Twice(body, self.rule), OfSession(body, self.history, self.rule)
        self.facts = TurnFacts(self.twice, known, objects, form, payload, meant, UNKNOWN)
        self.of_runs = RunFacts(self.twice, objects, form, payload, when, person, UNKNOWN)
        reading = (lambda body: defined(objects, body), form, payload, meant, claims_of, person, UNKNOWN, when)
        self.decisions = DecisionFacts(self.history, self.twice, self.rule, *reading)
        of_turn = (self.history, self.twice, self.rule)
        self.others = Each(MessageFacts(*of_turn, form, payload, claims_of, when, CLOCKS, UNKNOWN),
                           SubTurnFacts(*of_turn, self.blocks, known, form, payload, UNKNOWN),
                           KeptSaid(*of_turn, payload, UNKNOWN),
                           Results(self.twice, objects, form, payload, UNKNOWN),
                           AdmissionFacts(*of_turn, objects, form, payload, call_digest, UNKNOWN))

    def rule(self, rule, holds):
        self.broken += [] if holds else [rule]

    def run(self, body):
        self.history.begin(body)
        self.twice.begin(body)
        self.facts.begin()
        self.of_runs.begin()
        self.decisions.begin(body)
        self.others.begin()

    def event(self, body):
        event = body["event"]
        name = txt(event.get("eventType")).removeprefix("EVENT_TYPE_")
        facts = attributes_of(event, name)
        self.history.event(event, name, facts)
        self.twice.event(event, name, facts, self.history.head)
        self.facts.event(event, name, facts)
        self.of_runs.event(event, name, facts)
        self.decisions.event(event, name, facts)
        self.others.event(event, name, facts)

    def session(self, body):
        name = txt(body["event"].get("eventType")).removeprefix("EVENT_TYPE_")
        facts = attributes_of(body["event"], name)
        self.of_session.event(body["run_id"], body["event"], name, facts)
        self.twice.session(name, facts, self.history.closed)
        self.facts.session(name, facts, self.history.closed)

    def part(self, body):
        self.blocks.part(body["ref"], body["part"])
        self.twice.lost = self.twice.lost or body["part"] is None
        for one in (self.twice, self.facts, self.of_runs, self.decisions):
            one.part(body["ref"], at(body, "part.body"))
        self.others.part(body["ref"], obj(at(body, "part.body")))
        if body["part"] is not None and self.twice.knows("card", body["ref"], "digest"):  # people were asked with it
            self.rule("D3", all(isinstance(obj(body["part"]["body"]).get(it), str) for it in ("digest", "card")))
        if body["part"] is not None and self.twice.knows("result", body["ref"], "state"):
            self.rule("D6", isinstance(obj(body["part"]["body"]).get("envelope"), dict))

    def block(self, body):
        own = self.blocks.block(body["ref"], body["block"])
        if own:
            # The salt of a part is of one turn: no other has the same.
            self.rule("D7", self.blocks.parts.keys() >= {*body["block"]["parts"]})
            self.twice.block(body["ref"], body["block"])
            self.facts.block(body["ref"], body["block"])
        self.of_runs.block(body["ref"], body["block"], own)
        if own:
            self.decisions.block(body["ref"], body["block"])
            self.others.block(body["block"])

    def effect(self, body):
        record, history = body["record"], self.history
        self.records.append(record)
        self.blocks.refer(record)
        self.rule("T2", record.get("v") == "holdfast.effect/1" and record.get("turn_id") == self.body["turn_id"])
        claimed = when(record.get("claimed_at"))
        self.rule("T2", when(record.get("updated_at")) >= claimed)
        told = [one["at"] for one in history.outcomes if one["head"] == record.get("result_head") is not None]
        until = max(told if history.whole and told else [self.known["made"], history.latest]) + CLOCKS
        self.rule("T2", claimed <= until and when(record.get("updated_at")) <= until)
        if history.whole:
            self.rule("T2", txt(record.get("run_id")) in history.runs)
            calls = history.calls.get(txt(record.get("digest")), [])
            if calls:
                self.rule("T2", record.get("idempotency_key") in [history.key_of(one["call"]) for one in calls])
                self.rule("T2", claimed >= min(one["at"] for one in calls) - CLOCKS)
            else:
                self.rule("T2", "calls" in history.unknown)
            said = self.blocks.says(record.get("result_head"))
            if said is not None and said is not UNKNOWN:
                self.rule("T2", form(said) == form([record.get("state"), record.get("result_ref")]))
        self.twice.effect(record, self.blocks.says(record.get("result_head")) is not None)
        self.decisions.effect(record)

    def turn_end(self, body):
        history, blocks, parts = self.history, self.known["seen"], self.blocks.parts.keys()
        self.rule("D7", self.twice.shown <= parts and not self.blocks.has_stray_step())
        self.rule("T1", not history.runs or history.head is UNKNOWN or history.head == body["head"])
        self.rule("B14", self.blocks.files.right())
        if not body["complete"]:
            return
        self.rule("T1", history.given <= blocks)
        self.applied()
        needs, objects = self.blocks.needs, self.objects
        inner = {within(obj(objects.get(ref))) for ref in needs["objects"]} - {None}
        self.rule("T4", needs["parts"] <= parts and needs["objects"] | inner <= objects.keys())
        self.rule("T4", history.by_input.keys() <= parts and history.names_objects <= objects.keys())
        self.rule("T5", history.whole and history.closed)
        self.to_the_end(body["head"])
        if self.known["version"] == 3:
            self.of_session.end()
        self.rule("D7", self.twice.heads <= blocks)
        self.others.end()
        self.rule("D8", not self.twice.whole or self.twice.unknown or self.twice.lost or self.twice.told.agrees())

    def to_the_end(self, head):
        """T7: nothing is cut off, at the end or before: what activities have written is there, as what they wrote."""
        history, own = self.history, self.blocks.own or self.blocks.before
        if not history.whole or "starts" in self.blocks.unknown:
            return
        self.rule("T7", head is None or head in own and own[head]["kind"] == "end")
        for ref, kinds, admits in history.named:
            self.rule("T7", ref in own and own[ref]["kind"] in kinds and own[ref]["admits"] == admits)
        steps = [ref for ref, _, admits in history.named if admits is not None]
        self.rule("T7", history.reset or len(steps) == len({*steps}))
        self.rule("T7", self.twice.lost or self.twice.owed <= self.twice.written)

    def applied(self):
        """T3: what took effect by one of history, transcript and records did so by the others."""
        history, blocks = self.history, self.blocks
        if "starts" in blocks.unknown:  # Which blocks are the turn's own, nobody can tell.
            return
        done = [one for one in history.outcomes if one["effect"] == "applied"]
        applied = [one for one in self.records if one.get("state") == "applied"]
        digests, heads = {txt(one.get("digest")) for one in applied}, {txt(one.get("result_head")) for one in applied}
        keys = {txt(one.get("idempotency_key")) for one in applied}
        for one in done:
            said = blocks.says(one["head"])
            self.rule("T3", said is UNKNOWN or said is not None and said[0] == "applied")
            known = one["digest"] is None or txt(one["digest"]) in digests or txt(one["head"]) in heads
            # After a reset the same call may have another digest: its outcome is under the key of its dispatch.
            self.rule("T3", known or history.reset and (said is UNKNOWN or blocks.key_at(one["head"]) in keys))
        if history.reset or "outcomes" in history.unknown:
            return
        self.rule("T3", "digests" in history.unknown or digests <= {txt(one["digest"]) for one in done})
        claimed = any(one.get("state") in ("claimed", "pending") for one in self.records)
        self.rule("T3", not claimed and not blocks.unended())
        named = {txt(one["head"]) for one in history.outcomes} | {txt(one.get("result_head")) for one in self.records}
        for ref, own in blocks.own.items():
            self.rule("T3", own["kind"] not in ("effect", "settlement") or ref in named)

# ---------------------------------------------------------------- the lines

def is_signed(end):
    """Whether the key that a trailer carries has its id, and has signed it."""
    public, signature = unbase64url(end["public"]), unbase64url(end["signature"])
    signed = canonical({name: end[name] for name in end if name != "signature"}).encode()
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, signed)
    except InvalidSignature:
        return False
    return end["kid"] == sha256(public)[:16]

def before_redaction(end):
    """The trailer of the bundle that this one was made of; None: of none, or it does not say of which in full."""
    of = (end["redaction"] or {}).get("of", {})
    return {**end, **of} if "public" in of else None

def made_of(known, trusted):
    """The bundle before anything was left out: its root, and the trusted key that has signed it, if any is known."""
    end = {name: known[name] for name in END_FIELDS if name in known}
    if known.get("redaction") is None:
        return None
    of = end["redaction"]["of"]
    if "public" in of:
        while end["redaction"] is not None:
            end = before_redaction(end)
    else:
        publics = {key["kid"]: key["public"] for key in [end, *reversed(trusted[0])] if "public" in key}
        end = {**end, **of, "public": publics.get(of["kid"]), "redaction": None}
        try:
            end = end if is_signed(end) else {**end, "public": None}
        except (ValueError, TypeError):
            end["public"] = None
    return {"root": end["root"], "signed_by": end["kid"] if trusted[1](end["public"]) else None}


def structure(lines, known):
    """Yields the rules S1 to S7, each with its line and whether it holds. After an exception: the last one does not."""
    n, kind, prev, complete, lost, hidden, parts, turns = -1, "nothing", None, True, 0, 0, set(), set()
    blocks, receipts = {None}, Receipts()
    known.update(blocks=blocks, receipts=receipts)
    for n, raw in enumerate(lines):
        yield n, "S7", raw.endswith(b"\n")
        yield n, "S1", True
        text, line = raw[:-1].decode(), json.loads(raw)
        yield n, "S1", canonical(line) == text and "".join(sorted(line)) == "bodykindnprev"
        yield n, "S2", canonical(line["n"]) == str(n) and line["prev"] == prev
        yield n, "S7", kind not in ("end", "receipt") or line["kind"] == "receipt"
        yield n, "S3", line["kind"] in NEXT[kind].split() and not (line["kind"] == "block" and effects)
        kind, body, prev = line["kind"], line["body"], sha256(raw[:-1])
        hidden += text.count('{"redacted":true}') if kind in ("event", "session") else 0
        if kind == "bundle":
            known["made"] = when(body["made_at"])
            yield n, "S3", re.fullmatch(r"holdfast\.bundle/[123]", body["v"]) is not None
            known["version"] = int(body["v"][-1])
            chained = body.get("chained", True)
            receipts.begin(obj(body.get("made_by")).get("witness_head"))
        yield n, "S3", has_fields(kind, body, known["version"])
        if kind == "object":
            yield n, "S4", hash_of(body["value"]) == body["ref"]
        elif kind == "turn":
            yield n, "S3", body["turn_id"] not in turns
            turn_id, turns, missing, effects = body["turn_id"], turns | {body["turn_id"]}, False, False
        elif kind == "part":
            part, lost = body["part"], lost + (body["part"] is None)
            yield n, "S4", part is None or hash_of(part) == body["ref"]
            parts.add(body["ref"])
        elif kind == "block":
            block, parent = body["block"], body["block"]["parent"]
            yield n, "S4", hash_of(block) == body["ref"]
            yield n, "S4", parts.issuperset(block["parts"]) and (parent in blocks or not missing)
            missing = missing or parent not in blocks
            blocks.add(body["ref"])
        elif kind == "effect":
            effects = True
        elif kind == "turn_end":
            yield n, "S3", body["turn_id"] == turn_id
            yield n, "S5", body["head"] in blocks and body["complete"] == (body["why"] is None)
            yield n, "S5", not (body["complete"] and missing)
            complete = complete and body["complete"]
        elif kind == "end":
            left = body["redaction"] or {"parts": 0, "payloads": 0}
            yield n, "S6", chained or body["previous"] is None
            yield n, "S6", not body.get("contradiction") or body["contradiction"]["line"] <= n
            yield n, "S6", body["root"] == line["prev"] and body["lines"] == n + 1 and left["payloads"] == hidden
            yield n, "S6", left["parts"] == lost or left["parts"] < lost and not complete
            yield n, "S6", body["complete"] == (complete and len(turns) > 0)
            made = body
            while made is not None:
                yield n, "S6", is_signed(made)
                made = before_redaction(made)
            known.update(body)
            receipts.end(raw[:-1], body)
        elif kind == "receipt":
            yield n, *receipts.take(body)
    yield n + 1, "S7", kind in ("end", "receipt")

END_FIELDS = "root lines complete previous redaction contradiction kid public signature".split()
LOOKED_AT = dict(session="H8", part="B12", block="B2", effect="T2", turn_end="T1", end="T6")
ORDER = {letter: place for place, letter in enumerate("HBTD")}

def meaning(lines, known, signatures):
    """Yields the other rules in the same way; of several that are broken at a line, the first of the page."""
    turn, objects, turns, sub_turns = None, {}, {}, []
    known.update(seen=set(), signatures=signatures, files=BundleFiles(form))
    for n, line in enumerate(map(json.loads, lines)):
        kind, body = line["kind"], line["body"]
        yield n, LOOKED_AT.get(kind, "H1"), True
        if kind == "receipt":
            continue
        if kind == "bundle":
            known["namespace"], bundle = body["namespace"], body
        elif kind == "object":
            objects[body["ref"]] = body["value"]
        elif kind == "turn":
            turn, turns[body["turn_id"]] = Turn(body, known, objects, signatures), body
        elif kind == "end":
            for one in sub_turns if body["complete"] else []:
                of = turns.get(txt(one.get("turn_id")), {})
                yield n, "T6", pick(of, IDS[1:]) == pick(one, IDS[1:])
                yield n, "T6", not isinstance(one.get("head"), str) or one["head"] in known["seen"]
        else:
            known["seen"] |= {body["ref"]} if kind == "block" else set()
            getattr(turn, kind)(body)
            if kind == "turn_end" and len(turns) == 1:
                turn.of_runs.first(bundle, body["turn_id"])
            broken = sorted(turn.broken, key=lambda rule: (ORDER[rule[0]], int(rule[1:])))
            yield n, (broken or ["D1"])[0], not broken
        if kind == "turn_end":
            sub_turns += turn.blocks.sub_turns

def first_fault(file, known, trust):
    for look in (structure, lambda lines, known: meaning(lines, known, Signatures(trust))):
        file.seek(0)
        try:
            for n, rule, holds in look(iter(lambda: file.readline(LONGEST_LINE), b""), known):
                if not holds:
                    return n, rule
        except Exception:  # What cannot be read does not keep the rule that was looked at.
            return n, rule

def verify(file, trust, require_receipt=False):
    known = {}
    line, rule = first_fault(file, known, trust) or (None, None)
    told = (known.get("contradiction") or None) if rule is None or rule[0] != "S" else None
    contradictory = told and (rule is None or told["line"] <= line)
    line, rule = (told["line"], told["rule"]) if contradictory else (line, rule)
    def has_signed(public):
        return any((key["use"], key.get("public")) == ("bundle", public)
                   and "revoked_at" not in key and ms(key["created_at"]) <= known["made"] + CLOCKS
                   and known["made"] < ms(key.get("expires_at", END)) for key in trust)
    redactions = sum((known.get("redaction") or {}).get(name, 0) for name in ("parts", "payloads"))
    why = f"rule {rule} of bundle-format.md does not hold" if rule else "each line is as it was signed"
    verdict = "broken" if rule else "intact" if has_signed(known.get("public")) else "signer_unknown"
    found, not_before, missing = [], None, None
    if verdict != "broken":
        found, not_before, missing = known["receipts"].judge(trust, require_receipt)
    if verdict == "intact" and missing:
        verdict, why = "unwitnessed", missing
    if contradictory:
        verdict, why = "contradictory", f"whoever made it has signed that {why}"
    signatures = known.get("signatures") or Signatures(trust)
    return {"verdict": verdict, "line": line, "rule": rule, "why": why,
            "unchecked": signatures.unchecked, "bad_starts": signatures.bad_starts,
            "unsigned_notes": len(signatures.beyond_notes),
            "passkeys": [signatures.passkeys[kid] for kid in sorted(signatures.passkeys)],
            "complete": known.get("complete", False), "signed_by": known.get("kid"), "redactions": redactions,
            "made_of": made_of(known, (trust, has_signed)), "receipts": found, "not_before": not_before}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Verifies an audit bundle offline.")
    parser.add_argument("bundle", type=argparse.FileType("rb"))
    parser.add_argument("--trust", type=argparse.FileType(encoding="utf-8"), required=True)
    parser.add_argument("--require-receipt", action="store_true")
    options = parser.parse_args()
    try:
        answer = verify(options.bundle, json.load(options.trust), options.require_receipt)
    except (ValueError, LookupError, TypeError) as error:
        parser.error(f"the trust file cannot be used: {error!r}")
    print(json.dumps(answer))
    sys.exit(0 if answer["verdict"] == "intact" else 1)
