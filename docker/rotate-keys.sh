#!/bin/sh
# Adds a key to the key ring of the encryption, docker/secrets/codec_keys, and makes it the one that writes. Nothing is restarted: each
# process reads its ring again within 30 s, and at once for a key that it does not know. The file stays the same one, since containers
# have it mounted; codec_keys.previous has what it was before. Keep a copy of the new ring where no backup is.
set -eu
umask 077
cd -- "$(dirname -- "$0")/.."
ring=docker/secrets/codec_keys
lock=docker/secrets/.rotation
new=
mkdir -- "$lock" || {
  echo "Another rotation runs, and nothing was changed. If none does: rmdir $lock" >&2
  exit 1
}
trap 'rm -f -- "$new"; rmdir -- "$lock"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
new=$(mktemp -- docker/secrets/.codec_keys-XXXXXX)
docker compose run --rm -T --no-deps --entrypoint sh worker -c \
  'cat /run/secrets/codec_keys >/tmp/ring && node dist/cli/main.js keys rotate --ring /tmp/ring >&2 && cat /tmp/ring' >"$new"
[ -s "$new" ]
cp -p -- "$ring" "$ring.previous"
# From here on the new ring stays until it is in place: processes may write with its key already.
trap 'rmdir -- "$lock"' EXIT
chmod u+w "$ring"
{ cat -- "$new" >"$ring" && cmp -- "$new" "$ring"; } || {
  echo "$ring is not whole. Make room, then: cat $new >$ring && rm $new. The ring before is $ring.previous." >&2
  exit 1
}
rm -- "$new"
