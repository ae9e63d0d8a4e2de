import { splitAddress } from '@atrium/core/mail/mail-addresses'
import {
  deleteAddressClaimsOfPerson,
  detachAddress,
  listOthersWithAddress,
  lockMembershipsOf,
  suspendElsewhere,
} from '@atrium/db/address-claims/address-claims'
import { listAdministrators } from '@atrium/db/members/members'
import { lockUser } from '@atrium/db/partners/partner-team'
import type { Trx } from '@atrium/db/platform/connect'
import { addIdentitySyncTask } from '@atrium/db/users/identity-sync-tasks'
import { detachedEmail } from '@atrium/db/users/users'
import { type AuditEntry, inChainOrder } from '../rpc/audit-recorder.ts'
import type { InTransaction } from '../rpc/services.ts'

/**
 * Takes an address that a person has just proved from everybody else who has it without proof.
 * They keep their identities under other names; memberships that were given to the address end.
 * Returns the tenants of these.
 */
export async function detachOthers(
  services: InTransaction,
  trx: Trx,
  { email, userId }: { email: string; userId: string },
): Promise<string[]> {
  const suspendedIn: string[] = []
  for (const { id, homeTenantId } of await listOthersWithAddress(trx, { email, userId })) {
    await lockMembershipsOf(trx, id)
    await lockUser(trx, id)
    suspendedIn.push(...(await suspendElsewhere(trx, id, [homeTenantId])))
    await mailDetached(services, trx, { email, userId: id, homeTenantId, cause: userId })
    await detach(trx, { email, userId: id })
  }
  return suspendedIn
}

/** The identity loses the address, here and then at the identity provider, and is kept. */
export async function detach(
  trx: Trx,
  { email, userId }: { email: string; userId: string },
): Promise<void> {
  await detachAddress(trx, userId, detachedEmail(email, userId))
  await addIdentitySyncTask(trx, userId, { profile: true, address: true })
  await deleteAddressClaimsOfPerson(trx, userId)
}

/**
 * Notifies the admins of the tenant that manages the identity how the person signs in now. `cause`:
 * the tenant or the person that has the address instead.
 */
export async function mailDetached(
  services: InTransaction,
  trx: Trx,
  detached: { email: string; userId: string; homeTenantId: string | null; cause: string },
): Promise<void> {
  const { email, userId, homeTenantId, cause } = detached
  if (homeTenantId === null) return
  for (const admin of await listAdministrators(trx, homeTenantId))
    await services.outbox.send(trx, {
      tenantId: null,
      template: 'address.detached',
      to: admin.email,
      userId: admin.id,
      name: admin.name,
      values: {
        'person.email': email,
        'domain.name': splitAddress(email).domain,
        'claim.name': detachedEmail(email, userId),
      },
      key: `address.detached:${cause}:${userId}:${admin.id}`,
    })
}

/** The tenants learn from their audit logs why somebody was shut out. */
export async function recordSuspendedMemberships(
  { audit }: InTransaction,
  trx: Trx,
  email: string,
  tenantSlugs: readonly string[],
): Promise<void> {
  const entries = tenantSlugs.map(
    (tenantSlug): AuditEntry => ({
      action: 'member.suspended',
      resourceType: 'member',
      resourceId: email,
      resourceName: email,
      tenantSlug,
      metadata: { reason: 'the address was never proved, and belongs to somebody else' },
    }),
  )
  for (const entry of inChainOrder(entries)) await audit.recordSystem(entry, trx)
}
