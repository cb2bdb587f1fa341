#!/bin/sh
# Backs up the database and the volume together: docker/backup.sh FOLDER writes FOLDER/database.sql and FOLDER/holdfast.tar, either
# completely or not at all. The database comes first, then the volume: the store only grows, so the volume then has everything that
# the histories refer to. Nothing need be stopped. A person who can read these files has everything that turns said and did, and the
# keys: only the owner of FOLDER should have access to it.
set -eu
umask 077
folder=${1:?name a folder: docker/backup.sh FOLDER}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
mkdir -p -- "$folder"
folder=$(CDPATH='' cd -- "$folder" && pwd)
# In a folder of its own, so that two backups at once do not write into each other's files.
new=$(mktemp -d -- "$folder/.backup-XXXXXX")
trap 'rm -rf -- "$new"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
cd -- "$root"

# PostgreSQL asks for a password on its socket too. It is read inside the container, so that no list of processes shows it.
docker compose exec -T postgresql sh -c 'PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE") exec pg_dumpall --username "$POSTGRES_USER" --no-password' >"$new/database.sql"
# The last line but one of a dump; it is missing if the dump was cut off.
tail -n 5 "$new/database.sql" | grep -q 'PostgreSQL database cluster dump complete' || {
  echo "The dump of the database is not whole; nothing was written. Is postgresql up? docker compose ps postgresql" >&2
  exit 1
}
# Workers write meanwhile. If a file changed or disappeared while tar read it, tar exits with 1; that is no failure: the dump was
# made before, and does not refer to what is missing from that file.
docker compose run --rm -T --no-deps --entrypoint sh worker -c \
  'tar --create --warning=no-file-changed --warning=no-file-removed --directory /var/lib/holdfast . || [ $? -eq 1 ]' >"$new/holdfast.tar"
mv -- "$new/database.sql" "$folder/database.sql"
mv -- "$new/holdfast.tar" "$folder/holdfast.tar"
echo "made $folder/database.sql and $folder/holdfast.tar"
