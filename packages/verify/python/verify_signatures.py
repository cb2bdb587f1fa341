"""Signatures of people on decisions, messages and starts of turns: rules H5 and H7 of bundle-format.md. For
verify_bundle.py."""
import json, re
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from verify_deputies import DEPUTYS, Deputies, own_part
from verify_passkeys import Passkeys
from verify_values import CLOCKS, END, canonical, form, ms, obj, person, pick, txt, unbase64url

def units(it): return len(it.encode("utf-16-le", "surrogatepass")) // 2  # Of UTF-16, as the first verifier counts.
def text_of(longest): return lambda it: isinstance(it, str) and it.strip() != "" and units(it) <= longest
def like(pattern): return lambda it: isinstance(it, str) and re.fullmatch(pattern, it) is not None
def is_time(it): return type(it) is int and it >= 0
def has_shape(value, shape):
    if not isinstance(value, dict) or not value.keys() <= shape.keys():
        return False
    if any(value[key] is None and key not in NULLABLE for key in value):  # Nothing else is null: it is left out.
        return False
    return all(shape[key](value.get(key)) for key in shape)

NULLABLE = ("head", "note_hash")
HASH, ROLE = "[0-9a-f]{64}", "[A-Za-z0-9._:-]{1,64}"
OF_CLAIMS = {
    "v": like(r"holdfast\.decision/[1235]"),
    "aud": lambda it: has_shape(it, {
        "namespace": text_of(255), "workflow_id": text_of(255), "first_execution_run_id": text_of(100),
        "store_id": lambda store: store is None or like("[0-9a-f]{32}")(store)}),
    "digest": like(HASH),
    "decision": like("approve|deny|settle|edit|steer|answer"),
    "outcome": lambda it: it in (None, "applied", "not_applied"),
    "input_hash": lambda it: it is None or like(HASH)(it),
    "note_hash": lambda it: it is None or like(HASH)(it),
    "principal": text_of(200),
    "on_behalf_of": lambda it: it is None or text_of(200)(it),
    "deputyship": lambda it: it is None or like(HASH)(it),
    "roles": lambda it: isinstance(it, list) and len(it) <= 16 and all(map(like(ROLE), it)) and len({*it}) == len(it),
    "head": lambda it: it is None or like(HASH)(it),
    "iat": is_time, "exp": is_time, "nonce": like("[A-Za-z0-9_-]{16,64}"), "kid": like("[0-9a-f]{16}"),
}

OF_START = {
    "v": like(r"holdfast\.start/1"),
    "aud": lambda it: has_shape(it, {"namespace": text_of(255), "workflow_id": text_of(255)}),
    "requester": text_of(200), "agent": lambda it: isinstance(it, str) and len(it) <= 255, "message_hash": like(HASH),
    **pick(OF_CLAIMS, ("iat", "exp", "nonce", "kid")),
}

def token_of(token):
    """Claims, what was signed, and the signature; None: it has not the form of an attestation."""
    try:
        claims, seal = map(unbase64url, token.split("."))
        read = json.loads(claims)
        return (read, claims, seal) if len(seal) == 64 and canonical(read).encode() == claims else None
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None

PASSKEYS = Passkeys(has_shape, OF_CLAIMS)
DEPUTIES = Deputies(has_shape, OF_CLAIMS, PASSKEYS, text_of)

def claims_of(token):
    """The claims of a signed decision, whether it holds or not; {}: it is none."""
    own = own_part(token)
    if isinstance(own, str) and own.startswith("wa1."):
        claims = (PASSKEYS.read(own) or {}).get("claims", {})
    else:
        read = token_of(own)
        claims = read[0] if read and len(own) <= 4096 and has_shape(read[0], OF_CLAIMS) else {}
    version, deputys = claims.get("v"), claims.get("v") in DEPUTYS
    covers = version not in ("holdfast.decision/1", "holdfast.decision/2")
    names_deputy = (all((name in claims) == deputys for name in ("on_behalf_of", "deputyship"))
                    and deputys == (own is not token) and (not deputys or claims.get("decision") == "approve"))
    bound = covers or ("store_id" in obj(claims.get("aud"))) == (claims.get("v") == "holdfast.decision/2")
    one_meaning = (("outcome" in claims) == (claims.get("decision") == "settle")
                   and ("input_hash" in claims) == (claims.get("decision") in ("edit", "answer"))
                   and ("note_hash" in claims) == covers and bound and "head" in claims and names_deputy)
    return claims if one_meaning else {}

