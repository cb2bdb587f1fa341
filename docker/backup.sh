#!/bin/sh
# Backs up what belongs together: docker/backup.sh FOLDER writes FOLDER/database.sql and FOLDER/holdfast.tar, whole or not at all.
# The database first, then the volume: the store only ever gains, and what history refers to is then in it. Nothing need be stopped.
# Whoever reads either has all that turns said and did, and the keys: give FOLDER to its owner only.
set -eu
umask 077
folder=${1:?name a folder: docker/backup.sh FOLDER}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
mkdir -p -- "$folder"
folder=$(CDPATH='' cd -- "$folder" && pwd)
# A folder of its own: two that run at once do not write into each other's files.
new=$(mktemp -d -- "$folder/.backup-XXXXXX")
trap 'rm -rf -- "$new"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
cd -- "$root"

# PostgreSQL asks for a password on its socket too. Read inside the container, it stands in no list of processes.
docker compose exec -T postgresql sh -c 'PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE") exec pg_dumpall --username "$POSTGRES_USER" --no-password' >"$new/database.sql"
# Its last line but one; a dump that was cut off has none.
tail -n 5 "$new/database.sql" | grep -q 'PostgreSQL database cluster dump complete' || {
  echo "The dump of the database is not whole; nothing was written. Is postgresql up? docker compose ps postgresql" >&2
  exit 1
}
# Workers write meanwhile: tar's 1 says that a file has changed or gone while it was read, and is no failure. What such a file lacks,
# the dump before it does not refer to.
docker compose run --rm -T --no-deps --entrypoint sh worker -c \
  'tar --create --warning=no-file-changed --warning=no-file-removed --directory /var/lib/holdfast . || [ $? -eq 1 ]' >"$new/holdfast.tar"
mv -- "$new/database.sql" "$folder/database.sql"
mv -- "$new/holdfast.tar" "$folder/holdfast.tar"
echo "made $folder/database.sql and $folder/holdfast.tar"
