"""Conditions of rules (`when`): CEL over `input`, `tool` and `turn`, as permissions.md has them. For verify_rules.py.
Bytes, types, unsigned numbers, dates, and what readers of CEL may read in two ways, are Unclear."""
import re
from verify_patterns import Unclear

class Fails(Exception):
    """It has no value: then an allow rule does not match, ask and deny rules do."""

class NoRule(Exception):
    """No condition that anybody takes: then the rule is none."""

SAFE, INT, LONGEST, MOST_VALUES, MOST_DIGITS = 2**53 - 1, (-(2**63), 2**63 - 1), 1000, 5000, 1000
FIELDS = dict(tool=("name", "version", "class", "group", "egress"), turn=("untrusted", "requester", "agent", "step"))
TYPES = {"int", "uint", "double", "string", "bool", "bytes", "list", "map", "null_type", "type"}
LOOPS = {"all": 2, "exists": 2, "exists_one": 2, "existsOne": 2, "map": 3, "filter": 2}
DATES = {"timestamp", "duration", *("get" + part for part in """Date DayOfMonth DayOfWeek DayOfYear FullYear Hours
    Milliseconds Minutes Month Seconds""".split())}
KNOWN = {"size", "contains", "startsWith", "endsWith", "matches", "int", "uint", "double", "string", "bool", "bytes",
         "type", "dyn", "big", *DATES}
TOKEN = re.compile(r"""(?P<space>[ \t\n\f\r]+|//[^\n]*)
    |(?P<double>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)|(?P<hex>0x[0-9a-fA-F]+)|(?P<int>[0-9]+)
    |(?P<text>[rR]?(?:\"(?:[^"\\\n\r]|\\.)*\"|'(?:[^'\\\n\r]|\\.)*'))
    |(?P<name>[_a-zA-Z][_a-zA-Z0-9]*)|(?P<sign>&&|\|\||[=!<>]=|[-+*/%<>!?:.,()\[\]{}])""", re.VERBOSE)
ESCAPES = dict(zip("abfnrtv\\?\"'`", "\a\b\f\n\r\t\v\\?\"'`"))
RESERVED = set("""as break const continue else for function if import in let loop package namespace return var void
    while true false null""".split())

# ---------------------------------------------------------------- reading a condition

def tokens(text):
    at, found = 0, []
    while at < len(text):
        token = TOKEN.match(text, at)
        if not token:
            raise Unclear
        kind = token.lastgroup
        if kind != "space":
            found.append((kind, token[0]))
        if kind in ("int", "hex") and re.match("[a-zA-Z_]", text[token.end():]):
            raise Unclear  # an unsigned number, or none
        at = token.end()
    return found

def text_in(token):
    if token[0] in "rR":
        if re.search(r"\\[\"']", token):
            raise Unclear
        return token[2:-1]

    def escaped(found):
        if found[1] in ESCAPES:
            return ESCAPES[found[1]]
        digits = re.fullmatch("[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})", found[1])
        point = digits and int(digits[digits.lastindex], 8 if digits[4] else 16)
        if not digits or 0xD800 <= point < 0xE000 or point > 0x10FFFF:
            raise Unclear
        return chr(point)
    return re.sub(r"(?s)\\([xX].{0,2}|u.{0,4}|U.{0,8}|[0-9]{1,3}|.)", escaped, token[1:-1])

