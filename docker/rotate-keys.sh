#!/bin/sh
# Adds a key to the key ring of the encryption, docker/secrets/codec_keys, and makes it the one that writes. Nothing is restarted: each
# process reads its ring again within 30 s, and at once for a key that it does not know. The file stays the same one, since containers
# have it mounted. Keep a copy of the new ring where no backup is.
set -eu
umask 077
cd -- "$(dirname -- "$0")/.."
ring=docker/secrets/codec_keys
new=$(mktemp -- docker/secrets/.codec_keys-XXXXXX)
trap 'rm -f -- "$new"' EXIT
docker compose run --rm -T --no-deps --entrypoint sh worker -c \
  'cat /run/secrets/codec_keys >/tmp/ring && node dist/cli/main.js keys rotate --ring /tmp/ring >&2 && cat /tmp/ring' >"$new"
[ -s "$new" ]
chmod u+w "$ring"
cat -- "$new" >"$ring"
chmod 444 "$ring"
