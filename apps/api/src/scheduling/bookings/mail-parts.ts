import { type ClaimedMail, isOvertaken } from '@atrium/db/outbox/outbox'
import { DecryptionError } from '@atrium/db/platform/encryption'
import { type BookingRow, findBooking } from '@atrium/db/scheduling/bookings'
import type { OutgoingMail as Message } from '@atrium/integrations/mailer/port'
import type { MailKind, MailParts, Services } from '../../rpc/services.ts'
import { type Invitation, invitation, withHosts } from '../calendars/invitation.ts'
import {
  addressProof,
  manageLink,
  manageLookupLink,
  readManageToken,
} from '../public/manage-token.ts'
import { otherGuests } from './facts.ts'

/** Mails about a booking. */
export const bookingMails: MailKind = { parts: bookingMailParts, whyPointless: pointlessBecause }

const toHost = ({ template }: ClaimedMail) => template.startsWith('booking.host_')

/** In mails to visitors the host speaks; replies go to the other side. */
async function bookingMailParts(
  services: Services,
  mail: ClaimedMail,
  sender: string,
): Promise<MailParts | undefined> {
  if (mail.bookingId === null) return undefined
  const booking = await findBooking(services.database.db, mail.bookingId)
  if (!booking) return undefined
  if (toHost(mail))
    return { values: {}, answersTo: { name: booking.visitorName, address: booking.visitorEmail } }
  const reader = mail.values['link.manage'] === '' ? 'guest' : 'visitor'
  const link = reader === 'guest' ? '' : linkOf(services, booking)
  return {
    values: { 'link.manage': link },
    sendsFor: booking.hostName,
    answersTo: { name: booking.hostName, address: booking.hostAddress },
    calendar: await calendarOf(services, mail, booking, { reader, sentBy: sender }),
  }
}

/**
 * Empty once the life of the link is over, and when its key is no longer there: the mail says the
 * rest without it.
 */
function linkOf({ config, log }: Services, booking: BookingRow): string {
  if (config.keyring === null) return ''
  try {
    const token = readManageToken(config.keyring, booking)
    const link = token === null ? '' : manageLink(config, token)
    const guestsWait = booking.visitorConfirmedAt === null && otherGuests(booking).length > 0
    return link !== '' && guestsWait
      ? `${link}?proof=${addressProof(config.keyring, booking)}`
      : link
  } catch (err) {
    if (!(err instanceof DecryptionError)) throw err
    log.error(
      { err, bookingId: booking.id },
      'manage link cannot be decrypted; sending the mail without it',
    )
    return ''
  }
}

async function calendarOf(
  services: Services,
  { calendar }: ClaimedMail,
  booking: BookingRow,
  parts: Pick<Invitation, 'reader' | 'sentBy'>,
): Promise<Message['calendar']> {
  if (calendar === null) return undefined
  const { method, sequence, uid, organizer } = calendar
  const times = { start: new Date(calendar.start), end: new Date(calendar.end) }
  const message = {
    ...parts,
    method,
    sequence,
    uid,
    organizer,
    now: services.clock.now(),
    ...times,
  }
  const lookupLink = method === 'CANCEL' ? '' : manageLookupLink(services.config, booking.id)
  const content = invitation(await withHosts(services.database.db, booking), {
    ...message,
    lookupLink,
  })
  return { method, content }
}

/**
 * Why a mail about a booking need not be sent any more; undefined when it has to be. Asked before
 * each try: what a mail that was held up says may no longer hold.
 */
async function pointlessBecause(
  services: Services,
  mail: ClaimedMail,
): Promise<string | undefined> {
  if (mail.bookingId === null) return undefined
  if (mail.template === 'booking.reminder') {
    const booking = await findBooking(services.database.db, mail.bookingId)
    const now = services.clock.now()
    if (booking?.status !== 'confirmed' || booking.startAt <= now)
      return 'the meeting it reminds of does not come any more'
    return booking.startAt.getTime() === mail.values.start
      ? undefined
      : 'the meeting it reminds of was moved'
  }
  // Nothing else takes the entry of a former host out of the calendar.
  if (mail.template === 'booking.replaced') return undefined
  return mail.attempts > 1 && (await isOvertaken(services.database.db, mail))
    ? 'a later mail about the booking took its place'
    : undefined
}
