"""What stands twice of a turn's runs, of its result and of its agent's definition (rules D1 to D6): what
bundle-format.md says under *The server's own events, the result, the definition*. For verify_bundle.py, which gives
what reads values: `form`, `payload`, `when`, `person`."""
import math
import re
from verify_turn_facts import ENDS, result_in

TIMED = set("""takeStep compact admitDirect runCall openSubTurn closeSubTurn inspectEffect reconcileEffect completeCall
    checkDecision checkAnswer checkSteer notify endTurn""".split())
# That of a `settleEffect` is of when somebody has said so.
OF_OTHERS = ("lookAtSubTurn", "lookAtTurn", "checkFork")
AROUND, MOST_HEARD, KEPT_SIGNALS, NAME, IDENTITY = 10_000, 40, 50, 100, 200
SECONDS = re.compile("([0-9]+(?:[.][0-9]+)?)s")
NOT_KEPT = re.compile(r"\[a block of type .* could not be kept\]", re.DOTALL)
POLICY = ("limits", "max_parallel", "sibling_abort", "approval_expiry_ms", "steer_supersedes")
FOUND_ANEW = ("reset", "same_intent", "preview_drifted", "target_changed")
EFFECTS = ("applied", "not_applied", "refused", "in_doubt")
# What comes after an answer that asks for no calls, by why it ended; else the turn ends.
AFTER = dict(refusal="refusal", pause_turn="continue", max_tokens="cut", model_context_window_exceeded="full",
             prompt_too_long="full")
EXACT = 2**53 - 1
UNSAID = object()

def txt(value): return value if isinstance(value, str) else ""
def listed(value): return value if isinstance(value, list) else []
def same(one, other): return type(one) is type(other) and one == other
def units(text): return len(text.encode("utf-16-le", "surrogatepass")) // 2
def number(value): return value if type(value) in (int, float) else math.nan
def is_short(value, most): return isinstance(value, str) and units(value) < most and not value.endswith("…")

def exact(value):
    """A number that is not exact stands as a text in what is hashed."""
    if isinstance(value, dict):
        return {name: exact(one) for name, one in value.items()}
    return str(value) if type(value) in (int, float) and abs(value) > EXACT else value

class Run:
    """What a run knows, and the one that goes on from it. None: nobody can tell."""
    def __init__(self, argument=None, unknown=True, before=None):
        if before:
            self.__dict__ = {name: list(it) if isinstance(it, list) else set(it) if isinstance(it, set) else it
                             for name, it in before.__dict__.items()}
            return
        self.began = math.nan  # when its first task began
        head = None if unknown else argument.get("parent_head")
        # From which the next activity may go on. A list or object names no block.
        self.heads = None if unknown else {... if isinstance(head, (dict, list)) else head}
        self.denied, self.denied_before = None if unknown else 0, 0
        self.calls, self.revised = set(), False
        parent = argument.get("parent") if argument else None
        makers = listed(parent.get("makers")) if isinstance(parent, dict) else []
        self.heard = None if unknown else {it for it in makers if isinstance(it, str)}
        self.may = set()
        self.full = None if unknown else argument.get("context_full") is True
        self.ended = None if unknown else set()  # whether destructive calls were refused: True, False, or both
        self.next = None  # what came after the last step
        self.sent, self.came = None if unknown else set(), 0

