import { type AddDomain, type DomainView, domainsPerTenant } from '@atrium/core/domains'
import { AppError } from '@atrium/core/errors'
import type { Trx } from '@atrium/db/connect'
import { findDomain } from '@atrium/db/domains'
import { insertDomains, notifyTenant } from '@atrium/db/tenants'
import { refuseLimited } from '../billing/limits.ts'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import type { InTransaction } from '../house.ts'
import { lockOpenTenant } from '../tenants/open.ts'
import { domainTaken, isDomainTaken, refusePlatformNames, refuseUnavailable } from './available.ts'
import { auditedDomain, readDomain } from './find.ts'
import { syncWithMailServer } from './mail-side.ts'
import { toDomainView } from './view.ts'

const mailMs = 10_000

/**
 * Adds a domain and returns what to publish. The record remains when the mail server fails: `mailError` tells it, and every check
 * and reconcile retries. Several tenants can add a domain until one of them proves it. Throws AppError `already_exists` when another
 * tenant has proved the domain or this one has it, `invalid_input` as `refuseUnavailable`.
 */
export async function addDomain(ctx: Context, access: Access, input: AddDomain): Promise<DomainView> {
  const { house } = ctx
  const { db } = house.database
  refusePlatformNames(house, access.tenant.slug, [input.domain], 'domain')
  await db
    .transaction()
    .execute((trx) => insert(trx, house, access.tenant.slug, input.domain))
    .catch((error: unknown) => {
      throw isDomainTaken(error) ? domainTaken('domain', error) : error
    })
  const row = await syncWithMailServer(house, await readDomain(db, access.tenant.id, input.domain), mailMs)
  await house.audit.record(ctx, access.caller, {
    action: 'domain.added',
    ...auditedDomain(row),
    metadata: row.mailError === null ? {} : { mailError: row.mailError },
  })
  return toDomainView(house, row)
}

async function insert(trx: Trx, house: InTransaction, slug: string, name: string): Promise<void> {
  const tenant = await lockOpenTenant(trx, slug)
  await refuseLimited(trx, house, tenant.id)
  const { count } = await trx
    .selectFrom('domains')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenant.id)
    .executeTakeFirstOrThrow()
  if (Number(count) >= domainsPerTenant) {
    const message = `A tenant has at most ${domainsPerTenant} domains.`
    throw new AppError('invalid_input', undefined, { issues: [{ path: 'domain', message }] })
  }
  await insertDomains(trx, tenant.id, [name], { platformDomain: house.config.tenantDomain, withPrimary: false })
  await refuseUnavailable(trx, tenant.id, [name], 'domain')
  const added = await findDomain(trx, tenant.id, name)
  if (!added) throw new Error('the domain that was inserted is not there')
  await notifyTenant(trx, tenant.id)
}
