import { AppError } from '@atrium/core/errors'
import { takeOne } from '@atrium/db/rate-limits'
import type { Caller } from '../context.ts'
import type { House } from '../house.ts'

const most = 20
const windowMs = 60 * 60_000

/**
 * Takes one of the sign-ins at the mail server that one person may cause in an hour: to the mail server they all come from us, and whoever
 * lets us guess passwords gets us shut out. Throws AppError `rate_limited`.
 */
export async function takeMailboxTry({ clock, database }: House, caller: Caller): Promise<void> {
  const now = clock.now().getTime()
  const start = Math.floor(now / windowMs) * windowMs
  const end = start + windowMs
  const key = `mailbox ${caller.id ?? caller.subject}`
  const [taken = 0] = await takeOne(database.db, [{ key, start: new Date(start), end: new Date(end) }])
  if (taken > most) throw new AppError('rate_limited', undefined, { retryAfterSeconds: Math.ceil((end - now) / 1000) })
}
