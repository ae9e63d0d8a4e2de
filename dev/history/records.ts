import { formatAmount } from '@atrium/core/billing/money'
import { type DemoHistory, seededNumbers } from '@atrium/core/demo/demo-history'
import type { FlagSettings } from '@atrium/core/flags/flags'
import { bandOf } from '@atrium/core/health-scores/health'
import type { RecordPurpose, RecordVerdict } from '@atrium/core/mail/domains'
import { mailRetrySeconds } from '@atrium/core/outbox/outbox'
import { outsideSystems } from '@atrium/core/system/system'
import { insertFlag, notifyFlags } from '@atrium/db/flags/flags'
import { insertMail } from '@atrium/db/outbox/outbox'
import type { Trx } from '@atrium/db/platform/connect'
import { sql } from 'kysely'
import type { HistoricAudit } from './audit.ts'
import { idIn, isoDay, type Made } from './companies.ts'

interface Parts {
  readonly history: DemoHistory
  readonly made: Made
  readonly audit: HistoricAudit
  readonly operator: { readonly id: string; readonly email: string }
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]

/**
 * What is kept beside companies and their billing: mails, flags, the health of past days, calls to
 * the systems, what people did.
 */
export async function insertRecords(trx: Trx, parts: Parts): Promise<void> {
  await insertMails(trx, parts)
  await insertFlags(trx, parts)
  await insertHealth(trx, parts.history, parts.made)
  await insertSystemDays(trx, parts.history)
  await insertReconciliations(trx, parts)
  await insertDomains(trx, parts)
  await insertAdjustments(trx, parts)
  recordActions(parts)
}

/** Receipts and welcomes of the last four weeks, and a few that did not arrive. */
async function insertMails(trx: Trx, { history, made }: Parts): Promise<void> {
  const since = new Date(history.until.getTime() - 28 * dayMs)
  const paid = await trx
    .selectFrom('invoices as i')
    .innerJoin('tenants as t', 't.id', 'i.tenant_id')
    .select([
      'i.id',
      'i.tenant_id',
      'i.number',
      'i.amount_paid',
      'i.currency',
      'i.paid_at',
      't.slug',
      't.billing_email',
    ])
    .where('i.paid_at', '>=', since)
    .orderBy('i.paid_at')
    .execute()
  const receipts = paid.map((invoice) => ({
    ...{
      at: invoice.paid_at ?? since,
      tenantId: invoice.tenant_id,
      template: 'invoice.paid' as const,
      key: `invoice.paid:${invoice.id}:billing`,
    },
    to: invoice.billing_email ?? `billing@${invoice.slug}.test`,
    values: {
      'invoice.number': invoice.number ?? '',
      'invoice.amount': formatAmount(BigInt(invoice.amount_paid), invoice.currency),
      'link.invoice': '',
    },
  }))
  const random = seededNumbers(51)
  const welcomes = history.companies
    .flatMap(({ slug, people }) => people.slice(-2).map((person) => ({ slug, person })))
    .map(({ slug, person }) => ({
      ...{
        at: new Date(since.getTime() + random() * 27.5 * dayMs),
        tenantId: idIn(made.tenants, slug),
        template: 'member.welcome' as const,
      },
      ...{ to: person.email, key: `history.welcome:${person.email}` },
      values: { 'member.name': person.name, 'member.email': person.email, 'link.signIn': '' },
    }))
  const mails = [...receipts, ...welcomes].sort(
    (one, other) => one.at.getTime() - other.at.getTime(),
  )
  for (const { at, ...mail } of mails) {
    const id = await insertMail(trx, mail, { host: 'tenants.local', now: at })
    const sentAt = new Date(at.getTime() + 4_000)
    if (id)
      await trx
        .updateTable('outbox')
        .set({ state: 'sent', attempts: 1, sent_at: sentAt, changed_at: sentAt, next_at: null })
        .where('id', '=', id)
        .execute()
  }
  const rejections = [
    '550 5.1.1 The email account that you tried to reach does not exist.',
    '550 5.7.1 Message rejected due to the content restrictions of the recipient.',
    '552 5.2.2 The mailbox is full.',
  ]
  const ids = await trx
    .selectFrom('outbox')
    .select('id')
    .where('template', '=', 'member.welcome')
    .orderBy('id', 'desc')
    .limit(6)
    .execute()
  for (const [index, { id }] of ids.entries()) {
    const gaveUp = index % 2 === 1
    const changed = new Date(history.until.getTime() - (index + 1) * 53 * minuteMs)
    await trx
      .updateTable('outbox')
      .set({
        ...{
          state: gaveUp ? 'gave_up' : 'failed',
          sent_at: null,
          changed_at: changed,
          created_at: new Date(changed.getTime() - 15 * hourMs),
        },
        attempts: gaveUp ? mailRetrySeconds.length + 1 : mailRetrySeconds.length,
        next_at: gaveUp ? null : new Date(history.until.getTime() + 30 * hourMs),
        error: gaveUp
          ? rejections[(index - 1) / 2]
          : '451 4.7.1 Greylisted, please try again later.',
      })
      .where('id', '=', id)
      .execute()
  }
}

