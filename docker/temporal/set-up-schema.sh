#!/bin/sh
# Makes the two databases, and updates their schemas to this version of the server. Can be run again, and then does what is missing.
# Takes SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD_FILE.
set -eu

SQL_PASSWORD=$(cat -- "$SQL_PASSWORD_FILE")
export SQL_PASSWORD

set_up() {
  temporal-sql-tool --database "$1" create-database
  temporal-sql-tool --database "$1" setup-schema --version 0.0
  temporal-sql-tool --database "$1" update-schema --schema-name "postgresql/v12/$2"
}

set_up temporal temporal
set_up temporal_visibility visibility
