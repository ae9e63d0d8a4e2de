import type { DomainPath, DomainView } from '@atrium/core/mail/domains'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { rejectClosed, rejectFormerDelegate } from '../../rpc/open-tenant.ts'
import { checkDomain } from './check.ts'
import { readDomain } from './find.ts'
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
    {
      stillMay: (trx) => rejectFormerDelegate(trx, access),
      record: (trx, entry) => services.audit.record(ctx, access.caller, entry, trx),
    },
  )
  if (outcome === 'removed') throw new AppError('not_found', errorText('unknownDomain'))
  if (outcome === 'superseded') {
    throw new AppError('already_exists', errorText('domainProvedElsewhere'))
  }
  return toDomainView(services, outcome)
}
