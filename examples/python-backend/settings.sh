# Who may call the engine, and where it may send callbacks: made once, and read in each terminal by `. ./settings.sh`.
# A file that only you can read, with what a command prints: made once, and not at all if the command fails.
once() { [ -s "$1" ] || (umask 077; file="$1"; shift; "$@" > "$file.new" && mv "$file.new" "$file"); }
token() { once "$2.json" npx holdfast keys token --principal "$1" --role "$2" --json; }
field() { node -p "const it = JSON.parse(require('fs').readFileSync('$1')).$2; typeof it === 'string' ? it : JSON.stringify(it)"; }
token acme/orders starter   # the service: starts turns, and can approve nothing
token acme/ana approver     # a person
once secret node -p "'whsec_' + require('crypto').randomBytes(32).toString('base64')"
export PORT="${PORT:-9100}" HOLDFAST="${HOLDFAST:-http://localhost:8480}"
export HOLDFAST_TOKENS="[$(field starter.json entry), $(field approver.json entry)]"
export HOLDFAST_CALLBACK_HOSTS="http://localhost:$PORT+private" HOLDFAST_CALLBACK_SECRET="$(cat secret)"
export STARTER="$(field starter.json token)" APPROVER="$(field approver.json token)"