const flags: readonly {
  key: string
  monthsAgo: number
  steps: readonly (Partial<FlagSettings> & { daysAgo: number; note: string })[]
}[] = [
  {
    key: 'new_file_search',
    monthsAgo: 5,
    steps: [
      {
        daysAgo: 150,
        note: 'First try with our own workplaces.',
        state: 'rollout',
        percentage: 5,
        description: 'Full-text search in files.',
        owner: 'files@atrium.test',
      },
      { daysAgo: 120, note: 'No complaints.', percentage: 25 },
      { daysAgo: 90, note: 'Half of all tenants.', percentage: 50 },
      { daysAgo: 45, note: 'For everybody.', state: 'on' },
    ],
  },
  {
    key: 'shared_calendars',
    monthsAgo: 2,
    steps: [
      {
        daysAgo: 58,
        note: 'Business plans first.',
        state: 'rollout',
        percentage: 10,
        allowPlans: ['business', 'enterprise'],
        description: 'Calendars of a whole team.',
        owner: 'scheduling@atrium.test',
      },
      { daysAgo: 20, note: 'More of them.', percentage: 40 },
    ],
  },
  {
    key: 'passkey_sign_in',
    monthsAgo: 3,
    steps: [
      {
        daysAgo: 85,
        note: 'To be tried.',
        state: 'rollout',
        percentage: 10,
        description: 'Sign in with a passkey.',
        owner: 'identity@atrium.test',
      },
      { daysAgo: 62, note: 'Older browsers failed to sign in.', state: 'off' },
    ],
  },
  {
    key: 'invoice_reminders_by_text',
    monthsAgo: 1,
    steps: [
      {
        daysAgo: 26,
        note: 'Prepared, not in use yet.',
        state: 'off',
        description: 'Reminders of invoices as text messages.',
        owner: 'billing@atrium.test',
      },
    ],
  },
]

async function insertFlags(trx: Trx, { history, operator, audit }: Parts): Promise<void> {
  const standard: FlagSettings = {
    ...{
      description: null,
      owner: null,
      state: 'off',
      percentage: 0,
      allowTenants: [],
      denyTenants: [],
      allowPartners: [],
      allowPlans: [],
    },
    ...{
      prerequisites: [],
      guards: [],
      enabledFrom: null,
      enabledUntil: null,
      staleAfter: null,
      killedAt: null,
      rollback: null,
    },
  }
  for (const { key, steps } of flags) {
    let before: FlagSettings | null = null
    const states = steps.map(({ daysAgo, note, ...changes }) => {
      const after: FlagSettings = { ...(before ?? standard), ...changes }
      const step = {
        at: new Date(history.until.getTime() - daysAgo * dayMs + 9 * hourMs),
        note,
        before,
        after,
      }
      before = after
      return step
    })
    const [first, last] = [states[0], states.at(-1)]
    if (!first || !last) continue
    await insertFlag(trx, {
      key,
      note: last.note,
      salt: null,
      settings: last.after,
      updatedBy: operator.id,
    })
    await trx
      .updateTable('flags')
      .set({ created_at: first.at, updated_at: last.at, version: states.length })
      .where('key', '=', key)
      .execute()
    for (const [index, { at, note, before: from, after }] of states.entries()) {
      const kind = index === 0 ? ('created' as const) : ('updated' as const)
      await trx
        .insertInto('flag_changes')
        .values({
          ...{
            flag_key: key,
            version: index + 1,
            kind,
            at,
            note,
            actor_id: operator.id,
            actor_email: operator.email,
          },
          ...{ before: from && JSON.stringify(from), after: JSON.stringify(after) },
        })
        .execute()
      audit.by(operatorActor(operator), at, {
        action: `flag.${kind}`,
        resourceType: 'flag',
        resourceId: key,
        resourceName: key,
        metadata: { note },
      })
    }
    await notifyFlags(trx, key)
  }
}

