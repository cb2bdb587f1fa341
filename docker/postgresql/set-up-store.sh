#!/bin/sh
# Makes the database of the store, and the user that owns it, as STORE_URL_FILE names them:
# postgres://USER:PASSWORD@SQL_HOST:PORT/DATABASE. Can be run again; the user then has the password of the file. A store elsewhere is left
# alone. Takes SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD_FILE, STORE_URL_FILE.
set -eu

url=$(cat -- "$STORE_URL_FILE")
case $url in
"postgres://"*":"*"@$SQL_HOST:$SQL_PORT/"*) ;;
*)
  echo "The store is not in this PostgreSQL: nothing to do."
  exit 0
  ;;
esac
rest=${url#postgres://}
user=${rest%%:*}
rest=${rest#*:}
password=${rest%%@*}
database=${rest##*/}
database=${database%%\?*}
case $user$password$database in
*[!a-z0-9_]*)
  echo "The user, password and database of the store must be lower-case letters, digits and _ only." >&2
  exit 1
  ;;
esac

PGPASSWORD=$(cat -- "$SQL_PASSWORD_FILE")
export PGPASSWORD
# By standard input: no list of processes shows the password.
psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --host "$SQL_HOST" --port "$SQL_PORT" --username "$SQL_USER" --dbname postgres <<END_OF_SQL
SELECT 'CREATE ROLE $user LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '$user') \gexec
ALTER ROLE $user PASSWORD '$password';
SELECT 'CREATE DATABASE $database OWNER $user' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '$database') \gexec
END_OF_SQL
