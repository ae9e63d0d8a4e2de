#!/bin/sh
# Backs up at 02:00 UTC, encrypted: the files, the mail, the media of authentik, and this folder with
# its settings. docs/how-to/backup.md
set -eu
set -a
# RESTIC_REPOSITORY, RESTIC_PASSWORD and the keys of the storage.
. /run/secrets/restic.env
set +a
# An interrupted run leaves a lock; there is one writer.
backup() {
  if restic unlock \
    && restic backup --host atrium /data \
    && restic forget --host atrium --keep-daily 14 --keep-weekly 8 --keep-monthly 12 --prune; then
    sh /status.sh files "$(date -u +%s)"
  else
    echo "The backup failed; the next one is tomorrow." >&2
  fi
}
restic cat config >/dev/null 2>&1 || restic init
[ -e /backup-status/files.prom ] || sh /status.sh files 0
backup
while true; do
  sleep $(((93599 - $(date -u +%s) % 86400) % 86400 + 1))
  backup
done
