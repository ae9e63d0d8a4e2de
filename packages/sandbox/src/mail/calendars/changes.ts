import { MethodError } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { type JsonObject, textOf } from '../json.ts'
import type { MethodCall } from '../method.ts'
import { mailboxOf } from './access.ts'
import type { ChangeKind } from './store.ts'

/**
 * `Calendar/changes` and `CalendarEvent/changes` (RFC 8620, section 5.2): what became of each
 * object since a state.
 */
export function changes(kind: ChangeKind): (call: MethodCall) => JsonObject {
  return ({ world, accountId, args }) => {
    const mailbox = mailboxOf(world, accountId)
    const oldState = textOf(args, 'sinceState')
    const since =
      oldState === 'n'
        ? 0
        : Number(oldState.startsWith('s') ? (decodeId(oldState.slice(1)) ?? -1n) : -1n)
    if (since < 0 || since > mailbox.changes.length) throw new MethodError('cannotCalculateChanges')
    const first = new Map<string, string>()
    const last = new Map<string, string>()
    for (const { kind: changed, id, what } of mailbox.changes.slice(since)) {
      if (changed !== kind) continue
      if (!first.has(id)) first.set(id, what)
      last.set(id, what)
    }
    const ids = [...first.keys()]
    const isNew = (id: string) => first.get(id) === 'created'
    const isGone = (id: string) => last.get(id) === 'destroyed'
    return {
      accountId,
      oldState,
      newState: world.calendars.stateOf(mailbox),
      hasMoreChanges: false,
      created: ids.filter((id) => isNew(id) && !isGone(id)),
      updated: ids.filter((id) => !isNew(id) && !isGone(id)),
      destroyed: ids.filter((id) => !isNew(id) && isGone(id)),
    }
  }
}
