"""What a turn gives besides its text (rules D1, D2 and D6): what bundle-format.md says under *The result that an agent
gives*. For verify_bundle.py, which gives what reads values: `form` and `payload`."""
from verify_turn_facts import ENDS, result_in

GIVES, MOST_STEPS, DEEPEST = "give_result", 200_000, 100
DONE = ("completed", "refused")

def txt(value): return value if isinstance(value, str) else ""
def listed(value): return value if isinstance(value, list) else []
def is_number(value): return type(value) in (int, float)

class Results:
    def __init__(self, twice, objects, form, payload, unknown):
        self.twice, self.objects, self.UNKNOWN = twice, objects, unknown
        self.form, self.payload = form, payload
        self.scheduled = {}
        self.givers = set()  # calls that give a result, by the steps that asked for them
        self.schema = None  # of the last of them: by the definition that it names; None: it is not known

    def obj(self, value): return value if isinstance(value, dict) and value is not self.UNKNOWN else {}
    def objs(self, values): return [self.obj(one) for one in listed(values)]
    def tell(self, *said): self.twice.tell(*said)
    def rule(self, rule, holds): self.twice.rule(rule, holds)
    def run(self): return str(len(self.twice.runs))
    def begin(self): self.scheduled = {}
    def part(self, ref, body): pass
    def block(self, block): pass

    def event(self, event, name, facts):
        if name == "ACTIVITY_TASK_SCHEDULED":
            self.activity(txt(event.get("eventId")), txt(self.obj(facts.get("activityType")).get("name")),
                          self.payload(facts.get("input")))
        if name == "ACTIVITY_TASK_COMPLETED":
            name, value = self.scheduled.get(txt(facts.get("scheduledEventId")), ("", None))
            self.completed(name, value, self.payload(facts.get("result")))
        if name in ENDS:
            view = self.obj(self.payload(result_in(name, facts)))
            if isinstance(view.get("calls"), list):
                self.tell("run", self.run(), {"result": view.get("result")})

    def activity(self, ref, name, value):
        self.scheduled[ref] = (name, value)
        known = self.twice.whole and not self.twice.unknown
        told = [(it.get("gives_result", False), txt(it.get("call_id")) in self.givers)
                for it in self.objs(self.obj(value).get("outcomes"))]
        self.rule("D2", not known or all(said is gives for said, gives in told))

    def completed(self, name, value, result):
        if result is self.UNKNOWN:
            return
        if name in ("takeStep", "admitDirect"):
            output = self.obj(result)
            self.step(self.objs(output.get("calls", [output.get("call")])))
        if name == "endTurn":
            self.closed(value, self.obj(result))

    def step(self, calls):
        for call in calls:
            definition = self.obj(self.objects.get(txt(call.get("definition_ref"))))
            known, gives = definition.get("v") == "holdfast.agent/1", call.get("gives_result") is True
            self.rule("D2", not known or gives == (call.get("tool") == GIVES and "result" in definition))
            self.givers.discard(txt(call.get("id")))  # after a reset another call may have the same
            if gives:
                self.givers.add(txt(call.get("id")))
                self.schema = definition.get("result") if known else None

    def closed(self, value, said):
        result = said.get("result")
        self.tell("run", self.run(), {"result": result})
        if value is self.UNKNOWN:
            return
        value = self.obj(value)
        of = value.get("result_of")
        self.tell("block", said.get("head"), {"result_of": of})
        self.rule("D6", value.get("state") not in DONE or value.get("envelope") is True or of is not None)
        self.rule("D6", (of is None) == (result is None))
        if of is not None:
            self.tell("call", of, {"input_hash": self.form(result)})
        if isinstance(result, dict) and self.schema is not None:
            self.rule("D6", not Misfits(self.schema, self.form).misfits(self.schema, result))

    def end(self): pass

class Misfits:
    """Whether a value surely does not fit a JSON Schema. What depends on a library (patterns, formats, references to
    elsewhere) is left out."""
    def __init__(self, root, form):
        self.root, self.form, self.steps = root, form, 0

    def misfits(self, schema, value, depth=0):
        self.steps += 1
        if schema is False:
            return True
        if not isinstance(schema, dict) or self.steps > MOST_STEPS or depth > DEEPEST:
            return False
        below = lambda one: self.misfits(one, value, depth + 1)
        ref = schema.get("$ref")
        return (other_type(schema.get("type"), value) or self.other_value(schema, value)
                or any(below(one) for one in listed(schema.get("allOf")))
                or any(listed(schema.get(it)) and all(below(one) for one in schema[it]) for it in ("anyOf", "oneOf"))
                or isinstance(ref, str) and below(self.referred(ref))
                or self.within(schema, value, depth + 1))

    def within(self, schema, value, depth):
        if is_number(value):
            return outside(value, schema.get("minimum"), schema.get("maximum"))
        if isinstance(value, str):
            return outside(len(value), schema.get("minLength"), schema.get("maxLength"))
        if isinstance(value, list):
            items = schema.get("items", True)
            return outside(len(value), schema.get("minItems"), schema.get("maxItems")) or (
                "prefixItems" not in schema and not isinstance(items, list)
                and any(self.misfits(items, one, depth) for one in value))
        return isinstance(value, dict) and self.fields(schema, value, depth)

    def fields(self, schema, value, depth):
        properties = schema.get("properties")
        properties = properties if isinstance(properties, dict) else {}
        others = True if "patternProperties" in schema else schema.get("additionalProperties", True)
        return any(isinstance(it, str) and it not in value for it in listed(schema.get("required"))) or any(
            self.misfits(properties.get(name, others), value[name], depth) for name in value)

    def referred(self, ref):
        """True, which everything fits, for what is no pointer into this schema."""
        if ref == "#":
            return self.root
        if not ref.startswith("#/") or "%" in ref:
            return True
        found = self.root
        for key in ref[2:].split("/"):
            found = found.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        return True if found is None else found

    def other_value(self, schema, value):
        same = lambda one: self.form(one) == self.form(value)
        return ("const" in schema and not same(schema["const"])
                or isinstance(schema.get("enum"), list) and not any(map(same, schema["enum"])))

def other_type(type_, value):
    types = type_ if isinstance(type_, list) else [type_]
    if not types or not all(isinstance(it, str) for it in types):
        return False
    whole = is_number(value) and float(value).is_integer()
    return type_of(value) not in types and not ("integer" in types and whole)

def type_of(value):
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    return {dict: "object", list: "array", str: "string"}.get(type(value), "number")

def outside(value, least, most):
    return is_number(least) and value < least or is_number(most) and value > most
