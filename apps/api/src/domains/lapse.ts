import { claimDays } from '@atrium/core/domain-claims'
import { type DomainRow, deleteDomain, mailboxesOn, replacePrimaryDomain } from '@atrium/db/domains'
import { mailListsOn } from '@atrium/db/lists'
import { listAdministrators } from '@atrium/db/members'
import { lockTenantById, notifyTenant } from '@atrium/db/tenants'
import type { House } from '../house.ts'
import { portalLink } from '../outbox/links.ts'
import { auditedDomain } from './find.ts'
import { isProven } from './mail-place.ts'
import { removeOrphan } from './mail-side.ts'

/** A claim that is older than this moment and not proven has lapsed. */
export function lapsedBefore({ clock }: House): Date {
  return new Date(clock.now().getTime() - claimDays * 86_400_000)
}

/**
 * Ends a claim to a domain whose ownership was not shown in time: it goes here and from the mail server, so that whoever owns it can add
 * it, and the admins are told. While DNS cannot be asked, or something is on the domain, it stays.
 */
export async function endLapsedClaim(house: House, row: DomainRow): Promise<void> {
  if (isProven(house, row) || row.createdAt >= lapsedBefore(house)) return
  const ownership = row.verdicts.find(({ purpose }) => purpose === 'ownership')
  if (ownership === undefined || ownership.verdict === 'unknown') return
  const { db } = house.database
  const used = (await mailboxesOn(db, row.name, 1)).count + (await mailListsOn(db, row.name, 1)).count
  if (used > 0) return
  const { mail } = house.systems
  const domainId = row.mailDomainId ?? row.mailPendingId
  // Here last: a domain that stayed in the mail server is found again by the next check.
  if (mail && domainId !== null && !(await removeOrphan(house, mail, domainId))) return
  await db.transaction().execute(async (trx) => {
    await lockTenantById(trx, row.tenantId)
    if (row.primary) await replacePrimaryDomain(trx, row.tenantId, row.id, `${row.tenantSlug}.${house.config.tenantDomain}`)
    await deleteDomain(trx, row.id)
    await notifyTenant(trx, row.tenantId)
    if (row.tenantStatus === 'deleted') return
    for (const admin of await listAdministrators(trx, row.tenantId)) {
      await house.outbox.send(trx, {
        tenantId: row.tenantId,
        template: 'domain.lapsed',
        to: admin.email,
        name: admin.name,
        values: {
          'domain.name': row.name,
          'domain.days': claimDays,
          'link.domains': portalLink(house.config, `/t/${row.tenantSlug}/domains`),
        },
        key: `domain.lapsed:${row.id}:${admin.id}`,
      })
    }
    if (row.primary) await house.jobs.wakeProvisioning(row.tenantId, 0, trx)
  })
  await house.audit.recordSystem({
    action: 'domain.removed',
    ...auditedDomain(row),
    metadata: { reason: `ownership was not shown within ${claimDays} days` },
  })
}
