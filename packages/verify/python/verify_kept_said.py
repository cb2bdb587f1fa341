"""What people have said and the store keeps while their turn goes on in another run: rules D1 and H9 of
bundle-format.md. For verify_bundle.py, which gives what reads values."""
import re

PLACE = re.compile("~(0|[1-9][0-9]{0,8})")

def txt(value): return value if isinstance(value, str) else ""

def decisions_in(said):
    """The approvals and denials in what the store was to keep; none where it is not packed as the engine packs it."""
    try:
        said = unpacked(said["value"], said["texts"]) if isinstance(said.get("texts"), list) else None
    except (AttributeError, KeyError, ValueError):
        return []
    found = [one for it in (said if isinstance(said, list) else []) for one in (it if isinstance(it, list) else [it])]
    return [it for it in found if isinstance(it, dict) and it.get("decision") != "edit"]

def unpacked(value, texts):
    if isinstance(value, list):
        return [unpacked(one, texts) for one in value]
    if isinstance(value, dict):
        return {name: unpacked(one, texts) for name, one in value.items()}
    if not isinstance(value, str) or not value.startswith("~"):
        return value
    if value.startswith("~~"):
        return value[1:]
    place = PLACE.fullmatch(value)
    if place and int(place[1]) < len(texts) and isinstance(texts[int(place[1])], str):
        return texts[int(place[1])]
    raise ValueError(value)

class KeptSaid:
    """The next run reads the part that this one has had kept."""
    def __init__(self, history, twice, rule, payload, unknown):
        self.history, self.twice, self.rule, self.payload, self.UNKNOWN = history, twice, rule, payload, unknown
        self.kept = {}  # by run: parts that the store has taken

    def obj(self, value): return value if isinstance(value, dict) and value is not self.UNKNOWN else {}

    def begin(self): self.scheduled, self.named = {}, self.UNKNOWN  # by event; what the run's argument names

    def event(self, event, name, facts):
        given = self.payload(facts.get("input"))
        if name == "WORKFLOW_EXECUTION_STARTED":
            before = txt(facts.get("continuedExecutionRunId"))
            resume = self.obj(self.obj(given).get("resume"))
            self.named = self.UNKNOWN if given is self.UNKNOWN else resume.get("said_ref")
            whole = self.twice.whole and not self.twice.unknown
            if isinstance(self.named, str) and whole and before in self.twice.runs:
                self.rule("D1", self.named in self.kept.get(before, ()))
        if name == "ACTIVITY_TASK_SCHEDULED":
            kind = self.scheduled[txt(event.get("eventId"))] = txt(self.obj(facts.get("activityType")).get("name"))
            if kind == "readSaid" and given is not self.UNKNOWN and self.named is not self.UNKNOWN:
                self.rule("D1", self.is_named(self.obj(given)))
        if name == "ACTIVITY_TASK_COMPLETED":
            said = self.payload(facts.get("result"))
            if self.scheduled.get(txt(facts.get("scheduledEventId"))) == "keepSaid" and said is not self.UNKNOWN:
                ref = self.obj(said).get("said_ref")
                self.kept.setdefault(self.twice.runs[-1], []).append(ref)

    def is_named(self, value):
        ref = value.get("said_ref")
        return type(ref) is type(self.named) and not isinstance(ref, (dict, list)) and ref == self.named

    def part(self, ref, body): pass
    def block(self, block): pass
    def end(self): pass