class Reader:
    """A condition as a tree: (kind, …)."""

    def __init__(self, text):
        self.tokens, self.at = [*tokens(text), ("end", "")], 0

    def whole(self):
        tree = self.either()
        if self.tokens[self.at][0] != "end":
            raise Unclear
        return tree

    def take(self, *signs):
        kind, text = self.tokens[self.at]
        if kind in ("sign", "name") and text in signs:
            self.at += 1
            return text
        return None

    def want(self, sign):
        if not self.take(sign):
            raise Unclear

    def either(self):
        condition = self.joined("||", lambda: self.joined("&&", self.compared))
        if not self.take("?"):
            return condition
        then = self.joined("||", lambda: self.joined("&&", self.compared))
        self.want(":")
        return ("if", condition, then, self.either())

    def joined(self, sign, below):
        parts = [below()]
        while self.take(sign):
            parts.append(below())
        return (sign, *parts) if len(parts) > 1 else parts[0]

    def compared(self):
        return self.chain(("==", "!=", "<=", ">=", "<", ">", "in"),
                          lambda: self.chain("+-", lambda: self.chain("*/%", self.unary)))

    def chain(self, signs, below):
        tree = below()
        while sign := self.take(*signs):
            tree = ("call", sign, None, [tree, below()])
        return tree

    def unary(self):
        sign = self.take("!", "-")
        if not sign:
            return self.member()
        if self.tokens[self.at][1] in ("!", "-"):
            raise Unclear  # several of them
        if sign == "-" and self.tokens[self.at][0] in ("int", "hex", "double"):
            return self.member(negative=True)
        return ("call", sign + "_", None, [self.member()])

    def member(self, negative=False):
        tree = self.primary(negative)
        while sign := self.take(".", "["):
            if sign == "[":
                tree = ("index", tree, self.either())
                self.want("]")
                continue
            kind, name = self.tokens[self.at]
            if kind != "name" or name in RESERVED:
                raise Unclear
            self.at += 1
            tree = self.called(name, tree) if self.take("(") else ("field", tree, name)
        return tree

    def primary(self, negative):
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind in ("int", "hex"):
            value = int(text, 16 if kind == "hex" else 10) * (-1 if negative else 1)
            if not INT[0] <= value <= INT[1]:
                raise Unclear
            return ("value", value)
        if kind == "double":
            return ("value", float(text) * (-1 if negative else 1))
        if kind == "text":
            return ("value", text_in(text))
        if kind == "name" and text in ("true", "false", "null"):
            return ("value", dict(true=True, false=False, null=None)[text])
        if kind == "name" and text not in RESERVED:
            return self.called(text, None) if self.take("(") else ("name", text)
        if text == "(":
            tree = self.either()
            self.want(")")
            return tree
        if text == "[":
            return ("list", self.several("]"))
        if text == "{":
            return ("map", self.several("}", pairs=True))
        raise Unclear

    def several(self, end, pairs=False):
        found = []
        if self.take(end):
            return found
        while True:
            one = self.either()
            if pairs:
                self.want(":")
                one = (one, self.either())
            found.append(one)
            if self.take(end):
                return found
            self.want(",")

    def called(self, name, target):
        given = self.several(")")
        if name == "has" and target is None and len(given) == 1 and given[0][0] == "field":
            return ("has", *given[0][1:])
        loops = name in LOOPS and target is not None and given and given[0][0] == "name"
        if loops and (len(given) == 2 or len(given) == LOOPS[name]):
            return ("loop", name, target, given[0][1], given[1:])
        return ("call", name, target, given)

def check(tree, bound=(), looping=False):
    """Names that nothing has, functions that do not exist, loops within loops: no worker takes such a rule."""
    kind, *parts = tree
    if kind == "name" and parts[0] not in ("input", "tool", "turn", *bound, *TYPES):
        raise NoRule
    if kind in ("field", "has") and parts[0][0] == "name" and parts[0][1] in FIELDS and parts[0][1] not in bound:
        if parts[1] not in FIELDS[parts[0][1]]:
            raise NoRule
        return
    if kind == "call" and parts[0] not in KNOWN and not re.match(r"\W|in$", parts[0]):
        raise NoRule
    if kind == "loop":
        if looping:
            raise NoRule
        check(parts[1], bound, looping)
        for part in parts[3]:
            check(part, (*bound, parts[2]), True)
        return
    for part in parts:
        for one in part if isinstance(part, list) else [part]:
            for below in one if kind == "map" else [one]:
                if isinstance(below, tuple):
                    check(below, bound, looping)

# ---------------------------------------------------------------- its value

def is_int(value): return type(value) is int
def is_number(value): return type(value) in (int, float)

def double(number):
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")

def same(one, other):
    if is_number(one) and is_number(other):
        return one == other
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return len(one) == len(other) and all(key in other and same(one[key], other[key]) for key in one)
    return one == other

def order(one, other):
    """What two values are compared by."""
    if is_int(one) and is_int(other):
        return one, other
    if is_number(one) and is_number(other):
        return double(one), double(other)
    if isinstance(one, str) and isinstance(other, str):  # by halves of characters
        return one.encode("utf-16-be"), other.encode("utf-16-be")
    if isinstance(one, bool) and isinstance(other, bool):
        return one, other
    raise Fails

def in_range(number):
    if not INT[0] <= number <= INT[1]:
        raise Fails
    return number

def added(one, other):
    if is_int(one) and is_int(other):
        return in_range(one + other)
    if type(one) is type(other) and type(one) in (float, str, list):
        return one + other
    raise Fails

def counted(sign, one, other):
    if is_int(one) and is_int(other):
        if sign in "/%" and other == 0:
            raise Fails
        part = abs(one) // abs(other or 1) * (1 if (one < 0) == (other < 0) else -1)
        return one - part * other if sign == "%" else in_range({"-": one - other, "*": one * other, "/": part}[sign])
    if type(one) is not float or type(other) is not float or sign == "%":
        raise Fails
    if sign == "/" and other == 0:
        raise Unclear
    return {"-": lambda: one - other, "*": lambda: one * other, "/": lambda: one / other}[sign]()