class RunFacts:
    def __init__(self, twice, objects, form, payload, when, person, unknown):
        self.twice, self.objects, self.UNKNOWN = twice, objects, unknown
        self.form, self.payload, self.when, self.person = form, payload, when, person
        self.run, self.runs, self.next, self.clock, self.handed = Run(), {}, {}, set(), {}
        self.waits, self.question_waits = set(), {}
        self.steps, self.bodies, self.contents, self.answers, self.held, self.origins = {}, {}, {}, {}, {}, {}

    def rule(self, rule, holds): self.twice.rule(rule, bool(holds))
    def tell(self, *said): self.twice.tell(*said)
    def obj(self, value): return value if isinstance(value, dict) and value is not self.UNKNOWN else {}
    def objs(self, values): return [self.obj(one) for one in listed(values)]
    def whole(self): return self.twice.whole and not self.twice.unknown

    # The history.

    def begin(self):
        self.scheduled, self.begun, self.tasks, self.task_since, self.latest = {}, {}, {}, True, -math.inf
        self.before, self.latest_task = {}, math.nan  # the time of the task before, for each task

    def event(self, event, name, facts):
        ref = txt(event.get("eventId"))
        if name == "WORKFLOW_EXECUTION_STARTED":
            self.started(facts)
        if name == "WORKFLOW_TASK_STARTED":
            self.begun[ref] = self.when(event.get("eventTime"))
        if name == "WORKFLOW_TASK_COMPLETED":
            self.task(ref, self.begun.get(txt(facts.get("startedEventId")), math.nan))
        if name == "WORKFLOW_EXECUTION_SIGNALED":
            self.came(facts.get("signalName"), facts.get("identity"))
        if name in ("WORKFLOW_EXECUTION_UPDATE_ACCEPTED", "WORKFLOW_EXECUTION_UPDATE_ADMITTED"):
            request = facts.get("acceptedRequest")
            request = self.obj(facts.get("request") if request is None else request)
            self.came(self.obj(request.get("input")).get("name"), self.obj(request.get("meta")).get("identity"))
        if name == "ACTIVITY_TASK_SCHEDULED":
            self.activity(event, ref, facts)
        if name == "ACTIVITY_TASK_CANCEL_REQUESTED" and txt(facts.get("scheduledEventId")) in self.scheduled:
            self.scheduled[txt(facts.get("scheduledEventId"))]["cancelled"] = True
        if name == "ACTIVITY_TASK_COMPLETED":
            self.completed(facts)
        if name == "WORKFLOW_EXECUTION_CONTINUED_AS_NEW":
            self.next[self.twice.runs[-1]] = (facts.get("newExecutionRunId"), *self.place_of(facts))
            self.handed[self.twice.runs[-1]] = self.fields(facts)
        if name in ENDS:
            self.view(self.obj(self.payload(result_in(name, facts))))

    def place_of(self, facts):
        return [self.obj(facts.get(it)).get("name") for it in ("workflowType", "taskQueue")]

    def fields(self, facts):
        """What is known of a run's memo and its search attributes: hashes, by name."""
        held = {**self.obj(self.obj(facts.get("memo")).get("fields")),
                **self.obj(self.obj(facts.get("searchAttributes")).get("indexedFields"))}
        read = {name: self.payload({"payloads": [held[name]]}) for name in held}
        return {name: self.form(read[name]) for name in read if read[name] is not self.UNKNOWN}

    def started(self, facts):
        before, run = txt(facts.get("continuedExecutionRunId")), self.twice.runs[-1]
        argument, known = self.payload(facts.get("input")), self.runs.get(before)
        unknown = argument is self.UNKNOWN or before != ""
        self.run = Run(before=known) if known else Run(self.obj(argument), unknown)
        self.runs[run] = self.run
        own = (txt(facts.get("originalExecutionRunId")) or run, *self.place_of(facts))
        for told, it in zip(self.next.get(before, ()), own):
            self.rule("D1", told is None or told == it)
        handed, began = self.handed.get(before, {}), self.fields(facts)
        self.rule("D1", all(handed[name] == began[name] for name in handed if name in began))

    def task(self, ref, time):
        self.tasks[ref], self.task_since = time, True
        if not math.isnan(self.latest_task):
            self.before[ref] = self.latest_task
        self.latest_task = time
        self.clock.add(time)
        self.run.denied_before = self.run.denied or 0
        # Of the first task of the turn, whatever run it was in.
        if math.isnan(self.run.began) and self.run.heads is not None:
            self.run.began = time

    def came(self, name, identity):
        self.run.came += 1
        if self.run.sent is not None:
            self.run.sent |= {txt(name), (txt(name), txt(identity))}

    def activity(self, event, ref, facts):
        name, given = txt(self.obj(facts.get("activityType")).get("name")), self.payload(facts.get("input"))
        value, known = self.obj(given), given is not self.UNKNOWN
        call, task = self.obj(value.get("call")), txt(facts.get("workflowTaskCompletedEventId"))
        # A worker may have answered a query before the task, from what came since the task before: by its clock.
        time, times = self.tasks.get(task), [one[task] for one in (self.tasks, self.before) if task in one]
        self.scheduled[ref] = {"name": name, "value": value, "known": known, "cancelled": False}
        if name in TIMED and "at" in value and time is not None:
            # Further names for a sub-agent's turn are tried with the time of the first.
            earlier = name == "openSubTurn" and (self.when(value["at"]) in self.clock or not self.twice.whole)
            self.rule("D1", earlier or any(self.when(value["at"]) == one for one in times))
        if name in ("takeStep", "endTurn"):
            self.latest = max(self.latest, -math.inf if time is None else time)
        if "head" in value and self.run.heads is not None and self.whole():
            self.rule("D1", value["head"] in self.run.heads)
        if name in ("runCall", "openSubTurn"):
            self.summary(event, call)
        if name == "runCall":
            limit = SECONDS.fullmatch(txt(facts.get("startToCloseTimeout")))
            if limit and not self.twice.unknown:
                self.tell("use", call.get("id"), {"timeout_ms": round(float(limit[1]) * 1000) - AROUND})
        until = value.get("expires_at") if name == "admitCall" else None
        if until is not None and time is not None and not math.isnan(time) and self.whole():
            self.rule("D4", any(self.is_waited(txt(call.get("id")), self.when(until) - one) for one in times))
        if name == "admitCall" and isinstance(value.get("undecided"), dict):
            self.denials(self.obj(value["undecided"].get("denials")))
        self.people(name, value, known)

    def summary(self, event, call):
        said = self.payload({"payloads": [self.obj(event.get("userMetadata")).get("summary")]})
        kind, tool, version, ref = (txt(call.get(it)) for it in ("class", "tool", "version", "id"))
        right = f"{kind} {tool}@{version}, call {ref}"
        self.rule("D4", said is None or said is self.UNKNOWN or "class" not in call or said == right)

    def denials(self, said):
        run, in_all = self.run, said.get("in_all")
        if "in_all" in said and run.denied is not None and self.whole():
            right = run.denied_before <= number(in_all) <= run.denied
            self.rule("D4", right and number(said.get("in_a_row")) <= in_all)

    def people(self, name, value, known):
        """Who has said something that the model reads, and who else may have a hand in it."""
        run, call = self.run, self.obj(value.get("call"))
        run.full = None if name == "compact" else run.full
        # Who has said something to a sub-agent has a hand in what it answers.
        run.heard = run.heard if known and name != "openSubTurn" else None
        outcomes = self.objs(value.get("outcomes"))
        run.revised = run.revised or any(number(it.get("revision", 1)) > 1 for it in (call, *outcomes))
        for steer in self.objs(value.get("steers")):
            self.hears(steer.get("by"))
        said = [*listed(value.get("approvals")), value.get("approval"), *listed(call.get("earlier")), value.get("edit")]
        said += [value] if name == "settleEffect" and isinstance(value.get("note"), str) else []
        for one in outcomes:
            self.ends(one)
            said += [*listed(one.get("approvals")), one.get("decision"), *listed(one.get("earlier"))]
        if name == "takeStep" and "all_refused" in value and run.ended is not None and self.whole():
            self.rule("D6", value["all_refused"] is (run.ended == {True}))
        for one in map(self.obj, said):
            if one.get("decision") == "answer":
                self.hears(one.get("by"))
        run.may |= {txt(self.obj(it).get("by")) for it in (*said, *listed(value.get("settlements")))} - {""}

    def ends(self, one):
        """One that was stopped, or is told by an older build, need not say what the workflow knows of it."""
        run, is_text = self.run, isinstance(one.get("digest"), str)
        if one.get("state") in ("cancelled", "superseded") or is_text and "class" not in one:
            run.ended = None
        if run.ended is not None and is_text and one.get("class") == "destructive":
            run.ended.add(one.get("effect") == "refused")

    def hears(self, person):
        if self.run.heard is not None and txt(person):
            self.run.heard.add(person)

    def completed(self, facts):
        nothing = {"name": "", "value": {}, "known": False, "cancelled": False}
        one = self.scheduled.get(txt(facts.get("scheduledEventId")), nothing)
        name, value, given, run = one["name"], one["value"], self.payload(facts.get("result")), self.run
        if name in OF_OTHERS:
            return
        unknown, said = given is self.UNKNOWN, self.obj(given)
        if name == "takeStep" and (unknown or one["cancelled"]):
            run.heard = run.full = run.ended = run.next = run.sent = None
        if unknown:
            run.heads = None
            return
        self.named(said, one["cancelled"])
        calls = {"takeStep": said.get("calls"), "admitDirect": [said.get("call")]}.get(name)
        for call in self.objs(calls):
            self.twice.said.pop(("use", txt(call.get("id")), "timeout_ms"), None)
            self.tell("use", call.get("id"), {it: call[it] for it in ("timeout_ms",) if it in call})
            if name == "takeStep" and "question_ms" in call:
                self.question_waits[txt(call.get("id"))] = call["question_ms"]
        if name in ("takeStep", "admitDirect"):
            self.waits_for(self.obj(said.get("policy")).get("approval_expiry_ms"))
        denied = name == "admitCall" and said.get("ok") is False and said.get("by_classifier") is True
        if run.denied is not None:
            run.denied += denied
        if name == "readCard" and "run_id" in said:
            self.rule("D3", said["run_id"] in self.twice.runs)
        if name == "keepSaid" and one["known"]:
            self.tell("said", said.get("said_ref"), {"said": self.form(value.get("said"))})
        if name == "readSaid":
            self.tell("said", value.get("said_ref"), {"said": self.form(said.get("said"))})
        if name == "reconcileEffect" and "not_applied_from" in said and "not_applied_from" in value:
            self.rule("D6", self.when(said["not_applied_from"]) >= self.when(value["not_applied_from"]))
        self.defined(name, value, one["known"], said)
        if not one["cancelled"]:
            self.took(name, said)

    def is_waited(self, call, time):
        """A question of the model waits as its call says, everything else as a step has it."""
        if call in self.question_waits:
            return self.question_waits[call] == time
        return self.waits is None or time in self.waits

    def waits_for(self, time):
        """For so long people may decide, as steps have it. None: one does not say it."""
        known = self.waits is not None and type(time) in (int, float)
        self.waits = self.waits | {time} if known else None

    def took(self, name, said):
        run = self.run
        if name == "compact":
            run.full = False
        if name == "admitDirect":
            run.calls.add(txt(self.obj(said.get("call")).get("id")))
        if name == "takeStep":
            run.full, run.next = said.get("context_full") is True, said.get("next")
            for person in listed(said.get("said_before")):
                self.hears(person)
            if said.get("next") == "calls":
                run.calls |= {txt(it.get("id")) for it in self.objs(said.get("calls"))}

    def named(self, said, cancelled):
        of = [said, *(self.obj(said.get(it)) for it in ("outcome", "settled", "refused"))]
        heads = {one[it] for one in of for it in ("head", "answer_head") if isinstance(one.get(it), str)}
        if heads and self.run.heads is not None:
            self.run.heads = heads | (set() if self.task_since and not cancelled else self.run.heads)
            self.task_since = False

    # The turn's result.

    def view(self, view):
        if not isinstance(view.get("calls"), list):
            return
        calls, run, end = self.objs(view["calls"]), self.run, self.when(view.get("ended_at"))
        self.rule("D1", "started_at" not in view or math.isnan(run.began) or self.when(view["started_at"]) == run.began)
        self.rule("D1", "ended_at" not in view or end in self.tasks.values() and end >= self.latest)
        turns = self.objs(view.get("sub_turns"))
        below = [self.obj(it.get("call")) for turn in turns for it in self.objs(turn.get("waiting"))]
        own = [it for it in calls if it.get("state") in ("waiting", "in_doubt")]
        waits = {txt(it.get("digest")) for it in (*own, *below)}
        self.rule("D1", all(isinstance(it, str) and it in waits for it in listed(view.get("pending"))))
        self.rule("D1", run.full is None or run.full == (view.get("context_full") is True))
        self.ignored(view.get("ignored_signals"))
        if (same(run.next, "end") or "result" in view) and view.get("state") in ("completed", "refused"):
            self.ends_as(view["state"] == "refused", self.obj(view.get("earlier_calls")), calls)
        if self.whole():
            self.steered(listed(view.get("steered_by")), txt(view.get("requester")))
            for index, one in enumerate(calls):
                after = [it for it in calls[index + 1:] if txt(one.get("id")) and same(it.get("id"), one["id"])]
                self.rule("D6", not after or self.is_superseded(one, after[0]))
            if not self.twice.reset:
                self.forgotten(self.obj(view.get("earlier_calls")), view.get("state"), calls)

    def ignored(self, ignored):
        if not isinstance(ignored, dict):
            return
        last, count, run = self.objs(ignored.get("last")), number(ignored.get("count")), self.run
        for one in last:
            self.rule("D1", not self.twice.whole or "at" not in one or self.when(one["at"]) in self.clock)
        self.rule("D1", len(last) == min(count, KEPT_SIGNALS))
        if run.sent is None:
            return
        self.rule("D1", count <= run.came)
        for signal, who in ((one.get("signal"), one.get("identity")) for one in last):
            short = is_short(signal, NAME)
            self.rule("D1", not short or signal in run.sent)
            # An older build did not know who had sent an update.
            self.rule("D1", not short or not is_short(who, IDENTITY) or who == "" or (signal, who) in run.sent)

    def steered(self, shown, requester):
        run, names = self.run, {self.person(txt(it)) for it in shown}
        if run.heard is None:
            return
        heard = set(map(self.person, run.heard))
        self.rule("D1", names <= heard | set(map(self.person, run.may)))
        self.rule("D1", len(shown) >= MOST_HEARD or heard <= names | {self.person(requester)})

    def is_superseded(self, one, after):
        """Another revision takes the place of one that has not run: that one has come to nothing."""
        nothing = ("error", "result_summary", "result_ref", *(() if self.twice.reset else ("effect",)))
        fewer = "attempts" not in one or number(one["attempts"]) <= number(after.get("attempts"))
        return one.get("state") == "superseded" and fewer and all(one.get(it) is None for it in nothing)

    def ends_as(self, refused, earlier, calls):
        """As refused where there were destructive calls, and all were; an older build need not say their class."""
        said = [it for it in calls if isinstance(it.get("digest"), str) and it.get("state") != "superseded"]
        ends = [it.get("effect") for it in said if it.get("class") == "destructive"]
        ends += [it for it in EFFECTS if number(earlier.get(it)) > 0]
        all_refused = len(ends) > 0 and all(it == "refused" for it in ends)
        self.rule("D6", any("class" not in it for it in said) or refused == all_refused)

    def forgotten(self, earlier, state, calls):
        """Each call that a step has asked for is shown, or counted among those that are not."""
        count = number(earlier.get("count", 0))
        left = len(self.run.calls - {txt(it.get("id")) for it in calls})
        revised = self.run.revised or any(number(it.get("revision", 1)) > 1 for it in calls)
        self.rule("D6", sum(number(earlier.get(it, 0)) for it in EFFECTS) <= count)
        self.rule("D6", state == "cancelled" or left <= count)
        self.rule("D6", revised or count <= left)

    # The agent's definition, and blocks.

    def defined(self, name, value, known, said):
        head, calls = said.get("head"), listed(said.get("calls"))
        if name == "takeStep":
            policy, after = self.obj(said.get("policy")), said.get("next")
            self.steps[txt(said.get("answer_head") or head)] = (policy, self.objs(calls), after)
            if "next" in said:
                self.follows(said["next"], said.get("stop_reason"), len(calls) > 0)
        if name == "admitDirect":
            self.steps[txt(head)] = (self.obj(said.get("policy")), [self.obj(said.get("call"))], None)
        # Where nothing was left out, the head may be that of an earlier summary.
        less = said.get("did") != "nothing" or known and head != value.get("head")
        if name == "compact" and less:
            self.tell("block", head, {it: said[it] for it in ("did",) if it in said})
        if name == "admitDirect" or name == "compact" and said.get("did") != "nothing":
            self.tell("block", head, {it: value[it] for it in ("at",) if it in value})
        asked = name == "admitCall" and known and isinstance(value.get("expires_at"), str)
        if asked and isinstance(said.get("preview_ref"), str):
            self.held[said["preview_ref"]] = listed(value.get("held"))

    def follows(self, said, reason, calls):
        """What comes next follows from what was asked for, and from why the answer ended."""
        self.rule("D2", said == "refusal" or (said == "calls") == calls)
        after = AFTER.get(txt(reason), "end") if reason == "refusal" or not calls else "calls"
        self.rule("D2", not isinstance(reason, str) or said == after)

    def part(self, ref, body):
        if not isinstance(body, dict):
            return
        named = {"subject", "definition_ref"} & {*body}
        if named or body.get("v") == "holdfast.summary/1" or "role" in body:
            self.bodies[ref] = body
        kind, said = body.get("type"), body.get("text")
        lost = kind == "text" and (not isinstance(said, str) or NOT_KEPT.fullmatch(said))
        used = {it: body.get(it) for it in ("name", "id")} if kind == "server_tool_use" else "other"
        self.contents[ref] = None if lost else used
        if ref in self.held:
            self.rule("D4", self.hashes(self.held[ref]) == self.hashes(listed(body.get("held"))))
        if self.twice.knows("said", ref, "said"):
            self.tell("said", ref, {"said": self.form(body.get("said"))})

    def hashes(self, held):
        return sorted(txt(self.form(it)) for it in held if self.obj(it).get("kind") not in FOUND_ANEW)

    def block(self, ref, block, own):
        first, parts, kind = (block["parts"] or [""])[0], block["parts"][1:], block["kind"]
        body = self.bodies.get(first)
        # Room that is made before the first step stands before the start of the turn.
        told = self.twice.knows("block", ref, "did")
        if kind == "summary" and (own or told):
            did = {"did": "cleared" if isinstance(body.get("cleared_to"), str) else "summarized"} if body else {}
            self.tell("block", ref, {"at": block["at"]} | did)
        elif told:
            self.tell("block", ref, {"did": "nothing"})
        if not own:
            return
        if body:
            self.is_of_agent(txt(body.get("definition_ref")), self.obj(body.get("subject")).get("agent"))
        if kind == "message" and body and body.get("role") == "assistant":
            self.answers[ref], self.origins[ref] = parts, body.get("origin")
        if kind == "admission" and body:
            self.admission(self.steps.get(ref), self.obj(self.objects.get(txt(body.get("definition_ref")))))
            self.server_tools(body.get("server_tools"), self.answers.get(block["parent"], []))
            made, too_long = self.origins.get(block["parent"], UNSAID), body.get("stop_reason") == "prompt_too_long"
            self.rule("D2", made is UNSAID or too_long or self.form(body.get("origin")) == self.form(made))

    def is_of_agent(self, ref, agent):
        """A definition that a block names is one, and that of its agent."""
        definition = self.obj(self.objects.get(ref))
        self.rule("D1", definition.get("v") not in ("holdfast.policy/1", "holdfast.policy_within/1"))
        if definition.get("v") == "holdfast.agent/1" and isinstance(agent, str) and agent != "":
            self.rule("D1", self.form(definition.get("name")) == self.form(agent))

    def admission(self, step, definition):
        if step is None or definition.get("v") != "holdfast.agent/1":
            return
        policy, calls, after = step
        self.rule("D2", not same(after, "end") or "result" not in definition)
        for name in POLICY if isinstance(policy.get("limits"), dict) else ():
            said = policy.get(name, False) if name == "steer_supersedes" else policy.get(name)
            self.rule("D1", name not in definition or self.form(exact(said)) == self.form(definition[name]))
        for call in calls:
            found = [it for it in self.objs(definition.get("tools"))
                     if same(it.get("name"), call.get("tool")) and same(it.get("version"), call.get("version"))]
            known, agents = [it.get("idempotent") for it in found], [it.get("sub_agent", UNSAID) for it in found]
            self.rule("D2", not agents or UNSAID in agents or call.get("sub_agent") in agents)
            self.rule("D2", not found or "idempotent" not in call or None in known or call["idempotent"] in known)

    def server_tools(self, told, answer):
        contents = [self.contents.get(it) for it in answer]
        if isinstance(told, list) and None not in contents:
            named = [{it: self.obj(one).get(it) for it in ("name", "id")} for one in told]
            self.rule("D2", self.form(named) == self.form([it for it in contents if isinstance(it, dict)]))

    def first(self, bundle, turn_id):
        """Whose bundle it is, by its first turn."""
        of_session, knows = bundle["subject"]["kind"] == "session", self.twice.knows
        self.rule("D1", of_session or bundle["subject"]["id"] == turn_id)
        said = {it: bundle[it] for it in ("agent", "tenant") if it in bundle}
        said |= {"session_id": bundle["subject"]["id"]} if of_session else {}
        for name in said:
            if knows("turn", "", "requester") and knows("turn", "", name):
                self.tell("turn", "", {name: said[name]})
