"""The fields of each kind of line of a bundle, and their types (rule S3): the table of bundle-format.md under *Lines*.
For verify_bundle.py."""
import re
from verify_receipts import is_receipt

HASH = re.compile("[0-9a-f]{64}")
KINDS_OF_SUBJECT, BEGINNINGS = ("turn", "call", "session"), ("start", "continued", "reset")

def anything(_): return True
def text(it): return isinstance(it, str)
def flag(it): return isinstance(it, bool)
def whole(it): return type(it) is int and it >= 0  # what is canonical has no other spelling of one
def mapping(it): return isinstance(it, dict)
def sha256(it): return isinstance(it, str) and HASH.fullmatch(it) is not None
def one_of(*allowed): return lambda it: isinstance(it, str) and it in allowed
def or_null(rule): return lambda it: it is None or rule(it)
def list_of(rule): return lambda it: isinstance(it, list) and all(map(rule, it))

def exactly(**fields):
    """Exactly these fields, each of its type."""
    return lambda it: isinstance(it, dict) and it.keys() == fields.keys() and all(fields[name](it[name]) for name in it)

def redacted(of): return or_null(exactly(of=of, parts=whole, payloads=whole, reason=text))

SIGNED = dict(root=sha256, kid=text, signature=text)

def redacted_twice(it):
    """One that was redacted before says of which it was made."""
    return redacted(exactly(**SIGNED, public=text, redaction=redacted_twice))(it)

BUNDLE = dict(v=text, subject=exactly(kind=one_of(*KINDS_OF_SUBJECT), id=text), namespace=text, agent=text,
              made_at=text, made_by=mapping)
END = dict(root=sha256, lines=whole, complete=flag, previous=or_null(exactly(root=sha256, subject=text)),
           redaction=redacted(exactly(**SIGNED)), kid=text, public=text, signature=text)
CHAINED = exactly(**BUNDLE, tenant=or_null(text), chained=flag)
JUDGED = dict(END, contradiction=or_null(exactly(line=whole, rule=text)))
PART = exactly(v=one_of("holdfast.part/1"), salt=text, body=anything)
BLOCK = exactly(v=one_of("holdfast.block/1"), parent=or_null(sha256), kind=text, at=text, parts=list_of(sha256))

BODIES = dict(
    object=exactly(ref=sha256, value=anything),
    turn=exactly(turn_id=text, workflow_id=text, first_execution_run_id=or_null(text),
                 parent=or_null(exactly(turn_id=text, call_id=text))),
    run=exactly(run_id=text, began=one_of(*BEGINNINGS)),
    event=exactly(event=mapping),
    session=exactly(run_id=text, event=mapping),
    part=exactly(ref=sha256, part=or_null(PART)),
    block=exactly(ref=sha256, block=BLOCK),
    effect=exactly(record=mapping),
    receipt=is_receipt,
    turn_end=exactly(turn_id=text, head=or_null(sha256), complete=flag, why=or_null(text)))
# The first line and the last, by the version of the bundle.
ENDS = {1: dict(bundle=exactly(**BUNDLE), end=exactly(**END)), 2: dict(bundle=CHAINED, end=exactly(**JUDGED)),
        3: dict(bundle=CHAINED, end=exactly(**dict(JUDGED, redaction=redacted_twice)))}

def has_fields(kind, body, version):
    """Whether a line has exactly the fields of its kind, each of its type, and so have the objects in it."""
    return (kind != "session" or version == 3) and {**BODIES, **ENDS[version]}[kind](body)
