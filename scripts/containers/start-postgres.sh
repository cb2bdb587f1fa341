#!/bin/sh
# What the official image does at its first start, as far as our compose files need it: a cluster with POSTGRES_USER as superuser, its
# password from POSTGRES_PASSWORD_FILE or POSTGRES_PASSWORD, and a database of that name.
set -eu
[ "$(id -u)" = 0 ] && exec setpriv --reuid=postgres --regid=postgres --clear-groups sh "$0" "$@"
password() {
  if [ -n "${POSTGRES_PASSWORD_FILE:-}" ]; then cat "$POSTGRES_PASSWORD_FILE"; else printf %s "$POSTGRES_PASSWORD"; fi
}
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  file=$(mktemp)
  password >"$file"
  # shellcheck disable=SC2086 # several arguments
  initdb --username "$POSTGRES_USER" --pwfile "$file" --pgdata "$PGDATA" ${POSTGRES_INITDB_ARGS:-}
  rm "$file"
  printf '\nhost all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
  pg_ctl --pgdata "$PGDATA" --wait --options "-c listen_addresses='' -k /run/postgresql" start
  PGPASSWORD=$(password) psql --host /run/postgresql --username "$POSTGRES_USER" --dbname postgres \
    --command "CREATE DATABASE \"$POSTGRES_USER\""
  pg_ctl --pgdata "$PGDATA" --wait stop
fi
exec "$@" -c "listen_addresses=*" -k /run/postgresql
