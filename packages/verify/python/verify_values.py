"""How values of bundle-format.md are read: JSON in its canonical form, base64, times, and the names of people.
For verify_bundle.py and the files beside it."""
import base64, hashlib, json, math, re, unicodedata
from datetime import datetime, timedelta, timezone
from decimal import Decimal

DEEPEST, CLOCKS, END = 200, 60_000, "9999-12-31T00:00:00Z"
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z")
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
UNSEEN = dict.fromkeys(  # characters that nobody sees
    point for span in """0-8 E-1F 7F-9F AD 34F 600-605 61C 6DD 70F 890-891 8E2 115F-1160 17B4-17B5 180B-180F 200B-200F
    202A-202E 2060-206F 2800 3164 FE00-FE0F FEFF FFA0 FFF0-FFFB 110BD 110CD 13430-1343F 16FE4 1BCA0-1BCA3 1D159
    1D173-1D17A E0000-E0FFF""".split()
    for point in range(int(span.split("-")[0], 16), int(span.split("-")[-1], 16) + 1))

class Unknown(dict):
    """What was left out: its fields are unknown too, and it equals everything, so that a rule which needs it holds."""
    __eq__ = __ne__ = lambda self, other: True
    get = lambda self, key: self
UNKNOWN = Unknown()

def canonical(value, depth=1):
    """The one text of a JSON value (RFC 8785)."""
    too_deep = isinstance(value, (dict, list)) and depth > DEEPEST
    if too_deep or isinstance(value, (int, float)) and not abs(value) < 2**53:
        raise ValueError("nested too deep, a number too large, or none")
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(key)}:{canonical(value[key], depth + 1)}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item, depth + 1) for item in value) + "]"
    if isinstance(value, float):  # Python finds the digits that ECMAScript does, but begins sooner with exponents.
        text = str(int(value)) if value.is_integer() else repr(value)
        return f"{Decimal(text):f}" if text.endswith(("e-05", "e-06")) else text.replace("e-0", "e-")
    return json.encoder.encode_basestring(value) if isinstance(value, str) else json.dumps(value)

def sha256(data): return hashlib.sha256(data).hexdigest()
def hash_of(value): return sha256(canonical(value).encode())
def pick(value, names): return {name: value.get(name) for name in names}
def pick_there(value, names): return {name: value[name] for name in names if name in value}
def ms(time): return (datetime.fromisoformat(time) - EPOCH) // timedelta(milliseconds=1)

def when(time):
    """Milliseconds since 1970; nan, which is neither before nor after anything, for what is no time."""
    try:
        return ms(time) if isinstance(time, str) and TIME.fullmatch(time) else math.nan
    except ValueError:
        return math.nan

def form(value):  # None: it has no canonical form.
    try:
        return hash_of(value)
    except (ValueError, TypeError):
        return None

def at(value, path):  # None: there is no such field.
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value

def unbase64url(text):  # None: it is not in its one spelling.
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if base64.urlsafe_b64encode(data).rstrip(b"=").decode() == text else None

def person(name):
    seen = unicodedata.normalize("NFKC", name).translate(UNSEEN)
    return " ".join(unicodedata.normalize("NFKC", seen).split()).lower()

def unbase64(text):  # None: it is not in its one spelling.
    try:
        data = base64.b64decode(text)
        return data if base64.b64encode(data).decode() == text else None
    except ValueError:
        return None

def named_once(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name comes twice")
    return dict(pairs)

def number(text): return int(float(text)) if float(text).is_integer() else float(text)

def payload(container):
    """The value of the first payload; None: there is none, or it is no JSON of one meaning."""
    found = next(iter(objs(at(container, "payloads"))), {})
    if list(found) == ["redacted"] and found["redacted"] is True:
        return UNKNOWN
    data = unbase64(txt(found.get("data")))
    return None if data is None or unbase64(txt(at(found, "metadata.encoding"))) == b"binary/null" else meant(data)

def meant(text):  # None: it is no JSON of one meaning.
    try:
        read = text.decode() if isinstance(text, bytes) else text
        value = json.loads(read, object_pairs_hook=named_once, parse_float=number)
        canonical(value).encode()
        return value
    except (ValueError, OverflowError, RecursionError):
        return None

def obj(value): return value if isinstance(value, dict) and value is not UNKNOWN else {}
def pick_all(values, name): return [value.get(name) for value in objs(values)]
def txt(value): return value if isinstance(value, str) else ""
def there(value, *names): return next((value[name] for name in names if value.get(name) is not None), None)
def objs(values): return [obj(value) for value in values] if isinstance(values, list) else []
def texts(value): return [it for it in (value if isinstance(value, list) else [value]) if isinstance(it, str)]
