"""What people decided, against what they said: rules H9, H10, B13 and T9 of bundle-format.md, and of D1 to D6 what it
says under *Decisions and admission*. For verify_bundle.py, which gives what reads values."""
import hashlib, math, re

from verify_kept_said import decisions_in
from verify_lists import is_of_list
from verify_turn_facts import ENDS, result_in

SHORT_NOTE, LONGEST_IDENTITY, LONGEST_BY, MOST_CALLS, CLOCKS = 400, 200, 200, 64, 60_000
KINDS, SPOKEN = ("approve", "deny", "settle", "answer"), ("approve", "deny", "edit", "answer")
ALIVE = ("claimed", "pending", "applied", "in_doubt")
UPDATES = ("WORKFLOW_EXECUTION_UPDATE_ACCEPTED", "WORKFLOW_EXECUTION_UPDATE_ADMITTED")
OF_SETTLE = {"call", "calls", "by", "note", "attestation", "outcome"}
ANY = object()  # some input, whichever

def txt(value): return value if isinstance(value, str) else ""
def listed(value): return value if isinstance(value, list) else []
def texts(value): return [it for it in (value if isinstance(value, list) else [value]) if isinstance(it, str)]
def units(text): return len(text.encode("utf-16-le")) // 2
def there(value, *names): return {name: value[name] for name in names if name in value}

def same(one, other):
    """Equal, and no object or list: whoever says one of those says nothing."""
    return type(one) is type(other) and not isinstance(one, (dict, list)) and one == other

class Reading:
    """What reads the values of a bundle, as verify_bundle.py does it."""
    def __init__(self, form, payload, meant, claims, person, unknown, when):
        self.form, self.payload, self.meant, self.claims, self.person = form, payload, meant, claims, person
        self.unknown, self.when = unknown, when

    def obj(self, value): return value if isinstance(value, dict) and value is not self.unknown else {}
    def objs(self, value): return [self.obj(it) for it in listed(value)]

    def words(self, one):
        """What the person must have said of a decision."""
        edits = one.get("decision") == "edit"
        said = {name: one.get(name) for name in ("digest", "by", "on_behalf_of", "note", "attestation", "channel",
                                                 "identity", "until")}
        if "channel" in one and one["channel"] is None:
            said["channel"] = ...  # none that there is
        answer = self.form(one.get("value")) if one.get("decision") == "answer" else None
        return said | {"kind": "approve" if edits else txt(one.get("decision")), "input": ANY if edits else answer}

    def said_of(self, one):
        return self.form({name: one[name] for name in ("by", "identity") if name in one}
                         | {name: one.get(name) for name in ("note", "attestation")})

