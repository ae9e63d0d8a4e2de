import { type Kysely, sql } from 'kysely'

/**
 * The price catalog, subscriptions, and every state that each of them was ever in: what all reports
 * of money are computed from.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table prices (
      id uuid primary key default new_id(),
      plan text not null check (plan in ('free', 'starter', 'business', 'enterprise')),
      cycle text not null check (cycle in ('month', 'year')),
      version integer not null check (version > 0),
      state text not null default 'draft' check (state in ('draft', 'active', 'archived')),
      scheme text not null default 'per_seat' check (scheme in ('per_seat', 'flat', 'graduated', 'volume')),
      min_seats integer not null default 1 check (min_seats >= 1),
      max_seats integer check (max_seats >= min_seats),
      trial_days integer not null default 0 check (trial_days between 0 and 730),
      visible_from timestamptz,
      visible_until timestamptz,
      partner_ids uuid[],
      note text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (plan, cycle, version)
    )`.execute(db)
  await sql`create unique index prices_one_active on prices (plan, cycle) where state = 'active'`.execute(
    db,
  )

  await sql`
    create table price_amounts (
      price_id uuid not null references prices on delete cascade,
      currency text not null check (currency ~ '^[a-z]{3}$'),
      unit_amount bigint not null check (unit_amount >= 0),
      tiers jsonb,
      stripe_price_id text unique,
      -- Why the payment processor's last try at this price failed, fit to be shown.
      stripe_error text,
      primary key (price_id, currency)
    )`.execute(db)

  await sql`
    create table subscriptions (
      id uuid primary key default new_id(),
      tenant_id uuid not null references tenants,
      source text not null check (source in ('manual', 'stripe')),
      stripe_subscription_id text unique,
      stripe_item_id text,
      stripe_price_id text,
      price_id uuid references prices,
      plan text not null check (plan in ('free', 'starter', 'business', 'enterprise')),
      cycle text not null check (cycle in ('month', 'year')),
      currency text not null check (currency ~ '^[a-z]{3}$'),
      per_seat_amount bigint not null check (per_seat_amount >= 0),
      period_amount bigint check (period_amount >= 0),
      seats integer not null check (seats >= 0),
      status text not null check (status in
        ('incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'canceled', 'unpaid', 'paused', 'unknown')),
      stripe_status text,
      trial_start timestamptz,
      trial_end timestamptz,
      current_period_start timestamptz,
      current_period_end timestamptz,
      cancel_at_period_end boolean not null default false,
      cancel_at timestamptz,
      canceled_at timestamptz,
      ended_at timestamptz,
      cancel_reason text,
      cancel_feedback text,
      cancel_comment text,
      collection_paused_behavior text check (collection_paused_behavior in ('keep_as_draft', 'mark_uncollectible', 'void')),
      collection_resumes_at timestamptz,
      paused_at timestamptz,
      pause_reason text,
      past_due_since timestamptz,
      pending jsonb,
      pending_attempts integer not null default 0,
      pending_next_at timestamptz,
      pending_error text,
      -- From when whole periods of a manual subscription are counted.
      billing_anchor timestamptz,
      latest_invoice_id text,
      stripe_event_at timestamptz,
      stripe_event_id text,
      -- From when the state in this row holds; the history is cut here, not when the row was written.
      state_since timestamptz not null default now(),
      version integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check ((source = 'stripe') = (stripe_subscription_id is not null))
    )`.execute(db)
  await sql`
    create unique index subscriptions_one_live on subscriptions (tenant_id)
      where status not in ('canceled', 'incomplete_expired')`.execute(db)
  await sql`create index subscriptions_tenant on subscriptions (tenant_id, id desc)`.execute(db)
  await sql`create index subscriptions_status on subscriptions (status, id desc)`.execute(db)
  await sql`create index subscriptions_price on subscriptions (price_id) where price_id is not null`.execute(
    db,
  )
  await sql`create index subscriptions_pending on subscriptions (((pending ->> 'effectiveAt'))) where pending is not null`.execute(
    db,
  )
  await sql`
    create index subscriptions_period_end on subscriptions (current_period_end)
      where source = 'manual' and status in ('trialing', 'active', 'past_due', 'unpaid')`.execute(
    db,
  )
  await sql`create index subscriptions_past_due on subscriptions (past_due_since) where past_due_since is not null`.execute(
    db,
  )

  await sql`
    create table subscription_history (
      id uuid primary key default new_id(),
      subscription_id uuid not null references subscriptions,
      tenant_id uuid not null references tenants,
      partner_id uuid references partners,
      plan text not null,
      cycle text not null,
      currency text not null,
      status text not null,
      per_seat_amount bigint not null,
      period_amount bigint,
      seats integer not null,
      cancel_at_period_end boolean not null,
      valid_from timestamptz not null,
      valid_to timestamptz,
      -- Whole yearly amount: nothing is divided before it is summed.
      arr bigint not null generated always as (
        case when status in ('active', 'past_due')
          then coalesce(period_amount, per_seat_amount * seats) * case cycle when 'year' then 1 else 12 end
          else 0 end) stored,
      check (valid_to is null or valid_to >= valid_from)
    )`.execute(db)
  await sql`create unique index subscription_history_current on subscription_history (subscription_id) where valid_to is null`.execute(
    db,
  )
  await sql`create index subscription_history_subscription on subscription_history (subscription_id, valid_from)`.execute(
    db,
  )
  await sql`create index subscription_history_tenant on subscription_history (tenant_id, valid_from)`.execute(
    db,
  )

  // Times never run backwards in the history: what is told late of an earlier time begins where the
  // last state began.
  await sql`
    create function write_subscription_history(s subscriptions, partner uuid, since timestamptz)
      returns void language plpgsql security definer set search_path = public, pg_temp as $$
    declare begun timestamptz;
    begin
      select greatest(since, max(h.valid_from)) into begun from subscription_history h where h.tenant_id = s.tenant_id;
      begun := coalesce(begun, since);
      update subscription_history h set valid_to = begun where h.subscription_id = s.id and h.valid_to is null;
      insert into subscription_history (subscription_id, tenant_id, partner_id, plan, cycle, currency, status,
        per_seat_amount, period_amount, seats, cancel_at_period_end, valid_from)
      values (s.id, s.tenant_id, partner, s.plan, s.cycle, s.currency, s.status,
        s.per_seat_amount, s.period_amount, s.seats, s.cancel_at_period_end, begun);
    end $$`.execute(db)
  await sql`
    create function keep_subscription_history() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      perform write_subscription_history(new, (select t.partner_id from tenants t where t.id = new.tenant_id), new.state_since);
      return null;
    end $$`.execute(db)
  await sql`
    create trigger keep_subscription_history_of_new after insert on subscriptions
      for each row execute function keep_subscription_history()`.execute(db)
  await sql`
    create trigger keep_subscription_history after update on subscriptions for each row
      when ((old.plan, old.cycle, old.currency, old.status, old.per_seat_amount, old.period_amount, old.seats, old.cancel_at_period_end)
        is distinct from
        (new.plan, new.cycle, new.currency, new.status, new.per_seat_amount, new.period_amount, new.seats, new.cancel_at_period_end))
      execute function keep_subscription_history()`.execute(db)
  await sql`
    create function keep_subscription_history_of_tenant() returns trigger
      language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      perform write_subscription_history(s, new.partner_id, now())
        from subscriptions s where s.tenant_id = new.id and s.status not in ('canceled', 'incomplete_expired');
      return null;
    end $$`.execute(db)
  await sql`
    create trigger keep_subscription_history_of_tenant after update of partner_id on tenants
      for each row when (old.partner_id is distinct from new.partner_id) execute function keep_subscription_history_of_tenant()`.execute(
    db,
  )

  await sql`revoke execute on function write_subscription_history from public`.execute(db)
  await sql`grant select, insert, update, delete on prices, price_amounts to atrium_app`.execute(db)
  await sql`grant select, insert, update on subscriptions to atrium_app`.execute(db)
  await sql`grant select on subscription_history to atrium_app`.execute(db)
}
