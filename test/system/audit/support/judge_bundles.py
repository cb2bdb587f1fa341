"""
Judges many bundles in one process; argv[1] is the trust file. On each line of stdin: a bundle as [from, head, middle, tail]: the first `head`
bytes of file `from`, `middle` in base64, and the last `tail` bytes of it. Answers line by line.
"""
import base64, functools, io, json, sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parents[4] / "packages/verify/python"))
import verify_bundle

trust = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
read = functools.cache(lambda path: Path(path).read_bytes())
for line in sys.stdin:
    path, head, middle, tail = json.loads(line)
    whole = read(path) if path else b""
    bundle = whole[:head] + base64.b64decode(middle) + whole[len(whole) - tail:]
    print(json.dumps(verify_bundle.verify(io.BytesIO(bundle), trust)))
