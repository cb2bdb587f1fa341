#!/bin/sh
# Starts the Temporal server with the configuration beside this file.
# Takes SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD_FILE; see server.yaml for the rest.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

# The server takes the password from its environment only. Read here, it stands in no image, no compose file and
# no `docker inspect`.
SQL_PASSWORD=$(cat -- "$SQL_PASSWORD_FILE")
: "${DYNAMIC_CONFIG_FILE:=$here/../dynamicconfig.yaml}"
export SQL_PASSWORD DYNAMIC_CONFIG_FILE

# --allow-no-auth: whoever reaches the frontend may do everything, signals included. Guard the port.
exec temporal-server --root "$here" --config . --env server --allow-no-auth start
