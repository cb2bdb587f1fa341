#!/bin/sh
# Makes the files of docker/secrets/ that docker-compose.yml gives to its services. Existing files stay as they are.
# Passwords and the key ring of the encryption are random. The script asks for the other secrets; without a terminal it takes them from
# ANTHROPIC_API_KEY and HOLDFAST_SMTP_PASS.
set -eu
umask 077
secrets=$(CDPATH='' cd -- "$(dirname -- "$0")/secrets" && pwd)

# Containers read a secret as their own users, so everybody may read the file; the folder protects it.
chmod 700 "$secrets"

save() { # NAME, VALUE
  printf '%s\n' "$2" >"$secrets/.$1.new"
  chmod 644 "$secrets/.$1.new"
  mv "$secrets/.$1.new" "$secrets/$1"
  echo "made docker/secrets/$1"
}

random() {
  od -An -N24 -tx1 /dev/urandom | tr -d ' \n'
}

key() {
  head -c 32 /dev/urandom | base64 | tr -d '\n'
}

ask() { # NAME, QUESTION, VALUE WHERE NOBODY CAN BE ASKED
  value=$3
  if [ -z "$value" ] && [ -t 0 ]; then
    trap 'stty echo' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    stty -echo
    printf '%s: ' "$2" >&2
    IFS= read -r value
    stty echo
    trap - EXIT INT TERM
    echo >&2
  fi
  if [ -z "$value" ]; then
    echo "docker/secrets/$1 cannot be empty ($2); nothing was written for it." >&2
    exit 1
  fi
  save "$1" "$value"
}

[ -e "$secrets/postgres_password" ] || save postgres_password "$(random)"
[ -e "$secrets/store_url" ] || save store_url "postgres://holdfast:$(random)@postgresql:5432/holdfast"
# Without this ring nobody can read Temporal's history or the store again: keep a copy of it where no backup is.
id=$(date +%Y-%m-%d)
[ -e "$secrets/codec_keys" ] || save codec_keys "{\"v\": \"holdfast.keys/1\", \"ring\": \"$(key)\", \"current\": \"$id\", \"keys\": {\"$id\": \"$(key)\"}}"
# HAProxy's list of those who may open the Web UI, Prometheus and the dashboards: docs/deployment.md says how to add people.
[ -e "$secrets/operators" ] || save operators "userlist operators
  user admin insecure-password $(random)"
[ -e "$secrets/anthropic_api_key" ] || ask anthropic_api_key 'Anthropic API key' "${ANTHROPIC_API_KEY:-}"
[ -e "$secrets/smtp_password" ] || ask smtp_password 'Password of the mail account' "${HOLDFAST_SMTP_PASS:-}"
# The list of those who may use the gateway is empty at first; `holdfast keys token` makes an entry.
[ -e "$secrets/gateway_tokens" ] || save gateway_tokens '[]'
