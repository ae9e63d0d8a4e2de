#!/bin/sh
# Run once by the PostgreSQL image on an empty data directory: the accounts and databases of Atrium
# (docs/how-to/operate.md), authentik and Stalwart. No account sees another's database.
set -eu
secret() { cat "/run/secrets/$1"; }
psql --set ON_ERROR_STOP=1 \
  --set owner="$(secret owner-database-password)" --set api="$(secret api-database-password)" \
  --set authentik="$(secret authentik-database-password)" \
  --set mail="$(secret mail-database-password)" \
  --username "${POSTGRES_USER:-postgres}" <<'SQL'
create role atrium_owner login createrole password :'owner';
create role atrium_app nologin;
create role atrium_api login password :'api' in role atrium_app;
grant atrium_app to atrium_owner with admin option;
create database atrium owner atrium_owner;
revoke connect on database atrium from public;
grant connect on database atrium to atrium_app;
-- Through PgBouncer, which drops the time limits that the service asks for.
alter role atrium_api in database atrium set statement_timeout = '15s';
create role authentik login password :'authentik';
create database authentik owner authentik;
revoke connect on database authentik from public;
create role stalwart login password :'mail';
create database stalwart owner stalwart;
revoke connect on database stalwart from public;
\connect atrium
create extension pg_trgm;
SQL