class Sayings:
    """What people said in a turn's history, word for word."""
    def __init__(self, read):
        self.read, self.all, self.updates, self.unknown = read, {}, {}, False

    def hear(self, event, name, facts, place):
        read = self.read
        if name == "WORKFLOW_EXECUTION_SIGNALED" and facts.get("signalName") in KINDS:
            given = facts.get("input")
            alone = len(listed(read.obj(given).get("payloads"))) == 1
            self.note(read.payload(given), place | {"kind": facts["signalName"], "channel": "signal", "until": None},
                      facts.get("identity"), alone)
        if name in UPDATES:
            request = next((facts[it] for it in ("acceptedRequest", "request") if facts.get(it) is not None), None)
            request = read.obj(request)
            given = read.obj(request.get("input"))
            if given.get("name") in ("decide", "answer"):
                value = read.payload(given.get("args"))
                kind = txt(read.obj(value).get("decision")) if given["name"] == "decide" else "answer"
                says = place | {"kind": kind, "channel": "update"}
                says["until"] = self.until(given.get("args"))
                noted = self.note(value, says, read.obj(request.get("meta")).get("identity"), True)
                self.updates[place["run"], txt(event.get("eventId"))] = noted
        if name == "WORKFLOW_EXECUTION_UPDATE_COMPLETED":
            answer = read.payload(read.obj(facts.get("outcome")).get("success"))
            accepted = read.obj(answer).get("accepted")
            for one in self.updates.get((place["run"], txt(facts.get("acceptedEventId"))), []):
                one["accepted"] = accepted if isinstance(accepted, bool) else None

    def until(self, args):
        """The second argument of an update."""
        payloads = listed(self.read.obj(args).get("payloads"))
        waits = self.read.payload({"payloads": payloads[1:2]}) if len(payloads) > 1 else None
        return waits if waits is self.read.unknown else self.read.obj(waits).get("until")

    def note(self, value, says, identity, alone):
        read = self.read
        self.unknown = self.unknown or value is read.unknown
        if value is read.unknown or not isinstance(value, dict):
            return []
        named, signed = texts(value.get("call")) + texts(value.get("calls")), texts(value.get("attestation"))
        if signed and len(signed) != len(named):
            return []
        answers = says["kind"] == "answer"
        whole = {"decision": says["kind"]} | there(value, "by", "on_behalf_of", "value" if answers else "input")
        whole |= {"call": named[0] if named else None} if answers else {"calls": named}
        whole |= {name: value[name] for name in ("note", "outcome") if value.get(name) is not None}
        whole |= {"attestation": signed} if signed else {}
        given = "value" if answers else "input"
        cut = txt(identity).encode("utf-16-le")[:2 * LONGEST_IDENTITY].decode("utf-16-le", "replace")
        found = []
        for index, call in enumerate(named):
            token = signed[index] if signed else None
            claims = {} if token is None else read.claims(token)
            by = txt(value.get("by")) if token is None else claims.get("principal") or ""
            found.append(says | {
                "call": call, "calls": len(named), "by": by, "name": txt(value.get("by")),
                "on_behalf_of": (value if token is None else claims).get("on_behalf_of"),
                "note": value.get("note"), "attestation": token,
                "input": read.form(value[given]) if given in value else None, "outcome": value.get("outcome"),
                "identity": cut, "accepted": None, "whole": read.form(whole),
                "right": alone and says["kind"] == "settle" and self.is_right(value, says["channel"])})
        for one in found:
            if units(one["call"]) >= 12:
                self.all.setdefault(one["call"][:12], []).append(one)
        return found

    def is_right(self, value, channel):
        """Whether a bare settlement has the fields of one, so that it is looked at."""
        fields = {*value} - ({"decision"} if channel == "update" else set())
        named = texts(value.get("calls", value.get("call")))
        by, note = value.get("by"), value.get("note", "")
        return (fields <= OF_SETTLE and ("call" in value) != ("calls" in value) and len({*named}) == len(named)
                and 1 <= len(named) <= MOST_CALLS and isinstance(value.get("calls", []), list)
                and len(named) == len(value["calls"] if "calls" in value else [value["call"]])
                and all(re.fullmatch("[0-9a-f]{12,64}", it) for it in named)
                and isinstance(by, str) and units(by) <= LONGEST_BY and self.read.person(by) != ""
                and isinstance(note, str) and value.get("outcome") in ("applied", "not_applied"))

    def about(self, digest):
        return [one for one in self.all.get(txt(digest)[:12], []) if txt(digest).startswith(one["call"])]

    def of(self, words):
        """All that was said in these words; what was answered as not accepted is no such thing."""
        about = self.about(words.get("digest"))
        return [one for one in about if one["accepted"] is not False and self.says(one, words)]

    def says(self, one, words):
        form, until, unknown = self.read.form, words.get("until"), self.read.unknown
        wanted, channel, identity = words.get("input", ANY), words.get("channel"), words.get("identity")
        return (one["kind"] == words["kind"] and same(one["by"], words.get("by"))
                and form(one["on_behalf_of"]) == form(words.get("on_behalf_of"))
                and form(one["note"]) == form(words.get("note"))
                and (one["attestation"] == words.get("attestation"))
                and (one["input"] is not None if wanted is ANY else one["input"] == wanted)
                and (words["kind"] != "settle" or same(one["outcome"], words.get("outcome")))
                and (channel is None or same(one["channel"], channel))
                and (identity in (None, "") or same(one["identity"], identity))
                and (until is None or one["until"] is unknown or form(one["until"]) == form(until)))

    def sent(self, body):
        whole = self.read.form(body)
        return any(one["whole"] == whole for those in self.all.values() for one in those)

