import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { EnteredCredential, SetMailCredential } from '@atrium/core/scheduling/hosts'
import type { Trx } from '@atrium/db/platform/connect'
import {
  type HostRow,
  readHost,
  setHostCalendar,
  standardZoneOf,
} from '@atrium/db/scheduling/hosts'
import {
  deleteAppPasswordRemoval,
  insertAppPasswordRemoval,
  lockMailCredential,
  type MailCredentialRow,
  saveMailCredential,
} from '@atrium/db/scheduling/mail-credentials'
import type {
  Calendars,
  HostCalendar,
  MailboxCredential,
} from '@atrium/integrations/calendars/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { mailServerOf } from '../../mail/aliases/mail-server.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { ownHost } from '../access.ts'
import { retryCalendar } from '../bookings/effects.ts'
import { lockOwnHost, recordHost, requireKeyring } from '../hosts/open.ts'
import { calendarUnavailable, secretContext } from './access.ts'
import { mintAppPassword, takeBack, takeBackDue } from './app-passwords.ts'
import { clearBusyTimes } from './busy-times.ts'
import { takeMailboxSignIn } from './mailbox-tries.ts'

const deadlineMs = 10_000

/**
 * Connects the host's mailbox: with an app password that is made at the mail server, or with what a
 * person gave. Either is tried out before it is stored, and takes the place of the one before,
 * which is revoked when it was ours. Throws AppError `scheduling_not_configured`,
 * `integration_off`, `member_not_active`, `mailbox_missing`, `limit_reached`, `rate_limited`,
 * `upstream_failed`, `calendar_unavailable`, and `invalid_input` at `secret` or `username`.
 */
export async function connectMailbox(
  ctx: Context,
  access: Access,
  input: SetMailCredential,
): Promise<void> {
  const { services } = ctx
  requireKeyring(services)
  const { calendars } = services.systems
  if (!calendars) throw new AppError('integration_off', errorText('noMailServer'))
  const host = await ownHost(services, access, input.hostId)
  if (host.userStatus !== 'active') throw new AppError('member_not_active')
  const { username, secret } = input
  if (username === undefined || secret === undefined)
    await connectByMint(ctx, access, host, calendars)
  else await connectByHand(ctx, access, host, calendars, { username, secret })
  clearBusyTimes(services, host.id)
  await takeBackDue(services)
}

async function connectByMint(
  ctx: Context,
  access: Access,
  host: HostRow,
  calendars: Calendars,
): Promise<void> {
  const { services } = ctx
  const mail = mailServerOf(services)
  const record = await readHost(services.database.db, host.tenantId, host.id, services.clock.now())
  const { mailboxAddress: username, mailboxAccountId: accountId } = record ?? {}
  if (!username || !accountId) throw new AppError('mailbox_missing', errorText('appPasswordNeeded'))
  const minted = await mintAppPassword(services, mail, { id: host.id, accountId })
  const removal = {
    id: minted.removalId,
    hostId: host.id,
    accountId,
    description: '',
    externalId: minted.id,
    attempts: 0,
  }
  try {
    const credential = { username, secret: minted.secret }
    const calendar = await tryOut(services, calendars, host, credential).catch((error: unknown) => {
      throw error instanceof UpstreamError
        ? new AppError('upstream_failed', error.message, { cause: error })
        : error
    })
    await store(ctx, access, host, {
      credential,
      calendar,
      minted: { id: minted.id, accountId, removalId: minted.removalId },
    })
  } catch (error) {
    await takeBack(services, removal)
    throw error
  }
}

async function connectByHand(
  ctx: Context,
  access: Access,
  host: HostRow,
  calendars: Calendars,
  credential: EnteredCredential,
): Promise<void> {
  await takeMailboxSignIn(ctx, access.caller)
  const calendar = await tryOut(ctx.services, calendars, host, credential).catch(
    (error: unknown) => {
      throw rejectionOfEntered(error)
    },
  )
  await store(ctx, access, host, { credential, calendar, minted: null })
}

function rejectionOfEntered(error: unknown): unknown {
  if (!(error instanceof UpstreamError)) return error
  const issue = (path: string, message: ErrorText) =>
    new AppError('invalid_input', undefined, { cause: error, issues: [{ path, message }] })
  if (error.kind === 'unauthorized') return issue('secret', errorText('calendarPasswordRejected'))
  if (error.kind === 'refused') return issue('username', errorText('calendarNotWritable'))
  return calendarUnavailable(error)
}

/** Signs in, finds the calendar and sets the zone in which its all-day events are read. */
async function tryOut(
  services: Services,
  calendars: Calendars,
  host: HostRow,
  credential: MailboxCredential,
): Promise<HostCalendar> {
  const signal = AbortSignal.timeout(deadlineMs)
  try {
    const calendar = await calendars.open(credential, { signal })
    const timeZone = (await standardZoneOf(services.database.db, host.id)) ?? host.zone
    if (calendar.timeZone !== timeZone)
      await calendars.setTimeZone({ credential, calendar, timeZone }, { signal })
    return calendar
  } catch (error) {
    if (signal.aborted && !(error instanceof UpstreamError)) throw calendarUnavailable(error)
    throw error
  }
}

interface Connection {
  credential: MailboxCredential
  calendar: HostCalendar
  minted: { id: string; accountId: string; removalId: string } | null
}

async function store(
  ctx: Context,
  access: Access,
  host: HostRow,
  { credential, calendar, minted }: Connection,
): Promise<void> {
  const { services } = ctx
  const { id: hostId } = host
  const source = minted ? 'minted' : 'entered'
  const secret = requireKeyring(services).encrypt(credential.secret, secretContext(hostId))
  await tenantTransaction(services, access.tenant.id, async (trx) => {
    await lockOwnHost(trx, access, hostId)
    await revokeLater(trx, await lockMailCredential(trx, hostId))
    await saveMailCredential(trx, access.tenant.id, {
      hostId,
      source,
      username: credential.username,
      secret,
      externalId: minted?.id ?? null,
      externalAccountId: minted?.accountId ?? null,
      checkedAt: services.clock.now(),
    })
    if (minted) await deleteAppPasswordRemoval(trx, minted.removalId)
    await setHostCalendar(trx, hostId, calendar)
    await retryCalendar(trx, services, hostId)
    const metadata = { source }
    await recordHost(ctx, trx, access, { action: 'mail_credential.set', host, metadata })
  })
}

/**
 * Records that a credential's app password is to be removed from the mail server. One that a person
 * entered is left alone.
 */
export async function revokeLater(
  trx: Trx,
  credential: MailCredentialRow | undefined,
): Promise<void> {
  if (!credential || credential.externalId === null || credential.externalAccountId === null) return
  const { hostId, externalId, externalAccountId: accountId } = credential
  await insertAppPasswordRemoval(trx, {
    hostId,
    accountId,
    description: '',
    externalId,
    afterSeconds: 0,
  })
}
