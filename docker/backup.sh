#!/bin/sh
# Backs up databases and volume together: docker/backup.sh FOLDER makes the folder FOLDER/TIME-…, with database.sql (Temporal's), store.sql
# and holdfast.tar, either completely or not at all. Temporal's database comes first, then the store: it only grows, so it then has
# everything that the histories refer to. Nothing need be stopped. A person who can read these files has the keys of the gateway and, with
# docker/secrets/codec_keys, everything that turns said and did: only the owner of FOLDER should have access to it, and the ring belongs
# elsewhere.
set -eu
umask 077
folder=${1:?name a folder: docker/backup.sh FOLDER}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
mkdir -p -- "$folder"
folder=$(CDPATH='' cd -- "$folder" && pwd)
# One rename gives it its name in the end, so no backup is half made.
new=$(mktemp -d -- "$folder/.$(date -u +%Y-%m-%dT%H%M%SZ)-XXXXXX")
trap 'rm -rf -- "$new"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
cd -- "$root"

# PostgreSQL asks for a password on its socket too. It is read inside the container, so that no list of processes shows it.
in_postgresql() {
  docker compose exec -T postgresql sh -c 'PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE"); export PGPASSWORD; '"$1"
}
# The last line but one of a dump; it is missing if the dump was cut off.
whole() { # FILE, LINE
  tail -n 5 "$1" | grep -q "$2" || {
    echo "The dump of the database is not whole; nothing was written. Is postgresql up? docker compose ps postgresql" >&2
    exit 1
  }
}
# The database of the store in this PostgreSQL, by the address that set-up-store.sh takes; empty: the store is elsewhere.
store=
url=$(cat docker/secrets/store_url)
case $url in
"postgres://"*":"*"@postgresql:5432/"*)
  store=${url%%\?*}
  store=${store##*/}
  ;;
*) echo 'The store is not in this PostgreSQL: there will be no store.sql. A store of files is in holdfast.tar; back up another server yourself.' >&2 ;;
esac
in_postgresql "exec pg_dumpall --username \"\$POSTGRES_USER\" --no-password ${store:+--exclude-database $store}" >"$new/database.sql"
whole "$new/database.sql" 'PostgreSQL database cluster dump complete'
if [ -n "$store" ]; then
  in_postgresql "exec pg_dump --username \"\$POSTGRES_USER\" --no-password --create $store" >"$new/store.sql"
  whole "$new/store.sql" 'PostgreSQL database dump complete'
fi
# Workers write meanwhile. If a file changed or disappeared while tar read it, tar exits with 1; that is no failure: the dump was
# made before, and does not refer to what is missing from that file.
docker compose run --rm -T --no-deps --entrypoint sh worker -c \
  'tar --create --warning=no-file-changed --warning=no-file-removed --directory /var/lib/holdfast . || [ $? -eq 1 ]' >"$new/holdfast.tar"
made=$folder/${new##*/.}
mv -- "$new" "$made"
echo "made $made"