class AsSaid:
    """Decisions against the signals and updates that gave them: H9, H10, B13, T9."""
    def __init__(self, history, rule, read):
        self.history, self.rule, self.read, self.sayings = history, rule, read, Sayings(read)
        self.runs, self.place, self.tasks, self.unknown = [], 0, 0, False
        self.heard, self.checked, self.edits, self.digests = set(), [], [], {}
        self.cards, self.named, self.bodies, self.answered = {}, set(), {}, set()

    @property
    def knows(self): return self.history.whole and not self.sayings.unknown

    def tells(self, digest): return self.knows and not self.unknown and txt(digest) in self.named

    def begin(self, body):
        copies = list(self.runs) if body["began"] == "reset" else []
        self.runs.append({"id": body["run_id"], "before": None, "copies": copies, "keys": [], "scheduled": {},
                          "asked": {}, "calls": []})

    def event(self, event, name, facts):
        run, self.place = self.runs[-1], self.place + 1
        own = self.is_own(run, event, name, facts)
        if name == "WORKFLOW_EXECUTION_STARTED":
            run["before"] = txt(facts.get("continuedExecutionRunId")) or None
        self.tasks += name == "WORKFLOW_TASK_COMPLETED"
        self.sayings.hear(event, name, facts, {"place": self.place, "run": run["id"], "own": own, "tasks": self.tasks})
        if name == "ACTIVITY_TASK_SCHEDULED":
            self.scheduled(event, facts, own)
        if name == "ACTIVITY_TASK_COMPLETED":
            self.completed(facts, own)

    def is_own(self, run, event, name, facts):
        """Whether it is no copy of another run's event. The first event is not copied as it was."""
        carries = next((facts[it] for it in ("input", "result") if facts.get(it) is not None), None)
        payloads = listed(self.read.obj(carries).get("payloads")) if name.startswith("ACTIVITY") else []
        data = txt(self.read.obj(payloads[0]).get("data")) if payloads else ""
        run["keys"].append((name, txt(event.get("eventTime")), hashlib.sha256(data.encode()).digest()))
        index = len(run["keys"]) - 1
        if index > 0:
            run["copies"] = [it for it in run["copies"] if it["keys"][index:index + 1] == run["keys"][index:]]
        return not run["copies"]

    def scheduled(self, event, facts, own):
        read, run = self.read, self.runs[-1]
        name, given = txt(read.obj(facts.get("activityType")).get("name")), read.payload(facts.get("input"))
        self.unknown = self.unknown or given is read.unknown
        value = read.obj(given)
        call = read.obj(value.get("call"))
        run["scheduled"][txt(event.get("eventId"))] = (name, value, self.place)
        if given is read.unknown:
            return
        if name == "runCall" and own:
            run["calls"].append((value, self.place))
        given = [*listed(value.get("approvals")), value.get("approval"), *listed(call.get("earlier"))]
        self.hear(call.get("id"), given)
        for one in read.objs(value.get("outcomes")):
            decisions = [*listed(one.get("approvals")), one.get("decision"), *listed(one.get("earlier"))]
            self.hear(one.get("call_id"), decisions)
        if name in ("runCall", "openSubTurn") and own and self.tells(call.get("digest")):
            self.rule("T9", self.are_answers(run, value, self.place))
        if name == "keepSaid":
            self.hear(None, decisions_in(value.get("said")))
        if name == "settleEffect":
            self.settled(value, call)
        if name == "admitCall" and isinstance(value.get("edit"), dict):
            self.edited(value["edit"], call)
        if name == "checkDecision":
            self.checks(value)
        if name == "checkAnswer":
            self.checks_answer(value)
        if name == "forwardDecision":
            self.rule("H9", not self.knows or self.sayings.sent(value.get("body")))

    def completed(self, facts, own):
        read, run = self.read, self.runs[-1]
        name, value, began = run["scheduled"].get(txt(facts.get("scheduledEventId")), ("", {}, 0))
        given = read.payload(facts.get("result"))
        self.unknown = self.unknown or given is read.unknown
        said, call = read.obj(given), read.obj(value.get("call"))
        if name == "admitCall" and said.get("ok") is True:
            digest = txt(said.get("digest"))
            self.digests.setdefault(txt(call.get("id")), set()).add(digest)
            if isinstance(said.get("card_ref"), str):
                self.cards[said["card_ref"]] = digest
            if isinstance(said.get("run_id"), str) and said["run_id"]:
                self.named.add(digest)
            if own:
                run["asked"].setdefault(digest, self.place)
        if name == "readCard" and own:
            known = said.get("digest")
            digest = txt(self.cards.get(txt(value.get("card_ref")), "") if known is None else known)
            run["asked"].setdefault(digest, 0)  # what came since the run began waits for it
        if name == "checkDecision" and said.get("ok") is True:
            principal = said.get("principal")
            claims = read.claims(txt(value.get("attestation")))
            signer, stead = claims.get("principal"), claims.get("on_behalf_of")
            self.rule("H9", not self.knows or "attestation" not in value
                      or same(principal, signer) and same(said.get("on_behalf_of"), stead))
            self.checked.append({"value": value, "principal": principal, "run": run["id"], "began": began,
                                 "ended": self.place, "tasks": self.tasks})
        if name == "checkAnswer" and said.get("ok") is True:
            token = value.get("attestation")
            signer = read.claims(token).get("principal") if isinstance(token, str) else value.get("by")
            self.rule("H9", not self.knows or "value" not in value or same(said.get("principal"), signer))
            self.answered.add(self.answer_name(value, said.get("principal")))
        ran = said.get("open") is True if name == "openSubTurn" else (
            name == "runCall" and said.get("state") == "succeeded" and call.get("class") != "destructive")
        if own and ran and self.tells(call.get("digest")):
            self.rule("T9", self.is_approved_in(run, value, began))

    def hear(self, call, decisions):
        """Decisions that an activity is given; each is looked at once."""
        for one in map(self.read.obj, decisions):
            if one.get("decision") not in SPOKEN or not isinstance(one.get("digest"), str):
                continue
            key = (txt(call), self.read.form(one))
            if key in self.heard or self.heard.add(key) or not self.knows:
                continue
            words = self.read.words(one)
            said = self.sayings.of(words)
            self.rule("H9", said and (self.unknown or self.is_known(one, words, call)))
            given = one.get("given_in")
            self.rule("H9", self.unknown or given is None or any(it["run"] == given for it in said))

    def is_known(self, one, words, call):
        """What was signed was found good; another input was admitted."""
        edits, token = one["decision"] == "edit", one.get("attestation")
        decision = "edit" if edits else words["kind"]
        if decision == "answer":
            return self.answer_name(one, one.get("by")) in self.answered
        if isinstance(token, str) and not self.good(decision, one["digest"], None, token, one.get("by")):
            return False
        revision, wanted = one.get("revision"), self.read.said_of(one)
        if not edits or type(revision) not in (int, float):
            return True
        return any(same(of.get("id"), call) and of.get("revision") == revision + 1 and said == wanted
                   for of, said in self.edits)

    def answer_name(self, one, by):
        return (txt(one.get("digest")), self.read.form(one.get("value")), txt(one.get("attestation")), txt(by))

    def checks_answer(self, value):
        """The answer that a worker was to look at is one that somebody has sent."""
        form, token = self.read.form, value.get("attestation")
        def alike(one):
            return (one["kind"] == "answer" and one["attestation"] == token and one["input"] == form(value.get("value"))
                    and form(one["note"]) == form(value.get("note"))
                    and same(one["name"], value.get("by")))
        self.rule("H9", not self.knows or any(map(alike, self.sayings.about(value.get("digest")))))

    def good(self, decision, digest, outcome, token, by):
        return [it for it in self.checked if it["value"].get("decision") == decision
                and it["value"].get("digest") == digest and it["value"].get("outcome") == outcome
                and it["value"].get("attestation") == token and same(it["principal"], by)]

    def edited(self, edit, call):
        self.edits.append((call, self.read.said_of(edit)))
        if self.knows and not self.unknown:
            said = {name: edit.get(name) for name in ("by", "note", "attestation", "identity")}
            words = said | {"kind": "approve", "input": self.read.form(edit.get("input"))}
            about = self.digests.get(txt(call.get("id")), ())
            self.rule("H9", any(self.sayings.of(words | {"digest": digest}) for digest in about))

    def checks(self, value):
        decision, given = value.get("decision"), value.get("input_hash")
        if not self.knows or decision == "steer":
            return
        kind, edits, form = "approve" if decision == "edit" else txt(decision), decision == "edit", self.read.form
        def alike(one):
            noted = None if one["note"] is None else form(one["note"])
            return (one["kind"] == kind and one["attestation"] == value.get("attestation", "") and one["input"] == given
                    and edits == (one["input"] is not None)
                    and ("note_hash" not in value or value["note_hash"] == noted)
                    and same(one["outcome"] if kind == "settle" else None, value.get("outcome")))
        self.rule("H9", any(map(alike, self.sayings.about(value.get("digest")))))

    def settled(self, value, call):
        digest = call.get("digest")
        for one in [value, *self.read.objs(value.get("settlements"))] if self.knows else []:
            words = {name: one.get(name) for name in ("by", "note", "attestation", "identity", "outcome")}
            self.rule("H9", self.sayings.of(words | {"kind": "settle", "digest": digest, "input": None}) != [])
            if self.unknown:
                continue
            token, outcome = one.get("attestation"), one.get("outcome")
            good = self.good("settle", digest, outcome, token, one.get("by"))
            self.rule("H9", not isinstance(token, str) or good != [])
            self.rule("H10", not self.is_corrected(one, digest))

    def is_corrected(self, one, digest):
        """Whether its author has said otherwise since, before the workflow came to settle the call."""
        signed = isinstance(one.get("attestation"), str)
        said = (self.signed_settlements if signed else self.bare_settlements)(digest, one.get("by"))
        last = max((it["place"] for it in said if same(it["outcome"], one.get("outcome"))), default=-1)
        return any(not same(it["outcome"], one.get("outcome")) and it["counts"] and it["began"] > last for it in said)

    def signed_settlements(self, digest, by):
        lineage, first = self.lineage(self.runs[-1]), {}
        for it in self.checked:
            value = it["value"]
            of_this = value.get("decision") == "settle" and same(value.get("digest"), digest)
            if of_this and it["run"] in lineage and same(it["principal"], by):
                first.setdefault(txt(value.get("attestation")), it)
        for token, it in first.items():
            alone = any(one["attestation"] == token and one["calls"] == 1 for one in self.sayings.about(digest))
            first[token] = {"outcome": it["value"].get("outcome"), "began": it["began"], "place": it["ended"],
                            "counts": alone and self.tasks - it["tasks"] >= 2}
        return list(first.values())

    def bare_settlements(self, digest, by):
        lineage, person, found = self.lineage(self.runs[-1]), self.read.person(txt(by)), []
        for one in self.sayings.about(digest):
            if one["kind"] == "settle" and one["run"] in lineage and self.read.person(one["by"]) == person:
                since, update = self.tasks - one["tasks"], one["channel"] == "update"
                taken = one["accepted"] is True and since >= 1 if update else since >= 2
                short = one["attestation"] is None and units(txt(one["note"])) <= SHORT_NOTE
                found.append({"outcome": one["outcome"], "began": one["place"], "place": one["place"],
                              "counts": one["right"] and taken and short})
        return found

    def lineage(self, run):
        """Runs whose questions are those of this one: itself, and what it goes on from."""
        before, found = {it["id"]: it["before"] for it in reversed(self.runs)}, {run["id"]}
        after = run["before"]
        while after is not None and after not in found:
            found.add(after)
            after = before.get(after)
        return found

    def approvals_in(self, value):
        single = [value["approval"]] if isinstance(value.get("approval"), dict) else []
        return self.read.objs(value["approvals"]) if isinstance(value.get("approvals"), list) else single

    def is_approved_in(self, run, value, until):
        """Whether its approvals were given to a question of this run, or of one that it goes on from."""
        here = all(same(one.get("run_id"), run["id"]) for one in self.approvals_in(value))
        return here and self.are_answers(run, value, until)

    def are_answers(self, run, value, until):
        """Whether those of its approvals are such that are said to be."""
        lineage, digest = self.lineage(run), txt(self.read.obj(value.get("call")).get("digest"))
        asked = {it["id"]: it["asked"].get(digest, float("inf")) for it in reversed(self.runs)}
        def answers(one): return one["own"] and one["run"] in lineage and asked[one["run"]] < one["place"] < until
        return all(not same(one.get("run_id"), run["id"]) or any(map(answers, self.sayings.of(self.read.words(one))))
                   for one in self.approvals_in(value))

    def part(self, ref, body):
        if isinstance(body, dict) and isinstance(body.get("subject"), dict) and isinstance(body.get("decision"), str):
            self.bodies[ref] = body

    def block(self, block):
        body = self.bodies.get(next(iter(block["parts"]), ""))
        if block["kind"] == "decision" and body and self.knows and self.unknown and body["decision"] in SPOKEN:
            self.rule("B13", self.sayings.of(self.read.words(body)) != [])

    def effect(self, record):
        run = next((it for it in self.runs if it["id"] == record.get("run_id")), None)
        if run is None or not self.tells(record.get("digest")) or record.get("state") not in ALIVE:
            return
        def is_it(value):
            call = self.read.obj(value.get("call"))
            return call.get("digest") == record.get("digest") and same(call.get("dispatch"), record.get("dispatch"))
        self.rule("T9", any(is_it(value) and self.is_approved_in(run, value, place) for value, place in run["calls"]))

