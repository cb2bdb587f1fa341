"""Messages of people to a turn that runs, as they were said, as a step was given them, as the transcript has them: of
rules H9, B13, D5 and T7 of bundle-format.md what they say of `steer`. For verify_bundle.py."""
LONGEST_IDENTITY = 200
UPDATES = ("WORKFLOW_EXECUTION_UPDATE_ACCEPTED", "WORKFLOW_EXECUTION_UPDATE_ADMITTED")

def txt(value): return value if isinstance(value, str) else ""

class Each:
    """Says the same to several."""
    def __init__(self, *all): self.all = all
    def __getattr__(self, name): return lambda *said: [getattr(one, name)(*said) for one in self.all]

class MessageFacts:
    def __init__(self, history, twice, rule, form, payload, claims, when, clocks, unknown):
        self.history, self.twice, self.rule, self.form, self.payload = history, twice, rule, form, payload
        self.claims, self.when, self.clocks, self.UNKNOWN = claims, when, clocks, unknown
        self.said, self.updates, self.scheduled = {}, {}, {}
        self.good = set()  # digest, attestation and principal that a worker has found good
        self.lost = False  # a message was left out
        self.heads, self.texts = {}, {}

    def obj(self, value): return value if isinstance(value, dict) and value is not self.UNKNOWN else {}
    def objs(self, values): return [self.obj(one) for one in values] if isinstance(values, list) else []

    def begin(self):
        self.updates, self.scheduled = {}, {}

    def end(self): pass

    def event(self, event, name, facts):
        at, event_id = self.when(event.get("eventTime")), txt(event.get("eventId"))
        if name == "WORKFLOW_EXECUTION_SIGNALED" and facts.get("signalName") == "steer":
            self.hear(self.payload(facts.get("input")), "signal", facts.get("identity"), at)
        if name in UPDATES:
            request = next((facts[it] for it in ("acceptedRequest", "request") if facts.get(it) is not None), None)
            given = self.obj(self.obj(request).get("input"))
            if given.get("name") == "steer":
                identity = self.obj(self.obj(request).get("meta")).get("identity")
                self.updates[event_id] = self.hear(self.payload(given.get("args")), "update", identity, at)
        if name == "WORKFLOW_EXECUTION_UPDATE_COMPLETED":
            answer = self.payload(self.obj(facts.get("outcome")).get("success"))
            said = self.updates.get(txt(facts.get("acceptedEventId")))
            if said is not None and answer is not self.UNKNOWN:
                said["refused"] = self.obj(answer).get("accepted") is False
        if name == "ACTIVITY_TASK_SCHEDULED":
            name, value = txt(self.obj(facts.get("activityType")).get("name")), self.payload(facts.get("input"))
            if name in ("takeStep", "checkSteer") and value is not self.UNKNOWN:
                self.activity(event_id, name, self.obj(value), at)
        if name == "ACTIVITY_TASK_COMPLETED":
            name, value = self.scheduled.pop(txt(facts.get("scheduledEventId")), ("", {}))
            result = self.payload(facts.get("result"))
            if name == "takeStep" and result is not self.UNKNOWN:
                self.twice.owed |= {self.form(one) for one in value.get("steers") or ()}
            if name == "checkSteer" and self.obj(result).get("ok") is True:
                principal = self.obj(result).get("principal")
                self.good.add(self.form([value.get("digest"), value.get("attestation"), principal]))

    def hear(self, value, channel, identity, at):
        self.lost = self.lost or value is self.UNKNOWN
        if value is self.UNKNOWN or not isinstance(value, dict):
            return None
        token = value.get("attestation")
        by = self.claims(token).get("principal") if isinstance(token, str) else value.get("by")
        cut = txt(identity).encode("utf-16-le")[:2 * LONGEST_IDENTITY].decode("utf-16-le", "replace")
        said = {"text": value.get("text"), "by": by, "attestation": token, "channel": channel, "identity": cut}
        said = {name: self.form(said[name]) for name in said} | {"at": at, "refused": False}
        self.said.setdefault(said["text"], []).append(said)
        return said

    def was_said(self, steer):
        """Whether somebody has said it in these words, in time."""
        wanted = {name: self.form(steer.get(name)) for name in ("by", "attestation", "channel", "identity")}
        if steer.get("identity") in (None, ""):
            del wanted["identity"]
        until = self.when(steer.get("at")) + self.clocks
        return any(not one["refused"] and not one["at"] > until and all(one[it] == wanted[it] for it in wanted)
                   for one in self.said.get(self.form(steer.get("text")), ()))

    def activity(self, event_id, name, value, now):
        steers = self.objs(value.get("steers")) if name == "takeStep" else []
        kept = {"steers": steers, "digest": value.get("digest"), "attestation": value.get("attestation")}
        self.scheduled[event_id] = (name, kept)
        self.twice.hear(steers)
        for one in steers:
            self.rule("H9", not self.when(one.get("at")) > now + self.clocks)
            if self.history.whole and not self.lost:
                self.rule("H9", self.was_said(one))
                self.rule("H9", self.twice.unknown or self.is_good(one))

    def is_good(self, steer):
        digest, token = self.form({"v": "holdfast.steer/1", "text": txt(steer.get("text"))}), steer.get("attestation")
        return self.form([digest, token, None if token is None else steer.get("by")]) in self.good

    def part(self, ref, body):
        if isinstance(body.get("steer"), dict):
            self.heads[ref] = body["steer"]
        if body.get("type") == "text" and isinstance(body.get("text"), str):
            self.texts[ref] = body["text"]

    def block(self, block):
        """An own block."""
        head, said = (block["parts"] + ["", ""])[:2]
        if block["kind"] != "message" or head not in self.heads or said not in self.texts:
            return
        one = {**self.heads[head], "text": self.texts[said]}
        self.twice.written.add(self.form(one))
        if self.history.whole:
            self.rule("D5", self.twice.unknown or self.form(one) in self.twice.decisions)
            self.rule("B13", not self.twice.unknown or self.lost or self.was_said(one))
