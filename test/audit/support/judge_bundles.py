"""Judges many bundles in one process: a bundle in base64 on each line of stdin; argv[1] is the trust file. Answers line by line."""
import base64, io, json, sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parents[3] / "docs"))
import verify_bundle

trust = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
for line in sys.stdin:
    print(json.dumps(verify_bundle.verify(io.BytesIO(base64.b64decode(line)), trust)))