class TwiceInDecisions:
    """What stands twice of decisions and of what admission was told: D1 to D6."""
    def __init__(self, history, twice, rule, defined, read):
        self.history, self.twice, self.rule, self.defined, self.read = history, twice, rule, defined, read
        self.scheduled, self.told, self.untrusted, self.admitted = {}, {}, {}, {}
        self.direct, self.bodies = None, {}
        self.verdicts = {}  # by call: whether each asks, the last, and whether nobody can tell which counts

    def judged(self, call, verdict, edited):
        known = self.verdicts.setdefault(txt(call), {"all": set(), "last": False, "loose": False})
        known["all"].add(verdict == "ask")
        if edited:  # what a person wanted instead need not have come to count
            known["loose"] = True
        else:
            known["last"] = verdict == "ask"

    def is_required(self, call, required, asked):
        """Whether that follows from the verdict, or from that people were asked."""
        known = self.verdicts.get(txt(call.get("id")))
        if known is None or required is ...:
            return True
        stopped = call.get("state") in ("cancelled", "proposed", "superseded")  # it need not have been looked at
        asks = known["all"] if known["loose"] or stopped else {known["last"]}
        return any(required is (asked or one) for one in asks)

    @property
    def whole(self): return self.twice.whole and not self.twice.unknown

    def begin(self): self.scheduled, self.began = {}, {}

    def keep(self, fact, call, value): self.told.setdefault((fact, txt(call)), set()).add(self.read.form(value))

    def has(self, fact, call, value):
        """Also where nothing was said: an older build did not."""
        known = self.told.get((fact, txt(call)))
        return known is None or self.read.form(value) in known

    def event(self, event, name, facts):
        read = self.read
        if name == "WORKFLOW_EXECUTION_STARTED":
            value = read.obj(read.payload(facts.get("input")))
            if isinstance(value.get("input_json"), str):
                goes_on = txt(facts.get("continuedExecutionRunId")) != ""
                self.twice.tell("turn", "", there(value, "tool", *(() if goes_on else ("input_json",))))
        if name == "ACTIVITY_TASK_SCHEDULED":
            given = read.payload(facts.get("input"))
            value, known = read.obj(given), given is not read.unknown
            one = (txt(read.obj(facts.get("activityType")).get("name")), value)
            self.began[txt(event.get("eventId"))] = event.get("eventTime")
            if known or one[0] in ("takeStep", "admitDirect"):
                self.scheduled[txt(event.get("eventId"))] = one
            for outcome in read.objs(value.get("outcomes")):
                self.attempts(outcome)
            if known:
                self.activity(*one)
        if name == "ACTIVITY_TASK_COMPLETED":
            said, one = read.payload(facts.get("result")), self.scheduled.get(txt(facts.get("scheduledEventId")))
            if one and said is not read.unknown:
                self.completed(*one, read.obj(said))
                if one[0] == "admitCall":
                    self.escalates(one[1], read.obj(said), self.began.get(txt(facts.get("scheduledEventId"))))
        if name in ENDS:
            self.view(read.payload(result_in(name, facts)))

    def activity(self, name, value):
        call, digest = self.read.obj(value.get("call")), value.get("digest")
        if name == "admitDirect":
            self.twice.tell("turn", "", there(value, "tool", "input_json"))
        if name == "admitCall":
            self.asks(value, call.get("id"))
        if name == "checkAnswer" or name == "checkDecision" and value.get("decision") != "steer":
            self.twice.tell("call", digest, there(value, "tool"))
        if name in ("closeQuestion", "notify") and isinstance(digest, str):
            self.rule("D4", not self.whole or self.twice.knows("call", digest, "call_id"))
        if name == "notify" and isinstance(value.get("card_ref"), str):
            self.rule("D4", not self.whole or self.twice.knows("card", value["card_ref"], "call_id"))
        if name == "notify":
            self.twice.tell("call", digest, there(value, "call_id", "tool"))
            in_time = self.has("expiry", value.get("call_id"), value.get("expires_at"))
            self.rule("D4", value.get("kind") == "in_doubt" or not self.whole or in_time)
        if not self.twice.unknown:
            self.twice.tell("use", call.get("id"), there(call, "definition_ref"))
        self.twice.proposed(call.get("id"), call)
        admitted = self.admitted.get(txt(call.get("input_ref")))
        if admitted and isinstance(call.get("input_hash"), str):
            self.rule("D4", same(admitted["input_hash"], call["input_hash"]))
        if name in ("runCall", "openSubTurn"):
            if not self.twice.unknown:
                self.twice.tell("use", call.get("id"), there(value, "validation_ms"))
            if admitted and "verdict" in value:
                self.rule("D4", value["verdict"] == ("allow" if admitted["verdict"] == "allow" else "ask"))

    def asks(self, value, call):
        """What admission was told is what was known."""
        self.keep("expiry", call, value.get("expires_at"))
        undecided, known = value.get("undecided"), self.untrusted.get(txt(call))
        of = undecided if isinstance(undecided, dict) else value
        right = (self.has("reason", call, value.get("reason"))
                 and ("approval" not in value or self.has("approval", call, value["approval"]))
                 and all(self.has("changes", call, one) for one in listed(value.get("changes")))
                 and (known is None or "untrusted" not in of or same(of["untrusted"], known))
                 and all(self.is_held(call, self.read.obj(one)) for one in listed(value.get("held"))))
        self.rule("D4", right or not self.whole)

    def is_held(self, call, held):
        if held.get("kind") == "reset":
            return txt(held.get("id")) in self.history.runs
        return self.read.form(held) in self.told.get(("held", txt(call)), ())

    def completed(self, name, value, said):
        read, call = self.read, self.read.obj(value.get("call"))
        if name == "takeStep":
            for one in read.objs(said.get("calls")):
                self.asked(one)
        if name == "admitDirect":
            one = read.obj(said.get("call"))
            self.asked(one)
            self.direct = one.get("input_ref")
            self.twice.tell("turn", "", there(said, "agent"))
            if one.get("verdict") != "rejected":
                self.twice.tell("turn", "", there(one, "tool"))
        if name == "admitCall" and said.get("ok") is True:
            self.answered(value, call, said)
        if name in ("runCall", "openSubTurn"):
            for one in listed((said if name == "runCall" else read.obj(said.get("refused"))).get("held")):
                self.keep("held", call.get("id"), one)
        if name == "settleEffect" and same(said.get("effect"), value.get("outcome")):
            self.twice.tell("effect", said.get("head"), {"settlements": value.get("settlements")})
        if name in ("runCall", "settleEffect") and not self.twice.reset and txt(said.get("result_ref")):
            self.twice.tell("result", said["result_ref"], there(said, "attempts"))

    def asked(self, call):
        """A call as a step, or direct, has had it admitted."""
        name = call.get("id")
        for fact in ("validation_ms", "definition_ref"):
            self.twice.said.pop(("use", txt(name), fact), None)
        self.twice.tell("use", name, there(call, "validation_ms", "definition_ref"))
        self.keep("reason", name, call.get("reason"))
        self.judged(name, call.get("verdict"), False)
        if "approval" not in call:  # one person is enough, however that one says so
            self.keep("quorum", name, {"quorum": 1, "channel": "any"})
        if "approval" in call:
            self.approved_under(name, call["approval"])
            defined = self.read.obj(self.defined(call).get("approvals"))
            tool, form = txt(call.get("tool")), self.read.form
            self.rule("D4", tool not in defined or form(defined[tool]) == form(call["approval"]))
            lists = self.read.obj(self.defined(call).get("approval_lists"))
            self.rule("D4", tool not in lists or is_of_list(form, call["approval"], lists[tool]))
        for one in listed(call.get("changes")):
            self.keep("changes", name, one)
        self.untrusted[txt(name)] = call.get("untrusted") is True
        self.admit(call, call, listed(call.get("changes")), False, ANY)

    def answered(self, value, call, said):
        """The verdict that came later, or on what a person wants."""
        name, edit, decided, renewed = call.get("id"), value.get("edit"), said.get("decided"), said.get("renewed")
        if isinstance(renewed, dict):
            self.approved_under(name, renewed.get("approval"))
        if not isinstance(decided, dict):
            return
        self.judged(name, decided.get("verdict"), isinstance(edit, dict))
        self.keep("reason", name, decided.get("reason"))
        for one in listed(decided.get("changes")):
            self.keep("changes", name, one)
        changes, edits = listed(decided.get("changes")), isinstance(edit, dict)
        first = self.read.obj(changes[0]) if changes else {}
        if edits:
            self.rule("D2", first.get("hook") == "" and same(first.get("by"), edit.get("by")))
        self.admit(decided, call, changes[1:] if edits else changes, True, edit.get("input", ANY) if edits else ANY)

    def escalates(self, value, said, asked):
        """Further people may approve no sooner than the policy says, from when on people were asked."""
        read, given = self.read, self.read.objs(said.get("escalations"))
        of = said.get("renewed") if isinstance(said.get("renewed"), dict) else value
        wanted = read.objs(read.obj(of.get("approval")).get("escalate"))
        if said.get("ok") is not True or not given:
            return
        after = lambda one: one["after_ms"] if type(one.get("after_ms")) in (int, float) else math.nan
        self.rule("D4", len(given) == len(wanted) and all(
            read.form(one.get("roles")) == read.form(by.get("roles"))
            and read.when(one.get("at")) >= read.when(asked) + after(by) - CLOCKS for one, by in zip(given, wanted)))

    def admit(self, answer, call, changes, decided, edit):
        ref, given = answer.get("input_ref"), answer.get("input")
        if not isinstance(ref, str):
            return
        said = {"call_id": call.get("id"), "decided": decided, "edit": edit}
        said |= {it: call.get(it) for it in ("tool", "version")}
        said |= {it: answer.get(it) for it in ("verdict", "reason", "input_hash")} | there(answer, "input_digest")
        self.admitted[ref] = said = said | {"changes": changes}
        if given is not None:
            self.rule("D2", same(self.read.form(given), said["input_hash"]))
            self.digest_of(said, given)

    def digest_of(self, said, given):
        if "input_digest" in said and said["verdict"] != "rejected" and not said["changes"] and isinstance(given, dict):
            made = {"v": "holdfast.input/1", "tool": txt(said["tool"]), "version": txt(said["version"]), "input": given}
            self.rule("D2", same(said["input_digest"], self.read.form(made)))

    def approved_under(self, call, approval):
        self.keep("approval", call, approval)
        of = self.read.obj(approval)
        self.keep("entry", call, of.get("entry"))
        self.keep("quorum", call, {"quorum": of.get("quorum"), "channel": of.get("channel")})

    def part(self, ref, body):
        if not isinstance(body, dict):
            return
        if isinstance(body.get("idempotency_key"), str) and "outcome" in body:
            self.bodies[ref] = body
        if ref == self.direct and "asked" in body:
            self.twice.tell("turn", "", {"input_json": body["asked"]})
        if ref in self.admitted:
            self.as_admitted(self.admitted[ref], body, ref == self.direct)

    def as_admitted(self, said, body, direct):
        """The part says the same as the answer, and as what was asked for."""
        of = lambda changes: [{it: self.read.obj(one).get(it) for it in ("hook", "why")} for one in changes]
        made, form = of(listed(body.get("changes"))), self.read.form
        self.rule("D2", form(made) == form(of(said["changes"])))
        entry = body.get("approval_entry")
        self.rule("D2", said["verdict"] == "rejected" or self.has("entry", said["call_id"], entry))
        if said["decided"]:
            has = {it: body.get(it) for it in ("call_id", "tool", "verdict", "reason")}
            has |= {"input_hash": form(body.get("input"))}
            self.rule("D2", all(same(has[it], said[it]) for it in has))
        if made or said["verdict"] == "rejected":
            return
        self.digest_of(said, body.get("input"))
        wanted = said["edit"] if said["decided"] else self.asked_for(body.get("asked")) if direct else ANY
        self.rule("D2", wanted is ANY or self.contains(body.get("input"), wanted))

    def asked_for(self, asked):
        """What a caller wrote; ANY: it has no one meaning."""
        if not isinstance(asked, str):
            return ANY
        read = {} if asked.strip() == "" else self.read.meant(asked)
        return ANY if read is None else read

    def contains(self, value, wanted):
        """Whether it is the same but for fields that a schema has added."""
        if isinstance(wanted, list):
            return isinstance(value, list) and len(value) == len(wanted) and all(map(self.contains, value, wanted))
        if not isinstance(wanted, dict):
            return self.read.form(value) == self.read.form(wanted)
        return isinstance(value, dict) and all(it in value and self.contains(value[it], wanted[it]) for it in wanted)

    def block(self, ref, block):
        body = self.bodies.get(next(iter(block["parts"]), ""))
        if block["kind"] == "settlement" and body and self.twice.knows("effect", ref, "settlements"):
            self.twice.tell("effect", ref, {"settlements": body.get("settlements")})

    def attempts(self, one):
        ref, digest = one.get("result_ref"), one.get("digest")
        if not self.twice.reset and one.get("state") != "cancelled" and "attempts" in one:
            name = ref if isinstance(ref, str) else f"of {digest}" if isinstance(digest, str) else None
            self.twice.tell("result", name, {"attempts": one["attempts"]})

    def view(self, view):
        for call in self.read.objs(self.read.obj(view).get("calls")):
            self.attempts(call)
            of = self.read.obj(call.get("approval"))
            asked = self.twice.decided.get(txt(call.get("digest"))) or of.get("expires_at") is not None
            self.rule("D5", not self.whole or of.get("required") is not False or not asked)
            told = self.is_required(call, of.get("required", ...), of.get("expires_at") is not None)
            self.rule("D5", not self.whole or told)
            takes = {"quorum": of.get("quorum"), "channel": of.get("channel")}
            right = self.has("quorum", call.get("id"), takes) and self.has("entry", call.get("id"), of.get("entry"))
            self.rule("D5", "quorum" not in of or not self.whole or right)

class DecisionFacts:
    def __init__(self, history, twice, rule, defined, *reading):
        read = Reading(*reading)
        self.said, self.twice = AsSaid(history, rule, read), TwiceInDecisions(history, twice, rule, defined, read)

    def begin(self, body):
        self.said.begin(body)
        self.twice.begin()

    def event(self, event, name, facts):
        self.said.event(event, name, facts)
        self.twice.event(event, name, facts)

    def part(self, ref, body):
        self.said.part(ref, body)
        self.twice.part(ref, body)

    def block(self, ref, block):
        """One of the turn's own."""
        self.said.block(block)
        self.twice.block(ref, block)

    def effect(self, record): self.said.effect(record)
