"""On each line of stdin: {lists, modes, call, entry}. Answers with what packages/verify/python/verify_rules.py says of each rule that names the tool, as
[effect, rule, matches], in order, and with the verdicts; `null`: it does not know whether the rule matches. `entry`: what
the entry of approval rules says that applies, or null."""
import json, sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parents[4] / "packages/verify/python"))
import verify_bundle, verify_rules

ENTRIES = {None: None, "allow": True, "ask": False, "refuse": verify_rules.REFUSES}

for line in sys.stdin:
    asked = json.loads(line, parse_float=verify_bundle.number)
    rules = []
    for rule in verify_rules.rules_for(asked["lists"], asked["call"]["tool"]):
        text = rule.name + ("" if rule.pattern is None else f"({rule.pattern})")
        text += "" if rule.when is None else f" when {rule.when}"
        try:
            rules.append([("allow", "ask", "deny")[rule.effect], text, rule.matches(asked["call"])])
        except verify_rules.NoRule:
            continue
    verdicts = sorted(set(verify_rules.verdicts(asked["lists"], set(asked["modes"]), asked["call"], ENTRIES[asked["entry"]])))
    print(json.dumps({"rules": rules, "verdicts": verdicts}))