/**
 * A score for each day since a company came; its bands, and what they earned, as the report of each
 * day.
 */
async function insertHealth(
  trx: Trx,
  { companies, until }: DemoHistory,
  made: Made,
): Promise<void> {
  const rows: { tenant_id: string; day: string; score: number; band: string }[] = []
  for (const [index, { slug, since }] of companies.entries()) {
    const random = seededNumbers(7_000 + index)
    const usual = 62 + Math.round(36 * random())
    let score = usual
    const oldest = Math.max(since.getTime() + dayMs, until.getTime() - 365 * dayMs)
    for (let at = oldest; at < until.getTime(); at += dayMs) {
      // Drifts, and comes back to what is usual.
      score = Math.max(
        12,
        Math.min(100, Math.round(score + 14 * (random() - 0.5) + 0.12 * (usual - score))),
      )
      const young = at - since.getTime() < 14 * dayMs
      rows.push({
        tenant_id: idIn(made.tenants, slug),
        day: isoDay(new Date(at)),
        score,
        band: young ? 'new' : bandOf(score),
      })
    }
  }
  await sql`insert into tenant_health_days (tenant_id, day, score, band)
    select tenant_id, day, score, band from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(tenant_id uuid, day date, score integer, band text)
    on conflict do nothing`.execute(trx)
  await sql`
    with days as (
      select d.day, d.band, t.partner_id, s.currency, s.arr
      from tenant_health_days d join tenants t on t.id = d.tenant_id left join subscription_history s on s.tenant_id = d.tenant_id and s.arr > 0
        and s.valid_from < d.day + interval '1 day' and coalesce(s.valid_to > d.day, true) and coalesce(s.valid_to >= d.day + interval '1 day', true)
      where d.day < ${isoDay(until)}::date),
    scopes as (select day, band, partner_id, currency, arr from days where partner_id is not null union all select day, band, null, currency, arr from days),
    money as (
      select day, band, partner_id, jsonb_agg(jsonb_build_object('currency', currency, 'mrrMinor', mrr) order by currency) as mrr
      from (select day, band, partner_id, currency, round(sum(arr) / 12.0)::bigint as mrr from scopes where arr > 0 group by 1, 2, 3, 4) sums group by 1, 2, 3)
    insert into health_summaries (day, partner_id, band, tenants, mrr, computed_at)
    select s.day, s.partner_id, s.band, count(*), coalesce(max(m.mrr::text)::jsonb, '[]'), s.day + interval '23 hours'
    from scopes s left join money m on m.day = s.day and m.band = s.band and m.partner_id is not distinct from s.partner_id
    group by s.day, s.partner_id, s.band on conflict do nothing`.execute(trx)
}

async function insertSystemDays(trx: Trx, { until }: DemoHistory): Promise<void> {
  const random = seededNumbers(88)
  const outages: Partial<Record<string, { daysAgo: number; failures: number; message: string }[]>> =
    {
      mail: [{ daysAgo: 11, failures: 46, message: 'The mail server did not respond in time.' }],
      files: [
        { daysAgo: 37, failures: 120, message: 'files: connection refused' },
        { daysAgo: 38, failures: 15, message: 'files: connection refused' },
      ],
      payments: [{ daysAgo: 23, failures: 9, message: 'payments: 503' }],
    }
  const rows = outsideSystems.flatMap((system) =>
    Array.from({ length: 89 }, (_, index) => {
      const daysAgo = 89 - index
      const at = new Date(until.getTime() - daysAgo * dayMs)
      const weekend = at.getUTCDay() % 6 === 0
      const outage = outages[system]?.find((one) => one.daysAgo === daysAgo)
      const failures = outage?.failures ?? 0
      return {
        ...{
          system,
          day: isoDay(at),
          calls: Math.round((weekend ? 180 : 700) * (0.7 + 0.6 * random())) + failures,
          failures,
        },
        last_failed_at: outage ? new Date(at.getTime() + 14 * hourMs) : null,
        last_failure: outage?.message ?? null,
      }
    }),
  )
  await trx.insertInto('upstream_days').values(rows).execute()
}

