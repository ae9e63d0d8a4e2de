import type { FactorCounts, MfaState } from '@atrium/core/upstream-cache/mfa'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/** The value of a `second_factors` reading. */
export interface FactorsEntry {
  enrolled: boolean
  factors: FactorCounts
}

/** Of `user_readings as r`: null while nothing is known. */
export const enrolled = sql<boolean | null>`(r.value->>'enrolled')::boolean`
export const factors = sql<FactorCounts | null>`r.value->'factors'`

const conditions = {
  enrolled: enrolled.$castTo<boolean>(),
  not_enrolled: sql<boolean>`not ${enrolled}`,
  unknown: sql<boolean>`${enrolled} is null`,
} as const satisfies Record<MfaState, unknown>

const membersOf = (db: Db | Trx, tenantId: string) =>
  db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .leftJoin('user_readings as r', (join) =>
      join.onRef('r.user_id', '=', 'm.user_id').on('r.kind', '=', 'second_factors'),
    )
    .where('m.tenant_id', '=', tenantId)

/**
 * Members with their second factors as last read, by user id, newest first, one row more than
 * requested; paged as `listMembers`; of one member alone with `only`.
 */
export function listMfa(
  db: Db,
  tenantId: string,
  filter: {
    state?: MfaState | undefined
    before?: string | undefined
    limit: number
    only?: string | undefined
  },
) {
  let query = membersOf(db, tenantId).select([
    'u.id',
    'u.email',
    'u.name',
    'm.role',
    enrolled.as('enrolled'),
    factors.as('factors'),
    'r.failure',
    'r.read_at as readAt',
  ])
  if (filter.state) query = query.where(conditions[filter.state])
  if (filter.only) query = query.where('m.user_id', '=', filter.only)
  if (filter.before)
    query = query.where('m.user_id', '<', filter.before).where('u.id', '<', filter.before)
  return query
    .orderBy('m.user_id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

export type MfaRow = Awaited<ReturnType<typeof listMfa>>[number]

export function countMfa(db: Db, tenantId: string) {
  return membersOf(db, tenantId)
    .select(({ fn }) => {
      const count = (state: MfaState) => fn.countAll<number>().filterWhere(conditions[state])
      return [
        fn.countAll<number>().as('members'),
        count('enrolled').as('enrolled'),
        count('not_enrolled').as('notEnrolled'),
        count('unknown').as('unknown'),
      ]
    })
    .executeTakeFirstOrThrow()
}

/** The key of the one mail a day that reminds a person of a missing second factor. */
export const reminderKey = (userId: string, day: string) =>
  `member.second_factor_reminder:${userId}:${day}`

/**
 * Active members whom a reminder may concern: those named, or up to `most` of those without a
 * second factor whom nobody has reminded on that day.
 */
export function listForReminder(
  trx: Trx,
  tenantId: string,
  { userIds, day, most }: { userIds: readonly string[] | undefined; day: string; most: number },
) {
  const missing = sql<boolean>`coalesce(not ${enrolled}, false)`
  const remindedToday = sql<boolean>`exists (select from outbox b
    where b.key = 'member.second_factor_reminder:' || u.id || ':' || ${day}::text)`
  const query = membersOf(trx, tenantId)
    .where('m.status', '=', 'active')
    .where('u.deactivated_at', 'is', null)
    .select([
      sql<boolean>`'reminders' = any(u.muted_mails)`.as('muted'),
      'u.id',
      'u.email',
      'u.name',
      'u.alternative_email as alternativeEmail',
      missing.as('missing'),
      remindedToday.as('remindedToday'),
    ])
  return (
    userIds
      ? query.where('u.id', 'in', userIds)
      : query
          .where(missing)
          .where(({ not }) => not(remindedToday))
          .where(sql<boolean>`not 'reminders' = any(u.muted_mails)`)
  )
    .orderBy('u.id')
    .limit(userIds?.length ?? most)
    .execute()
}
