"""Patterns of rules, and what a call touches, as permissions.md has them. For verify_rules.py."""
import re, unicodedata

SPACE = " \t\n\v\f\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

class Unclear(Exception):
    """Another reader may see it otherwise."""

def units(text): return len(text.encode("utf-16-le", "surrogatepass")) // 2
def nfc(text): return unicodedata.normalize("NFC", text)
def nfkc(text): return unicodedata.normalize("NFKC", text)
def is_unseen(char): return unicodedata.category(char) in ("Cc", "Cf")

def is_other(char):
    """Control, format, private and unassigned characters; which are assigned depends on the reader's Unicode."""
    kind = unicodedata.category(char)
    if kind == "Cn":
        raise Unclear
    return kind[0] == "C"

# ---------------------------------------------------------------- patterns

def glob(pattern, text):
    """`*` takes anything, nothing else is special. In time of at most pattern × text."""
    at, star, mark, index = 0, -1, 0, 0
    while index < len(text):
        if at < len(pattern) and pattern[at] == "*":
            star, at, mark = at, at + 1, index
        elif at < len(pattern) and pattern[at] == text[index]:
            at, index = at + 1, index + 1
        elif star >= 0:
            mark += 1
            at, index = star + 1, mark
        else:
            return False
    return pattern[at:].strip("*") == ""

def allows_text(pattern, text):
    return units(text) <= 4096 and not any(map(is_other, text)) and glob(pattern, text)

def forbids_text(pattern, text):
    def folded(it): return "".join(" " if is_unseen(char) else char for char in nfkc(it)).strip().lower()
    return units(text) > 4096 or glob(pattern, text) or glob(folded(pattern), folded(text))

PLAIN_COMMAND = re.compile(r"[A-Za-z0-9 _./:=@,+%-]+")

def allows_command(pattern, command):
    climbs = ".." in re.split(r"[ /=:,]", command)
    return (units(command) <= 4096 and bool(PLAIN_COMMAND.fullmatch(command)) and glob(pattern, command)
            and not (climbs and "*" in pattern))

def forbids_command(pattern, command):
    loose = re.sub(f"[{SPACE}]+", " ", pattern).strip(" ").lower()
    return units(command) > 4096 or any(glob(loose, reading) for reading in readings(command))

def simple_commands(command):
    """Roughly: where a shell begins another command, whatever quotes say."""
    return re.split(r"[;&|\r\n(){}`<>]|\$\(", command)

STARTERS = set("""sudo doas env nohup nice ionice time timeout command exec eval builtin xargs stdbuf setsid busybox sh
    bash then do else if while !""".split())

def readings(command):
    """The whole line, and each command in it: as it stands, and without what runs it."""
    plain = re.sub(r"\$\{?IFS\}?|\\\r?\n", " ", nfkc(command))
    for part in (plain, *simple_commands(plain)):
        bare = "".join(" " if is_unseen(char) else char for char in re.sub(r"[\"'\\$]", "", part))
        words = re.sub(f"[{SPACE}]+", " ", bare).strip(" ").lower().split(" ")
        runs = words[0].rpartition("/")[2] in STARTERS or re.match(r"[a-z_][a-z0-9_]*=", words[0])
        for start in range(min(len(words), 16) if runs else 1):
            name, *rest = words[start:]
            yield " ".join([name, *rest])
            yield " ".join([name.rpartition("/")[2], *rest])

def normal_path(path):
    """`/a/b` without `.`, `..` and doubled slashes; None when it leaves the root or holds a NUL."""
    out = []
    for segment in nfc(path).split("/"):
        if segment == ".." and not out or "\0" in segment:
            return None
        if segment == "..":
            out.pop()
        elif segment not in ("", "."):
            out.append(segment)
    return "/" + "/".join(out)

LIKE_SLASHES = "\u2044\u2215\u2216\u29f5\u29f8\u29f9\ufe68"

def is_plain_path(path):
    """Every system reads it alike."""
    segments = path.split("/")
    return (0 < units(path) <= 1024 and all(units(segment) <= 255 for segment in segments)
            and not any(char in LIKE_SLASHES + "\\" or is_other(char) or char != " " and
                        unicodedata.category(char)[0] == "Z" for char in path)
            and not re.search("%[0-9a-f]{2}", path, re.IGNORECASE) and nfc(path) == nfkc(path)
            and not re.match(r"/*(~|[A-Za-z]:)", path)
            and not any(segment not in (".", "..") and segment[-1:] in (".", " ") and segment for segment in segments))

