import { AppError } from '@atrium/core/platform/errors'
import { stepFailureText } from '@atrium/core/platform/failure-text'
import { DecryptionError } from '@atrium/db/platform/encryption'
import { type HostRow, setHostCalendar } from '@atrium/db/scheduling/hosts'
import {
  findMailCredential,
  type MailCredentialRow,
  noteCredentialCheck,
} from '@atrium/db/scheduling/mail-credentials'
import type {
  Calendars,
  HostCalendar,
  MailboxCredential,
} from '@atrium/integrations/calendars/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'

export interface CalendarAccess {
  calendars: Calendars
  credential: MailboxCredential
  calendar: HostCalendar
  /**
   * The credential is known to work, and was noted not long ago: one more use of it needs no note.
   */
  noted: boolean
}

/** The one place that a host's secret belongs to; see `Keyring`. */
export const secretContext = (hostId: string) => `mail_credentials.secret:${hostId}`

/** How long a caller should wait before the calendar is read again. */
export const calendarRetrySeconds = 5

/**
 * Everything that a call to the host's calendar needs. Throws AppError `scheduling_not_configured`
 * in an installation without keys, `host_not_connected` where the host has no credential, and
 * `calendar_unavailable` when there is no mail server, the secret cannot be opened, the mail server
 * rejected it within the last hour, or the calendar that has to be looked for first cannot be
 * reached.
 */
export async function calendarAccess(
  services: Services,
  host: Pick<HostRow, 'id' | 'zone' | 'mailAccountId' | 'calendarId'>,
): Promise<CalendarAccess> {
  const { calendars } = services.systems
  if (!services.config.keyring) throw new AppError('scheduling_not_configured')
  if (!calendars) throw calendarUnavailable()
  const row = await findMailCredential(services.database.db, host.id)
  if (!row) throw new AppError('host_not_connected')
  if (wasRejected(services, row)) throw calendarUnavailable()
  const credential = openCredential(services, row)
  if (host.mailAccountId !== null && host.calendarId !== null) {
    const calendar = {
      accountId: host.mailAccountId,
      calendarId: host.calendarId,
      timeZone: host.zone,
    }
    return { calendars, credential, calendar, noted: isNoted(services, row) }
  }
  const calendar = await calendars.open(credential).catch(async (error: unknown) => {
    await markCredential(services, host.id, error)
    throw error instanceof UpstreamError ? calendarUnavailable(error) : error
  })
  await setHostCalendar(services.database.db, host.id, calendar)
  return { calendars, credential, calendar, noted: false }
}

/**
 * Repeated sign-ins with a revoked secret would look to the mail server like password guessing, and
 * it would block this service for everyone's calendars.
 */
function wasRejected({ clock }: Services, { ok, checkedAt }: MailCredentialRow): boolean {
  return (
    ok === false &&
    checkedAt !== null &&
    clock.now().getTime() - checkedAt.getTime() < rejectionHoldsMs
  )
}
const rejectionHoldsMs = 60 * 60_000

function isNoted({ clock }: Services, { ok, error, checkedAt }: MailCredentialRow): boolean {
  return (
    ok === true &&
    error === null &&
    checkedAt !== null &&
    clock.now().getTime() - checkedAt.getTime() < noteEveryMs
  )
}
/** Uses of a credential that goes on working are written down this often. */
const noteEveryMs = 60 * 60_000

/**
 * The credential as it is stored, whatever the mail server said to it. Throws as `calendarAccess`.
 */
export async function storedCredential(
  services: Services,
  hostId: string,
): Promise<Omit<CalendarAccess, 'calendar' | 'noted'>> {
  const { calendars } = services.systems
  if (!services.config.keyring) throw new AppError('scheduling_not_configured')
  if (!calendars) throw calendarUnavailable()
  const row = await findMailCredential(services.database.db, hostId)
  if (!row) throw new AppError('host_not_connected')
  return { calendars, credential: openCredential(services, row) }
}

export const calendarUnavailable = (cause?: unknown) =>
  new AppError('calendar_unavailable', undefined, {
    cause,
    retryAfterSeconds: calendarRetrySeconds,
  })

function openCredential(services: Services, row: MailCredentialRow): MailboxCredential {
  const { keyring } = services.config
  if (!keyring) throw new AppError('scheduling_not_configured')
  try {
    return {
      username: row.username,
      secret: keyring.decrypt(row.secret, secretContext(row.hostId)),
    }
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    services.log.error({ err: error, hostId: row.hostId }, 'host credential cannot be decrypted')
    throw calendarUnavailable(error)
  }
}

export const credentialRejected = stepFailureText('credentialRejected')

/**
 * Notes what the mail server said to a host's credential: `ok`, or the error of the call. Only a
 * rejection of the credential counts against it; a server that is away says nothing about it. Never
 * throws.
 */
export async function markCredential(
  services: Services,
  hostId: string,
  outcome: unknown,
): Promise<void> {
  const ok = outcome === 'ok'
  if (!ok && !(outcome instanceof UpstreamError && outcome.kind === 'unauthorized')) return
  const at = services.clock.now()
  try {
    const check = { at, ok, error: ok ? null : credentialRejected }
    await noteCredentialCheck(
      services.database.db,
      hostId,
      check,
      new Date(at.getTime() - noteEveryMs),
    )
  } catch (err) {
    services.log.error({ err, hostId }, 'failed to save credential state')
  }
}
