import {
  countOn,
  listsToPush,
  type MovedDomain,
  takeBackDomains,
} from '@atrium/db/mail/released-domains'
import { listAdministrators } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { portalLink } from '../../platform/links.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { pushList } from '../lists/push.ts'
import { followNames } from './follow-name.ts'
import { hasMail } from './view.ts'

const mailMs = 8_000

/**
 * Brings names of domains that changed to the mail server, and lists that send to other addresses
 * by it. What fails the job that checks domains and the sweep of lists try again.
 */
export async function followMovedDomains(services: Services, tenantId: string): Promise<void> {
  const { mail } = services.systems
  if (!hasMail(services) || !mail) return
  const signal = AbortSignal.timeout(mailMs)
  try {
    await followNames(services, mail, { tenantId }, signal)
  } catch (err) {
    if (!(err instanceof UpstreamError) && !signal.aborted) throw err
    services.log.warn({ err, tenantId }, 'failed to update domain names in the mail server')
  }
  for (const id of await listsToPush(services.database.db, tenantId))
    services.background.run('push a list', () => pushList(services, id))
}

/** A domain that did not come back, and how much keeps working under the name in its place. */
export type LostDomain = Omit<MovedDomain, 'id'> & {
  mailboxes: number
  lists: number
  signIns: number
}

/**
 * Restores a tenant's released domains. Those that another tenant has proved are not restored; the
 * owner and admins get a mail. Throws the violation that `isDomainTaken` recognizes when another
 * tenant proves one at the same time.
 */
export async function takeBack(
  trx: Trx,
  services: InTransaction,
  tenant: { id: string; slug: string },
): Promise<LostDomain[]> {
  const lost: LostDomain[] = []
  for (const { id, name, replacedBy } of await takeBackDomains(trx, tenant.id)) {
    lost.push({ name, replacedBy, ...(await countOn(trx, tenant.id, replacedBy)) })
    for (const admin of await listAdministrators(trx, tenant.id)) {
      await services.outbox.send(trx, {
        tenantId: tenant.id,
        template: 'domain.superseded',
        to: admin.email,
        userId: admin.id,
        name: admin.name,
        values: {
          'domain.name': name,
          'link.domains': portalLink(services.config, `/t/${tenant.slug}/domains`),
        },
        key: `domain.superseded:${id}:${name}:${admin.id}`,
      })
    }
  }
  return lost
}
