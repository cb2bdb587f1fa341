"""The rules of a bundle asked again about a call that ran: rule B12 of bundle-format.md, and permissions.md. For
verify_bundle.py. Whether a rule matches is True, False, or None where two readers may see it otherwise: then it counts
as whatever lets the call run."""
import re
from verify_conditions import Fails, NoRule, holds
from verify_lists import is_it, may_apply
from verify_patterns import ALLOWS, FORBIDS, Unclear, glob, simple_commands, units
from verify_programs import what_runs

CLASSES, TARGETS, EFFECTS = ("read", "compute", "write", "destructive", "agent"), ("path", "text", "command"), (0, 1, 2)
RULE = re.compile(r"([a-zA-Z_*][a-zA-Z0-9_*-]{0,63})(?:\((.{1,300})\))?", re.DOTALL)
FILE = re.compile(r"(?:/(?!\.{1,2}(?:/|\Z))[^/\0]{1,255}){1,64}")
ELSEWHERE = re.compile(r"""^\W*(?:(?:builtin|command)\s+)*(?:cd|pushd|chdir)\b
    |\benv\b.*\s(?:-[A-Za-z0-9]*C|--c)""", re.VERBOSE | re.ASCII)

def obj(value): return value if isinstance(value, dict) else {}
def txt(value): return value if isinstance(value, str) else ""
def objs(values): return [obj(value) for value in values] if isinstance(values, list) else []
def pick(value, names): return {name: value.get(name) for name in names}

def known_facts(facts):
    """Whether all that the rules looked at is there, but for the files, which older bundles do not have."""
    targets, turn = facts.get("targets", 0), obj(facts.get("turn"))
    return (targets is None or isinstance(targets, list) and all(isinstance(it, str) for it in targets)) and (
        facts.get("target", 0) in (None, *TARGETS) and isinstance(facts.get("egress"), bool)
        and isinstance(turn.get("untrusted"), bool) and type(turn.get("step")) is int
        and isinstance(turn.get("requester"), str) and isinstance(turn.get("agent"), str))

class Rule:
    """One entry of `allow`, `ask` or `deny`. @raise NoRule for one that nobody takes"""

    def __init__(self, effect, entry):
        given = {"rule": entry} if isinstance(entry, str) else obj(entry)
        parsed = RULE.fullmatch(txt(given.get("rule")))
        self.effect, self.when, self.files = effect, given.get("when"), given.get("files")
        if not parsed or units(parsed[2] or "") > 300 or set(given) - {"rule", "when", "why", "files"}:
            raise NoRule
        self.name, self.pattern, self.exact = parsed[1], parsed[2], "*" not in parsed[1]
        if "files" in given and not self.files_fit(given):
            raise NoRule
        why = given.get("why", "")
        if "when" in given and not isinstance(self.when, str) or not isinstance(why, str) or units(why) > 300:
            raise NoRule

    def files_fit(self, given):
        if self.effect != 0 or self.pattern is None and "when" not in given:
            return False
        return self.files == "any" or 1 <= len(obj(self.files)) <= 50 and all(
            FILE.fullmatch(path) and re.fullmatch("[0-9a-f]{64}", txt(hashed)) for path, hashed in self.files.items())

    def rank(self, kind):
        """How specific it is, then how strict."""
        special = r"[*?\[{]" if kind == "path" else r"\*"
        pattern = 0 if self.pattern is None else 1 if re.search(special, self.pattern) else 2
        letters = (units((self.pattern or "").replace("*", "")), len(self.name.replace("*", "")))
        breadth = 2 if self.exact else 0 if self.name == "*" else 1
        return (breadth, self.when is not None, pattern, *letters, self.effect)

    def matches(self, call):
        """True, False, None. @raise NoRule where its condition is none"""
        allows, targets, kind = self.effect == 0, call["targets"], call["kind"]
        try:
            condition = self.when is None or self.asked(call, allows)
        except Unclear:
            condition = None
        if allows and call["tool"]["class"] == "destructive" and not self.exact:
            return False
        if self.pattern is not None and (targets is None or kind is None):
            return False if allows else True if condition is not None else None
        try:
            fits = (ALLOWS if allows else FORBIDS).get(kind)
            if self.pattern is not None and not (all if allows else any)(fits(self.pattern, it) for it in targets):
                return False
            if allows and condition is not False and self.may_have_changed(call):
                return False
        except Unclear:
            return False if condition is False else None
        return condition

    def asked(self, call, allows):
        try:
            return holds(self.when, call["input"], call["schema"], call["tool"], call["turn"])
        except Fails:
            return not allows

    def may_have_changed(self, call):
        """Whether the command may run something else than what the rule was given for."""
        targets, held, bound = call["targets"], call["files"], self.files
        if bound == "any" or call["kind"] != "command":
            return False
        if not all(target.isascii() for target in targets or []):
            raise Unclear
        commands = [command for target in targets or [] for command in simple_commands(target)]
        runs = [found for found in map(what_runs, commands) if found is not None]
        if bound is None:
            narrow = self.pattern is not None or self.when is not None
            return held is not None and targets is not None and narrow and any(not guarded for _, guarded, _ in runs)
        left = any(not (guarded or free) and files[0] not in bound for files, guarded, free in runs)
        return left or any(map(ELSEWHERE.search, commands)) or any(
            held is None or path not in held or held[path] != hashed for path, hashed in bound.items())

def rules_for(lists, tool):
    for effect, entries in zip(EFFECTS, lists):
        for entry in entries:
            try:
                rule = Rule(effect, entry)
            except NoRule:
                continue
            if glob(rule.name, txt(tool.get("name"))):
                yield rule

