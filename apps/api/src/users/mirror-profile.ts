import { personFields } from '@atrium/core/members/members'
import type { UpdateUser } from '@atrium/core/users/users'
import { completeIdentitySyncTask } from '@atrium/db/users/identity-sync-tasks'
import type { UserRow } from '@atrium/db/users/users'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { syncMemberships } from '../members/jobs.ts'
import type { Services } from '../rpc/services.ts'
import { followProfile } from './follow-profile.ts'

/** How long the provider may take; who changes their name does not wait for it longer. */
const mirrorDeadlineMs = 8_000

/** Which of name and contact data differ from what is on record. */
export function profileChanges(
  before: UserRow,
  input: UpdateUser,
): (typeof personFields)[number][] {
  return personFields.filter(
    (field) => input[field] !== undefined && input[field] !== before[field],
  )
}

/**
 * Sends a change of name and contact data to the identity provider, and a new name to mailboxes and
 * file accounts (seed 2.2). Best effort: failures stay due, and until the provider has followed, no
 * token restores the old name.
 */
export async function mirrorProfile(
  services: Services,
  userId: string,
  { renamed, mark }: { renamed: boolean; mark: string },
): Promise<void> {
  const { identity } = services.systems
  const signal = AbortSignal.timeout(mirrorDeadlineMs)
  if (renamed) services.background.run('name of a person', () => syncMemberships(services, userId))
  try {
    if (identity) await followProfile(services, identity, userId, signal)
    else await completeIdentitySyncTask(services.database.db, userId, mark, { profile: true })
  } catch (err) {
    if (!(err instanceof UpstreamError) && !signal.aborted) throw err
    services.log.warn({ err, userId }, 'failed to send a changed profile to the identity provider')
  }
}
