#!/bin/sh
# status.sh KIND SECONDS: records when the last successful backup of KIND ended, in seconds since
# 1970, 0 for never. Prometheus (through node-exporter) and `atrium doctor` read it.
set -eu
file="${BACKUP_STATUS:-/backup-status}/$1.prom"
# Renamed into place, so that no reader finds half of it.
cat >"$file.new" <<END
# HELP backup_last_success_timestamp_seconds When the last successful backup ended.
# TYPE backup_last_success_timestamp_seconds gauge
backup_last_success_timestamp_seconds{backup="$1"} $2
END
mv "$file.new" "$file"
