"""What the model was told of calls, and what became of them (rule D8 of bundle-format.md). For verify_bundle.py."""
import json, re
from verify_files import is_file

def txt(value): return value if isinstance(value, str) else ""
def objs(values): return [obj(value) for value in values] if isinstance(values, list) else []
def obj(value): return value if isinstance(value, dict) else {}

def has_file(data):
    named = isinstance(data, dict) and all(isinstance(data.get(name), str) for name in ("filename", "content_type"))
    inside = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return named or any(map(has_file, inside))

def is_note(one):
    """In place of a file that the tool shows: a text in brackets, which is no JSON."""
    said = isinstance(one, dict) and set(one) == {"type", "text"} and one["type"] == "text"
    return said and isinstance(one["text"], str) and re.fullmatch(r"\[[^{}]*\]", one["text"]) is not None

class Told:
    """In one turn. `form` is the canonical form or hash of a value, `number` reads one of JSON."""
    def __init__(self, form, number):
        self.form, self.number = form, number
        self.outcomes = {}  # by the model's id of the call
        self.results = {}  # by ref: what is to be told, and what hooks note beside it; None: it may be anything
        self.parts, self.users, self.told, self.answered = {}, set(), [], False

    def of_error(self, error):
        return "error", self.form({it: obj(error).get(it) for it in ("code", "reason", "message")})
    def of_large(self, of): return "large", self.form({"ref": of.get("ref"), "summary": of.get("summary")})

    def outcome(self, one):
        self.outcomes.setdefault(txt(one.get("tool_use_id")), []).append(one)

    def result(self, ref, body, envelope):
        """The part of a result."""
        success, inline, data = envelope.get("success"), body.get("inline"), envelope.get("data")
        notes = [it.get("note") for it in objs(obj(envelope.get("metadata")).get("hooks"))]
        says = "success"
        if success is not True:
            says = self.of_error(envelope.get("error")) if success is False else None
        elif inline is False:
            says = self.of_large({**body, "ref": ref})
        elif inline is True and not has_file(data):
            says = "data", self.form(data)
        self.results[ref] = says and (says, [it for it in notes if isinstance(it, str)])

    def part(self, ref, body):
        self.users |= {ref} if body.get("role") == "user" else set()
        if body.get("type") == "tool_result":
            failed, said = body.get("is_error") is True, self.said_in(body.get("content"))
            self.parts[ref] = (txt(body.get("tool_use_id")), failed, *said)

    def block(self, block):
        """An own block. Before the first answer of its own a turn closes calls that an earlier one has left open."""
        head, kind = next(iter(block["parts"]), ""), block["kind"]
        self.answered = self.answered or kind == "admission"
        if kind == "message" and self.answered and head in self.users:
            self.told += [self.parts[it] for it in block["parts"][1:] if it in self.parts]

    def said_in(self, content):
        """All that a text may be: a success with this data, one of which the rest is in the store, an error;
        and its note."""
        whole = isinstance(content, list) and content and all(is_file(it) or is_note(it) for it in content[1:])
        one = obj(content[0]) if whole else {}
        try:
            text = txt(one.get("text")) if one.get("type") == "text" else ""
            said = obj(json.loads(text, parse_float=self.number, parse_constant=int))  # int: refuses NaN and its like
        except (ValueError, OverflowError, RecursionError):
            return (), None
        note = said.get("note")
        if said.get("success") is not True:
            return ((self.of_error(said.get("error")),) if said.get("success") is False else ()), note
        return ("success", ("data", self.form(said.get("data"))), self.of_large(obj(said.get("data")))), note

    def agrees(self):
        """Whether all that the model was told is what became of a call of that id."""
        return all(any(self.is_of(one, *told) for one in self.outcomes.get(use, ())) for use, *told in self.told)

    def is_of(self, one, failed, said, note):
        ref, advice = one.get("result_ref"), one.get("note")
        wanted = self.results.get(ref) if isinstance(ref, str) else (self.of_error(one.get("error")), [])
        if failed != (one.get("state") != "succeeded") or wanted is None:
            return failed == (one.get("state") != "succeeded")
        notes = ([advice] if isinstance(advice, str) else []) + wanted[1]
        return wanted[0] in said and self.form(note) == self.form(" ".join(notes) if notes else None)