def respelled(path):
    """As a careless reader would take it."""
    for _ in range(3):
        path = re.sub("%([0-9a-fA-F]{2})", lambda found: chr(int(found[1], 16)), path)
    path = re.sub(f"[{LIKE_SLASHES}]", "/", nfkc(path))
    path = "".join(char for char in path if char == "\0" or not is_unseen(char))
    return "/".join(it if it in (".", "..") else re.sub(r"(?<=[^. ])[. ]+\Z", "", it)
                    for it in re.split(r"[/\\]", path))

def allows_path(pattern, path):
    normal = normal_path(path) if is_plain_path(path) else None
    return normal is not None and fits_path(pattern, normal, dots=False)

def forbids_path(pattern, path):
    if units(path) > 1024:
        return True
    for reading in (path, respelled(path)):
        normal = normal_path(reading.replace("\\", "/"))
        if normal is None or fits_path(pattern, normal, dots=True) or fits_path(pattern, normal + "/", dots=True):
            return True
    return False

def fits_path(pattern, path, dots):
    """@param dots whether `*` takes hidden files; then case does not count either"""
    text = nfc(pattern)
    text = text if text.startswith("/") else "/" + text
    if dots and not text.isascii() or re.search(r"[?\[]", text) and max(path, default="") > "\uffff":
        raise Unclear
    flags = re.ASCII | re.IGNORECASE if dots else 0
    return path == text or re.fullmatch(path_regex(text, dots), path, flags) is not None

ANY, PIECE = r"[^\n\r\u2028\u2029]", re.compile(
    r"(?P<star>\*)|(?P<one>\?)|\[(?P<set>(?:[A-Za-z0-9_](?:-[A-Za-z0-9_])?)+)\]"
    r"|\{(?P<either>[\w\-.~@+%=:]+(?:,[\w\-.~@+%=:]+)+)\}|(?P<plain>[\w\-.~@+%=:;, #&$^])")

def path_regex(pattern, dots):
    left_out = r"\.{1,2}(?:/|\Z)" if dots else r"\."
    hidden = f"(?!{left_out})"
    deep = f"{hidden}(?:(?!(?:^|/){left_out}){ANY})*?"
    segments = re.sub(r"(/\*\*)+(?=/|\Z)", "/**", pattern).split("/")[1:]
    if "" in segments:
        raise Unclear
    out, joined = "", False
    for index, segment in enumerate(segments):
        last = index == len(segments) - 1
        slash, joined = "" if joined else "/", False
        if segment != "**":
            out += slash + segment_regex(segment, hidden, dots, last)
        elif index == 0:
            out += f"/{deep}"
        else:
            out += rf"(?:/{deep}|\Z)" if last else rf"(?:/{deep}/|/|\Z)"
            joined = True
    return out

def segment_regex(segment, hidden, dots, last):
    out, at, end = "", 0, False
    while at < len(segment):
        found = PIECE.match(segment, at)
        if not found or segment.startswith("**", at):
            raise Unclear
        kind, end = found.lastgroup, False
        if kind == "star":
            behind_dot = rf"(?!\.?(?:/|\Z))(?={ANY})" if segment[:at] == "." else ""
            out, end = out + (f"{hidden}(?={ANY})" if at == 0 else behind_dot) + "[^/]*?", True
        elif kind == "one":
            out += "[^./]" if at == 0 and not dots else "[^/]"
        elif kind == "set":
            if any(one > other for one, other in re.findall("(.)-(.)", found["set"])):
                raise Unclear
            out += found[0] if "-" in found["set"] else rf"(?:{re.escape(found[0])}|{found[0]})"
            end = True
        elif kind == "either":
            if ".." in found["either"]:
                raise Unclear
            out += "(?:" + "|".join(map(re.escape, found["either"].split(","))) + ")"
        else:
            out += re.escape(found[0])
        at = found.end()
    return out + ("/?" if end and last else "")

ALLOWS = dict(path=allows_path, text=allows_text, command=allows_command)
FORBIDS = dict(path=forbids_path, text=forbids_text, command=forbids_command)
