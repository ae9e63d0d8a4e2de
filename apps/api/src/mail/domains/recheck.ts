import type { DomainPath, DomainView } from '@atrium/core/mail/domains'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { rejectClosed, rejectFormerDelegate } from '../../rpc/open-tenant.ts'
import { type CheckOutcome, checkDomain } from './check.ts'
import { auditedDomain, readDomain } from './find.ts'
import { toDomainView } from './view.ts'

/**
 * Compares live DNS with what should be there, now. DNS and mail server may fail: their records are
 * `unknown` or as last known. Throws AppError `not_found`, `already_exists`, `not_member` for a
 * caller whose access ended meanwhile.
 */
export async function recheckDomain(
  ctx: Context,
  access: Access,
  input: DomainPath,
): Promise<DomainView> {
  const { services } = ctx
  rejectClosed(access.tenant.status)
  const outcome = await checkDomain(
    services,
    await readDomain(services.database.db, access.tenant.id, input.domain),
    'manual',
    (trx) => rejectFormerDelegate(trx, access),
  )
  if (outcome === 'removed') throw new AppError('not_found', errorText('unknownDomain'))
  if (outcome === 'superseded') {
    throw new AppError('already_exists', errorText('domainProvedElsewhere'))
  }
  const { before, after } = outcome
  await services.audit.record(ctx, access.caller, {
    ...auditedDomain(outcome.after),
    action: 'domain.rechecked',
    metadata: { state: [before.state, after.state] },
  })
  for (const entry of notableEntries(outcome))
    await services.audit.record(ctx, access.caller, entry)
  return toDomainView(services, after)
}

/** A check result that is worth keeping in the history. */
export function notableEntries(outcome: CheckOutcome): AuditEntry[] {
  const entries: AuditEntry[] = []
  if (outcome.provenNow)
    entries.push({ ...auditedDomain(outcome.after), action: 'domain.verified' })
  if (outcome.regressed.length > 0) {
    const records = outcome.regressed.map(({ purpose, name, verdict, reason }) => ({
      purpose,
      name,
      verdict,
      reason,
    }))
    const { before, after } = outcome
    entries.push({
      ...auditedDomain(outcome.after),
      action: 'domain.dns_regressed',
      outcome: 'failure',
      metadata: { state: [before.state, after.state], records },
    })
  }
  return entries
}