/** One each night; a difference that was found and repaired. */
async function insertReconciliations(trx: Trx, { history, made }: Parts): Promise<void> {
  const nights = Array.from(
    { length: 30 },
    (_, index) =>
      new Date(history.until.getTime() - (30 - index) * dayMs + 2 * hourMs + 43 * minuteMs),
  )
  const rows = nights.map((started_at) => ({
    ...{ started_at, finished_at: new Date(started_at.getTime() + 6_200), failed: 0, error: null },
    tenants: history.companies.filter(({ sale }) => sale.at < started_at).length,
  }))
  const made_ = await trx
    .insertInto('billing_reconciliations')
    .values(rows)
    .returning('id')
    .execute()
  const [subscription] = await trx
    .selectFrom('subscriptions')
    .select('stripe_subscription_id as id')
    .where('tenant_id', '=', idIn(made.tenants, 'harbour-logistics'))
    .execute()
  const night = nights[18]
  await trx
    .insertInto('billing_differences')
    .values({
      ...{
        reconciliation_id: made_[18]?.id ?? '',
        tenant_id: idIn(made.tenants, 'harbour-logistics'),
        object_type: 'subscription',
      },
      ...{
        object_id: subscription?.id ?? '',
        kind: 'differs',
        fields: JSON.stringify({ seats: [19, 20] }),
        repaired: true,
      },
      ...(night && { found_at: night }),
    })
    .execute()
}

/**
 * Checks of a domain that lost a record for some days, and an own domain whose records have been
 * gone for a week.
 */
