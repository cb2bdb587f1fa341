"""Turns of sub-agents, as the turn above has them and as they are: what bundle-format.md says under *Turns of
sub-agents* (rules D1, D6, H9 and T7). For verify_bundle.py, which gives what reads values: `form`, `payload`."""
from verify_turn_facts import ENDS, as_attributes, result_in

ABOUT = ("openSubTurn", "lookAtSubTurn", "closeSubTurn", "forwardDecision", "takeStep", "endTurn", "compact")
UPDATES = ("WORKFLOW_EXECUTION_UPDATE_ACCEPTED", "WORKFLOW_EXECUTION_UPDATE_ADMITTED")
OF_END, IDS = ("agent", "state", "head", "reason"), ("turn_id", "workflow_id", "first_execution_run_id")

def txt(value): return value if isinstance(value, str) else ""
def there(value, *names): return {name: value[name] for name in names if name in value}
def without(value, *names): return {name: value[name] for name in value if name not in names}
def is_number(value): return type(value) in (int, float)

class SubTurnFacts:
    def __init__(self, history, twice, rule, blocks, known, form, payload, unknown):
        self.history, self.twice, self.rule, self.form, self.payload = history, twice, rule, form, payload
        self.blocks = blocks
        self.known = known.setdefault("below", {})  # what histories of turns so far have of turns below
        self.UNKNOWN = unknown
        self.scheduled, self.opened, self.reports, self.reports_in, self.started = {}, {}, {}, {}, {}
        self.opened_for = {}  # by turn: the digests of the calls that it was opened for
        self.below = set()  # workflows of all that were opened
        self.answered, self.outcomes = set(), set()  # which turns have answered calls: as they may be, as they are told
        self.lists, self.passed, self.updates, self.view = {}, {}, {}, None

    def obj(self, value): return value if isinstance(value, dict) and value is not self.UNKNOWN else {}
    def objs(self, values): return [self.obj(one) for one in values] if isinstance(values, list) else []
    def knows_all(self): return self.twice.whole and not self.twice.unknown

    def same(self, one, other):
        """Whether no fact is in both, each in another way."""
        return all(self.form(one[name]) == self.form(other[name]) for name in one if name in other)

    def begin(self):
        self.scheduled, self.opened, self.updates, self.view = {}, {}, {}, None

    def event(self, event, name, facts):
        value, result = self.payload(facts.get("input")), self.payload(facts.get("result"))
        if name == "WORKFLOW_EXECUTION_STARTED":
            self.start(facts, self.obj(value))
        if name == "ACTIVITY_TASK_SCHEDULED":
            what = txt(self.obj(facts.get("activityType")).get("name"))
            if what in ABOUT and value is not self.UNKNOWN:
                self.activity(txt(event.get("eventId")), what, txt(facts.get("activityId")), self.obj(value))
        if name == "ACTIVITY_TASK_COMPLETED":
            what = self.scheduled.pop(txt(facts.get("scheduledEventId")), None)
            if what is not None and result is not self.UNKNOWN:
                self.completed(*what, self.obj(result))
            elif what is not None and what[0] == "lookAtSubTurn":
                self.reports.pop(txt(what[2].get("workflow_id")), None)
        if name == "START_CHILD_WORKFLOW_EXECUTION_INITIATED" and isinstance(self.obj(value).get("parent"), dict):
            self.begins(facts, value)
        if name == "CHILD_WORKFLOW_EXECUTION_STARTED":
            self.began(facts)
        if name in UPDATES:
            self.update(event, facts)
        if name == "WORKFLOW_EXECUTION_UPDATE_COMPLETED":
            self.updated(facts)
        if name in ENDS:
            self.ended(self.obj(self.payload(result_in(name, facts))))

    def start(self, facts, argument):
        """Which turn has started this one, and what it was told of that one."""
        run, parent, by = self.twice.runs[-1], argument.get("parent"), facts.get("parentWorkflowExecution")
        self.reports = self.reports_in[run] = dict(self.reports_in.get(txt(facts.get("continuedExecutionRunId")), {}))
        if isinstance(parent, dict):
            self.twice.tell("turn", "", {"parent": without(parent, "limits", "makers")})
        if self.twice.turn["parent"] is None or not isinstance(by, dict):
            return
        begun = self.known.get(("begun", self.twice.turn["workflow_id"], run))
        if isinstance(parent, dict):
            self.rule("D1", self.form(parent.get("workflow_id")) == self.form(by.get("workflowId")))
        self.rule("D1", begun is None or (txt(by.get("runId")), txt(facts.get("parentInitiatedEventId"))) in begun)

    def activity(self, event_id, name, activity_id, value):
        said = [{"call_id": one.get("call_id")} | one["sub_turn"] for one in self.objs(value.get("outcomes"))
                if isinstance(one.get("sub_turn"), dict)]
        self.scheduled[event_id] = (name, activity_id, without(value, "outcomes", "report"), said)
        for one in map(self.form, said):
            self.outcomes.add(one)
            self.rule("D6", not self.knows_all() or one in self.answered)
        if name == "closeSubTurn":
            call, report = self.obj(value.get("call")), self.obj(value.get("report"))
            known = self.opened_for.get(txt(value.get("sub_turn_id")))
            if known is not None and "digest" in call and self.knows_all():
                self.rule("D6", self.form(call["digest"]) in known)
            self.closes(call.get("id"), txt(value.get("sub_turn_id")), report)
        if name == "forwardDecision":
            self.rule("H9", not self.knows_all() or txt(value.get("workflow_id")) in self.below)
            body = {"body": value.get("body"), "identity": txt(value.get("identity"))}
            update = f"{self.twice.runs[-1]}:{activity_id}"
            self.known["passed", txt(value.get("workflow_id")), update] = self.form(body)

    def closes(self, call_id, turn_id, report):
        """A call is answered by its turn, as that was last looked at."""
        workflow_id = f"turn/{turn_id}"
        last = self.reports.get(workflow_id)
        told = self.form(without(report, "said_by"))
        self.rule("D6", last is None or not self.knows_all() or self.form(last) == told)
        of = {"call_id": call_id, "turn_id": turn_id, "workflow_id": workflow_id}
        self.answered.add(self.form(of | there(report, "first_execution_run_id", "head")))

    def completed(self, name, activity_id, value, said, result):
        if name in ("takeStep", "endTurn"):
            self.twice.owed |= set(map(self.form, said))
        if name == "openSubTurn" and result.get("open") is True:
            turn_id, report = txt(value.get("sub_turn_id")), self.obj(result.get("existing")).get("report")
            self.opened[turn_id] = (value, result)
            self.below.add(f"turn/{turn_id}")
            self.opened_for.setdefault(turn_id, set()).add(self.form(self.obj(value.get("call")).get("digest")))
            if isinstance(report, dict):
                self.reports[f"turn/{turn_id}"] = without(report, "said_by")
        if name == "lookAtSubTurn":
            self.looked_at(txt(value.get("workflow_id")), result)
        if name == "forwardDecision" and result.get("accepted") is True:
            taken = self.known.setdefault(("taken", txt(value.get("workflow_id"))), set())
            taken.add(f"{self.twice.runs[-1]}:{activity_id}")

    def looked_at(self, workflow_id, report):
        self.reports[workflow_id] = without(report, "said_by")
        run, started = report.get("first_execution_run_id"), self.started.get(workflow_id)
        self.rule("D6", started is None or not isinstance(run, str) or run == "" or run in started)
        if isinstance(report.get("head"), str):
            self.known.setdefault(("heads", workflow_id, txt(run)), set()).add(report["head"])
        if report.get("ended") is True:
            of = [self.form([report.get(name) for name in OF_END]), self.obj(report.get("spent")).get("usage")]
            self.known["end", workflow_id, txt(run)] = of

    def begins(self, facts, argument):
        """A turn is started as it was opened, and is found by what its argument says."""
        parent, turn_id = argument["parent"], txt(argument.get("turn_id"))
        self.twice.tell("turn", "", there(argument, "requester", "trace_id"))
        own = {name: self.twice.turn[name] for name in IDS if self.twice.turn[name] is not None}
        self.rule("D1", self.same(own, parent))
        workflow = there(facts, "workflowId") | there(argument, "parent_head")
        self.rule("D1", self.same(workflow, {"workflowId": f"turn/{turn_id}", "parent_head": None}))
        shown = as_attributes(argument.get("agent"), there(argument, "requester")) | {"HoldfastState": "running"}
        self.rule("D1", self.same(shown, self.fields(facts.get("searchAttributes"), "indexedFields")))
        trace = {"holdfast_trace": argument["trace_id"]} if "trace_id" in argument else {}
        self.rule("D1", self.same(trace, self.fields(facts.get("memo"), "fields")))
        if turn_id not in self.opened:
            self.rule("D1", not self.knows_all())
            return
        value, said = self.opened[turn_id]
        call, limits = self.obj(value.get("call")), self.obj(said.get("limits"))
        self.rule("D1", self.same(there(said, "agent", "message"), argument))
        asked = {"call_id": call["id"]} if "id" in call else {}
        asked |= there(call, "digest") | there(value, "head", "untrusted") | there(said, "within", "depth_left")
        self.rule("D1", self.same(asked, parent))
        makers = call.get("makers") if isinstance(call.get("makers"), list) and "makers" in parent else []
        held = parent.get("makers") if isinstance(parent.get("makers"), list) else []
        self.rule("D1", {*map(self.form, makers)} <= {*map(self.form, held)})
        reserved = self.obj(parent.get("limits"))
        self.rule("D1", not any(is_number(reserved[it]) and is_number(limits.get(it)) and reserved[it] > limits[it]
                                for it in reserved))

    def fields(self, value, group):
        """What is known of a memo, or of search attributes."""
        held = self.obj(self.obj(value).get(group))
        read = {name: self.payload({"payloads": [held[name]]}) for name in held}
        return {name: read[name] for name in read if read[name] is not self.UNKNOWN}

    def began(self, facts):
        of, run = self.obj(facts.get("workflowExecution")), self.twice.runs[-1]
        workflow_id, child = txt(of.get("workflowId")), txt(of.get("runId"))
        self.started.setdefault(workflow_id, set()).add(child)
        self.known.setdefault(("begun", workflow_id, child), set()).add((run, txt(facts.get("initiatedEventId"))))

    def update(self, event, facts):
        """A decision that came through the turn above is the one that it has passed on."""
        request = next((facts[it] for it in ("acceptedRequest", "request") if facts.get(it) is not None), None)
        given, meta = self.obj(self.obj(request).get("input")), self.obj(self.obj(request).get("meta"))
        body, update = self.payload(given.get("args")), txt(meta.get("updateId"))
        known = self.known.get(("passed", self.twice.turn["workflow_id"], update))
        if given.get("name") not in ("decide", "answer") or known is None:
            return
        if given["name"] == "answer" and body is not self.UNKNOWN:  # passed on as a decision of that name
            body = self.obj(body) | {"decision": "answer"}
        self.updates[txt(event.get("eventId"))] = update
        if self.passed.get(update) is not True:
            self.passed[update] = None
        sent = {"body": body, "identity": txt(meta.get("identity"))}
        self.rule("H9", body is self.UNKNOWN or known == self.form(sent))

    def updated(self, facts):
        answer = self.payload(self.obj(facts.get("outcome")).get("success"))
        update = self.updates.get(txt(facts.get("acceptedEventId")))
        if update is None:
            return
        refused = answer is not self.UNKNOWN and self.obj(answer).get("accepted") is False
        if refused and update in self.passed and self.passed[update] is None:
            del self.passed[update]
        else:  # The same may be sent to two runs: that one of them has taken it is enough.
            self.passed[update] = True

    def ended(self, view):
        """What the turn's result says of the turns below."""
        if not isinstance(view.get("calls"), list):
            return
        self.view = view
        for one in self.objs(view.get("sub_turns")):
            value, said = self.opened.get(txt(one.get("turn_id")), ({}, {}))
            of = {"workflow_id": f"turn/{txt(one.get('turn_id'))}"} | there(said, "agent")
            of |= {"call_id": self.obj(value.get("call"))["id"]} if "id" in self.obj(value.get("call")) else {}
            last = self.reports.get(txt(one.get("workflow_id")), {})
            if last.get("ended") is True:
                of |= there(last, "state", "head") | there(self.obj(last.get("spent")), "usage") | {"waiting": []}
            self.rule("D6", not self.knows_all() or self.same(of, one))

    # The transcript.

    def part(self, ref, body):
        if isinstance(body.get("sub_turns"), list):
            self.lists[ref] = self.objs(body["sub_turns"])

    def block(self, block):
        """An own block."""
        head = next(iter(block["parts"]), "")
        for one in map(self.form, self.lists.get(head, ()) if block["kind"] == "message" else ()):
            self.twice.written.add(one)
            self.rule("D6", not self.knows_all() or one in self.outcomes)

    def end(self):
        """Of a turn that is complete: what the turn above was told of it."""
        workflow_id, first, view = *(self.twice.turn[name] for name in IDS[1:]), self.view
        above = self.known.get(("end", workflow_id, txt(first)))
        if above is not None and view is not None and not self.history.reset:
            self.rule("D6", above[0] == self.form([view.get(name) for name in OF_END]))
            # What turns below have used that still run is in the one, and not in the other.
            self.rule("D6", "sub_turns" in view or self.form(above[1]) == self.form(view.get("usage")))
        stood = self.known.get(("heads", workflow_id, txt(first)), set())
        self.rule("D6", "starts" in self.blocks.unknown or stood <= self.blocks.own.keys())
        if self.history.whole and self.history.closed:
            for update in self.known.get(("taken", workflow_id), ()):
                self.rule("H9", update in self.passed)
