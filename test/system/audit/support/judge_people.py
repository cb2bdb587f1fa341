"""On each line of stdin a name; answers line by line: the person, or null where this Python knows no such character."""
import json, sys, unicodedata
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parents[4] / "packages/verify/python"))
from verify_values import UNSEEN, person

for name in map(json.loads, sys.stdin):
    known = all(unicodedata.category(c) != "Cn" or ord(c) in UNSEEN for c in name)
    print(json.dumps(person(name) if known else None))
