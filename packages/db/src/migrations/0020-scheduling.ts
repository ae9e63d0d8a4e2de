import { type Kysely, sql } from 'kysely'

/** Hosts, their hours and event types, and what visitors book with them. */
export async function up(db: Kysely<never>): Promise<void> {
  // A trusted extension: whoever may create in the database may create it.
  await sql`create extension if not exists btree_gist`.execute(db)

  await sql`
    create table booking_pages (
      tenant_id uuid primary key references tenants on delete cascade,
      enabled boolean not null default true,
      headline text,
      intro text,
      -- Origins whose pages may show the booking page in a frame.
      embed_origins text[] not null default '{}',
      version integer not null default 1,
      updated_at timestamptz not null default now()
    )`.execute(db)

  await sql`
    create table hosts (
      id uuid primary key default new_id(),
      tenant_id uuid not null references tenants,
      user_id uuid not null references users,
      slug text not null check (slug = lower(slug)),
      name text not null,
      title text,
      description text,
      avatar_url text,
      -- IANA name.
      zone text not null,
      -- Organizer of the bookings, and name of the mailbox whose calendar is read and written.
      mail_address text not null check (mail_address = lower(mail_address)),
      mail_account_id text,
      calendar_id text,
      listed boolean not null default true,
      active boolean not null default true,
      limit_day integer check (limit_day between 1 and 1000),
      limit_week integer check (limit_week between 1 and 1000),
      limit_month integer check (limit_month between 1 and 1000),
      version integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      removed_at timestamptz
    )`.execute(db)
  await sql`create unique index hosts_slug on hosts (tenant_id, slug) where removed_at is null`.execute(
    db,
  )
  await sql`create unique index hosts_user on hosts (tenant_id, user_id) where removed_at is null`.execute(
    db,
  )
  await sql`create index hosts_of_user on hosts (user_id)`.execute(db)

  await sql`
    create table mail_credentials (
      host_id uuid primary key references hosts on delete cascade,
      source text not null check (source in ('minted', 'entered')),
      username text not null,
      -- AES-256-GCM with the id of its key.
      secret bytea not null,
      -- Of the app password at the mail server, to take it back.
      external_id text,
      external_account_id text,
      checked_at timestamptz,
      ok boolean,
      error text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`.execute(db)

  // App passwords that are to leave the mail server, or are being made and have to leave it if
  // their maker is never heard of again.
  await sql`
    create table app_password_removals (
      id uuid primary key default new_id(),
      host_id uuid not null references hosts on delete cascade,
      account_id text not null,
      description text not null,
      external_id text,
      attempts integer not null default 0,
      next_at timestamptz not null,
      error text,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index app_password_removals_due on app_password_removals (next_at)`.execute(db)
  await sql`create index app_password_removals_host on app_password_removals (host_id)`.execute(db)

  await sql`
    create table availability_schedules (
      id uuid primary key default new_id(),
      tenant_id uuid not null references tenants,
      host_id uuid not null references hosts on delete cascade,
      name text not null,
      zone text not null,
      -- Seven lists of {"start", "end"} in minutes of the day, Monday first.
      weekly jsonb not null check (jsonb_typeof(weekly) = 'array' and jsonb_array_length(weekly) = 7),
      -- [{"date": "2027-06-05", "windows": [{"start", "end"}]}]
      overrides jsonb not null default '[]' check (jsonb_typeof(overrides) = 'array'),
      standard boolean not null default false,
      version integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index availability_schedules_host on availability_schedules (host_id)`.execute(
    db,
  )
  await sql`create unique index availability_schedules_standard on availability_schedules (host_id) where standard`.execute(
    db,
  )

  await sql`
    create table event_types (
      id uuid primary key default new_id(),
      tenant_id uuid not null references tenants,
      host_id uuid not null references hosts on delete cascade,
      -- The host's standard schedule where there is none.
      schedule_id uuid references availability_schedules,
      slug text not null check (slug = lower(slug)),
      title text not null,
      description text,
      durations integer[] not null check (cardinality(durations) between 1 and 10),
      step_minutes integer check (step_minutes between 5 and 1440),
      notice_minutes integer not null default 120 check (notice_minutes between 0 and 525600),
      before_minutes integer not null default 0 check (before_minutes between 0 and 480),
      after_minutes integer not null default 0 check (after_minutes between 0 and 480),
      -- {"kind": "rolling", "days"} | {"kind": "fixed", "from", "to"} | {"kind": "open"}
      booking_window jsonb not null,
      limit_day integer check (limit_day between 1 and 1000),
      limit_week integer check (limit_week between 1 and 1000),
      limit_month integer check (limit_month between 1 and 1000),
      seats integer not null default 1 check (seats between 1 and 1000),
      assignment text not null default 'host' check (assignment in ('host', 'round_robin', 'collective')),
      location_kind text not null check (location_kind in ('video', 'phone', 'in_person', 'visitor_phone')),
      location text,
      requires_confirmation boolean not null default false,
      approval_hours integer not null default 72 check (approval_hours between 1 and 720),
      cancel_cutoff_minutes integer not null default 0 check (cancel_cutoff_minutes between 0 and 525600),
      reschedule_cutoff_minutes integer not null default 0 check (reschedule_cutoff_minutes between 0 and 525600),
      -- What visitors are asked: [{"key", "label", "kind", "required", "options"?}]
      fields jsonb not null default '[]' check (jsonb_typeof(fields) = 'array'),
      -- Minutes before the start.
      reminders integer[] not null default '{1440}' check (cardinality(reminders) <= 5),
      active boolean not null default true,
      listed boolean not null default true,
      version integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      removed_at timestamptz
    )`.execute(db)
  await sql`create unique index event_types_slug on event_types (host_id, slug) where removed_at is null`.execute(
    db,
  )
  await sql`create index event_types_schedule on event_types (schedule_id)`.execute(db)

  // Who takes part where an event type has more than its own host; that host is in the list then.
  await sql`
    create table event_type_hosts (
      event_type_id uuid not null references event_types on delete cascade,
      host_id uuid not null references hosts on delete cascade,
      primary key (event_type_id, host_id)
    )`.execute(db)
  await sql`create index event_type_hosts_host on event_type_hosts (host_id)`.execute(db)

  await sql`
    create table slot_locks (
      id uuid primary key default new_id(),
      -- The same for all hosts of a collective slot; what the holder knows it by.
      lock_id uuid not null,
      host_id uuid not null references hosts on delete cascade,
      event_type_id uuid not null references event_types on delete cascade,
      start_utc timestamptz not null,
      end_utc timestamptz not null,
      claim_start timestamptz not null,
      claim_end timestamptz not null,
      -- SHA-256 of the token that the holder was given.
      holder_hash bytea not null,
      -- Where the holder came from: IPv4 whole, IPv6 as its /64.
      address text not null,
      renewals integer not null default 0,
      -- A start is held once, or once per place where several visitors share it.
      seat integer not null default 1 check (seat between 1 and 1000),
      expires_at timestamptz not null,
      created_at timestamptz not null default now(),
      check (end_utc > start_utc and claim_start <= start_utc and claim_end >= end_utc),
      constraint slot_locks_one unique (host_id, start_utc, seat)
    )`.execute(db)
  await sql`create index slot_locks_lock on slot_locks (lock_id)`.execute(db)
  await sql`create index slot_locks_address on slot_locks (address)`.execute(db)
  await sql`create index slot_locks_expired on slot_locks (expires_at)`.execute(db)

  await sql`
    create table bookings (
      id uuid primary key default new_id(),
      tenant_id uuid not null references tenants,
      event_type_id uuid not null references event_types,
      -- The organizer.
      host_id uuid not null references hosts,
      status text not null check (status in ('pending', 'confirmed', 'cancelled', 'declined', 'expired')),
      source text not null check (source in ('public', 'host')),
      -- RFC 5545 UID; never changes.
      uid text not null,
      sequence integer not null default 0 check (sequence >= 0),
      -- A REQUEST went out, so that a change needs a higher sequence.
      invited boolean not null default false,
      title text not null,
      location_kind text not null check (location_kind in ('video', 'phone', 'in_person', 'visitor_phone')),
      location text,
      start_at timestamptz not null,
      end_at timestamptz not null,
      before_minutes integer not null default 0,
      after_minutes integer not null default 0,
      -- The promise in the host's clock: zone and wall time, "2027-06-04T14:00".
      host_zone text not null,
      host_wall text not null,
      visitor_name text not null,
      visitor_email text not null,
      visitor_zone text not null,
      visitor_locale text not null,
      guests text[] not null default '{}',
      answers jsonb not null default '{}' check (jsonb_typeof(answers) = 'object'),
      note text,
      -- SHA-256 of the token of the manage link.
      manage_hash bytea not null unique,
      -- The token itself for the mails, encrypted; gone with the link's life.
      manage_sealed bytea,
      -- SHA-256 over the key that a request brought and what it asked for: the same one again finds what it made.
      request_hash bytea constraint bookings_request unique,
      approval_expires_at timestamptz,
      confirmed_at timestamptz,
      ended_at timestamptz,
      ended_by text check (ended_by in ('visitor', 'host', 'system')),
      reason text,
      no_show boolean not null default false,
      version integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check (end_at > start_at),
      check ((status in ('cancelled', 'declined', 'expired')) = (ended_at is not null)),
      check ((status = 'pending') <= (approval_expires_at is not null))
    )`.execute(db)
  await sql`create index bookings_host on bookings (host_id, start_at)`.execute(db)
  await sql`create index bookings_tenant on bookings (tenant_id, start_at, id)`.execute(db)
  await sql`create index bookings_event_type on bookings (event_type_id, start_at) where status in ('pending', 'confirmed')`.execute(
    db,
  )
  await sql`create index bookings_visitor on bookings (host_id, lower(visitor_email)) where status in ('pending', 'confirmed')`.execute(
    db,
  )
  await sql`create index bookings_undecided on bookings (approval_expires_at) where status = 'pending'`.execute(
    db,
  )
  await sql`create index bookings_coming on bookings (start_at) where status = 'confirmed'`.execute(
    db,
  )
  await sql`create index bookings_sealed on bookings (end_at) where manage_sealed is not null`.execute(
    db,
  )

  // Whose time a booking takes, buffers included, and how far each one's calendar has got with it.
  await sql`
    create table booking_hosts (
      booking_id uuid not null references bookings on delete cascade,
      host_id uuid not null references hosts,
      claim_start timestamptz not null,
      claim_end timestamptz not null,
      active boolean not null,
      -- Bookings of the same group share the time: all of one start of an event type with seats. Otherwise the booking's own id.
      seat_group uuid not null,
      seat integer not null default 1 check (seat between 1 and 1000),
      calendar_state text not null default 'none' check (calendar_state in ('none', 'pending', 'synced', 'failed')),
      calendar_event_id text,
      -- What the calendar shows: the version of the booking that was written last.
      calendar_version integer,
      -- The group whose event was written last: a booking with seats leaves it behind when it moves.
      calendar_group uuid,
      calendar_attempts integer not null default 0,
      calendar_next_at timestamptz,
      calendar_run uuid,
      calendar_lease_until timestamptz,
      calendar_error text,
      calendar_drift text not null default 'none' check (calendar_drift in ('none', 'moved', 'deleted')),
      calendar_checked_at timestamptz,
      primary key (booking_id, host_id),
      check (claim_end > claim_start),
      constraint booking_hosts_no_overlap exclude using gist
        (host_id with =, tstzrange(claim_start, claim_end) with &&, seat_group with <>) where (active)
    )`.execute(db)
  await sql`create unique index booking_hosts_seat on booking_hosts (host_id, seat_group, seat) where active`.execute(
    db,
  )
  await sql`create index booking_hosts_group on booking_hosts (host_id, seat_group)`.execute(db)
  await sql`create index booking_hosts_written on booking_hosts (host_id, calendar_group) where calendar_group is not null`.execute(
    db,
  )
  await sql`create index booking_hosts_lagging on booking_hosts (calendar_state) where calendar_state in ('pending', 'failed')`.execute(
    db,
  )
  await sql`create index booking_hosts_due on booking_hosts (calendar_next_at) where calendar_state = 'pending'`.execute(
    db,
  )

  await sql`
    create table booking_changes (
      id uuid primary key default new_id(),
      booking_id uuid not null references bookings on delete cascade,
      kind text not null check (kind in ('requested', 'confirmed', 'declined', 'cancelled', 'rescheduled', 'expired', 'no_show', 'link_renewed')),
      by text not null check (by in ('visitor', 'host', 'system')),
      actor_id uuid,
      from_start timestamptz,
      to_start timestamptz,
      reason text,
      at timestamptz not null default now()
    )`.execute(db)
  await sql`create index booking_changes_booking on booking_changes (booking_id, id)`.execute(db)

  await sql`
    create table booking_reminders (
      booking_id uuid not null references bookings on delete cascade,
      minutes_before integer not null,
      due_at timestamptz not null,
      sent_at timestamptz,
      primary key (booking_id, minutes_before)
    )`.execute(db)
  await sql`create index booking_reminders_due on booking_reminders (due_at) where sent_at is null`.execute(
    db,
  )

  // Mails about bookings: the link to manage one is put in when the mail is sent, and so is the
  // calendar object.
  await sql`alter table outbox add column booking_id uuid references bookings, add column calendar jsonb`.execute(
    db,
  )
  await sql`create index outbox_booking on outbox (booking_id, id) where booking_id is not null`.execute(
    db,
  )

  // Losing these to a crash of the server gives everybody a fresh allowance, no more.
  await sql`
    create unlogged table rate_limits (
      key text not null,
      window_start timestamptz not null,
      taken integer not null,
      expires_at timestamptz not null,
      primary key (key, window_start)
    )`.execute(db)
  await sql`create index rate_limits_expired on rate_limits (expires_at)`.execute(db)

  await sql`
    grant select, insert, update, delete on booking_pages, hosts, mail_credentials, app_password_removals, availability_schedules, event_types, event_type_hosts,
      slot_locks, bookings, booking_hosts, booking_changes, booking_reminders, rate_limits to atrium_app`.execute(
    db,
  )
}