def matched(lists, call):
    """Of the rules that name the tool: the rank of each, and whether it matches."""
    for rule in rules_for(lists, call["tool"]):
        try:
            yield rule.rank(call["kind"]), rule.matches(call)
        except NoRule:
            continue

def verdicts(lists, modes, call, allows):
    """What the rules say: deny wins, then the most specific rule, where ask wins a tie, then the entry of the approval
    rules, then mode and class. Several verdicts where it is not known of a rule whether it matches. `allows`: whether
    the entry does; None: the tool has no list; REFUSES: its condition failed, and nobody may be asked."""
    ranked = list(matched(lists, call))
    sure = [rank for rank, fits in ranked if fits]
    unsure = [rank for rank, fits in ranked if fits is None]
    for more in ([], *([one] for one in unsure)):
        yield decided(sure + more, modes, call["tool"], allows)

REFUSES = "refuses"

def decided(ranks, modes, tool, allows):
    if any(rank[-1] == 2 for rank in ranks):
        return "deny"
    if "plan" in modes and tool["class"] in ("write", "destructive", "agent"):
        return "deny"
    if allows == REFUSES and (not ranks or max(ranks)[-1] == 1):
        return "deny"
    if ranks:
        return "ask" if max(ranks)[-1] == 1 else "allow"
    if "locked" in modes:
        return "allow" if tool.get("name") in ("read_result", "give_result") else "deny"
    if allows is not None:
        return "allow" if allows else "ask"
    if tool["class"] == "destructive":
        return "ask"
    harmless = tool["class"] in ("read", "compute") and tool.get("egress") is not True
    return "classify" if "auto" in modes and not harmless else "allow"

def is_definition(value): return obj(value).get("v") == "holdfast.agent/1"

def tools_of(objects, agent, call):
    """The call's tool in the definition that it names, else in each of the agent, whether that has a classifier, and
    whether it refuses a call for which a condition of the tool's list fails."""
    wanted, ref = (agent, call.get("tool"), call.get("version")), call.get("definition_ref")
    named = [objects.get(ref)] if isinstance(ref, str) else objects.values()
    return [(tool, "classifier" not in one or one["classifier"] is not None, refuses_failed(one, call.get("tool")))
            for one in named if is_definition(one)
            for tool in objs(one.get("tools"))
            if (txt(one.get("name")), tool.get("name"), tool.get("version")) == wanted
            and tool.get("class") in CLASSES and isinstance(tool.get("input_schema"), dict)]

def refuses_failed(definition, tool):
    return obj(obj(definition.get("approval_lists")).get(txt(tool))).get("failed_refuses") is True

def facts_of(tool, run, body):
    """What the rules looked at. True: it is not known; False: it is not the tool of the definition, or not there."""
    facts, call, value = body.get("facts"), run["call"], run["value"]
    if not isinstance(facts, dict):
        return False
    step = re.match("[0-9]+", txt(call.get("id")))
    if call.get("class") not in CLASSES or not isinstance(body.get("input"), dict) or not step:
        return True
    if not known_facts(facts):
        return "targets" not in facts
    group, target = tool.get("group") or None, tool.get("rule_target")
    same = facts["egress"] == (tool.get("egress") is True) and (facts.get("group") or None) == group
    kind = target if target in TARGETS else None
    if not same or facts["target"] != kind or call.get("class") != tool["class"]:
        return False
    of, files = obj(value.get("turn")), facts.get("files")
    hashes = isinstance(files, dict) and all(it is None or isinstance(it, str) for it in files.values())
    return dict(input=body["input"], schema=tool["input_schema"], targets=facts["targets"], kind=kind,
                files=files if hashes else None,
                tool=dict(pick(tool, ("name", "version", "class")), group=txt(group), egress=facts["egress"]),
                turn=dict(untrusted=value.get("untrusted") is True, requester=txt(of.get("requester")),
                          agent=txt(of.get("agent")), step=int(step[0])))

def lets_run(lists, modes, defined, entries, run, body):
    tool, classifies, refuses = defined
    asked, value = facts_of(tool, run, body), run["value"]
    if isinstance(asked, bool):
        return asked
    found = [None] if entries is None else [
        REFUSES if refuses and entry["result"] == "failed" else allows for entry, allows in may_apply(entries, asked)]
    may = {verdict for allows in found for verdict in verdicts(lists, modes, asked, allows)}
    return "allow" in may or value.get("verdict") == "ask" and "ask" in may or (
        "classify" in may and (classifies or value.get("verdict") == "ask"))

def entries_for(entries, tool, run, body):
    """The entries of a list that may apply to a call; []: nobody can tell."""
    asked = facts_of(tool, run, body)
    return [] if isinstance(asked, bool) else [entry for entry, _ in may_apply(entries, asked)]

def is_written(entries, tool, run, body):
    """Whether the part names the entry that applied when its input was admitted."""
    if entries is None:
        return "approval_entry" not in body
    may = entries_for(entries, tool, run, body)
    return not may or any(is_it(body.get("approval_entry"), one) for one in may)

def within(rules):
    """What else must be there where these rules are; None: nothing."""
    return txt(rules.get("policy_ref")) if rules.get("v") == "holdfast.policy_within/1" else None

def rules_of(objects, ref):
    """The rules that a `policy_ref` names, and the modes that bind."""
    outer = obj(objects.get(txt(ref)))
    rules = outer if within(outer) is None else obj(objects.get(within(outer)))
    modes = outer.get("within") if isinstance(outer.get("within"), list) else []
    return rules, {rules.get("mode", "default"), *(one for one in ("plan", "locked") if one in modes)}
