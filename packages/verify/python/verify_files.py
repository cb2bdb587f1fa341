"""Files that messages name (rule B14 of bundle-format.md). For verify_bundle.py."""
import base64, hashlib, re

KINDS = {"image/png": "image", "image/jpeg": "image", "image/gif": "image", "image/webp": "image",
         "application/pdf": "document", "text/plain": "document"}
HASH, LARGEST, LONGEST_NAME = re.compile(r"[0-9a-f]{64}"), 32 * 1024 * 1024, 120

def is_hash(value): return isinstance(value, str) and HASH.fullmatch(value) is not None

def is_file(one):
    """Whether a value is a file as a message names it."""
    if not isinstance(one, dict) or set(one) != {"type", "file", "name", "media_type", "size"}:
        return False
    name, size, kind = one["name"], one["size"], one["media_type"]
    if not isinstance(name, str) or not isinstance(kind, str) or not is_hash(one["file"]):
        return False
    if not 0 < len(name.encode("utf-16-le", "surrogatepass")) <= 2 * LONGEST_NAME:
        return False
    whole = isinstance(size, (int, float)) and not isinstance(size, bool) and size == int(size)
    return whole and 0 < size <= LARGEST and KINDS.get(kind) == one["type"] and kind in KINDS

def files_in(body):
    """The files in one part of a message."""
    if is_file(body):
        return [body]
    inner = body.get("content") if body.get("type") == "tool_result" else None
    return [one for one in inner if is_file(one)] if isinstance(inner, list) else []

class BundleFiles:
    """Of all turns: a file may stand in the lines of an earlier one. None: it was left out."""
    def __init__(self, form): self.form, self.known = form, {}

    def part(self, ref, part):
        self.known[ref] = None if part is None else self.read(part["body"])

    def read(self, body):
        if not isinstance(body, dict):
            return ()
        if body.get("v") == "holdfast.file/1":
            texts = all(isinstance(body.get(it), str) for it in ("owner", "name", "media_type"))
            size = isinstance(body.get("size"), (int, float)) and not isinstance(body.get("size"), bool)
            known = is_hash(body.get("sha256")) and is_hash(body.get("bytes")) and body.get("media_type") in KINDS
            return ("file", body) if texts and size and known else ()
        data = body.get("data")
        if body.get("v") != "holdfast.file-bytes/1" or not isinstance(data, str):
            return ()
        try:
            content = base64.b64decode(data.encode("ascii"), validate=True)
        except ValueError:
            return ()
        if base64.b64encode(content).decode() != data:
            return ()  # not in its one form
        return "bytes", len(content), hashlib.sha256(content).hexdigest()

    def right(self, one):
        """Whether what a message says of a file is so."""
        if one["file"] not in self.known:
            return False
        known = self.known[one["file"]]
        if known is None:
            return True
        if known[:1] != ("file",):
            return False
        body = known[1]
        said = {it: body[it] for it in ("name", "media_type", "size")} | {"file": one["file"]}
        if self.form(said | {"type": KINDS[body["media_type"]]}) != self.form(one) or body["bytes"] not in self.known:
            return False
        content = self.known[body["bytes"]]
        return content is None or content == ("bytes", body["size"], body["sha256"])

class TurnFiles:
    def __init__(self, files): self.files, self.within, self.users, self.named = files, {}, set(), []

    def part(self, ref, part):
        self.files.part(ref, part)
        body = part["body"] if part is not None else None
        if isinstance(body, dict):
            self.users |= {ref} if body.get("role") == "user" else set()
            self.within[ref] = files_in(body)

    def message(self, parts):
        """An own block."""
        if parts and parts[0] in self.users:
            self.named += [one for ref in parts[1:] for one in self.within.get(ref, ())]

    def right(self): return all(map(self.files.right, self.named))
