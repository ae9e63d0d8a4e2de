import { claimDays } from '@atrium/core/mail/domain-claims'
import {
  type DomainRow,
  deleteUnprovenDomain,
  isProvenElsewhere,
  listClaims,
  mailboxesOn,
  replacePrimaryDomain,
  requestMailDomainRemoval,
} from '@atrium/db/mail/domains'
import { mailListsOn } from '@atrium/db/mail/lists'
import { listAdministrators } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import { lockTenantById, notifyTenant, type TenantTrx } from '@atrium/db/tenants/tenants'
import { portalLink } from '../../platform/links.ts'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { auditedDomain } from './find.ts'
import { isProven } from './mail-place.ts'
import { removeFromMailServer } from './mail-side.ts'

/** A claim that is older than this moment and not proven has lapsed. */
export function lapsedBefore({ clock }: Services): Date {
  return new Date(clock.now().getTime() - claimDays * 86_400_000)
}

/**
 * Ends a claim to a domain whose ownership was not shown in time. While DNS cannot be asked, or
 * something is on the domain, the claim stays.
 */
export async function endLapsedClaim(services: Services, row: DomainRow): Promise<void> {
  if (isProven(services, row) || row.createdAt >= lapsedBefore(services)) return
  const ownership = row.verdicts.find(({ purpose }) => purpose === 'ownership')
  if (ownership === undefined || ownership.verdict === 'unknown') return
  await endClaim(services, row, 'lapsed')
}

/** Ends a claim to a domain that another tenant has proved. False when there is nothing to end. */
export async function endSupersededClaim(services: Services, row: DomainRow): Promise<boolean> {
  if (
    isProven(services, row) ||
    !(await isProvenElsewhere(services.database.db, row.tenantId, row.name))
  )
    return false
  return endClaim(services, row, 'superseded')
}

/**
 * Ends the claims of other tenants to a domain that was just proved. A claim that this misses ends
 * with its next check.
 */
export async function endOtherClaims(services: Services, proven: DomainRow): Promise<void> {
  for (const row of await listClaims(services.database.db, proven.name)) {
    try {
      await endSupersededClaim(services, row)
    } catch (err) {
      services.log.error(
        { err, domainId: row.id },
        'failed to end the claim to a domain verified by another tenant',
      )
    }
  }
}

const endings = {
  lapsed: { template: 'domain.lapsed', reason: `ownership was not shown within ${claimDays} days` },
  superseded: { template: 'domain.superseded', reason: 'another workplace has proved the domain' },
} as const

/**
 * Removes the domain here, schedules its removal from the mail server, and notifies the owner and
 * the admins. Changes nothing and returns false when the claim was proved or removed meanwhile, or
 * when something uses the domain.
 */
async function endClaim(
  services: Services,
  row: DomainRow,
  ending: keyof typeof endings,
): Promise<boolean> {
  const mailDomainId = await tenantTransaction(services, row.tenantId, (trx) =>
    endUnderLock(trx, services, row, ending),
  )
  if (mailDomainId === undefined) return false
  if (mailDomainId !== null) await removeFromMailServer(services, mailDomainId)
  return true
}

/**
 * The id in the mail server of what was removed, null when it has none; undefined when the claim
 * stays.
 */
async function endUnderLock(
  trx: TenantTrx,
  services: InTransaction,
  row: DomainRow,
  ending: keyof typeof endings,
): Promise<string | null | undefined> {
  await lockTenantById(trx, row.tenantId)
  const used =
    (await mailboxesOn(trx, row.tenantId, row.name, 1)).count +
    (await mailListsOn(trx, row.tenantId, row.name, 1)).count
  if (used > 0) return undefined
  // A check may prove the domain at this moment: it or this statement is first, and the other one
  // changes nothing.
  const removed = await deleteUnprovenDomain(trx, row.id)
  if (!removed) return undefined
  const mailDomainId = removed.mailDomainId ?? removed.mailPendingId
  if (mailDomainId !== null) await requestMailDomainRemoval(trx, mailDomainId)
  if (removed.primary) {
    await replacePrimaryDomain(
      trx,
      row.tenantId,
      row.id,
      `${row.tenantSlug}.${services.config.tenantDomain}`,
    )
    await services.jobs.enqueueProvisioning(row.tenantId, 0, trx)
  }
  await notifyTenant(trx, row.tenantId)
  if (row.tenantStatus !== 'deleted') await mailAdministrators(trx, services, row, ending)
  const entry: AuditEntry = {
    action: 'domain.removed',
    ...auditedDomain(row),
    metadata: { reason: endings[ending].reason },
  }
  await services.audit.recordSystem(entry, trx)
  return mailDomainId
}

async function mailAdministrators(
  trx: Trx,
  services: InTransaction,
  row: DomainRow,
  ending: keyof typeof endings,
): Promise<void> {
  for (const admin of await listAdministrators(trx, row.tenantId)) {
    await services.outbox.send(trx, {
      tenantId: row.tenantId,
      template: endings[ending].template,
      to: admin.email,
      userId: admin.id,
      name: admin.name,
      values: {
        'domain.name': row.name,
        ...(ending === 'lapsed' ? { 'domain.days': claimDays } : {}),
        'link.domains': portalLink(services.config, `/t/${row.tenantSlug}/domains`),
      },
      key: `${endings[ending].template}:${row.id}:${admin.id}`,
    })
  }
}
