"""What stands twice of a turn as a whole (rules D1, D2 and D6): what bundle-format.md says under *The turn as a whole,
its steps, its answers*. For verify_bundle.py, which gives what reads values: `form`, `payload`, `meant`."""
import re

CUT, ATTRIBUTE, CENTS, TEXT_LIMIT, NAME = (12_000, 800_000), 255, 1e-9, 32_000, (100, 250)
SUMS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens", "cost_usd",
        "unpriced_tokens")
NOT_KEPT = re.compile(r"\[a block of type .* could not be kept\]", re.DOTALL)
OF_VIEW = ("state", "reason", "envelope")
# Where the last event of a run has the turn's result.
ENDS = dict(WORKFLOW_EXECUTION_COMPLETED=("result",), WORKFLOW_EXECUTION_CANCELED=("details",),
            WORKFLOW_EXECUTION_FAILED=("failure", "applicationFailureInfo", "details"))
OTHER, LOST = "other", None  # blocks of an answer: neither text nor call; nobody can tell what it is
OF_MEMO = (("holdfast_trace", "trace_id"), ("holdfast_request", "request"))
NAMED = (("requester", "HoldfastRequester"), ("session_id", "HoldfastSession"))

def txt(value): return value if isinstance(value, str) else ""
def there(value, *names): return {name: value[name] for name in names if name in value}
def is_count(value, count): return type(value) is int and value == count
def is_number(value): return type(value) in (int, float)
def first(values): return values[0] if isinstance(values, list) and values else None

def result_in(name, facts):
    """Payloads of the turn's result, in an event of ENDS."""
    for it in ENDS[name]:
        facts = facts.get(it) if isinstance(facts, dict) else None
    return facts

def json_bytes(text):
    sizes = (2 if it in '"\\\b\t\n\f\r' else 6 if it < " " else len(it.encode()) for it in text)
    return 2 + sum(sizes)

def cut_json(text, most):
    """The text, or as much of it as takes so many bytes of JSON, with an ellipsis."""
    if json_bytes(text) <= most:
        return text
    used, kept = 5, []
    for it in text:
        used += json_bytes(it) - 2
        if used > most:
            break
        kept.append(it)
    return "".join(kept) + "…"

def cut_bytes(text, most):
    used, kept = 0, []
    for it in text:
        used += len(it.encode())
        if used > most:
            break
        kept.append(it)
    return "".join(kept)

def units(text, most):
    """The first units of UTF-16 of a text."""
    return text.encode("utf-16-le")[:2 * most].decode("utf-16-le", "replace")

def length(text): return len(text.encode("utf-16-le")) // 2

def as_attributes(agent, rest):
    """Whose turn it is, as search attributes have it. A direct call need not name its agent."""
    named = {"HoldfastAgent": agent} if agent is not None else {}
    named |= {attribute: rest[name] for name, attribute in NAMED if name in rest}
    return {name: cut_bytes(it, ATTRIBUTE) if isinstance(it, str) else it for name, it in named.items() if it != ""}

def tenant_of(requester):
    """What stands before the first slash of a name, if there is one."""
    before, slash, _ = txt(requester).partition("/")
    return {"tenant": before if slash else None} if isinstance(requester, str) else {}

class Tally:
    """What the runs so far have come to."""
    def __init__(self, unknown=False, before=None):
        self.steps, self.text = (before.steps, before.text) if before else (0, "")
        self.unknown = before.unknown if before else unknown
        self.sums = dict(before.sums) if before else dict.fromkeys(SUMS, 0.0)
        self.below = dict(before.below) if before else {}  # sub-agents' turns: their sums, and whether they had ended

def add(sums, usage):
    for name in SUMS:
        if is_number(usage.get(name)):
            sums[name] += float(usage[name])

def defaults_in(schema):
    """All that a schema has as a `default`, at any depth."""
    found = [schema["default"]] if isinstance(schema, dict) and "default" in schema else []
    inside = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    for one in inside:
        found += defaults_in(one)
    return found