async function insertDomains(trx: Trx, { history, made }: Parts): Promise<void> {
  const ago = (days: number) => new Date(history.until.getTime() - days * dayMs + 5 * hourMs)
  const record = (name: string, purpose: RecordPurpose, found: string[]): RecordVerdict => ({
    ...{
      type: purpose === 'mx' ? 'MX' : 'TXT',
      name: purpose === 'dmarc' ? `_dmarc.${name}` : name,
      purpose,
      required: true,
      found,
    },
    value:
      purpose === 'mx'
        ? '10 mail.atrium.test'
        : purpose === 'spf'
          ? 'v=spf1 mx -all'
          : 'v=DMARC1; p=none',
    ...{
      verdict: found.length > 0 ? 'ok' : 'missing',
      reason: found.length > 0 ? null : 'There is no such record.',
    },
  })
  const verdictsOf = (name: string, without: readonly RecordPurpose[]) =>
    (['mx', 'spf', 'dmarc'] as const).map((purpose) =>
      record(name, purpose, without.includes(purpose) ? [] : [name]),
    )
  const acme = 'acme.tenants.local'
  const { id } = await trx
    .selectFrom('domains')
    .select('id')
    .where('name', '=', acme)
    .executeTakeFirstOrThrow()
  const steps = [
    { days: 300, from: 'unchecked', to: 'verified', without: [] },
    { days: 131, from: 'verified', to: 'degraded', without: ['spf'] },
    { days: 129, from: 'degraded', to: 'verified', without: [] },
    { days: 46, from: 'verified', to: 'failing', without: ['mx', 'spf'] },
    { days: 45, from: 'failing', to: 'verified', without: [] },
  ] as const
  const checks = steps.map(({ days, from, to, without }) => ({
    ...{
      domain_id: id,
      at: ago(days),
      cause: 'schedule' as const,
      state: to,
      previous_state: from,
      regressed: without.length > 0,
    },
    verdicts: JSON.stringify(verdictsOf(acme, without)),
  }))
  await trx.insertInto('domain_checks').values(checks).execute()
  const own = 'kestrel-robotics.test'
  const gone = JSON.stringify(verdictsOf(own, ['mx', 'spf', 'dmarc']))
  const domain = await trx
    .insertInto('domains')
    .values({
      ...{
        tenant_id: idIn(made.tenants, 'kestrel-robotics'),
        name: own,
        state: 'failing',
        verified_at: ago(240),
        created_at: ago(241),
      },
      ...{ dmarc_rua: `postmaster@${own}`, verdicts: gone, last_checked_at: ago(1) },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('domain_checks')
    .values([
      {
        domain_id: domain.id,
        at: ago(240),
        cause: 'manual',
        state: 'verified',
        previous_state: 'pending',
        verdicts: JSON.stringify(verdictsOf(own, [])),
      },
      {
        domain_id: domain.id,
        at: ago(7),
        cause: 'schedule',
        state: 'failing',
        previous_state: 'verified',
        regressed: true,
        verdicts: gone,
      },
    ])
    .execute()
}

/** What operators entered for partners by hand: in the ledger where it was decided. */
async function insertAdjustments(
  trx: Trx,
  { history, made, operator, audit }: Parts,
): Promise<void> {
  const at = new Date(history.until.getTime() - 4 * dayMs + 10 * hourMs)
  const partner_id = idIn(made.partners, 'monte')
  await trx
    .insertInto('ledger_adjustments')
    .values({
      ...{
        partner_id,
        currency: 'eur',
        amount: 15_000,
        reason: 'Contribution to the trade fair.',
        state: 'pending',
        requested_by: operator.id,
      },
      ...{ created_at: at, decided_at: null },
    })
    .execute()
  const entry = {
    resourceType: 'partner',
    resourceId: partner_id,
    resourceName: 'Monte Digital',
    partnerSlug: 'monte',
  }
  audit.by(operatorActor(operator), at, {
    action: 'ledger.adjusted',
    ...entry,
    metadata: { amountMinor: 15_000, currency: 'eur', state: 'pending' },
  })
}

/** What admins, partners and operators did, as the audit log tells it. */
function recordActions({ history, made, audit, operator }: Parts): void {
  const { until } = history
  for (const [index, company] of history.companies.entries()) {
    const random = seededNumbers(3_000 + index)
    const { slug, name, partner, people, since } = company
    const owner = people[0] ?? { email: 'owner@acme.test', name: 'Anna Owner' }
    const ip = `192.0.2.${10 + index}`
    const actor = {
      type: 'user',
      id: idIn(made.people, owner.email),
      email: owner.email,
      ip,
      source: 'portal',
    } as const
    const about = {
      resourceType: 'tenant',
      resourceId: idIn(made.tenants, slug),
      resourceName: name,
      tenantSlug: slug,
      partnerSlug: partner,
    }
    const member = (email: string) => ({
      ...about,
      resourceType: 'member',
      resourceId: idIn(made.people, email),
      resourceName: email,
    })
    const later = () => new Date(since.getTime() + random() * (until.getTime() - since.getTime()))
    audit.by(actor, since, { action: 'tenant.created', ...about, metadata: { plan: 'free' } })
    for (const [number, { email, role }] of people.slice(1).entries()) {
      const at = new Date(
        since.getTime() +
          Math.min(
            (number + 1) * 5 * dayMs,
            ((until.getTime() - since.getTime()) * (number + 1)) / 13,
          ),
      )
      audit.by(actor, at, { action: 'member.created', ...member(email), metadata: { role } })
    }
    const [admin, other] = [
      people[1]?.email ?? 'admin@acme.test',
      people[2]?.email ?? 'member@acme.test',
    ]
    audit.by(actor, later(), {
      action: 'branding.updated',
      ...about,
      metadata: { changes: { accentColor: [null, company.brandColor] } },
    })
    audit.by(actor, later(), {
      action: 'security_policy.updated',
      ...about,
      metadata: { changes: { mfaMode: ['off', 'optional'] } },
    })
    audit.by(actor, later(), {
      action: 'member.role_changed',
      ...member(admin),
      metadata: { changes: { role: ['member', 'admin'] } },
    })
    audit.by(actor, later(), {
      action: 'member.password_reset',
      ...member(other),
      metadata: { invited: false },
    })
    audit.by(actor, later(), {
      action: 'billing_info.updated',
      ...about,
      metadata: { changes: { country: [null, company.country] } },
    })
    if (random() < 0.4)
      audit.by({ ...actor, email: other }, later(), {
        action: 'security_policy.updated',
        outcome: 'denied',
        ...about,
        metadata: { code: 'role_required' },
      })
    if (random() < 0.3)
      audit.system(later(), {
        action: 'domain.dns_regressed',
        outcome: 'failure',
        ...about,
        resourceType: 'domain',
        resourceName: `${slug}.tenants.local`,
        metadata: {
          state: ['verified', 'degraded'],
          records: [
            {
              purpose: 'spf',
              name: `${slug}.tenants.local`,
              verdict: 'missing',
              reason: 'There is no such record.',
            },
          ],
        },
      })
    if (random() < 0.5)
      audit.by(operatorActor(operator), later(), { action: 'tenant.reconciled', ...about })
  }
  for (const { slug, name, since } of history.partners) {
    const about = {
      resourceType: 'partner',
      resourceId: idIn(made.partners, slug),
      resourceName: name,
      partnerSlug: slug,
    }
    audit.by(operatorActor(operator), since, { action: 'partner.created', ...about })
  }
}

function operatorActor({ id, email }: Parts['operator']) {
  return { type: 'operator', id, email, ip: '198.51.100.20', source: 'operator' } as const
}
