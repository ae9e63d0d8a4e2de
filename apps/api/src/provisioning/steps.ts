import { fileQuotaBytes, type ProvisioningStep } from '@atrium/core/tenants'
import type { ProvisioningRun, StepOutcome } from '@atrium/db/provisioning'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { placeInMailServer } from '../domains/mail-place.ts'
import type { House } from '../house.ts'

type Done = Omit<StepOutcome, 'error' | 'retryInSeconds' | 'state'> & { state: 'ok' | 'skipped' }

/** What a step cannot do for a reason that a person has to mend. The message is shown on the tenant. */
export class StepRefused extends Error {
  override readonly name = 'StepRefused'
}

/** The three steps. Each is get-or-create by stable names, so that a second run changes nothing that is right. */
export const steps: Readonly<Record<ProvisioningStep, (house: House, run: ProvisioningRun, signal: AbortSignal) => Promise<Done>>> = {
  identity: provisionIdentity,
  mail: provisionMail,
  files: provisionFiles,
}

/**
 * The tenant's group, with its owner in it unless that is a platform administrator. Members whom it lacks, as one that was made again, are
 * put into it by their own work.
 */
async function provisionIdentity(house: House, run: ProvisioningRun, signal: AbortSignal): Promise<Done> {
  const { identity } = house.systems
  if (!identity) return { state: 'skipped' }
  const { tenant, owner } = run
  const group = await identity.ensureGroup(
    { name: tenant.identityGroupName, attributes: { tenant: tenant.slug }, knownId: tenant.identityGroupId ?? undefined },
    { signal },
  )
  const groupMembers = group.created ? [] : await identity.listGroupMembers(group.id, { signal })
  if (!owner) return { state: 'ok', identityGroupId: group.id, groupMembers }
  const userId = owner.idpUserId ?? (await findOwner(identity, owner, signal))
  // A platform administrator is in no tenant's group: the token, which names every group, would grow with each tenant.
  if (owner.platformAdmin) await identity.removeFromGroup({ groupId: group.id, userId }, { signal })
  else await identity.addToGroup({ groupId: group.id, userId }, { signal })
  return { state: 'ok', identityGroupId: group.id, groupMembers, ownerIdpUserId: { userId: owner.id, idpUserId: userId } }
}

async function findOwner(identity: IdentityProvider, owner: { subject: string; email: string }, signal: AbortSignal): Promise<string> {
  const found = await identity.findUserBySubject(owner, { signal })
  if (!found) throw new StepRefused('The identity provider does not know the owner of this tenant.')
  return found.id
}

/** Each domain in the mail server, one after another: the server takes four requests at a time from everybody together. */
async function provisionMail(house: House, run: ProvisioningRun, signal: AbortSignal): Promise<Done> {
  const { mail } = house.systems
  if (!house.config.mailProvisioning || !mail) return { state: 'skipped' }
  const mailDomains: NonNullable<StepOutcome['mailDomains']>[number][] = []
  for (const domain of run.domains) {
    const { mailDomainId, mailPendingId } = await placeInMailServer(house, mail, { ...domain, tenantSlug: run.tenant.slug }, signal)
    mailDomains.push({ id: domain.id, mailDomainId, mailPendingId })
  }
  return { state: 'ok', mailDomains }
}

/** A project space with the plan's quota. */
async function provisionFiles(house: House, run: ProvisioningRun, signal: AbortSignal): Promise<Done> {
  const { files } = house.systems
  if (!files) return { state: 'skipped' }
  const { tenant } = run
  const space = await files.ensureSpace(
    { spaceId: tenant.fileSpaceId ?? undefined, marker: tenant.slug, name: tenant.name, quotaBytes: fileQuotaBytes[tenant.plan] },
    { signal },
  )
  return { state: 'ok', fileSpaceId: space.id }
}
