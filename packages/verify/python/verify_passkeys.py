"""Decisions that a passkey signed: *An attestation of a passkey* of bundle-format.md. For verify_signatures.py."""
import hashlib, json, re
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePublicNumbers
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from verify_values import canonical, person, unbase64url

LONGEST, LONGEST_CLIENT_DATA, HEAD, LONGEST_DATA, DEEPEST = 4096, 1024, 37, 512, 8
ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
PRESENT, VERIFIED, CAN_BE_BACKED_UP, BACKED_UP, HAS_KEY, HAS_EXTENSIONS = 0x01, 0x04, 0x08, 0x10, 0x40, 0x80
HOST = r"[a-z0-9-]+(?:\.[a-z0-9-]+)*"
ORIGIN = re.compile(rf"(?:https://({HOST})|http://(localhost))(?::[1-9][0-9]{{0,4}})?")
AAGUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
KEYS = {"ES256": ("EC", "P-256", ("x", "y")), "EdDSA": ("OKP", "Ed25519", ("x",)), "RS256": ("RSA", None, ("n",))}

def number(data): return int.from_bytes(data, "big")
def sha256(data): return hashlib.sha256(data).digest()

class Passkeys:
    """`of_claims`: the rules of the fields of claims, which `has_shape` applies."""
    def __init__(self, has_shape, of_claims):
        self.has_shape = has_shape
        self.of_claims = of_claims | {"v": lambda it: it in ("holdfast.decision/4", "holdfast.decision/6"),
                                      "enrolment": of_claims["digest"]}
        self.of_enrolment = {
            "v": lambda it: it == "holdfast.enrolment/1", "principal": of_claims["principal"],
            "roles": of_claims["roles"],
            "credential_id": lambda it: isinstance(it, str) and 0 < len(it) <= 400 and self.is_spelt(it),
            "public": lambda it: self.key(it) is not None, "alg": lambda it: isinstance(it, str) and it in KEYS,
            "rp_id": lambda it: isinstance(it, str) and len(it) <= 253 and re.fullmatch(HOST, it) is not None,
            "origins": lambda it: isinstance(it, list) and 1 <= len(it) <= 4,
            "aaguid": lambda it: it is None or isinstance(it, str) and AAGUID.fullmatch(it) is not None,
            "exp": lambda it: it is None or of_claims["exp"](it),
            **{name: of_claims[name] for name in ("iat", "nonce", "kid")}}

    def is_spelt(self, text, size=None):
        try:
            data = unbase64url(text)
            return len(data) > 0 and size in (None, len(data))
        except (ValueError, TypeError, AttributeError):
            return False

    def value_of(self, data):
        """The JSON of canonical bytes; None: they are none."""
        try:
            value = json.loads(data)
            return value if canonical(value).encode() == data else None
        except (ValueError, TypeError, RecursionError):
            return None

    def key(self, jwk):
        """Kind and key; None: no passkey may have it."""
        for alg, (kty, crv, names) in KEYS.items():
            named = {"kty": kty, **({"crv": crv} if crv else {"e": "AQAB"})}
            if not isinstance(jwk, dict) or jwk.keys() != {*named, *names} or not named.items() <= jwk.items():
                continue
            if not all(self.is_spelt(jwk[name], None if alg == "RS256" else 32) for name in names):
                continue
            data = [unbase64url(jwk[name]) for name in names]
            try:
                if alg == "ES256":
                    return alg, EllipticCurvePublicNumbers(*map(number, data), SECP256R1()).public_key()
                if alg == "EdDSA":
                    return alg, Ed25519PublicKey.from_public_bytes(data[0])
                if 256 <= len(data[0]) <= 384 and data[0][0] >= 0x80:
                    return alg, RSAPublicNumbers(65537, number(data[0])).public_key()
            except ValueError:
                return None
        return None

    def read(self, token):
        """The parts of a text; None: it has not the form of such an attestation."""
        try:
            prefix, *parts = token.split(".")
            parts = list(map(unbase64url, parts))
        except (ValueError, TypeError, AttributeError):
            return None
        if len(token) > LONGEST or prefix != "wa1" or len(parts) != 6 or not all(parts) or len(parts[5]) != 64:
            return None
        claims, enrolment = self.value_of(parts[0]), self.value_of(parts[4])
        if not self.has_shape(claims, self.of_claims) or not self.is_enrolment(enrolment):
            return None
        return {"claims": claims, "data": parts[1], "client": parts[2], "signature": parts[3],
                "enrolment": enrolment, "enrolled": parts[4], "seal": parts[5]}

    def is_enrolment(self, it):
        if not self.has_shape(it, self.of_enrolment):
            return False
        if self.key(it["public"])[0] != it["alg"]:
            return False
        origins = it["origins"]
        return all(self.may(origin, it["rp_id"]) for origin in origins) and len({*origins}) == len(origins)

    @staticmethod
    def may(origin, site):
        if not isinstance(origin, str) or len(origin) > 300:
            return False
        found = ORIGIN.fullmatch(origin)
        name = found and (found[1] or found[2])
        return bool(name) and (name == site or name.endswith("." + site))

    def holds(self, it, trust, time, in_force):
        """Whether the passkey has signed the claims, and an enroller of the trust file its enrolment.
        `in_force`: whether an entry of the file is in force at a time."""
        claims, enrolment = it["claims"], it["enrolment"]
        kid = sha256(canonical(enrolment["public"]).encode()).hex()[:16]
        deputys = "on_behalf_of" in claims  # a deputy's roles are another's
        return (self.is_enrolled(enrolment, it["enrolled"], it["seal"], trust, time, in_force)
                and claims["kid"] == kid and claims["enrolment"] == sha256(it["enrolled"]).hex()
                and person(claims["principal"]) == person(enrolment["principal"])
                and (deputys or {*claims["roles"]} <= {*enrolment["roles"]}) and self.is_asserted(it))

    def is_enrolled(self, enrolment, enrolled, seal, trust, time, in_force):
        by = [key for key in trust if key["kid"] == enrolment["kid"]]
        if not by or by[0]["use"] != "enroller" or not self.ed25519(by[0]["public"], enrolled, seal):
            return False
        kid = sha256(canonical(enrolment["public"]).encode()).hex()[:16]
        given = by[0].get("roles")
        return ((given is None or {*enrolment["roles"]} <= {*given})
                and in_force(by[0], enrolment["iat"] * 1000, time) and in_force(by[0], time, time)
                and all(in_force(key, time, time) for key in trust if key["kid"] == kid)
                and ("exp" not in enrolment or enrolment["exp"] * 1000 > time))

    def ed25519(self, raw, data, seal):
        try:
            Ed25519PublicKey.from_public_bytes(unbase64url(raw)).verify(seal, data)
            return True
        except InvalidSignature:
            return False

    def is_asserted(self, it):
        challenge = sha256(canonical(it["claims"]).encode())
        return (self.client_data_fits(it["client"], challenge, it["enrolment"]["origins"])
                and data_fits(it["data"], it["enrolment"]["rp_id"])
                and self.signed(it["enrolment"]["public"], it["data"] + sha256(it["client"]), it["signature"]))

    def client_data_fits(self, data, challenge, origins):
        try:
            told = json.loads(data.decode("utf-8"), object_pairs_hook=pairs_once, parse_constant=no_constant)
            json.dumps(told, ensure_ascii=False).encode()  # no half of a character
        except (ValueError, RecursionError):
            return False
        if len(data) > LONGEST_CLIENT_DATA or not isinstance(told, dict):
            return False
        plain = all(one is None or isinstance(one, (str, bool)) for one in told.values())
        asked = told.get("challenge")
        return (plain and told.get("type") == "webauthn.get" and self.is_spelt(asked)
                and unbase64url(asked) == challenge and told.get("origin") in origins
                and "topOrigin" not in told and told.get("crossOrigin", False) is False)

    def signed(self, jwk, data, signature):
        alg, key = self.key(jwk)
        try:
            if alg == "RS256":
                key.verify(signature, data, PKCS1v15(), SHA256())
                return len(signature) == key.key_size // 8
            if len(signature) != 64:
                return False
            if alg == "EdDSA":
                key.verify(signature, data)
                return True
            r, s = number(signature[:32]), number(signature[32:])
            key.verify(encode_dss_signature(r, s), data, ECDSA(SHA256()))
            return s <= ORDER // 2
        except (InvalidSignature, ValueError):
            return False

