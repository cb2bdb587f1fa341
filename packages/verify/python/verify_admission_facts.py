"""What stands twice of a call that has not run, and of what is known of one while it is open (rules D1, D4 and D6):
what bundle-format.md says under *Asked about, and refused*. For verify_bundle.py, which gives what reads values."""
from verify_turn_facts import ENDS, result_in

RAN, WITHOUT_DIGEST = ("succeeded", "failed", "in_doubt"), ("rejected", "cancelled")
# For these reasons the workflow itself refuses a call.
OWN_REASONS = ("repeated_failure", "too_many_questions", "not_in_future", "wait_too_long")
STOPPED = ("turn_cancelled", "aborted_by_sibling")  # with which it stops a call that has no result
WITHOUT_RESULT = (*STOPPED, "no_result")  # a sub-agent's answer that could not be kept has none either
COUNTED = ("runCall", "settleEffect")  # whose `attempts` verify_decision_facts.py compares
OF_ASKED = (("input_ref", "inputs"), ("policy_ref", "policies"), ("target_hash", "targets"))

def txt(value): return value if isinstance(value, str) else ""
def there(value, *names): return {name: value[name] for name in names if name in value}
def is_in(value, known): return isinstance(value, (str, int, type(None))) and (type(value), value) in known

class Asked:
    """What is known of a call, all answers together: an answer that did not count is one too."""
    def __init__(self):
        self.known = {name: set() for _, name in OF_ASKED} | {"revisions": set()}  # revisions that were given a digest
        self.refusals = set()  # hashes of errors for which it was refused

    def add(self, name, value):
        if isinstance(value, (str, int, type(None))) and self.known[name] is not None:
            self.known[name].add((type(value), value))

    def has(self, name, value): return self.known[name] is None or is_in(value, self.known[name])

