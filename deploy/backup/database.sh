#!/bin/sh
# Backs the database up at 01:30 UTC: on Sundays all of it, otherwise what changed since. pgBackRest
# removes what is older than the retention in pgbackrest.conf. docs/how-to/backup.md
set -eu
run() { pgbackrest --stanza=atrium "$@"; }
# The moment at which the newest backup ended, as the repository itself knows it.
report() {
  ended=$(run info --output=json | grep -o '"stop":[0-9]*' | tail -n 1 | cut -d ':' -f 2)
  sh /status.sh database "${ended:-0}"
}
# The first start, and each one after: without effect where the stanza exists.
run stanza-create
run check
report
[ "$(run info --output=json | grep -c '"label"')" -gt 0 ] || run --type=full backup
report
while true; do
  # Until the next 01:30.
  sleep $(((91799 - $(date -u +%s) % 86400) % 86400 + 1))
  type=diff
  [ "$(date -u +%u)" != 7 ] || type=full
  # A failure is in the log, makes the service unhealthy after 26 hours, and is tried the next night.
  run --type="$type" backup || echo "The backup failed; the next one is tomorrow." >&2
  report
done
