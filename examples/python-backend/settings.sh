# Who may call the engine, and where it may send callbacks: made once, and read in each terminal by `. ./settings.sh`.
token() { [ -f "$2.json" ] || npx holdfast keys token --principal "$1" --role "$2" --json > "$2.json"; }
field() { node -p "const it = JSON.parse(require('fs').readFileSync('$1')).$2; typeof it === 'string' ? it : JSON.stringify(it)"; }
token acme/orders starter   # the service: starts turns, and can approve nothing
token acme/ana approver     # a person
[ -f secret ] || node -p "'whsec_' + require('crypto').randomBytes(32).toString('base64')" > secret
export PORT="${PORT:-9100}" HOLDFAST="${HOLDFAST:-http://localhost:8480}"
export HOLDFAST_TOKENS="[$(field starter.json entry), $(field approver.json entry)]"
export HOLDFAST_CALLBACK_HOSTS="http://localhost:$PORT+private" HOLDFAST_CALLBACK_SECRET="$(cat secret)"
export STARTER="$(field starter.json token)" APPROVER="$(field approver.json token)"
