#!/bin/sh
# Starts the Temporal server with the configuration beside this file.
# Takes SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD_FILE; see server.yaml for the rest.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

# PostgreSQL keeps the ports by which members of the cluster find each other in a column of 16 bits. With a higher port the server ends
# with "out of range".
for name in FRONTEND HISTORY MATCHING WORKER; do
  eval "port=\${${name}_MEMBERSHIP_PORT:-1}"
  case $port in '' | *[!0-9]* | ??????*) port=0 ;; esac
  if [ "$port" -lt 1 ] || [ "$port" -gt 32767 ]; then
    eval "echo \"${name}_MEMBERSHIP_PORT is \${${name}_MEMBERSHIP_PORT}; it must be a port from 1 to 32767: PostgreSQL holds no higher one for Temporal.\" >&2"
    exit 1
  fi
done

# The server takes the password from its environment only. It is read here, so that no image, no compose file and no
# `docker inspect` has it.
SQL_PASSWORD=$(cat -- "$SQL_PASSWORD_FILE")
: "${DYNAMIC_CONFIG_FILE:=$here/../dynamicconfig.yaml}"
export SQL_PASSWORD DYNAMIC_CONFIG_FILE

# --allow-no-auth: everybody who reaches the frontend may do everything, including signals. Protect the port.
exec temporal-server --root "$here" --config . --env server --allow-no-auth start
