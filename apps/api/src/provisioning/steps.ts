import { stepFailureText } from '@atrium/core/platform/failure-text'
import { fileQuotaBytes, type ProvisioningStep } from '@atrium/core/tenants/tenants'
import { fileAccountsOf } from '@atrium/db/members/former-file-accounts'
import type { ProvisioningRun, StepOutcome } from '@atrium/db/provisioning/provisioning'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { requireNames } from '../mail/domains/follow-name.ts'
import { placeInMailServer } from '../mail/domains/mail-place.ts'
import { StepRejected } from '../platform/step-rejected.ts'
import type { Services } from '../rpc/services.ts'

type Done = Omit<StepOutcome, 'error' | 'retryInSeconds' | 'state'> & { state: 'ok' | 'skipped' }

/**
 * The three steps. Each is get-or-create by stable names, so that a second run changes nothing that
 * is right.
 */
export const steps: Readonly<
  Record<
    ProvisioningStep,
    (services: Services, run: ProvisioningRun, signal: AbortSignal) => Promise<Done>
  >
> = {
  identity: provisionIdentity,
  mail: provisionMail,
  files: provisionFiles,
}

/**
 * The tenant's group, with its owner in it unless that is a platform administrator. Members whom it
 * lacks, as one that was made again, are put into it by their own work.
 */
async function provisionIdentity(
  services: Services,
  run: ProvisioningRun,
  signal: AbortSignal,
): Promise<Done> {
  const { identity } = services.systems
  if (!identity) return { state: 'skipped' }
  const { tenant, owner } = run
  const group = await identity.ensureGroup(
    {
      name: tenant.identityGroupName,
      attributes: { tenant: tenant.slug },
      knownId: tenant.identityGroupId ?? undefined,
    },
    { signal },
  )
  // While the tenant is suspended its group is empty; its members leave it by their own steps.
  if (tenant.access === 'shut') return { state: 'ok', identityGroupId: group.id }
  const groupMembers = group.created ? [] : await identity.listGroupMembers(group.id, { signal })
  if (!owner) return { state: 'ok', identityGroupId: group.id, groupMembers }
  const userId = owner.idpUserId ?? (await findOwner(identity, owner, signal))
  // A platform administrator is in no tenant's group: the token, which names every group, would
  // grow with each tenant.
  if (owner.platformAdmin) await identity.removeFromGroup({ groupId: group.id, userId }, { signal })
  else await identity.addToGroup({ groupId: group.id, userId }, { signal })
  return {
    state: 'ok',
    identityGroupId: group.id,
    groupMembers,
    ownerIdpUserId: { userId: owner.id, idpUserId: userId },
  }
}

async function findOwner(
  identity: IdentityProvider,
  owner: { subject: string; email: string },
  signal: AbortSignal,
): Promise<string> {
  const found = await identity.findUserBySubject(owner, { signal })
  if (!found) throw new StepRejected(stepFailureText('ownerUnknown'))
  return found.id
}

/**
 * Syncs each domain with the mail server, one after another: the server accepts four requests at a
 * time in total.
 */
async function provisionMail(
  services: Services,
  run: ProvisioningRun,
  signal: AbortSignal,
): Promise<Done> {
  const { mail } = services.systems
  if (!services.config.mailProvisioning || !mail) return { state: 'skipped' }
  await requireNames(services, mail, run.tenant.id, signal)
  const mailDomains: NonNullable<StepOutcome['mailDomains']>[number][] = []
  for (const domain of run.domains) {
    const { mailDomainId, mailPendingId } = await placeInMailServer(
      services,
      mail,
      { ...domain, tenantSlug: run.tenant.slug },
      signal,
    )
    mailDomains.push({ id: domain.id, mailDomainId, mailPendingId })
  }
  return { state: 'ok', mailDomains }
}

/**
 * A project space with the plan's quota and without deleted accounts; disabled, with its content,
 * while the tenant is suspended.
 */
async function provisionFiles(
  services: Services,
  run: ProvisioningRun,
  signal: AbortSignal,
): Promise<Done> {
  const { files } = services.systems
  if (!files) return { state: 'skipped' }
  const { tenant } = run
  if (tenant.access === 'shut') {
    if (tenant.fileSpaceId !== null) await files.disableSpace(tenant.fileSpaceId, { signal })
    return { state: 'ok' }
  }
  const space = await files.ensureSpace(
    {
      spaceId: tenant.fileSpaceId ?? undefined,
      marker: tenant.slug,
      name: tenant.name,
      quotaBytes: fileQuotaBytes[tenant.plan],
    },
    { signal },
  )
  if (!space.created) {
    const known = await fileAccountsOf(services.database.db, tenant.id)
    const removed = await files.removeGoneFromSpace({ spaceId: space.id, known }, { signal })
    if (removed > 0)
      services.log.info(
        { tenant: tenant.slug, removed },
        'removed deleted accounts from the file space',
      )
  }
  return { state: 'ok', fileSpaceId: space.id }
}
