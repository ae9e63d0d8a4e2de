#!/bin/sh
# Asks Stalwart to read its certificate again when Caddy has renewed it. Looks every hour; Caddy
# renews 30 days before the end.
set -eu
certificate="/certificates/caddy/certificates/acme-v02.api.letsencrypt.org-directory/$MAIL_HOST/$MAIL_HOST.crt"
known=
while true; do
  current="$(sha256sum "$certificate" 2>/dev/null || true)"
  if [ -n "$current" ] && [ "$current" != "$known" ]; then
    if wget --quiet --output-document=- \
      --header "Authorization: Bearer $(cat /run/secrets/mail-api-key)" \
      --header 'Content-Type: application/json' \
      --post-data '{"using":["urn:ietf:params:jmap:core","urn:stalwart:jmap"],"methodCalls":[["x:Action/set",{"create":{"reload":{"@type":"ReloadTlsCertificates"}}},"0"]]}' \
      http://stalwart:8080/jmap | grep -q '"created"'; then
      known="$current"
      echo "Stalwart has read the certificate"
    else
      echo "Stalwart did not read the certificate; it is asked again in an hour" >&2
    fi
  fi
  sleep 3600
done
