import { stepFailureText } from '@atrium/core/platform/failure-text'
import type { CredentialView } from '@atrium/core/scheduling/hosts'
import { setHostCalendar } from '@atrium/db/scheduling/hosts'
import { noteCredentialCheck } from '@atrium/db/scheduling/mail-credentials'
import type {
  Calendars,
  HostCalendar,
  MailboxCredential,
} from '@atrium/integrations/calendars/port'
import { deadline } from '@atrium/integrations/deadline'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { ownHost } from '../access.ts'
import { retryCalendar } from '../bookings/effects.ts'
import { readHostRecord, toCredentialView } from '../hosts/view.ts'
import { calendarUnavailable, credentialRejected, storedCredential } from './access.ts'
import { takeMailboxSignIn } from './mailbox-tries.ts'

const deadlineMs = 10_000

/**
 * Signs in with the host's credential and returns the result. A rejected credential is a result;
 * throws AppError `host_not_connected`, `rate_limited`, and `calendar_unavailable` when the mail
 * server does not respond.
 */
export async function checkMailbox(
  ctx: Context,
  access: Access,
  hostId: string,
): Promise<CredentialView> {
  const { services } = ctx
  const { db } = services.database
  const host = await ownHost(services, access, hostId)
  const { calendars, credential } = await storedCredential(services, host.id)
  await takeMailboxSignIn(ctx, access.caller)
  const at = services.clock.now()
  const outcome = await openOrRejected(calendars, credential)
  if (typeof outcome === 'string') {
    await noteCredentialCheck(db, host.id, { at, ok: false, error: outcome })
  } else {
    await db.transaction().execute(async (trx) => {
      await setHostCalendar(trx, host.id, outcome)
      await noteCredentialCheck(trx, host.id, { at, ok: true, error: null })
      await retryCalendar(trx, services, host.id)
    })
  }
  return toCredentialView(await readHostRecord(services, host.tenantId, host.id))
}

/** The calendar, or the sentence that says why this credential opens none. */
async function openOrRejected(
  calendars: Calendars,
  credential: MailboxCredential,
): Promise<HostCalendar | string> {
  const limit = deadline(deadlineMs, undefined)
  try {
    return await calendars.open(credential, { signal: limit.signal })
  } catch (error) {
    if (!(error instanceof UpstreamError) && !limit.signal.aborted) throw error
    if (error instanceof UpstreamError && error.kind === 'unauthorized') return credentialRejected
    if (
      error instanceof UpstreamError &&
      (error.kind === 'refused' || error.kind === 'not_found')
    ) {
      return stepFailureText('calendarNotWritable')
    }
    throw calendarUnavailable(error)
  } finally {
    limit.clear()
  }
}
