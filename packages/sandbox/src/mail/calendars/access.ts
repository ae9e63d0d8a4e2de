import { addressOf, entriesOf } from '../accounts.ts'
import { MethodError } from '../errors.ts'
import { type JsonObject, objectOf, textOf } from '../json.ts'
import type { MailWorld } from '../registry-type.ts'
import type { CalendarMailbox } from './store.ts'

/**
 * The account's calendars. `serverUnavailable`, the server's catch-all, for an account that is not
 * there.
 */
export function mailboxOf(world: MailWorld, accountId: string): CalendarMailbox {
  const account = world.store.get('Account', accountId)
  if (!account) throw new MethodError('serverUnavailable')
  return world.calendars.mailbox(accountId, addressOf(world, account))
}

/** Every address of an account, lower-case. */
export function addressesOf(world: MailWorld, accountId: string): ReadonlySet<string> {
  const account = world.store.get('Account', accountId) ?? {}
  const domainName = (id: string) => textOf(world.store.get('Domain', id) ?? {}, 'name')
  const aliases = entriesOf(objectOf(account, 'aliases')).map(
    (alias) => `${textOf(alias, 'name')}@${domainName(textOf(alias, 'domainId'))}`,
  )
  return new Set([addressOf(world, account), ...aliases].map((address) => address.toLowerCase()))
}

/**
 * The zone argument of a call, in which floating times are read; UTC for none and, as on the real
 * server, for one that it does not know.
 */
export function zoneArgument(args: JsonObject): string {
  const zone = textOf(args, 'timeZone')
  return zone !== '' && isZone(zone) ? zone : 'UTC'
}

/** True for a zone of the IANA database. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}
