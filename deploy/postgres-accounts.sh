#!/bin/sh
# Run once by the PostgreSQL image on an empty data directory: the two accounts of docs/how-to/operate.md and the database.
set -eu
psql --set ON_ERROR_STOP=1 --set owner="$ATRIUM_OWNER_PASSWORD" --set api="$ATRIUM_API_PASSWORD" --username "$POSTGRES_USER" <<'SQL'
create role atrium_owner login createrole password :'owner';
create role atrium_app nologin;
create role atrium_api login password :'api' in role atrium_app;
grant atrium_app to atrium_owner with admin option;
create database atrium owner atrium_owner;
-- Through PgBouncer, which drops the time limits that the service asks for.
alter role atrium_api in database atrium set statement_timeout = '15s';
\connect atrium
create extension pg_trgm;
SQL
