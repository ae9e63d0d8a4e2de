import type {
  ListPeopleElsewhere,
  PeopleElsewhere,
  PersonElsewhere,
} from '@atrium/core/address-claims/address-claims'
import { isBelow } from '@atrium/core/mail/domains'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { listPeopleElsewhere as readPeople } from '@atrium/db/address-claims/address-claims'
import type { DomainRow } from '@atrium/db/mail/domains'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { readDomain } from '../mail/domains/find.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import type { InTransaction } from '../rpc/services.ts'

/**
 * People with addresses on a domain that the tenant proved and whose identities it did not create:
 * the addresses and the claims to them, nothing else. Throws AppError `not_found`,
 * `domain_not_verified`.
 */
export async function listPeopleElsewhere(
  { services }: Context,
  { tenant }: Access,
  { domain, limit, cursor }: ListPeopleElsewhere,
): Promise<PeopleElsewhere> {
  const { db } = services.database
  const { name } = await provenDomain(services, db, tenant.id, domain)
  const rows = await readPeople(db, { tenantId: tenant.id, domain: name }, { after: cursor, limit })
  const items = rows.slice(0, limit).map(toPersonElsewhere)
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.email ?? null) : null }
}

/**
 * A domain that the tenant proved itself. Names below the platform's show nothing about who the
 * tenant is. Throws AppError `not_found`, `domain_not_verified`.
 */
export async function provenDomain(
  { config }: InTransaction,
  db: Db | Trx,
  tenantId: string,
  name: string,
): Promise<DomainRow> {
  const row = await readDomain(db, tenantId, name)
  if (row.verifiedAt === null || isBelow(row.name, config.tenantDomain))
    throw new AppError('domain_not_verified', errorText('domainNotVerified', { name: row.name }))
  return row
}

export function toPersonElsewhere(row: {
  email: string
  startedAt: Date | null
  endsAt: Date | null
  heldAt: Date | null
}): PersonElsewhere {
  const { email, startedAt, endsAt, heldAt } = row
  return {
    email,
    claim:
      startedAt && endsAt
        ? {
            state: heldAt === null ? 'running' : 'held',
            startedAt: startedAt.toISOString(),
            endsAt: endsAt.toISOString(),
          }
        : null,
  }
}
