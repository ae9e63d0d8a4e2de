import {
  type AddressClaimRow,
  claimDueAddressClaims,
  deleteAddressClaim,
  deleteAddressClaimsOfPerson,
  findAddressClaim,
  holdAddressClaim,
  lockMembershipsOf,
  suspendElsewhere,
} from '@atrium/db/address-claims/address-claims'
import { claimMember } from '@atrium/db/members/member-work'
import { findMember } from '@atrium/db/members/members'
import { lockUser } from '@atrium/db/partners/partner-team'
import type { Trx } from '@atrium/db/platform/connect'
import { lockTenantById } from '@atrium/db/tenants/tenants'
import { giveUpIdentity, renewIdentitySteps } from '@atrium/db/users/address-proofs'
import { lockEmail } from '@atrium/db/users/users'
import { detach, mailDetached, recordSuspendedMemberships } from '../members/detach.ts'
import { runMember } from '../members/run.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { InTransaction, Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { mailAccessLink } from '../users/access-mails.ts'
import { mailHeld } from './mails.ts'

const batch = 20

type Outcome =
  /** The claim lost its ground: the address, the domain or the tenant changed. */
  | { kind: 'unfounded' }
  /** The person is being moved, or waits for an operator who knows. */
  | { kind: 'waits' }
  | { kind: 'held' }
  /** The person is a member of the claiming tenant and got a new identity there. */
  | { kind: 'taken_home' }
  | { kind: 'detached'; suspendedIn: string[] }

/**
 * Carries out the claims whose time is over. The identity loses the address and is kept under
 * another name; a member of the claiming tenant gets a new identity there. Rights that were given
 * to an address without proof end. Platform administrators and partner staff keep everything until
 * an operator has taken those rights.
 */
export async function settleDueAddressClaims(services: Services): Promise<void> {
  for (;;) {
    const due = await claimDueAddressClaims(services.database.db, batch)
    for (const claim of due) {
      try {
        await settleAddressClaim(services, claim)
      } catch (err) {
        // One claim must not keep the others waiting.
        services.log.error({ err, ...claim }, 'failed to settle a claim to an address')
      }
    }
    if (due.length < batch) return
  }
}

async function settleAddressClaim(
  services: Services,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<void> {
  const settled = await tenantTransaction(services, tenantId, async (trx) => {
    await lockTenantById(trx, tenantId)
    const seen = await findAddressClaim(trx, tenantId, userId)
    if (!seen) return undefined
    await lockEmail(trx, seen.email)
    await lockMembershipsOf(trx, userId)
    await lockUser(trx, userId)
    const claim = await findAddressClaim(trx, tenantId, userId)
    if (!claim) return undefined
    const outcome = await settle(trx, services, claim)
    if (outcome.kind !== 'waits') await recordOutcome(trx, services, claim, outcome)
    return { claim, outcome }
  })
  if (settled?.outcome.kind === 'taken_home') await createNewIdentity(services, settled.claim)
}

/** What fails is retried by the job engine. */
async function createNewIdentity(
  services: Services,
  { tenantId, userId }: AddressClaimRow,
): Promise<void> {
  const work = await claimMember(services.database.db, tenantId, userId)
  if (work) await runMember(services, services.memberLeases.kept(work))
  else await services.jobs.enqueueMember(tenantId, userId, 1)
}

async function settle(trx: Trx, services: InTransaction, claim: AddressClaimRow): Promise<Outcome> {
  const { tenantId, userId, email } = claim
  if (claim.movedAt !== null) return { kind: 'waits' }
  if (!claim.founded) {
    await deleteAddressClaim(trx, claim)
    return { kind: 'unfounded' }
  }
  if (claim.platformAdmin || claim.partnerId !== null) {
    if (!(await holdAddressClaim(trx, claim))) return { kind: 'waits' }
    await mailHeld(services, trx, claim)
    return { kind: 'held' }
  }
  const member = await findMember(trx, tenantId, userId)
  if (member && member.membershipStatus !== 'removing') {
    await giveUpIdentity(trx, userId, tenantId)
    // With it, so that a process that dies here leaves work that the jobs find.
    await renewIdentitySteps(trx, userId, null)
    await deleteAddressClaimsOfPerson(trx, userId)
    await mailAccessLink(services, trx, {
      userId,
      email,
      name: claim.name,
      tenantId,
      admin: claim.tenantName,
      run: claim.startedAt.toISOString(),
    })
    return { kind: 'taken_home' }
  }
  const suspendedIn = claim.proved ? [] : await suspendElsewhere(trx, userId, [claim.homeTenantId])
  await mailDetached(services, trx, { ...claim, cause: tenantId })
  await detach(trx, { email, userId })
  return { kind: 'detached', suspendedIn }
}

async function recordOutcome(
  trx: Trx,
  services: InTransaction,
  { email, tenantSlug, partnerSlug }: AddressClaimRow,
  outcome: Outcome,
): Promise<void> {
  const entry: AuditEntry = {
    action: outcome.kind === 'held' ? 'address.claim_held' : 'address.claim_settled',
    resourceType: 'address',
    resourceId: email,
    resourceName: email,
    tenantSlug,
    partnerSlug,
    metadata: { outcome: outcome.kind },
  }
  await services.audit.recordSystem(entry, trx)
  if (outcome.kind === 'detached')
    await recordSuspendedMemberships(services, trx, email, outcome.suspendedIn)
}
