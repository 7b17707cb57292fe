#!/bin/sh
# Copies the database of DATABASE_URL, and the files in DATA_DIR/.store when there are any, into a new folder, while all goes on:
#   deploy/backup.sh FOLDER
# pg_dump has to be of the version of the server or newer.
set -eu

folder=${1:?usage: backup.sh FOLDER}
: "${DATABASE_URL:?backup.sh needs DATABASE_URL}"
data=${DATA_DIR:-.longshore}

umask 077
mkdir "$folder"
pg_dump --format=custom --no-owner --no-privileges --file "$folder/database.dump" "$DATABASE_URL"
# After the rows: what a row of the dump names was written before it. Files that go meanwhile are those of expired tasks.
if [ -d "$data/.store" ]; then
  tar -C "$data" -czf "$folder/store.tar.gz" .store || [ $? -eq 1 ]
fi
echo "backup in $folder"