def pairs_once(pairs):
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)

def no_constant(name): raise ValueError(name)

def data_fits(data, site):
    """Authenticator data: for this site, with its person present and verified."""
    if not HEAD <= len(data) <= LONGEST_DATA or data[:32] != sha256(site.encode()):
        return False
    flags, more = data[32], data[HEAD:]
    if not flags & PRESENT or not flags & VERIFIED or flags & HAS_KEY:
        return False
    if flags & BACKED_UP and not flags & CAN_BE_BACKED_UP:
        return False
    return bool(more) and more[0] >> 5 == 5 and end_of(more, 0) == len(more) if flags & HAS_EXTENSIONS else not more

def end_of(data, at, depth=0):
    """Where an item of CBOR ends; None: it is not well-formed, with definite lengths and without tags."""
    if depth > DEEPEST or at >= len(data):
        return None
    major, info = data[at] >> 5, data[at] & 31
    if info > 27 or major == 6:
        return None
    width = 0 if info < 24 else 2 ** (info - 24)
    end = at + 1 + width
    if end > len(data):
        return None
    if major in (0, 1, 7):
        return end
    length = number(data[at + 1:end]) if width else info
    if length > len(data):
        return None
    if major in (2, 3):
        return end + length if end + length <= len(data) else None
    for _ in range(2 * length if major == 5 else length):
        end = end_of(data, end, depth + 1)
        if end is None:
            return None
    return end
