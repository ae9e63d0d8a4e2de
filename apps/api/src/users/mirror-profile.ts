import { personFields } from '@atrium/core/members'
import type { UpdateUser } from '@atrium/core/users'
import { settleIdentityDue } from '@atrium/db/identity-dues'
import { changeMembership } from '@atrium/db/members'
import { touchUser, type UserRow } from '@atrium/db/users'
import type { IdentityProfile, IdentityProvider } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { House } from '../house.ts'
import { actEverywhere } from '../members/everywhere.ts'
import { idpUserIdOf } from './identity.ts'

/** How long the provider may take; who changes their name does not wait for it longer. */
const mirrorDeadlineMs = 8_000

/** What differs of name and contact data; undefined when nothing does. */
export function profileChanges(before: UserRow, input: UpdateUser): IdentityProfile | undefined {
  const changed = personFields.filter((field) => input[field] !== undefined && input[field] !== before[field])
  return changed.length === 0 ? undefined : (Object.fromEntries(changed.map((field) => [field, input[field]])) as IdentityProfile)
}

/**
 * Tells the identity provider what a person or an operator changed of name and contact data, and mailboxes and file accounts a new name (seed
 * 2.2). Best effort: what fails stays due, and until it has followed no token brings the name of before back.
 */
export async function mirrorProfile(house: House, user: UserRow, profile: IdentityProfile, mark: string): Promise<void> {
  const { identity } = house.systems
  const signal = AbortSignal.timeout(mirrorDeadlineMs)
  if (profile.name !== undefined) house.background.run('name of a person', () => renameEverywhere(house, user.id))
  try {
    if (identity) await tell(house, identity, user, profile, signal)
    await settleIdentityDue(house.database.db, user.id, mark, { profile: true })
  } catch (err) {
    if (!(err instanceof UpstreamError) && !signal.aborted) throw err
    house.log.warn({ err, userId: user.id }, 'the identity provider was not told of a changed profile')
  }
}

/** On a later try: all that is on record, because which field it was is no longer known. */
export async function tellRecorded(house: House, identity: IdentityProvider, user: UserRow): Promise<void> {
  const { name, firstName, lastName, phone, alternativeEmail } = user
  const known = Object.entries({ name, firstName, lastName, phone, alternativeEmail }).filter(([, value]) => value !== null)
  await tell(house, identity, user, Object.fromEntries(known) as IdentityProfile)
  await renameEverywhere(house, user.id)
}

/** A token that was issued while the provider did not know yet is no newer than the change. */
async function tell(
  house: House,
  identity: IdentityProvider,
  user: UserRow,
  profile: IdentityProfile,
  signal?: AbortSignal,
): Promise<void> {
  const userId = await idpUserIdOf(house, user)
  if (userId !== undefined) await identity.updateUser({ userId, profile }, signal ? { signal } : {})
  await touchUser(house.database.db, user.id)
}

/** Mailboxes and file accounts where there are any; those of suspended members are told when the suspension ends. */
async function renameEverywhere(house: House, userId: string): Promise<void> {
  await actEverywhere(house, userId, async (trx, tenantId, { membershipStatus, mailboxAddress, filesState }) => {
    if (membershipStatus === 'removing' || membershipStatus === 'suspended') return
    const told = [...(mailboxAddress === null ? [] : (['mail'] as const)), ...(filesState === 'skipped' ? [] : (['files'] as const))]
    await changeMembership(trx, tenantId, userId, {}, told)
  })
}
