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
trap 'rm -f -- "$folder/.database.sql" "$folder/.holdfast.tar"' EXIT
cd -- "$root"

# PostgreSQL asks for a password on its socket too. Read inside the container, it stands in no list of processes.
docker compose exec -T postgresql sh -c 'PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE") exec pg_dumpall --username "$POSTGRES_USER" --no-password' >"$folder/.database.sql"
# Its last line but one; a dump that was cut off has none.
tail -n 5 "$folder/.database.sql" | grep -q 'PostgreSQL database cluster dump complete' || {
  echo "The dump of the database is not whole; nothing was written. Is postgresql up? docker compose ps postgresql" >&2
  exit 1
}
docker compose run --rm -T --no-deps --entrypoint tar worker --create --directory /var/lib/holdfast . >"$folder/.holdfast.tar"
mv -- "$folder/.database.sql" "$folder/database.sql"
mv -- "$folder/.holdfast.tar" "$folder/holdfast.tar"
echo "made $folder/database.sql and $folder/holdfast.tar"
