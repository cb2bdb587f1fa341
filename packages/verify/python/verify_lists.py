"""Lists of approval rules: bundle-format.md, *Lists of approval rules*. For the other files beside this.
Which entry applies to a call, by the conditions of permissions.md, and what the definition says that it requires."""
from verify_conditions import Fails, NoRule, holds
from verify_patterns import Unclear

MOST_ENTRIES = 20

def obj(value): return value if isinstance(value, dict) else {}
def objs(values): return [obj(value) for value in values] if isinstance(values, list) else []

def list_in(rules, tool):
    """The conditions of a tool's entries, and whether each allows. None: it has no list. @raise NoRule for one that
    nobody takes"""
    approvals = rules.get("approvals", {})
    tools = obj(approvals).get("tools", {})
    if not isinstance(approvals, dict) or not isinstance(tools, dict):
        raise NoRule
    found = tools.get(tool) if isinstance(tool, str) else None
    if not isinstance(found, list):
        return None
    if not 1 <= len(found) <= MOST_ENTRIES or any(not is_entry_of_list(one) for one in found):
        raise NoRule
    if any("when" not in one for one in found[:-1]):
        raise NoRule
    return [(one.get("when"), "allow" in one) for one in found]

def is_entry_of_list(one):
    if not isinstance(one, dict) or not isinstance(one.get("when", ""), str):
        return False
    return "allow" not in one or one["allow"] is True and set(one) <= {"when", "allow"}

def may_apply(entries, call):
    """The entries that may apply: index, condition, result, and whether it allows. Several where it is not known what
    a condition says. @raise NoRule where one is none"""
    for index, (when, allows) in enumerate(entries, 1):
        try:
            said = when is None or holds(when, call["input"], call["schema"], call["tool"], call["turn"])
        except Fails:
            yield {"index": index, "when": when, "result": "failed"}, False
            return
        except Unclear:
            said = None
        if said is not False:
            yield {"index": index, "when": when, "result": "matched"}, allows
        if said:
            return
    yield {"index": None, "when": None, "result": "none"}, False

def is_it(recorded, entry):
    """One that failed then need not fail now: it had a time limit."""
    found = obj(recorded)
    return found.get("result") == "failed" or all(
        type(found.get(name)) is type(entry[name]) and found.get(name) == entry[name] for name in entry)

def is_same_list(entries, defined):
    """Whether the agent's definition has the same conditions, and the same entries that allow."""
    if entries is None or defined is None:
        return entries is None and defined is None
    return [(one.get("when"), one.get("allow")) for one in objs(obj(defined).get("entries"))] == [
        (when, allows) for when, allows in entries]

def is_of_list(form, approval, defined):
    """Whether an approval policy is what the definition requires by the entry that the policy names."""
    policy, of = dict(obj(approval)), obj(defined)
    entry = policy.pop("entry", None)
    if entry is None:  # refused before an entry was found
        return form(policy) == form(of.get("failed"))
    entry = obj(entry)
    index, result, entries = entry.get("index"), entry.get("result"), objs(of.get("entries"))
    named = entries[index - 1] if type(index) is int and 1 <= index <= len(entries) else {}
    if named.get("when") != entry.get("when") or (result == "none") != (index is None):
        return False
    by_result = {"none": of.get("otherwise"), "failed": of.get("failed")}
    return form(policy) == form(by_result.get(result, named.get("approval")) if isinstance(result, str) else None)

def wants_signatures(lists):
    return any(obj(obj(one).get("failed")).get("channel") == "attested" for one in obj(lists).values())

def roles_then(policy, escalations, unknown, due):
    """The roles that may approve at a time, by what people were asked; []: any. `due`: whether a time has come."""
    roles = policy.get("roles") or []
    if not roles:
        return []
    more = [one for one in escalations if due(one.get("at"))]
    if unknown and not escalations:
        more = objs(policy.get("escalate"))
    return [*roles, *(role for one in more for role in one.get("roles") or [])]
