import type { RecordPurpose, RecordVerdict } from '@atrium/core/mail/domains'
import type { Trx } from '@atrium/db/platform/connect'
import { idIn } from './companies.ts'
import type { Parts } from './parts.ts'
import { dayMs, hourMs } from './parts.ts'

/**
 * Checks of a domain that lost a record for some days, and an own domain whose records have been
 * gone for a week.
 */
export async function insertDomains(trx: Trx, { history, made }: Parts): Promise<void> {
  const ago = (days: number) => new Date(history.until.getTime() - days * dayMs + 5 * hourMs)
  const record = (name: string, purpose: RecordPurpose, found: string[]): RecordVerdict => ({
    type: purpose === 'mx' ? 'MX' : 'TXT',
    name: purpose === 'dmarc' ? `_dmarc.${name}` : name,
    purpose,
    required: true,
    found,
    value:
      purpose === 'mx'
        ? '10 mail.atrium.test'
        : purpose === 'spf'
          ? 'v=spf1 mx -all'
          : 'v=DMARC1; p=none',
    verdict: found.length > 0 ? 'ok' : 'missing',
    reason: null,
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
    domain_id: id,
    at: ago(days),
    cause: 'schedule' as const,
    state: to,
    previous_state: from,
    regressed: without.length > 0,
    verdicts: JSON.stringify(verdictsOf(acme, without)),
  }))
  await trx.insertInto('domain_checks').values(checks).execute()
  const own = 'kestrel-robotics.test'
  const gone = JSON.stringify(verdictsOf(own, ['mx', 'spf', 'dmarc']))
  const domain = await trx
    .insertInto('domains')
    .values({
      tenant_id: idIn(made.tenants, 'kestrel-robotics'),
      name: own,
      state: 'failing',
      verified_at: ago(240),
      created_at: ago(241),
      dmarc_rua: `postmaster@${own}`,
      verdicts: gone,
      last_checked_at: ago(1),
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
