import { eventDays } from '@atrium/core/events/events'
import { longestGuardWindowMinutes } from '@atrium/core/flags/flag-guards'
import { manageLinkLifeMs } from '@atrium/core/scheduling/booking-state'
import { deliveryDays } from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { ensureAuditPartitions } from '@atrium/db/audit/audit'
import { fillAuditValues } from '@atrium/db/audit/audit-values'
import { emptyOldPayloads } from '@atrium/db/billing/webhook-inbox'
import { prepareEventDays } from '@atrium/db/events/events'
import { deleteExpiredMailProfileLinks } from '@atrium/db/mail/mail-profile-links'
import { deleteOldImports } from '@atrium/db/members/member-imports'
import { deleteRemovedPeople } from '@atrium/db/members/member-work'
import { deleteExpiredTransfers } from '@atrium/db/partners/transfers'
import { deleteExpiredIdempotencyKeys } from '@atrium/db/platform/idempotency'
import { deleteExpiredRateLimits } from '@atrium/db/platform/rate-limits'
import { deleteRequestCounts } from '@atrium/db/platform/request-counts'
import { eraseManageTokens } from '@atrium/db/scheduling/bookings'
import { deleteExpiredSlotLocks } from '@atrium/db/scheduling/slot-locks'
import { deleteOldSignIns } from '@atrium/db/security-policy/sign-ins'
import { deleteEndedServiceTokens } from '@atrium/db/service-tokens/service-tokens'
import { deleteUpstreamDays } from '@atrium/db/system/upstream-days'
import { deleteExpiredAccessLinks } from '@atrium/db/users/access-links'
import { deleteExpiredWebSessions } from '@atrium/db/users/web-sessions'
import { deleteOldDeliveries } from '@atrium/db/webhook-endpoints/deliveries'
import { expireInvitationsDue } from './invitations/expire.ts'
import { eraseMails } from './outbox/drain.ts'
import { upstreamDaysBefore } from './platform/upstream-calls.ts'
import { recordRepeatedDenials } from './rpc/audit-denials.ts'
import type { Services } from './rpc/services.ts'
import { rotateKeys } from './scheduling/calendars/rotate-keys.ts'
import { remindOfEndingTokens } from './service-tokens/remind.ts'

/** How long the payload of a payment event is kept; after that only its hash. */
const payloadDays = 90

/**
 * What is carried out every hour: what has expired goes, what is to come is prepared
 * (docs/how-to/operate.md, "What is kept how long"). A duty that fails keeps no other one from
 * being done; the job fails in the end and is retried.
 */
export async function cleanUp(services: Services): Promise<void> {
  const { db } = services.database
  const now = services.clock.now()
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const duties: readonly (readonly [string, () => Promise<unknown>])[] = [
    // First: without a partition for them entries of the audit log would pile up in the default
    // one.
    ['audit partitions', () => ensureAuditPartitions(db, 3)],
    ['days of events', () => prepareEventDays(db, eventDays)],
    ['repeated denials', () => recordRepeatedDenials(services)],
    ['encryption keys', () => rotateKeys(services)],
    ['payloads of payment events', () => emptyOldPayloads(db, payloadDays)],
    [
      'request counts',
      () => deleteRequestCounts(db, ago((longestGuardWindowMinutes + 60) * 60_000)),
    ],
    ['calls to upstream systems', () => deleteUpstreamDays(db, upstreamDaysBefore(now))],
    ['mails', () => eraseMails(services)],
    ['removed people', () => deleteRemovedPeople(db)],
    ['imports of members', () => deleteOldImports(db)],
    ['idempotency keys', () => deleteExpiredIdempotencyKeys(db)],
    ['manage links', () => eraseManageTokens(db, ago(manageLinkLifeMs))],
    ['rate limits', () => deleteExpiredRateLimits(db, now)],
    ['slot locks', () => deleteExpiredSlotLocks(db, now)],
    ['web sessions', () => deleteExpiredWebSessions(db)],
    ['sign-ins', () => deleteOldSignIns(db)],
    ['links of mail profiles', () => deleteExpiredMailProfileLinks(db)],
    ['transfer codes', () => deleteExpiredTransfers(db, now)],
    ['invitations', () => expireInvitationsDue(services)],
    ['reminders of service tokens', () => remindOfEndingTokens(services)],
    ['ended service tokens', () => deleteEndedServiceTokens(db, now)],
    ['log of webhook deliveries', () => deleteOldDeliveries(db, ago(deliveryDays * 86_400_000))],
    ['access links', () => deleteExpiredAccessLinks(db)],
    // Last, as it takes minutes in the hour after a log of millions was moved to this version.
    ['values of the audit log', () => fillAuditValues(db)],
  ]
  const failures: unknown[] = []
  for (const [duty, carryOut] of duties) {
    try {
      await carryOut()
    } catch (err) {
      failures.push(err)
      services.log.error({ err, duty }, 'clean-up task failed; the other tasks continue')
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} clean-up tasks failed`)
}