class Defaults:
    def __init__(self, values, form):
        self.values, self.form, self.known = values, form, {}

    def extend(self, asked, taken):
        """Whether `taken` is `asked`, with nothing but defaults besides."""
        if isinstance(asked, list) and isinstance(taken, list):
            for index, one in enumerate(taken):
                if not (self.extend(asked[index], one) if index < len(asked) else self.is_default(one)):
                    return False
            return len(taken) >= len(asked)
        if not isinstance(asked, dict) or not isinstance(taken, dict):
            return self.form(asked) == self.form(taken)
        for name in taken:
            if not (self.extend(asked[name], taken[name]) if name in asked else self.is_default(taken[name])):
                return False
        return asked.keys() <= taken.keys()

    def is_default(self, value):
        """A default has those of its own fields in it. Without values nobody knows them: then it may be one."""
        if self.values is None:
            return True
        if id(value) not in self.known:
            self.known[id(value)] = False
            for one in self.values:
                if self.extend(one, value):
                    self.known[id(value)] = True
                    break
        return self.known[id(value)]

class TurnFacts:
    def __init__(self, twice, known, objects, form, payload, meant, unknown):
        self.twice, self.objects, self.form, self.payload = twice, objects, form, payload
        self.children = known.setdefault("children", {})  # what histories of turns so far have of children: hashes
        self.begun = {}  # by event: hashes of the arguments that children are started with
        self.meant, self.UNKNOWN = meant, unknown
        self.tally, self.tallies, self.scheduled, self.shown, self.end = Tally(), {}, {}, unknown, {}
        self.tools, self.opened = set(), False  # tools that steps have asked for; whether an agent was asked
        self.contents, self.roles, self.asked, self.starts, self.headers = {}, {}, {}, {}, {}
        self.handed = {}  # by run: hash of the argument that it has handed to the next
        self.messages = {}  # by ref: role and parts of an own message; None: it is none

    def rule(self, rule, holds): self.twice.rule(rule, holds)
    def tell(self, *said): self.twice.tell(*said)
    def obj(self, value): return value if isinstance(value, dict) and value is not self.UNKNOWN else {}
    def objs(self, values): return [self.obj(one) for one in values] if isinstance(values, list) else []
    def run(self): return str(len(self.twice.runs))
    def knows_all(self): return self.twice.whole and not self.twice.unknown and not self.tally.unknown

    # The history.

    def begin(self):
        self.scheduled, self.shown, self.end, self.begun = {}, self.UNKNOWN, {}, {}

    def event(self, event, name, facts):
        value, result = self.payload(facts.get("input")), self.payload(facts.get("result"))
        failure = self.obj(facts.get("failure"))
        if name == "WORKFLOW_EXECUTION_STARTED":
            self.started(facts, value)
        self.child(name, txt(event.get("eventId")), facts, value, result)
        if name == "UPSERT_WORKFLOW_SEARCH_ATTRIBUTES":
            self.attributes(facts.get("searchAttributes"))
        if name == "ACTIVITY_TASK_SCHEDULED":
            name = txt(self.obj(facts.get("activityType")).get("name"))
            self.activity(txt(event.get("eventId")), name, self.obj(value))
            return
        if name == "ACTIVITY_TASK_COMPLETED":
            self.completed(*self.scheduled.get(txt(facts.get("scheduledEventId")), ("", {})), result)
        if name == "WORKFLOW_EXECUTION_CONTINUED_AS_NEW" and value is not self.UNKNOWN:
            self.handed[self.twice.runs[-1]] = self.form(value)
        if name == "WORKFLOW_EXECUTION_COMPLETED":
            self.above("result", result)
            self.ended(self.obj(result), None)
        if name == "WORKFLOW_EXECUTION_CANCELED":
            details = self.obj(self.payload(facts.get("details")))
            self.cancelled(details)
            self.ended(details, None)
            self.rule("D1", not isinstance(details.get("calls"), list) or details.get("state") == "cancelled")
        if name == "WORKFLOW_EXECUTION_FAILED":
            details = self.obj(failure.get("applicationFailureInfo")).get("details")
            self.ended(self.obj(self.payload(details)), failure)

    def session(self, name, facts, closed):
        found = self.payload(facts.get("result"))
        if name == "ACTIVITY_TASK_COMPLETED" and closed and not self.twice.reset and found is not self.UNKNOWN:
            self.used(self.obj(found).get("usage"))

    def child(self, name, event_id, facts, value, result):
        of = self.obj(facts.get("workflowExecution"))
        named, begun = (txt(of.get("workflowId")), txt(of.get("runId"))), txt(facts.get("initiatedEventId"))
        if name == "START_CHILD_WORKFLOW_EXECUTION_INITIATED" and value is not self.UNKNOWN:
            self.begun[event_id] = self.form(value)
        if name == "CHILD_WORKFLOW_EXECUTION_STARTED" and begun in self.begun:
            self.children["argument", *named] = self.begun[begun]
        if name == "CHILD_WORKFLOW_EXECUTION_COMPLETED" and result is not self.UNKNOWN:
            self.children["result", *named] = self.form(result)

    def above(self, what, payload):
        """What the turn above has in its history of this one."""
        known = self.children.get((what, self.twice.turn["workflow_id"], self.twice.runs[-1]))
        self.rule("D1", known is None or payload is self.UNKNOWN or known == self.form(payload))

    def started(self, facts, argument):
        before = facts.get("continuedExecutionRunId")
        known = self.tallies.get(before) if isinstance(before, str) else None
        self.tally = self.tallies[self.twice.runs[-1]] = Tally(isinstance(before, str), known)
        self.above("argument", argument)
        if argument is not self.UNKNOWN and isinstance(before, str) and before in self.handed:
            self.rule("D1", self.handed[before] == self.form(argument))
        self.argument(self.obj(argument))
        self.attributes(facts.get("searchAttributes"))
        memo = self.fields(facts.get("memo"), "fields")
        said = {fact: memo[name] for name, fact in OF_MEMO if name in memo}
        self.tell("turn", "", said | there(self.obj(memo.get("holdfast_of_session")), "message_hash"))

    def argument(self, given):
        message, call = given.get("message"), given.get("input_json")
        said = as_attributes(given.get("agent"), given)
        if isinstance(message, (str, list)) and message:
            of = {"agent": given.get("agent"), "message": message, "session_id": given.get("session_id")}
            said |= {"request": self.form(of), "message_hash": self.form(message)}
        elif isinstance(call, str) and call:
            options = {} if given.get("options") is None else given["options"]
            of = {"agent": given.get("agent"), "tool": given.get("tool"), "input_json": call, "options": options}
            said["request"] = self.form(of)
        if "parent_head" in given and "resume" not in given:
            self.twice.beginnings.add(self.form(given["parent_head"]))
        said |= tenant_of(given.get("requester"))
        if isinstance(given.get("parent"), dict):
            said["answers"] = {name: given["parent"].get(name) for name in ("turn_id", "workflow_id", "call_id")}
        self.tell("turn", "", said)

    def fields(self, value, group):
        """What is known of a memo, or of search attributes."""
        held = self.obj(self.obj(value).get(group))
        read = {name: self.payload({"payloads": [held[name]]}) for name in held}
        return {name: read[name] for name in read if read[name] is not self.UNKNOWN}

    def attributes(self, given):
        fields = self.fields(given, "indexedFields")
        if "HoldfastState" in self.obj(self.obj(given).get("indexedFields")):
            self.shown = self.UNKNOWN if fields.get("HoldfastState") is None else fields["HoldfastState"]
        self.tell("turn", "", there(fields, "HoldfastAgent", "HoldfastRequester", "HoldfastSession"))
        tools, state = fields.get("HoldfastTool"), fields.get("HoldfastState")
        if isinstance(tools, list):
            self.rule("D1", state not in ("running", "sleeping", "awaiting_completion") or not tools)
            self.rule("D1", state not in ("awaiting_approval", "awaiting_answer", "in_doubt") or len(tools) > 0)
            known = self.twice.whole and not self.twice.unknown and not self.opened
            self.rule("D1", not known or all(isinstance(it, str) and it in self.tools for it in tools))

    def activity(self, event_id, name, value):
        self.scheduled[event_id] = (name, value)
        if name == "endTurn":
            self.tell("run", self.run(), there(value, "state"))
            self.tell("turn", "", there(self.obj(value.get("begin")), "message", "attestation"))
        self.opened = self.opened or name == "openSubTurn"
        if name == "takeStep" and "step" in value and self.knows_all():
            self.rule("D1", is_count(value["step"], self.tally.steps + 1))

    def completed(self, name, value, result):
        said, tally = self.obj(result), self.tally
        asked = {"takeStep": said.get("calls"), "admitDirect": [said.get("call")]}.get(name)
        self.tools |= {cut_bytes(txt(one.get("tool")), ATTRIBUTE) for one in self.objs(asked)}
        if name == "lookAtSubTurn":
            spent = self.obj(said.get("spent")).get("usage")
            tally.unknown = tally.unknown or not isinstance(spent, dict)
            sums = dict.fromkeys(SUMS, 0.0)
            add(sums, self.obj(spent))
            tally.below[txt(value.get("workflow_id"))] = (sums, said.get("ended") is True)
        if name == "takeStep":
            self.step(value, said)
        if name == "compact":
            add(tally.sums, self.obj(said.get("usage")))
            self.twice.beginnings.add(self.form(said.get("head")))
        if name == "admitDirect":
            tally.steps = 1
            self.began(said)
        if name == "endTurn" and result is not self.UNKNOWN:
            self.closed(value, said)

    def step(self, value, said):
        step, tally = value.get("step"), self.tally
        tally.steps, tally.text = tally.steps + 1, txt(said.get("text")) or tally.text
        add(tally.sums, self.obj(said.get("usage")))
        for ref in (said.get("head"), said.get("answer_head")):
            self.tell("block", ref, there(value, "at"))
        if said.get("next") == "end" and isinstance(value.get("all_refused"), bool):
            state = "refused" if value["all_refused"] else "completed"
            self.tell("block", said.get("head"), {"state": state, "reason": None, "result_of": None})
        if isinstance(value.get("message"), (str, list)):
            self.began(said)
        ids = [one.get("id") for one in self.objs(said.get("calls"))]
        self.rule("D2", type(step) is not int or ids == [f"{step}.{index + 1}" for index in range(len(ids))])

    def began(self, said):
        """The first step is admitted under the rules that the turn begins under."""
        if not self.twice.reset:
            self.tell("turn", "", there(self.obj(said.get("policy")), "policy_ref"))

    def closed(self, value, said):
        self.tell("block", said.get("head"), there(value, "at", "state", "reason"))
        self.tell("run", self.run(), there(value, "reason"))
        self.end = value
        if value.get("envelope") is not True and "envelope" not in said:
            return
        self.tell("run", self.run(), {"envelope": said.get("envelope")})
        outcome, answer = self.obj(first(value.get("outcomes"))), self.obj(said.get("envelope"))
        error = outcome.get("error")
        if "envelope" in said and outcome.get("result_ref") is None and error is not None:
            self.rule("D6", answer.get("success") is False and self.form(answer.get("error")) == self.form(error))

    def cancelled(self, details):
        if isinstance(details.get("calls"), list):
            return
        self.tell("run", self.run(), {"state": "cancelled"})
        why = {"reason": self.end.get("reason")} if self.end.get("state") == "cancelled" else {}
        if not self.twice.reset:
            self.tell("turn", "", {"state": "cancelled"} | why)
        self.is_shown("cancelled")

    def ended(self, view, failure):
        """The turn's result. `failure`: how Temporal says that it failed; None: it completed."""
        if not isinstance(view.get("calls"), list):
            return
        state, texts = view.get("state"), [self.tally.text, *(cut_json(self.tally.text, most) for most in CUT)]
        self.tell("run", self.run(), there(view, *OF_VIEW))
        self.rule("D1", (state == "failed") == (failure is not None))
        if failure is not None and "reason" in view and "encodedAttributes" not in failure:
            why = "failed" if view["reason"] is None else view["reason"]
            self.rule("D1", self.form(failure.get("message", "")) in map(self.form, ("(redacted)", why)))
        self.is_shown(state)
        if self.knows_all():
            self.rule("D1", "step" not in view or is_count(view["step"], self.tally.steps))
            self.rule("D1", "text" not in view or view["text"] in texts)
            self.used(view.get("usage"))

    def is_shown(self, state):
        self.rule("D1", self.shown is self.UNKNOWN or self.form(self.shown) == self.form(state))

    def used(self, usage):
        """What was used is what the steps, and the turns of sub-agents, have used together."""
        turns = list(self.tally.below.values())
        if not self.knows_all() or not all(ended for _, ended in turns):
            return
        for name in there(self.obj(usage), *SUMS):
            total, said = self.tally.sums[name], usage[name]
            for sums, _ in turns:
                total += sums[name]
            most = CENTS * max(1, total) if name == "cost_usd" else 0
            self.rule("D1", is_number(said) and abs(said - total) <= most)

    # The transcript.

    def part(self, ref, body):
        if not isinstance(body, dict):
            return
        self.contents[ref] = self.content(body)
        if "role" in body:
            self.roles[ref] = body["role"]
        if isinstance(body.get("first_execution_run_id"), str):
            self.starts[ref] = body
        if isinstance(body.get("subject"), dict):
            self.headers[ref] = body.get("direct") is True
        asked = body.get("asked")
        if not isinstance(asked, str) or not isinstance(body.get("call_id"), str):
            return
        written = None if "\ufffd" in asked else self.obj(self.meant(asked))
        rejected = body.get("verdict") == "rejected"
        hashed = None if written is None else self.form(written)
        self.asked[ref] = (self.form(body.get("tool_use_id")), body.get("tool"), rejected, hashed)
        changes = body.get("changes")
        changed = isinstance(changes, list) and len(changes) > 0
        taken = self.obj(changes[0]).get("before") if changed else body.get("input")
        if written is not None and not rejected and isinstance(taken, dict):
            defaults = Defaults(self.defaults(body.get("tool"), body.get("version")), self.form)
            self.rule("D2", defaults.extend(written, taken))

    def content(self, body):
        if body.get("type") == "tool_use":
            return self.form(body.get("id")), body.get("name"), self.form(body.get("input"))
        said = body.get("text")
        if body.get("type") != "text":
            return OTHER
        return LOST if not isinstance(said, str) or NOT_KEPT.fullmatch(said) else [said]

    def defaults(self, tool, version):
        """Defaults of a tool of this name and version, by the definitions; None: none of them has it."""
        wanted, found = (self.form(tool), self.form(version)), None
        for definition in map(self.obj, self.objects.values()):
            for one in self.objs(definition.get("tools")) if definition.get("v") == "holdfast.agent/1" else []:
                if (self.form(one.get("name")), self.form(one.get("version"))) == wanted:
                    found = (found or []) + defaults_in(one.get("input_schema"))
        return found

    def block(self, ref, block):
        """An own block."""
        head, parts, kind = (block["parts"] or [""])[0], block["parts"][1:], block["kind"]
        self.messages[ref] = (self.roles.get(head, self.UNKNOWN), parts) if kind == "message" else None
        if kind == "start" and head in self.starts:
            self.start(self.starts[head])
            begins = self.twice.beginnings
            known = begins and self.twice.whole and not self.twice.unknown
            self.rule("D1", not known or self.form(block["parent"]) in begins)
        if kind == "admission":
            self.admission(ref, block["parent"], self.headers.get(head), parts)
        if kind in ("admission", "end"):
            self.tell("block", ref, {"at": block["at"]})

    def start(self, body):
        agent = self.obj(body.get("agent"))
        of = tenant_of(body.get("requester"))
        self.tell("turn", "", as_attributes(agent.get("name"), body) | there(body, "message_hash") | of)
        if not self.twice.reset and body.get("policy_ref") is not None:
            self.tell("turn", "", there(body, "policy_ref"))
        definition = self.obj(self.objects.get(txt(body.get("definition_ref"))))
        if definition.get("v") != "holdfast.agent/1" or not isinstance(body.get("agent"), dict):
            return
        tools = [f"{txt(it.get('name'))}@{txt(it.get('version'))}" for it in self.objs(definition.get("tools"))
                 if it.get("internal_only") is not True]
        is_ = {"name": definition.get("name"), "prompt_hash": self.form(definition.get("prompt")), "tools": tools}
        self.rule("D1", all(self.form(agent[name]) == self.form(is_[name]) for name in is_ if name in agent))

    def admission(self, ref, parent, direct, parts):
        if parent not in self.messages:
            return
        role, said = self.messages[parent] or ("", [])
        if role is self.UNKNOWN:
            return
        answers = isinstance(role, str) and role == "assistant"
        contents = [self.contents.get(one, LOST) for one in said] if answers else []
        if LOST in contents:
            return
        text = "\n".join(one[0] for one in contents if isinstance(one, list))
        if length(text) > TEXT_LIMIT:
            text = f"{units(text, TEXT_LIMIT)}\n… (cut; {length(text)} characters in the transcript)"
        self.tell("step", ref, {"text": text})
        if not answers and direct is not False:
            return
        uses = [one for one in contents if isinstance(one, tuple)]
        self.rule("D2", len(uses) == len(parts))
        for (use, name, given), asked in zip(uses, map(self.asked.get, parts)):
            if asked is not None:
                self.rule("D2", use == asked[0] and self.is_named(name, asked) and asked[3] in (None, given))

    def is_named(self, name, asked):
        _, tool, rejected, _ = asked
        short = cut_json(units(name, NAME[0]), NAME[1]) if rejected and isinstance(name, str) else None
        return self.form(name) == self.form(tool) or isinstance(tool, str) and short == tool
