"""The receipts after a bundle's trailer: of witnesses (rule S8) and of timestamp authorities (S9).
For verify_bundle.py. Timestamps need the package `rfc3161-client`; without it they are not checked."""
import re
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from verify_values import CLOCKS, END, canonical, ms, obj, sha256, unbase64, unbase64url

INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
HEAD = {"v", "size", "tree", "at", "kid", "public", "signature"}
HASH = re.compile("[0-9a-f]{64}")
DEMANDED = dict(witness="a witness", timestamp="a timestamp authority")

def is_hash(it): return isinstance(it, str) and HASH.fullmatch(it) is not None
def is_whole(it): return type(it) is int and it >= 0

def is_instant(it):
    try:
        return isinstance(it, str) and INSTANT.fullmatch(it) is not None and ms(it) is not None
    except ValueError:
        return False

def is_receipt(body):
    """Whether the body of a line has the fields of a receipt, each of its type (rule S3)."""
    if body.get("by") == "timestamp":
        text = body.get("response")
        return body.keys() == {"by", "response"} and isinstance(text, str) and len(text) <= 10**6
    return (body.get("by") == "witness" and body.keys() == {"by", "at", "index", "proof", "head"}
            and isinstance(body["at"], str) and is_whole(body["index"]) and isinstance(body["proof"], list)
            and len(body["proof"]) <= 64 and all(map(is_hash, body["proof"])) and isinstance(body["head"], dict))

def read_head(value):
    """A tree head that the key in it has signed; None: it is none."""
    head = obj(value)
    if head.keys() != HEAD or head["v"] != "holdfast.tree_head/1" or not is_hash(head["tree"]):
        return None
    texts = all(isinstance(head[name], str) for name in ("kid", "public", "signature"))
    if not (is_instant(head["at"]) and is_whole(head["size"]) and texts):
        return None
    signed = canonical({name: head[name] for name in head if name != "signature"}).encode()
    try:
        public, signature = unbase64url(head["public"]), unbase64url(head["signature"])
        if public is None or signature is None or head["kid"] != sha256(public)[:16]:
            return None
        Ed25519PublicKey.from_public_bytes(public).verify(signature, signed)
        return head
    except (InvalidSignature, ValueError):
        return None

def node(left, right): return sha256(b"\x01" + bytes.fromhex(left) + bytes.fromhex(right))

def root_of(leaf, index, size, proof):
    """The hash of a tree of `size` leaves with this leaf at `index`, from the top; None: the proof does not fit."""
    if size == 1:
        return leaf if not proof else None
    if not proof:
        return None
    left = 1 << (size - 1).bit_length() - 1
    *rest, other = proof
    if index < left:
        below = root_of(leaf, index, left, rest)
        return below and node(below, other)
    below = root_of(leaf, index - left, size - left, rest)
    return below and node(other, below)

def holds(receipt, about):
    """Whether a witness has taken down this trailer, as its receipt says (rule S8)."""
    head = read_head(receipt["head"])
    if head is None or not is_instant(receipt["at"]) or receipt["at"] > head["at"] or receipt["index"] >= head["size"]:
        return False
    entry = {"v": "holdfast.witness_entry/1", "at": receipt["at"], **about}
    leaf = sha256(b"\x00" + canonical(entry).encode())
    return root_of(leaf, receipt["index"], head["size"], receipt["proof"]) == head["tree"]

def read_timestamp(response, line):
    """The answer of an authority, and its time. None: nothing here reads it. ValueError: it is about something else."""
    try:
        from rfc3161_client import decode_timestamp_response
    except ImportError:
        return None
    answer = decode_timestamp_response(response)
    info = answer.tst_info  # raises ValueError if it was refused
    imprint = info.message_imprint
    if imprint.hash_algorithm.dotted_string != "2.16.840.1.101.3.4.2.1" or imprint.message.hex() != sha256(line):
        raise ValueError("it is about another hash")
    return answer, info.gen_time

def is_by(answer, certificate, line):
    """Whether a certificate for timestamps below this root has signed it."""
    from cryptography.x509 import load_der_x509_certificate
    from rfc3161_client import VerificationError, VerifierBuilder
    try:
        root = load_der_x509_certificate(certificate)
        return VerifierBuilder().add_root_certificate(root).build().verify(answer, bytes.fromhex(sha256(line)))
    except (VerificationError, ValueError):
        return False

class Receipts:
    """Those of one bundle."""
    def __init__(self):
        self.head, self.about, self.line, self.entries, self.timestamps = None, None, b"", [], []

    def begin(self, head): self.head = read_head(head)

    def end(self, line, body):
        before = body["previous"]
        self.line = line
        self.about = {"root": body["root"], "end": sha256(line), "previous": before and before["root"]}

    def take(self, body):
        """The rule, and whether the receipt keeps it."""
        if body["by"] == "timestamp":
            self.timestamps.append(unbase64(body["response"]))
            try:
                data = self.timestamps[-1]
                read = data is not None and (read_timestamp(data, self.line) or True)
                return "S9", bool(read)
            except ValueError:
                return "S9", False
        self.entries.append(body)
        early = self.head is not None and self.head["kid"] == body["head"].get("kid") and body["at"] < self.head["at"]
        return "S8", holds(body, self.about) and not early

    def judge(self, trust, demanded):
        """What they prove, and what is missing of what the auditor demands (None: nothing)."""
        keys = [key for key in trust if key["use"] in DEMANDED and "revoked_at" not in key]
        found = [self.of_witness(one, keys) for one in self.entries]
        found += [self.of_authority(one, keys) for one in self.timestamps]
        held = [one for one in found if one["state"] == "holds"]
        missing = "a receipt is demanded, and there is none" if demanded and not held else None
        # Also one that was revoked demands a receipt.
        for by in DEMANDED:
            required = [key["kid"] for key in trust if key["use"] == by and key.get("require") is True]
            if required and not any(one["by"] == by and one["kid"] in required for one in held):
                missing = f"a receipt of {DEMANDED[by]} is demanded, and there is none"
        head, by = self.head, None
        if head is not None:
            by = self.key_of(keys, "witness", head["kid"], head["public"], ms(head["at"]))
        return found, {"at": head["at"], "by": head["kid"]} if by else None, missing

    def of_witness(self, one, keys):
        head = one["head"]
        by = self.key_of(keys, "witness", head["kid"], head["public"], ms(one["at"]))
        return {"by": "witness", "kid": head["kid"], "at": one["at"], "state": "holds" if by else "unknown signer"}

    def of_authority(self, response, keys):
        read = read_timestamp(response, self.line)
        if read is None:
            return {"by": "timestamp", "kid": None, "at": None, "state": "not checked"}
        answer, time = read
        at = time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        for key in keys:
            good = key["use"] == "timestamp" and is_good(key, ms(at))
            if good and is_by(answer, unbase64url(key["public"]), self.line):
                return {"by": "timestamp", "kid": key["kid"], "at": at, "state": "holds"}
        return {"by": "timestamp", "kid": None, "at": at, "state": "unknown signer"}

    def key_of(self, keys, use, kid, public, time):
        return any((key["use"], key["kid"], key["public"]) == (use, kid, public) and is_good(key, time) for key in keys)

def is_good(key, time): return ms(key["created_at"]) <= time + CLOCKS and time < ms(key.get("expires_at", END))
