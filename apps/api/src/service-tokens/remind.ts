import { writtenDay } from '@atrium/core/platform/written-day'
import { holdsLink } from '@atrium/core/scheduling/person-names'
import { reminderDays } from '@atrium/core/service-tokens/service-tokens'
import type { Trx } from '@atrium/db/platform/connect'
import { type EndingToken, takeEndingToken } from '@atrium/db/service-tokens/service-tokens'
import type { InTransaction, Services } from '../rpc/services.ts'
import { ownerInMail, ownerLink, recipientsOf } from './owner-mails.ts'

/**
 * Mails those who can rotate a token 14 and 3 days before it ends: admins of the tenant, owners of
 * the partner, operators. May run any number of times and in several processes.
 */
export async function remindOfEndingTokens(services: Services): Promise<void> {
  const now = services.clock.now()
  // The nearer end first: a token for which both are due gets one mail.
  for (const days of reminderDays.toReversed()) {
    for (let more = true; more; ) {
      more = await services.database.db.transaction().execute(async (trx) => {
        const token = await takeEndingToken(trx, now, days)
        if (token) await mailReminder(trx, services, token, days)
        return token !== undefined
      })
    }
  }
}

async function mailReminder(
  trx: Trx,
  services: InTransaction,
  token: EndingToken,
  days: number,
): Promise<void> {
  const { tenantName, tenantSlug, partnerName } = token
  for (const person of await recipientsOf(trx, token)) {
    await services.outbox.send(trx, {
      tenantId: null,
      template: 'service_token.expiring',
      to: person.email,
      userId: person.id,
      name: person.name,
      values: (language) => ({
        'service.name': holdsLink(token.name) ? token.id : token.name,
        'service.owner': ownerInMail({ name: tenantName ?? partnerName, tenantSlug }, language),
        'service.endsOn': writtenDay(token.expiresAt, language),
        'link.tokens': ownerLink(services.config, token, 'tokens'),
      }),
      key: `service_token.expiring:${token.id}:${token.expiresAt.getTime()}:${days}:${person.id}`,
    })
  }
}
