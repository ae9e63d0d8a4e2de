import type { DomainDetail, DomainList, DomainPath, DomainUsage } from '@atrium/core/mail/domains'
import { type DomainRow, listDomains as readDomains } from '@atrium/db/mail/domains'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { readDomain } from './find.ts'
import { syncWithMailServer } from './mail-side.ts'
import { hasMail, toDomainView } from './view.ts'

/** How long a read waits for the mail server before it responds without it. */
const patienceMs = 3_000

/**
 * The tenant's domains, primary first. Records that the mail server was still making are looked for
 * again.
 */
export async function listDomains({ services }: Context, access: Access): Promise<DomainList> {
  const rows = await readDomains(services.database.db, access.tenant.id)
  // After a failure for a domain, opening the page does not ask the server again; the next check
  // does.
  const items = await Promise.all(
    rows.map((row) => (row.mailError === null ? completed(services, row) : row)),
  )
  return { items: items.map((row) => toDomainView(services, row)), nextCursor: null }
}

/** One domain with how much of the mail server uses it. */
export async function getDomain(
  { services }: Context,
  access: Access,
  input: DomainPath,
): Promise<DomainDetail> {
  const row = await completed(
    services,
    await readDomain(services.database.db, access.tenant.id, input.domain),
  )
  return { ...toDomainView(services, row), usage: await usageOf(services, row) }
}

/** A domain that the mail server has, with its records when they were not all known before. */
async function completed(services: Services, row: DomainRow): Promise<DomainRow> {
  return (row.mailDomainId ?? row.mailPendingId) === null || row.mailRecordsComplete
    ? row
    : syncWithMailServer(services, row, patienceMs)
}

async function usageOf(services: Services, row: DomainRow): Promise<DomainUsage | null> {
  const { mail } = services.systems
  const domainId = row.mailDomainId ?? row.mailPendingId
  if (!hasMail(services) || !mail || domainId === null) return null
  try {
    const { accounts, aliases, lists } = await mail.domainUse(domainId, {
      signal: AbortSignal.timeout(patienceMs),
    })
    return { accounts, aliases, lists }
  } catch (error) {
    if (error instanceof UpstreamError || error instanceof DOMException) return null
    throw error
  }
}
