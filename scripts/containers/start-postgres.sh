#!/bin/sh
# What the official image does at its first start, as far as docker-compose.yml needs it: a cluster with POSTGRES_USER as superuser, its
# password from POSTGRES_PASSWORD_FILE, and a database of that name.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # shellcheck disable=SC2086 # several arguments
  initdb --username "$POSTGRES_USER" --pwfile "$POSTGRES_PASSWORD_FILE" --pgdata "$PGDATA" $POSTGRES_INITDB_ARGS
  printf '\nhost all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
  pg_ctl --pgdata "$PGDATA" --wait --options "-c listen_addresses='' -k /run/postgresql" start
  PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE") psql --host /run/postgresql --username "$POSTGRES_USER" --dbname postgres \
    --command "CREATE DATABASE \"$POSTGRES_USER\""
  pg_ctl --pgdata "$PGDATA" --wait stop
fi
exec "$@" -c "listen_addresses=*" -k /run/postgresql
