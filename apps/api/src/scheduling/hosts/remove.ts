import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { RemoveHost } from '@atrium/core/scheduling/hosts'
import type { Trx } from '@atrium/db/platform/connect'
import { lockHosts } from '@atrium/db/scheduling/booking-claims'
import { findBooking } from '@atrium/db/scheduling/bookings'
import { comingBookingsOf, leaveOffers, markHostRemoved } from '@atrium/db/scheduling/hosts'
import { listUnneededCredentials } from '@atrium/db/scheduling/mail-credentials'
import { errorTexts } from '@atrium/messages/error-texts'
import { defaultLanguage, languageOfLocale } from '@atrium/messages/languages'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { ownHost } from '../access.ts'
import { hostActor } from '../bookings/actor.ts'
import { retryClaim } from '../bookings/claim.ts'
import { runEffects, transitionBooking } from '../bookings/transition.ts'
import { takeBackDue } from '../calendars/app-passwords.ts'
import { eraseCredential } from '../calendars/disconnect-mailbox.ts'
import { lockOwnHost, recordHost } from './open.ts'

/**
 * Removes a host with its event types. Past bookings stay on record. Coming ones are cancelled with
 * `cancelBookings`; without it they prevent the removal: throws AppError `host_in_use` with their
 * number. The credential is revoked and erased once the calendar has the cancellations.
 */
export async function removeHost(
  ctx: Context,
  access: Access,
  { hostId, cancelBookings = false }: RemoveHost,
): Promise<void> {
  const { services } = ctx
  const { db } = services.database
  const host = await ownHost(services, access, hostId)
  const coming = await comingBookingsOf(db, hostId, services.clock.now())
  if (coming.length > 0 && !cancelBookings) throw inUse(coming.length)
  for (const { id } of coming) {
    const found = await findBooking(db, id)
    if (!found) continue
    const cancelled = await transitionBooking(services, {
      actor: hostActor(ctx, access),
      found,
      now: services.clock.now(),
      command: {
        action: 'cancel',
        reason: errorTexts(languageOfLocale(found.visitorLocale) ?? defaultLanguage)(
          'details.hostRemoved',
        ),
      },
    })
    await runEffects(services, cancelled)
  }
  await retryClaim(() =>
    tenantTransaction(services, access.tenant.id, async (trx) => {
      await lockHosts(trx, [hostId])
      await lockOwnHost(trx, access, hostId)
      // A booking may have been made meanwhile; from here on none can be.
      const left = await comingBookingsOf(trx, hostId, services.clock.now())
      if (left.length > 0) throw inUse(left.length)
      await leaveOffers(trx, hostId)
      await markHostRemoved(trx, hostId)
      await eraseUnlessNeeded(trx, hostId)
      await recordHost(ctx, trx, access, {
        action: 'host.removed',
        host,
        metadata: { cancelledBookings: coming.length },
      })
    }),
  )
  await takeBackDue(services)
}

async function eraseUnlessNeeded(trx: Trx, hostId: string): Promise<void> {
  const unneeded = await listUnneededCredentials(trx, 1, hostId)
  if (unneeded.length > 0) await eraseCredential(trx, hostId)
}

function inUse(count: number): AppError {
  return new AppError('host_in_use', errorText('hostBookings', { count }))
}