class AdmissionFacts:
    def __init__(self, history, twice, rule, objects, form, payload, call_digest, unknown):
        self.history, self.twice, self.rule, self.objects = history, twice, rule, objects
        self.form, self.payload, self.call_digest, self.UNKNOWN = form, payload, call_digest, unknown
        self.calls, self.scheduled, self.policies = {}, {}, set()
        self.cards, self.runs = {}, {}  # by digest: with which people were asked, and which runs have asked

    def obj(self, value): return value if isinstance(value, dict) and value is not self.UNKNOWN else {}
    def objs(self, values): return [self.obj(one) for one in values] if isinstance(values, list) else []
    def whole(self): return self.twice.whole and not self.twice.unknown
    def begin(self): self.scheduled = {}
    def part(self, ref, body): pass
    def block(self, block): pass

    def end(self):
        """Of a turn that is complete: the rules that steps were taken under are there."""
        is_there = lambda ref: ref in self.objects and self.obj(self.objects[ref]).get("v") != "holdfast.agent/1"
        self.rule("D1", all(map(is_there, self.policies)))

    def event(self, event, name, facts):
        if name == "ACTIVITY_TASK_SCHEDULED":
            name, given = txt(self.obj(facts.get("activityType")).get("name")), self.payload(facts.get("input"))
            value = None if given is self.UNKNOWN else self.obj(given)
            self.scheduled[txt(event.get("eventId"))] = (name, value)
            for one in self.objs((value or {}).get("outcomes")):
                self.ended(one, "call_id", WITHOUT_DIGEST)
            if value is not None and self.whole():
                self.activity(name, value)
        elif name == "ACTIVITY_TASK_COMPLETED":
            one, said = self.scheduled.get(txt(facts.get("scheduledEventId"))), self.payload(facts.get("result"))
            if one and said is not self.UNKNOWN:
                self.completed(*one, self.obj(said))
        elif name in ENDS:
            view = self.obj(self.payload(result_in(name, facts)))
            for one in self.objs(view.get("calls")):
                self.ended(one, "id", (*WITHOUT_DIGEST, "proposed"), "result_summary")
                self.key(one)

    def activity(self, name, value):
        """It is a call that a step has asked for; and what admission is asked about is what was known of it."""
        call, card = self.obj(value.get("call")), value.get("card_ref")
        single = [value.get("approval")] if name == "runCall" else []
        for one in (*self.objs(value.get("approvals")), *single, *self.objs(call.get("earlier"))):
            self.answers(self.obj(one))
        for one in self.objs(value.get("outcomes")):
            self.said_on(one)
        if "id" in call:
            known = self.calls.get(txt(call["id"]))
            self.rule("D4", known is not None)
            if known and name == "admitCall":
                for field, of in OF_ASKED:
                    self.rule("D4", field not in call or known.has(of, call[field]))
                revision = call.get("revision", 1)
                number = type(revision) in (int, float)
                self.rule("D4", number and (revision == 1 or known.has("revisions", revision - 1)))
        if name == "readCard" and isinstance(card, str):
            self.rule("D4", self.twice.knows("card", card, "call_id"))

    def said_on(self, one):
        """What is said to have been decided on a call is a decision on it."""
        digest, decision, approvals = one.get("digest"), one.get("decision"), one.get("approvals")
        said = [] if decision is None else [decision]
        for it in said + (approvals if isinstance(approvals, list) else []):
            right = isinstance(it, dict) and it.get("decision") in ("approve", "deny", "answer", "expired")
            self.rule("D5", right and (not isinstance(digest, str) or it.get("digest") == digest))
            self.answers(self.obj(it))
        for it in self.objs(one.get("earlier")):
            self.answers(it)

    def answers(self, said):
        """A decision is on a card of its call, in a run that has asked with it."""
        digest, card, run = (txt(said.get(it)) for it in ("digest", "card_ref", "run_id"))
        if digest in self.cards:
            self.rule("D5", not isinstance(said.get("card_ref"), str) or card in self.cards[digest])
            runs = self.runs[digest]
            self.rule("D5", not isinstance(said.get("run_id"), str) or runs is None or run in runs)

    def asks(self, digest, card, run):
        if isinstance(digest, str):
            known = self.runs.get(digest, set())
            self.cards.setdefault(digest, set()).update(it for it in [card] if isinstance(it, str))
            self.runs[digest] = known | {run} if known is not None and isinstance(run, str) and run else None

    def completed(self, name, value, said):
        if name == "admitCall" and said.get("ok") is True:
            self.asks(said.get("digest"), said.get("card_ref"), said.get("run_id"))
        if name == "readCard":  # a question goes on in another run
            card = txt((value or {}).get("card_ref"))
            for digest in [it for it in self.cards if it == said.get("digest") or card in self.cards[it]]:
                self.asks(digest, (value or {}).get("card_ref"), said.get("run_id"))
        calls = {"takeStep": said.get("calls"), "admitDirect": [said.get("call")]}.get(name)
        for one in self.objs(calls):
            self.asked(one)
        policy = self.obj(said.get("policy")).get("policy_ref")
        if calls is not None and isinstance(policy, str):
            self.policies.add(policy)
        if name == "admitCall" and value is not None:
            self.admitted(value, said)
        for one in (said, *(self.obj(said.get(it)) for it in ("outcome", "settled", "refused"))):
            self.ran(name, one)

    def asked(self, call):
        known = self.calls.setdefault(txt(call.get("id")), Asked())
        known.add("inputs", call.get("input_ref"))
        known.add("targets", call.get("target_hash"))
        if "policy_ref" in call:
            known.add("policies", call["policy_ref"])
        else:
            known.known["policies"] = None  # an older build has not said it
        if call.get("digest", "") is not None:
            known.add("revisions", 1)
        if isinstance(call.get("error"), dict):
            known.refusals.add(self.form(call["error"]))

    def admitted(self, value, said):
        """The digest is that of the call that was asked about, as it was admitted."""
        call, turn = self.obj(value.get("call")), self.obj(value.get("turn"))
        known = self.calls.get(txt(call.get("id"))) or Asked()
        if said.get("ok") is not True:
            if not isinstance(value.get("edit"), dict):
                known.refusals.add(self.form(said.get("error")))
            return
        decided, renewed = self.obj(said.get("decided")), self.obj(said.get("renewed"))
        now = {**call, "preview_ref": said.get("preview_ref", ...)}
        now |= there(decided, "input_hash") | there(renewed, "policy_ref") | there(said, "target_hash")
        known.add("revisions", call.get("revision"))
        known.add("policies", now.get("policy_ref"))
        if "input_ref" in decided:
            known.add("inputs", decided["input_ref"])
        if "target_hash" in said:
            known.add("targets", said["target_hash"])
        if isinstance(turn.get("turn_id"), str) and "id" in call:
            self.rule("D4", said.get("digest") == self.call_digest(turn, now))

    def ran(self, name, one):
        """What an activity says of a call that it has run, or found out about. Each dispatch is one attempt."""
        ref = one.get("result_ref")
        if not isinstance(ref, str) or ref == "" or "state" not in one:
            return
        self.rule("D6", one["state"] in RAN)
        doubtful = one.get("effect") == "in_doubt" and "attempts" in one
        self.rule("D6", not doubtful or self.form(one["attempts"]) == self.form(1))
        if name not in COUNTED and not self.twice.reset and "attempts" in one:
            self.twice.tell("result", ref, {"attempts": one["attempts"]})

    def key(self, call):
        """The key follows from the digest; also of a call that never ran."""
        digest, key, turn = call.get("digest"), call.get("idempotency_key"), self.twice.turn
        if key is not None:
            of = {it: turn[it] or "" for it in ("workflow_id", "first_execution_run_id")}
            of["call_id"] = txt(call.get("id"))
            right = self.form({"v": "holdfast.idem/1", **of, "digest": digest})
            self.rule("D4", isinstance(digest, str) and key == "hf_" + (right or "")[:40])

    def stopped(self, state, reason, summary, states):
        """A call without a result was stopped exactly where its error says so."""
        shown = ("cancelled", "proposed", "ready") if "proposed" in states else ("cancelled",)
        self.rule("D6", reason not in STOPPED or state in shown and summary is None)
        self.rule("D6", state != "cancelled" or reason in WITHOUT_RESULT)

    def ended(self, call, name, states, summary="summary"):
        """A call without a digest was refused, by its step, by admission or the workflow; or the turn was stopped."""
        known, state, error = self.calls.get(txt(call.get(name))), call.get("state"), call.get("error")
        self.rule("D6", not self.whole() or name not in call or known is not None)
        digest, about = call.get("digest", ""), call.get(summary)
        told = {"summary": about} if summary in call and not (isinstance(about, str) and about.endswith("…")) else {}
        if not isinstance(call.get("result_ref"), str):
            self.stopped(state, self.obj(error).get("reason"), about, states)
        elif state == "cancelled":  # only a sub-agent whose turn has failed, if it has a result
            self.twice.tell("result", call["result_ref"], {"success": False})
        if digest is not None:
            if digest and isinstance(digest, str) and not isinstance(call.get("result_ref"), str):
                if state != "cancelled" and not self.twice.reset:
                    self.twice.tell("result", f"of {digest}", told)
            return
        self.rule("D6", state in states)
        self.rule("D6", state == "rejected" or not isinstance(error, dict) or error.get("reason") in STOPPED)
        if state != "rejected" or self.twice.reset:
            return
        told |= {it: call[it] for it in ("state", "effect", "attempts", "revision") if it in call}
        message = self.obj(error).get("message")
        short = isinstance(message, str) and message.endswith("…")  # it says nothing
        told |= {"error": error} if "error" in call and not short else {}
        self.twice.tell("result", f"of {txt(call.get(name))}", told)
        if self.whole() and known and not short and "error" in call:
            own = self.obj(error).get("reason") in OWN_REASONS
            self.rule("D6", own or self.form(error) in known.refusals)
