import type { Integrations } from '@atrium/integrations/connect'
import { tenantIdOf } from '@atrium/testing/records'
import type { TestApp } from '@atrium/testing/test-app'
import type { Clock } from '../src/platform/clock.ts'

/** A clock that stands until it is moved. */
export function movableClock(): Clock & { pass(minutes: number): void } {
  let at = Date.now()
  return {
    now: () => new Date(at),
    pass(minutes) {
      at += minutes * 60_000
    },
  }
}

/**
 * Members without an identity in the sandbox, whose ids outside are `1000`, `1001`, … and
 * `account-0`, `account-1`, …
 */
export async function addMembers(testApp: TestApp, slug: string, count: number): Promise<void> {
  const { db } = testApp.database
  const tenantId = await tenantIdOf(db, slug)
  const users = await db
    .insertInto('users')
    .values(
      Array.from({ length: count }, (_, index) => ({
        idp_subject_id: `extra-${slug}-${index}`,
        idp_user_id: String(1000 + index),
        email: `extra-${index}@${slug}.test`,
        name: `Extra ${index}`,
      })),
    )
    .returning('id')
    .execute()
  await db
    .insertInto('memberships')
    .values(
      users.map(({ id }, index) => ({
        tenant_id: tenantId,
        user_id: id,
        role: 'member',
        file_account_id: `account-${index}`,
      })),
    )
    .execute()
}

/**
 * Systems whose readings take `ms` each, with a count of how many were made and how many at once.
 */
export function countedFetches(ms: number) {
  const count = { made: 0, now: 0, most: 0 }
  async function counted<T>(value: T): Promise<T> {
    count.made += 1
    count.now += 1
    count.most = Math.max(count.most, count.now)
    await new Promise((done) => setTimeout(done, ms))
    count.now -= 1
    return value
  }
  const integrations = (real: Integrations): Integrations => ({
    ...real,
    identity: real.identity && { ...real.identity, secondFactors: () => counted({ totp: 1 }) },
    files: real.files && { ...real.files, accountUsage: () => counted(7) },
  })
  return { count, integrations }
}