def in_force(key, time, known):
    """Whether an entry of the trust file counts at a time; what was revoked until `known` does not."""
    is_end = key["use"] in ("passkey", "deputy")  # only a revocation: it has no other times
    lasts = is_end or ms(key["created_at"]) <= time + CLOCKS and ms(key.get("expires_at", END)) > time
    return lasts and ms(key.get("revoked_at", END)) > known

def in_time(claims, time): return claims["iat"] * 1000 <= time + CLOCKS and claims["exp"] * 1000 > time

class Signatures:
    """Whether signatures of people hold, by the keys of the trust file (rules H5 and H7)."""
    def __init__(self, trust):
        self.keys = {key["kid"]: key for key in trust if key["use"] in ("gateway", "principal")}
        self.trust, self.knows = trust, any(key["use"] in ("gateway", "principal", "enroller") for key in trust)
        self.unchecked, self.bad_starts, self.beyond_notes, self.passkeys = 0, 0, set(), {}

    def signed(self, token, claims, principal, roles, time):
        """Whether a key in force at that time has signed these claims, and speaks for this person in these roles."""
        key = self.keys.get(claims.get("kid"))
        whole, token = token, own_part(token)
        if "deputyship" in claims and not DEPUTIES.holds(whole, claims, self.trust, time, in_force):
            return False
        if token.startswith("wa1."):
            return self.signed_by_passkey(token, claims, time)
        if not key:
            return False
        _, signed, seal = token_of(token)
        try:
            Ed25519PublicKey.from_public_bytes(unbase64url(key["public"])).verify(seal, signed)
        except InvalidSignature:
            return False
        his = key["use"] == "gateway" or person(key["principal"]) == person(principal)
        decides = key.get("decides") is not False or claims.get("decision") in (None, "deny", "steer")  # None: a start
        right = in_force(key, time, time) and in_time(claims, time) and his and decides
        given = key["use"] == "gateway" or "deputyship" in claims  # a deputy's roles are another's
        return right and (given or {*roles} <= {*key.get("roles", [])})

    def signed_by_passkey(self, token, claims, time):
        read = PASSKEYS.read(token)
        right = in_time(claims, time) and PASSKEYS.holds(read, self.trust, time, in_force)
        if right:
            of = read["enrolment"]
            found = {"kid": claims["kid"], "principal": of["principal"], "enrolled_by": of["kid"]}
            self.passkeys[found["kid"]] = found
        return right

    def holds(self, token, said, audience, time):
        """`said`: what it must say (`digest`, `decision`, `outcome`, `by`, `note`); `audience`: for which turn."""
        claims, note = claims_of(token), said["note"]
        if isinstance(token, str) and note is not None and "note_hash" not in claims:
            self.beyond_notes.add(token)
        if not self.knows:
            self.unchecked += 1
            return True
        this = (all(obj(claims.get("aud")).get(name) == audience[name] for name in audience)
                and all(claims.get(name) == said[name] for name in ("digest", "decision", "outcome"))
                and ("note_hash" not in claims or claims["note_hash"] == (None if note is None else form(note) or ""))
                and isinstance(said["by"], str) and person(txt(claims.get("principal"))) == person(said["by"]))
        return this and self.signed(token, claims, claims["principal"], claims["roles"], time)

    def start_holds(self, token, said, namespace, workflows, time):
        """`said`: whose start it must be (`requester`, `agent`, `message_hash`)."""
        if not self.knows:
            self.unchecked += 1
            return True
        read = token_of(token)
        claims = read[0] if read and len(token) <= 4096 and has_shape(read[0], OF_START) else {}
        aud = obj(claims.get("aud"))
        this = (aud.get("namespace") == namespace and aud.get("workflow_id") in workflows
                and isinstance(said["requester"], str)
                and person(txt(claims.get("requester"))) == person(said["requester"])
                and all(claims.get(name) == said[name] for name in ("agent", "message_hash")))
        right = this and self.signed(token, claims, claims["requester"], [], time)
        self.bad_starts += not right
        return right
