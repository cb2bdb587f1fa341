#!/bin/sh
# Makes the namespace, and the search attributes that turns write: no worker starts without these. Can be run again.
# Takes TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, NAMESPACE_RETENTION (how long ended turns are kept, e.g. 720h).
set -eu

# It takes a few seconds until the whole server knows a new namespace.
retried() {
  tries=30
  until "$@"; do
    tries=$((tries - 1))
    if [ "$tries" -eq 0 ]; then
      echo "Given up: $*" >&2
      return 1
    fi
    sleep 1
  done
}

# These commands do not read TEMPORAL_NAMESPACE themselves.
if ! temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
  retried temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$NAMESPACE_RETENTION"
fi
retried temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" \
  --name HoldfastAgent --type Keyword \
  --name HoldfastState --type Keyword \
  --name HoldfastSession --type Keyword \
  --name HoldfastRequester --type Keyword \
  --name HoldfastTool --type KeywordList
