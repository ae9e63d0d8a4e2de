import { errorText } from '@atrium/core/platform/error-text'
import { AppError, type IssueText } from '@atrium/core/platform/errors'
import type { EventTypeSettings } from '@atrium/core/scheduling/event-types'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { findHostsById, type HostRow } from '@atrium/db/scheduling/hosts'
import { findSchedule } from '@atrium/db/scheduling/schedules'
import type { Access } from '../../rpc/guards.ts'
import { canActForAll } from '../access.ts'

type Part = Pick<EventTypeSettings, 'assignment' | 'hostIds' | 'scheduleId'>

/** The own host first; alone when no one else takes part. */
export function hostIdsOf(
  { assignment, hostIds = [] }: { assignment: string; hostIds?: readonly string[] | undefined },
  own: string,
): string[] {
  if (assignment === 'host' && hostIds.every((id) => id === own)) return [own]
  return hostIds.includes(own) ? [own, ...hostIds.filter((id) => id !== own).sort()] : [...hostIds]
}

/**
 * Rejects what only the database knows to be wrong: AppError `invalid_input` for a schedule that is
 * not the host's and hosts who cannot take part, `not_admin` for putting others into an event type.
 * What stays as it was stored is not looked at again, so that nothing else is held up by it.
 */
export async function rejectUnfit(
  db: Db | Trx,
  access: Access,
  host: HostRow,
  requested: Part,
  stored?: Part,
): Promise<void> {
  const touched = isOtherTeam(requested, stored)
  if (touched && !canActForAll(access))
    throw new AppError('not_admin', errorText('teamEventTypesByAdmins'))
  const issues = [
    ...(requested.scheduleId === (stored?.scheduleId ?? null)
      ? []
      : await scheduleIssues(db, host, requested.scheduleId)),
    ...(touched ? await hostIssues(db, host, requested.hostIds) : []),
  ]
  if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
}

function isOtherTeam(requested: Part, stored: Part | undefined): boolean {
  if (!stored) return requested.assignment !== 'host'
  const ids = (part: Part) => [...part.hostIds].sort().join()
  return requested.assignment !== stored.assignment || ids(requested) !== ids(stored)
}

async function scheduleIssues(
  db: Db | Trx,
  host: HostRow,
  scheduleId: string | null,
): Promise<IssueText[]> {
  if (scheduleId === null) return []
  const schedule = await findSchedule(db, host.tenantId, scheduleId)
  return schedule?.hostId === host.id
    ? []
    : [{ path: 'scheduleId', message: errorText('scheduleOfOtherHost') }]
}

async function hostIssues(
  db: Db | Trx,
  host: HostRow,
  ids: readonly string[],
): Promise<IssueText[]> {
  const hosts = new Map((await findHostsById(db, ids)).map((one) => [one.id, one]))
  return ids.flatMap((id, index) => {
    const one = hosts.get(id)
    const path = `hostIds.${index}`
    if (!one || one.tenantId !== host.tenantId || one.removedAt)
      return [{ path, message: errorText('unknownHost') }]
    return one.active || id === host.id
      ? []
      : [{ path, message: errorText('notBookable', { name: one.name }) }]
  })
}
