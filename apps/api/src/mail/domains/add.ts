import type { AddDomain, DomainView } from '@atrium/core/mail/domains'
import { countDomains, findDomain } from '@atrium/db/mail/domains'
import { insertDomains, notifyTenant, type TenantTrx } from '@atrium/db/tenants/tenants'
import { rejectLimited } from '../../billing/invoices/limits.ts'
import type { PreparedEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { lockOpenTenant, rejectFormerDelegate } from '../../rpc/open-tenant.ts'
import type { TransactionContext } from '../../rpc/services.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { domainTaken, isDomainTaken, rejectPlatformNames, rejectUnavailable } from './available.ts'
import { auditedDomain, mailErrorOf, readDomain } from './find.ts'
import { syncWithMailServer } from './mail-side.ts'
import { toDomainView } from './view.ts'

const mailMs = 10_000

/**
 * Adds a domain and returns what to publish. The record remains when the mail server fails:
 * `mailError` has the reason, and every check and reconcile retries. Several tenants can add a
 * domain until one of them proves it. Throws AppError `already_exists` when another tenant has
 * proved the domain or this one has it, `invalid_input` as `refuseUnavailable`.
 */
export async function addDomain(
  ctx: Context,
  access: Access,
  input: AddDomain,
): Promise<DomainView> {
  const { services } = ctx
  const { db } = services.database
  rejectPlatformNames(services, access.tenant.slug, [input.domain], 'domain')
  const prepared = await tenantTransaction(services, access.tenant.id, (trx) =>
    insert(trx, ctx, access, input.domain),
  ).catch((error: unknown) => {
    throw isDomainTaken(error) ? domainTaken('domain', error) : error
  })
  const row = await syncWithMailServer(
    services,
    await readDomain(db, access.tenant.id, input.domain),
    mailMs,
  )
  await services.audit.complete(prepared, mailErrorOf(row))
  return toDomainView(services, row)
}

async function insert(
  trx: TenantTrx,
  { services, request }: TransactionContext,
  access: Access,
  name: string,
): Promise<PreparedEntry> {
  const tenant = await lockOpenTenant(trx, access.tenant.slug)
  await rejectFormerDelegate(trx, access)
  await rejectLimited(trx, services, tenant.id)
  await services.limits.requireCapacity(
    trx,
    'domains',
    tenant.id,
    await countDomains(trx, tenant.id),
  )
  await insertDomains(trx, tenant.id, [name], {
    platformDomain: services.config.tenantDomain,
    withPrimary: false,
  })
  await rejectUnavailable(trx, tenant.id, [name], 'domain')
  const added = await findDomain(trx, tenant.id, name)
  if (!added) throw new Error('the domain that was inserted is not there')
  await notifyTenant(trx, tenant.id)
  const entry = { action: 'domain.added' as const, ...auditedDomain(added) }
  return services.audit.prepare({ request }, access.caller, entry, trx)
}