def is_in(one, group):
    if isinstance(group, list):
        return any(same(one, it) for it in group)
    if isinstance(group, dict) and isinstance(one, str):
        return group.get(one) is not None
    if isinstance(group, dict) and (is_number(one) or isinstance(one, bool)):
        raise Unclear
    raise Fails

COMPARES = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}

def operated(name, args):
    if len(args) == 1:
        if name == "!_" and isinstance(args[0], bool):
            return not args[0]
        if name == "-_" and is_number(args[0]):
            return in_range(-args[0]) if is_int(args[0]) else -args[0]
        raise Fails
    one, other = args
    if name in COMPARES:
        return COMPARES[name](*order(one, other))
    if name in ("==", "!="):
        return same(one, other) == (name == "==")
    return added(one, other) if name == "+" else is_in(one, other) if name == "in" else counted(name, one, other)

def size(value):
    if isinstance(value, (str, list, dict)):
        return len(value)
    raise Fails

def to_int(value):
    if is_int(value):
        return value
    if isinstance(value, float):
        if -(2.0**63) < value < 2.0**63:
            return int(value)
        raise Fails
    if isinstance(value, str) and re.fullmatch("[+-]?[0-9]+", value):
        return in_range(int(value))
    raise Unclear if isinstance(value, str) and re.match(r"\s*(0[xXoObB]|[0-9+-]|\Z)", value) else Fails

def to_double(value):
    if is_number(value):
        return double(value)
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value):
        return float(value)
    raise Unclear if isinstance(value, str) else Fails

def to_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_int(value) or isinstance(value, str):
        return str(value)
    raise Unclear if isinstance(value, float) else Fails

def to_bool(value):
    words = {**dict.fromkeys(("true", "True", "TRUE", "t", "1"), True),
             **dict.fromkeys(("false", "False", "FALSE", "f", "0"), False)}
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value in words:
        return words[value]
    raise Fails

def big(value):
    if isinstance(value, str) and re.fullmatch("-?[0-9]{1,1000}", value):
        return int(value)
    raise Fails

FUNCTIONS = dict(size=size, int=to_int, double=to_double, string=to_text, bool=to_bool, big=big, dyn=lambda it: it)
METHODS = dict(contains=lambda text, part: part in text, startsWith=str.startswith, endsWith=str.endswith)
# What RE2 and Python read alike; a group that is repeated could take long here.
PATTERN_PIECE = re.compile(r"""\\[dws.\-/+*?()\[\]{}|^$\\]|\[\^?(?:[\w\ ./:@%+,=-]|\\[dws.\-])+\]|\(\?:
    |[\w\ /:@%,=<>~!&;\#"'-]|[.()|^$]|(?P<many>[*+?]\??|\{[0-9]{1,3}(?:,[0-9]{0,3})?\})""", re.VERBOSE)
TWO_WAYS = re.compile(r"\[.*(?:[A-Za-z0-9]-\\|\\[dws]-|--|.-[^A-Za-z0-9\]\\])")

def first_settled(asked, by):
    """`by`, if one of what is asked says that, whatever becomes of the others."""
    fault = None
    for ask in asked:
        try:
            value = ask()
            if value is by:
                return by
            fault = fault or (None if isinstance(value, bool) else Fails())
        except Unclear as unclear:
            fault = unclear
        except Fails as fails:
            fault = fault or fails
    if fault:
        raise fault
    return not by

def matches(text, pattern):
    at, out, unbounded, before = 0, "", 0, None
    while at < len(pattern):
        piece = PATTERN_PIECE.match(pattern, at)
        if not piece or piece["many"] and (before is None or before in ("(", "(?:", "|", ")", "^", "$", "many")):
            raise Unclear
        if TWO_WAYS.match(piece[0]):
            raise Unclear
        unbounded += bool(piece["many"])
        before, at = "many" if piece["many"] else piece[0], piece.end()
        spaces = r"[\t\n\f\r ]" if piece[0] == r"\s" else r"\t\n\f\r "
        out += r"\Z" if piece[0] == "$" else piece[0].replace(r"\s", spaces)
    if not (pattern + text).isascii() or len(text) ** (unbounded + 1) * 2 ** pattern.count("|") > 10**7:
        raise Unclear
    try:
        return re.search(out, text, re.ASCII) is not None
    except re.error:
        raise Unclear from None

NAMES = {"&&": "all_of", "||": "any_of", "if": "choice"}

