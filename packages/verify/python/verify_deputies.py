"""Decisions that a deputy signed: *An attestation of a deputy* of bundle-format.md. For verify_signatures.py."""
import hashlib
from verify_values import CLOCKS, canonical, hash_of, person, unbase64url

LONGEST, LONGEST_PERIOD, MOST_NAMES = 4096, 366 * 24 * 3600, 20
SIGNED, RECORD = "holdfast.deputy/1", "holdfast.deputy-record/1"
DEPUTYS = ("holdfast.decision/5", "holdfast.decision/6")

def split(token):
    """The signed statement and the signed decision; None: it has not the form of a deputy's decision."""
    if not isinstance(token, str) or not token.startswith("dep1.") or len(token) > LONGEST:
        return None
    parts = token[len("dep1."):].split(".")
    length = 7 if parts[0] == "wa1" else 2
    statement, own = parts[:length], parts[length:]
    if not own or len(own) != (7 if own[0] == "wa1" else 2):
        return None
    return ".".join(statement), ".".join(own)

def own_part(token):
    """The signed decision, without what makes its author a deputy."""
    parts = split(token)
    return parts[1] if parts else token

def tenant(name): return name.split("/")[0] if "/" in name else None

class Deputies:
    """`of_claims`: the rules of the fields of claims, which `has_shape` applies."""
    def __init__(self, has_shape, of_claims, passkeys, is_text):
        self.has_shape, self.passkeys = has_shape, passkeys
        names = lambda it: (it is None or isinstance(it, list) and 1 <= len(it) <= MOST_NAMES
                            and all(map(is_text(255), it)) and len({*it}) == len(it))
        self.of_statement = {
            "v": lambda it: it in (SIGNED, RECORD), "namespace": is_text(255),
            "deputy": of_claims["principal"], "for": of_claims["principal"],
            "roles": lambda it: it is None or of_claims["roles"](it), "agents": names, "tools": names,
            "from": of_claims["iat"], "until": of_claims["iat"], "nonce": of_claims["nonce"], "kid": of_claims["kid"],
            "enrolment": lambda it: it is None or of_claims["digest"](it)}

    def read(self, token):
        """The statement of a deputy's decision, with its signature; None: there is none."""
        parts = split(token)
        if parts is None:
            return None
        try:
            data = list(map(unbase64url, parts[0].split(".")[parts[0].startswith("wa1."):]))
        except (ValueError, TypeError):
            return None
        if not all(data) or len(data[-1]) != 64:
            return None
        statement = self.passkeys.value_of(data[0])
        if not self.is_statement(statement) or ("enrolment" in statement) != (len(data) == 6):
            return None
        read = {"statement": statement, "data": data, "hash": hash_of(parts[0])}
        if len(data) == 6:
            read["enrolment"] = self.passkeys.value_of(data[4])
            if not self.passkeys.is_enrolment(read["enrolment"]):
                return None
        return read

    def is_statement(self, it):
        if not self.has_shape(it, self.of_statement):
            return False
        lasts = 0 < it["until"] - it["from"] <= LONGEST_PERIOD
        two = person(it["deputy"]) != person(it["for"]) and tenant(it["deputy"]) == tenant(it["for"])
        return lasts and two and ("enrolment" not in it or it["v"] == SIGNED)

    def holds(self, token, claims, trust, time, in_force):
        """Whether somebody who may has made the author of the claims a deputy of the person that they name."""
        read = self.read(token)
        if read is None or claims["deputyship"] != read["hash"]:
            return False
        it = read["statement"]
        this = (person(it["deputy"]) == person(claims["principal"])
                and person(it["for"]) == person(claims["on_behalf_of"])
                and it["namespace"] == claims["aud"]["namespace"]
                and it["from"] * 1000 <= time + CLOCKS and it["until"] * 1000 > time
                and all(in_force(key, time, time) for key in trust
                        if key["use"] == "deputy" and key["kid"] == read["hash"][:16]))
        given = self.given(read, trust, time, in_force) if this else None
        return given is not None and {*claims["roles"]} <= {*given}

    def given(self, read, trust, time, in_force):
        """The roles that the statement gives; None: nobody signed it who may."""
        it = read["statement"]
        if "enrolment" in it:
            held = self.of_passkey(read, trust, time, in_force)
        else:
            held = self.of_key(read, trust, time, in_force)
        if held is None:
            return None
        roles = it.get("roles", held["roles"] or [])
        return roles if held["roles"] is None or {*roles} <= {*held["roles"]} else None

    def of_passkey(self, read, trust, time, in_force):
        it, enrolment, (_, data, client, signature, enrolled, seal) = read["statement"], read["enrolment"], read["data"]
        kid = hashlib.sha256(canonical(enrolment["public"]).encode()).hexdigest()[:16]
        right = (it["kid"] == kid and it["enrolment"] == hashlib.sha256(enrolled).hexdigest()
                 and person(it["for"]) == person(enrolment["principal"])
                 and self.passkeys.is_enrolled(enrolment, enrolled, seal, trust, time, in_force)
                 and self.passkeys.is_asserted({"claims": it, "enrolment": enrolment, "data": data, "client": client,
                                                "signature": signature}))
        return {"roles": enrolment["roles"]} if right else None

    def of_key(self, read, trust, time, in_force):
        it = read["statement"]
        key = next((one for one in trust if one["kid"] == it["kid"]), None)
        if key is None or key["use"] not in ("gateway", "principal", "enroller"):
            return None
        if (it["v"] == RECORD) != (key["use"] == "gateway") or key.get("decides") is False:
            return None
        if not self.passkeys.ed25519(key["public"], *read["data"]) or not in_force(key, time, time):
            return None
        if key["use"] == "principal":
            return {"roles": key.get("roles", [])} if person(key["principal"]) == person(it["for"]) else None
        return {"roles": key.get("roles")} if "roles" in it else None

def reaches(read, policy, tool, agent):
    """Whether a statement reaches a call; `read`: as `Deputies.read` gives it."""
    it = read["statement"]
    among = lambda name, one: name not in it or not isinstance(one, str) or one in it[name]
    is_enough = policy.get("channel") != "attested" or it["v"] == SIGNED
    return among("tools", tool) and among("agents", agent) and is_enough

def voices(approvals):
    """The people behind each approval: its author, and whom the author decides for."""
    names = ("by", "on_behalf_of")
    return [{person(one[name]) for name in names if isinstance(one.get(name), str)} for one in approvals]

def votes(people):
    """How many votes these are: a deputy and the person whom the deputy decides for have one."""
    counted = []
    for one in people:
        if not any(one & earlier for earlier in counted):
            counted.append(one)
    return len(counted)
