#!/bin/sh
# Brings what backup.sh made back, into an empty database at DATABASE_URL and into DATA_DIR, before anything runs on them:
#   deploy/restore.sh FOLDER
set -eu

folder=${1:?usage: restore.sh FOLDER}
: "${DATABASE_URL:?restore.sh needs DATABASE_URL}"
data=${DATA_DIR:-.longshore}

tables=$(psql -XAtq -c "SELECT count(*) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')" "$DATABASE_URL")
if [ "$tables" != 0 ]; then
  echo "restore.sh: the database has $tables tables: restore into an empty one" >&2
  exit 1
fi
pg_restore --exit-on-error --single-transaction --no-owner --no-privileges --dbname "$DATABASE_URL" "$folder/database.dump"
if [ -f "$folder/store.tar.gz" ]; then
  mkdir -p "$data"
  tar -C "$data" -xzf "$folder/store.tar.gz"
fi
echo "restored from $folder"
