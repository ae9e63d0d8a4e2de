import { type Kysely, sql } from 'kysely'

/**
 * Prices that contain tax. A subscription keeps whether its amounts do, and the percent of tax that
 * its last invoice contained; the history, which reports are made from, has amounts without tax.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table prices
      add column tax_behavior text not null default 'exclusive',
      add constraint prices_tax_behavior check (tax_behavior in ('exclusive', 'inclusive')) not valid`.execute(
    db,
  )
  await sql`
    alter table subscriptions
      add column tax_behavior text not null default 'exclusive',
      add column contained_tax_percent numeric(8, 4) not null default 0,
      add constraint subscriptions_tax_behavior
        check (tax_behavior in ('exclusive', 'inclusive')) not valid,
      add constraint subscriptions_contained_tax check (contained_tax_percent >= 0) not valid`.execute(
    db,
  )
  await sql`
    create or replace function write_subscription_history(s subscriptions, partner uuid, since timestamptz)
      returns void language plpgsql security definer set search_path = public, pg_temp as $$
    declare
      begun timestamptz;
      share numeric := case s.tax_behavior when 'inclusive' then 100 / (100 + s.contained_tax_percent) else 1 end;
    begin
      select greatest(since, max(h.valid_from)) into begun from subscription_history h where h.tenant_id = s.tenant_id;
      begun := coalesce(begun, since);
      update subscription_history h set valid_to = begun where h.subscription_id = s.id and h.valid_to is null;
      insert into subscription_history (subscription_id, tenant_id, partner_id, plan, cycle, currency, status,
        per_seat_amount, period_amount, seats, cancel_at_period_end, valid_from)
      values (s.id, s.tenant_id, partner, s.plan, s.cycle, s.currency, s.status,
        round(s.per_seat_amount * share),
        -- The tax of a period is rounded once, not once for each seat.
        case s.tax_behavior when 'inclusive' then round(coalesce(s.period_amount, s.per_seat_amount * s.seats) * share)
          else s.period_amount end,
        s.seats, s.cancel_at_period_end, begun);
    end $$`.execute(db)
  await sql`drop trigger keep_subscription_history on subscriptions`.execute(db)
  await sql`
    create trigger keep_subscription_history after update on subscriptions for each row
      when ((old.plan, old.cycle, old.currency, old.status, old.per_seat_amount, old.period_amount, old.seats,
          old.cancel_at_period_end, old.tax_behavior, old.contained_tax_percent)
        is distinct from
        (new.plan, new.cycle, new.currency, new.status, new.per_seat_amount, new.period_amount, new.seats,
          new.cancel_at_period_end, new.tax_behavior, new.contained_tax_percent))
      execute function keep_subscription_history()`.execute(db)
}
