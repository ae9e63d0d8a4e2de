import { type Kysely, sql } from 'kysely'

/**
 * `record_observed_state`: writes into the history the state in which a subscription was at an
 * earlier moment. An event that comes late shows a state that the readings of the payment processor
 * have missed.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create function record_observed_state(
      p_subscription uuid, p_from timestamptz, p_until timestamptz, p_plan text, p_cycle text, p_currency text,
      p_status text, p_per_seat_amount bigint, p_period_amount bigint, p_seats integer, p_cancel_at_period_end boolean)
      returns void language plpgsql security definer set search_path = public, pg_temp as $$
    declare
      h subscription_history;
      upto timestamptz := p_until;
      state constant text := row(p_plan, p_cycle, p_currency, p_status, p_per_seat_amount, p_period_amount,
        p_seats, p_cancel_at_period_end)::text;
      held text;
      stated text;
      later subscription_history;
    begin
      for h in
        select * from subscription_history
        where subscription_id = p_subscription and (valid_to is null or valid_to > greatest(p_from, valid_from))
        order by valid_from for update
      loop
        stated := row(h.plan, h.cycle, h.currency, h.status, h.per_seat_amount, h.period_amount,
          h.seats, h.cancel_at_period_end)::text;
        if held is null then
          -- Before its first state nothing is known of it, and what began at the same moment is newer.
          if h.valid_from >= p_from then return; end if;
          held := stated;
          if held = state then return; end if;
        elsif stated <> held then
          upto := least(upto, h.valid_from);
        end if;
        exit when h.valid_from >= upto;
        -- The partner may change while the state holds: each part keeps its own.
        if h.valid_from < p_from then
          update subscription_history set valid_to = p_from where id = h.id;
        else
          delete from subscription_history where id = h.id;
        end if;
        insert into subscription_history (subscription_id, tenant_id, partner_id, plan, cycle, currency, status,
          per_seat_amount, period_amount, seats, cancel_at_period_end, valid_from, valid_to)
        values (h.subscription_id, h.tenant_id, h.partner_id, p_plan, p_cycle, p_currency, p_status,
          p_per_seat_amount, p_period_amount, p_seats, p_cancel_at_period_end,
          greatest(h.valid_from, p_from), least(coalesce(h.valid_to, upto), upto));
        if h.valid_to is null or h.valid_to > upto then
          insert into subscription_history (subscription_id, tenant_id, partner_id, plan, cycle, currency, status,
            per_seat_amount, period_amount, seats, cancel_at_period_end, valid_from, valid_to)
          values (h.subscription_id, h.tenant_id, h.partner_id, h.plan, h.cycle, h.currency, h.status,
            h.per_seat_amount, h.period_amount, h.seats, h.cancel_at_period_end, upto, h.valid_to);
        end if;
      end loop;
      -- What begins there and is the same began here.
      if held is null then return; end if;
      delete from subscription_history b using subscription_history a
      where a.subscription_id = p_subscription and a.valid_to = upto and a.valid_from < upto
        and b.subscription_id = p_subscription and b.valid_from = upto and b.valid_to is distinct from upto
        and a.partner_id is not distinct from b.partner_id
        and row(a.plan, a.cycle, a.currency, a.status, a.per_seat_amount, a.period_amount, a.seats,
          a.cancel_at_period_end)::text = state
        and row(b.plan, b.cycle, b.currency, b.status, b.per_seat_amount, b.period_amount, b.seats,
          b.cancel_at_period_end)::text = state
      returning b.* into later;
      if found then
        update subscription_history set valid_to = later.valid_to
        where subscription_id = p_subscription and valid_to = upto and valid_from < upto;
      end if;
    end $$`.execute(db)
  await sql`revoke execute on function record_observed_state from public`.execute(db)
  await sql`grant execute on function record_observed_state to atrium_app`.execute(db)
}
