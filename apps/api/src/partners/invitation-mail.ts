import type { Trx } from '@atrium/db/connect'
import type { InTransaction } from '../house.ts'
import { portalLink } from '../outbox/links.ts'

/** Tells somebody that they were put on a partner's staff. The link or password for signing in reaches them from whoever invited them. */
export async function sendInvitation(
  trx: Trx,
  house: InTransaction,
  invited: { userId: string; email: string; name: string; partner: { id: string; name: string }; inviter: string },
): Promise<void> {
  const { userId, email, name, partner, inviter } = invited
  await house.outbox.send(trx, {
    tenantId: null,
    template: 'partner.invited',
    to: email,
    name,
    values: {
      'partner.name': partner.name,
      'person.name': name,
      'inviter.name': inviter,
      'link.signIn': portalLink(house.config, '/partner'),
    },
    // Whoever was taken off the staff may be invited again.
    key: `partner.invited:${partner.id}:${userId}:${house.clock.now().getTime()}`,
  })
}