class Asked:
    """What a condition looks at."""

    def __init__(self, names):
        self.names = names

    def value(self, tree):
        kind, *parts = tree
        return getattr(self, "of_" + NAMES.get(kind, kind))(*parts)

    def of_value(self, value): return value
    def of_list(self, parts): return [self.value(part) for part in parts]

    def of_name(self, name):
        if name not in self.names:
            raise Unclear  # a type
        return self.names[name]

    def of_map(self, pairs):
        made = {}
        for key, value in pairs:
            key = self.value(key)
            if not isinstance(key, str) or key in made:
                raise Unclear
            made[key] = self.value(value)
        return made

    def of_field(self, of, name):
        value = self.value(of)
        if isinstance(value, dict) and name in value:
            return value[name]
        raise Fails

    def of_has(self, of, name):
        value = self.value(of)
        return isinstance(value, dict) and value.get(name) is not None

    def of_index(self, of, index):
        value, index = self.value(of), self.value(index)
        if isinstance(index, str) and isinstance(value, dict) and index in value:
            return value[index]
        if is_int(index) and isinstance(value, list) and 0 <= index < len(value):
            return value[index]
        raise Unclear if isinstance(index, (bool, float)) else Fails

    def of_choice(self, condition, then, other):
        chosen = self.value(condition)
        if not isinstance(chosen, bool):
            raise Fails
        return self.value(then if chosen else other)

    def of_all_of(self, *parts): return self.settled(parts, False)
    def of_any_of(self, *parts): return self.settled(parts, True)

    def settled(self, parts, by):
        return first_settled((lambda part=part: self.value(part) for part in parts), by)

    def of_loop(self, name, of, variable, parts):
        group = self.value(of)
        if not isinstance(group, (list, dict)):
            raise Fails
        rounds = [Asked({**self.names, variable: item}) for item in group]
        if name in ("all", "exists"):
            return self.over(rounds, parts[0], name == "exists")
        chosen = []
        for item, one in zip(group, rounds):
            if name == "map" and len(parts) == 1 or one.of_choice(parts[0], ("value", True), ("value", False)):
                chosen.append(one.value(parts[-1]) if name == "map" else item)
        return len(chosen) == 1 if name.startswith("exists") else chosen

    def over(self, rounds, part, by):
        return first_settled((lambda one=one: one.settled([part], by) for one in rounds), by)

    def of_call(self, name, target, given):
        args = [self.value(one) for one in ([] if target is None else [target]) + given]
        if re.match(r"\W|in$", name) and target is None:
            return operated(name, args)
        if name in METHODS or name == "matches":
            if target is None or len(args) != 2 or not all(isinstance(it, str) for it in args):
                raise Fails
            return matches(*args) if name == "matches" else METHODS[name](*args)
        if name not in FUNCTIONS:
            raise Unclear
        if len(args) != 1 or target is not None and name != "size":
            raise Fails
        return FUNCTIONS[name](args[0])

# ---------------------------------------------------------------- what it looks at

DIGITS_ONLY = re.compile(r"\^(?:\\d|\[[0-9]-[0-9]\]|[0-9]|\{[0-9]+(?:,[0-9]*)?\}|[-+*?|()]|\(\?:)+\$")

def child(schema, name):
    below = schema.get(name)
    return below if isinstance(below, dict) else {}

def of_input(value, schema, left):
    """The input as CEL has it: whole numbers, and texts whose schema takes digits only, are exact."""
    left[0] -= 1
    if left[0] < 0:
        raise Fails
    if isinstance(value, list):
        return [of_input(one, child(schema, "items"), left) for one in value]
    if isinstance(value, dict):
        return {key: of_input(one, child(child(schema, "properties"), key), left) for key, one in value.items()}
    if is_int(value):
        return value if abs(value) <= SAFE and schema.get("type") != "number" else double(value)
    pattern = schema.get("pattern")
    if isinstance(value, str) and re.fullmatch("-?[0-9]+", value) and isinstance(pattern, str):
        if len(pattern) < 200 and DIGITS_ONLY.fullmatch(pattern):
            if len(value) > MOST_DIGITS:
                raise Fails
            return int(value)
    return value

def holds(text, given, schema, tool, turn):
    """True or False. Raises Fails, Unclear, or NoRule where it is no condition."""
    if not isinstance(text, str) or text.strip() == "" or len(text) > LONGEST:
        raise NoRule
    try:
        tree = Reader(text).whole()
        check(tree)
        value = Asked(dict(input=of_input(given, schema, [MOST_VALUES]), tool=tool, turn=turn)).value(tree)
    except RecursionError:
        raise Unclear from None
    if not isinstance(value, bool):
        raise Fails
    return value
