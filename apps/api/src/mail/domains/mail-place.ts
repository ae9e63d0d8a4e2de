import type { MailPlace } from '@atrium/db/provisioning/provisioning'
import type { MailServer } from '@atrium/integrations/mail/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'
import { isManaged } from './view.ts'

/** How the mail server's domains say whose they are. */
export function mailDomainDescription(tenantSlug: string): string {
  return `Atrium tenant ${tenantSlug}`
}

type Claim = Pick<MailPlace, 'name' | 'ownershipToken' | 'verifiedAt'>

/**
 * The name of an unproved domain in the mail server. A mail server keeps mail to its own domains,
 * so claiming another person's domain would cut it off for everyone here; the server's switch for
 * domains (`isEnabled`) does not prevent that.
 */
export function waitingName(
  services: Services,
  { ownershipToken }: Pick<Claim, 'ownershipToken'>,
): string {
  return `unproven-${ownershipToken}.${services.config.tenantDomain}`
}

/** Whether the mail server may take mail for the domain. */
export function isProven(
  services: Services,
  { name, verifiedAt }: Pick<Claim, 'name' | 'verifiedAt'>,
): boolean {
  return verifiedAt !== null || isManaged(services, name)
}

export interface Placed {
  mailDomainId: string | null
  mailPendingId: string | null
  /** Made by this call. */
  created: boolean
}

/**
 * Gets or creates the domain in the mail server: under its own name once ownership was shown, until
 * then under another one. A domain that waited is renamed and keeps its keys.
 */
export async function placeInMailServer(
  services: Services,
  mail: MailServer,
  domain: Omit<MailPlace, 'id'> & { tenantSlug: string },
  signal: AbortSignal,
): Promise<Placed> {
  const description = mailDomainDescription(domain.tenantSlug)
  // One that is in place already stays, whatever became of the proof: mail runs on it.
  if (!isProven(services, domain) && domain.mailDomainId === null) {
    const { id, created } = await mail.ensureDomain(
      { name: waitingName(services, domain), description },
      { signal },
    )
    return { mailDomainId: null, mailPendingId: id, created }
  }
  if (
    domain.mailPendingId !== null &&
    (await renamed(mail, domain.mailPendingId, domain.name, signal))
  ) {
    return { mailDomainId: domain.mailPendingId, mailPendingId: null, created: false }
  }
  const { id, created } = await mail.ensureDomain({ name: domain.name, description }, { signal })
  return { mailDomainId: id, mailPendingId: null, created }
}

/** False when the mail server no longer has it. */
async function renamed(
  mail: MailServer,
  domainId: string,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await mail.renameDomain({ domainId, name }, { signal })
    return true
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'not_found') return false
    throw error
  }
}
