import { claimDays } from '@atrium/core/domain-claims'
import type { Trx } from '@atrium/db/connect'
import {
  type DomainRow,
  deleteUnprovenDomain,
  isProvenElsewhere,
  listClaims,
  mailboxesOn,
  replacePrimaryDomain,
  requestMailDomainRemoval,
} from '@atrium/db/domains'
import { mailListsOn } from '@atrium/db/lists'
import { listAdministrators } from '@atrium/db/members'
import { lockTenantById, notifyTenant } from '@atrium/db/tenants'
import type { House, InTransaction } from '../house.ts'
import { portalLink } from '../outbox/links.ts'
import { auditedDomain } from './find.ts'
import { isProven } from './mail-place.ts'
import { removeFromMailServer } from './mail-side.ts'

/** A claim that is older than this moment and not proven has lapsed. */
export function lapsedBefore({ clock }: House): Date {
  return new Date(clock.now().getTime() - claimDays * 86_400_000)
}

/**
 * Ends a claim to a domain whose ownership was not shown in time. While DNS cannot be asked, or something is on the domain, the
 * claim stays.
 */
export async function endLapsedClaim(house: House, row: DomainRow): Promise<void> {
  if (isProven(house, row) || row.createdAt >= lapsedBefore(house)) return
  const ownership = row.verdicts.find(({ purpose }) => purpose === 'ownership')
  if (ownership === undefined || ownership.verdict === 'unknown') return
  await endClaim(house, row, 'lapsed')
}

/** Ends a claim to a domain that another tenant has proved. False when there is nothing to end. */
export async function endSupersededClaim(house: House, row: DomainRow): Promise<boolean> {
  if (isProven(house, row) || !(await isProvenElsewhere(house.database.db, row.tenantId, row.name))) return false
  return endClaim(house, row, 'superseded')
}

/** Ends the claims of other tenants to a domain that was just proved. A claim that this misses ends with its next check. */
export async function endOtherClaims(house: House, proven: DomainRow): Promise<void> {
  for (const row of await listClaims(house.database.db, proven.name)) {
    try {
      await endSupersededClaim(house, row)
    } catch (err) {
      house.log.error({ err, domainId: row.id }, 'a claim to a domain that another tenant proved could not be ended')
    }
  }
}

const endings = {
  lapsed: { template: 'domain.lapsed', reason: `ownership was not shown within ${claimDays} days` },
  superseded: { template: 'domain.superseded', reason: 'another workplace has proved the domain' },
} as const

/**
 * Removes the domain here, has it removed from the mail server, and tells the owner and the admins. Changes nothing and returns
 * false when the claim was proven or removed meanwhile, or when something is on the domain.
 */
async function endClaim(house: House, row: DomainRow, ending: keyof typeof endings): Promise<boolean> {
  const mailDomainId = await house.database.db.transaction().execute((trx) => endUnderLock(trx, house, row, ending))
  if (mailDomainId === undefined) return false
  await house.audit.recordSystem({
    action: 'domain.removed',
    ...auditedDomain(row),
    metadata: { reason: endings[ending].reason },
  })
  if (mailDomainId !== null) await removeFromMailServer(house, mailDomainId)
  return true
}

/** The id in the mail server of what was removed, null when it has none; undefined when the claim stays. */
async function endUnderLock(
  trx: Trx,
  house: InTransaction,
  row: DomainRow,
  ending: keyof typeof endings,
): Promise<string | null | undefined> {
  await lockTenantById(trx, row.tenantId)
  const used = (await mailboxesOn(trx, row.tenantId, row.name, 1)).count + (await mailListsOn(trx, row.tenantId, row.name, 1)).count
  if (used > 0) return undefined
  // A check may prove the domain at this moment: it or this statement is first, and the other one changes nothing.
  const removed = await deleteUnprovenDomain(trx, row.id)
  if (!removed) return undefined
  const mailDomainId = removed.mailDomainId ?? removed.mailPendingId
  if (mailDomainId !== null) await requestMailDomainRemoval(trx, mailDomainId)
  if (removed.primary) {
    await replacePrimaryDomain(trx, row.tenantId, row.id, `${row.tenantSlug}.${house.config.tenantDomain}`)
    await house.jobs.wakeProvisioning(row.tenantId, 0, trx)
  }
  await notifyTenant(trx, row.tenantId)
  if (row.tenantStatus === 'deleted') return mailDomainId
  for (const admin of await listAdministrators(trx, row.tenantId)) {
    await house.outbox.send(trx, {
      tenantId: row.tenantId,
      template: endings[ending].template,
      to: admin.email,
      name: admin.name,
      values: {
        'domain.name': row.name,
        ...(ending === 'lapsed' ? { 'domain.days': claimDays } : {}),
        'link.domains': portalLink(house.config, `/t/${row.tenantSlug}/domains`),
      },
      key: `${endings[ending].template}:${row.id}:${admin.id}`,
    })
  }
  return mailDomainId
}
