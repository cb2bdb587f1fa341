"""Judges many bundles in one process: reads {"bundle", "trust"} from stdin, one a line, and writes an answer for each."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "docs"))
import verify_bundle

for line in sys.stdin:
    asked = json.loads(line)
    with open(asked["bundle"], "rb") as bundle, open(asked["trust"], encoding="utf-8") as trust:
        print(json.dumps(verify_bundle.verify(bundle, json.load(trust))), flush=True)
