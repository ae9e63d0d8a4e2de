import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { identityRecords } from '@atrium/testing/outside'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { syncMember } from '../src/members/jobs.ts'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
afterEach(() => testApp.sandbox.clearFaults())

/**
 * Creates a member, and acts while the first request to `system` that matches waits for its answer.
 */
async function createDuring(
  email: string,
  { system, match }: { system: 'identity' | 'mail'; match: string },
  act: () => Promise<unknown>,
) {
  testApp.sandbox.fault({ system, match, mode: 'latency', delayMs: 1_500, times: 1 })
  const creation = testApp.call('POST', '/users', { email, name: email })
  // A fault that has hit as often as it may is gone.
  const faults = async () => (await fetch(`${testApp.sandbox.controlUrl}/faults`)).json()
  await expect.poll(faults, { timeout: 10_000, interval: 20 }).toEqual({ faults: [] })
  await act()
  return creation
}

it('makes nobody on a domain whose proof is lost while upstream systems are asked about the address', async () => {
  const domains = () =>
    testApp.database.db.updateTable('domains').where('tenant_id', '=', testApp.acmeId)
  // The search for the address, after the first look at the domains.
  const looking = { system: 'identity', match: 'GET /api/v3/core/users/' } as const
  const { status, body } = await createDuring('too-late', looking, () =>
    domains().set({ verified_at: null }).execute(),
  )
  await domains().set({ verified_at: new Date() }).execute()
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'domain_not_verified' })
  expect(identityRecords(testApp).users.some(({ email }) => email.startsWith('too-late@'))).toBe(
    false,
  )
})

it('shuts the identity of a member whose tenant was suspended while it was made', async () => {
  const turn = (verb: string, body: object) =>
    testApp.request('POST', `/tenants/acme/${verb}`, { token: testApp.as.operator, body })
  const making = { system: 'mail', match: 'x:Account/set' } as const
  const { body } = await createDuring('shut-out', making, () =>
    turn('suspend', { mode: 'no_sign_in', reason: 'Unpaid.' }),
  )
  expect(body.member.outcomes.identity).toBe('pending')
  const { db } = testApp.database
  const { next_at } = await db
    .selectFrom('memberships')
    .select('next_at')
    .where('user_id', '=', body.member.id)
    .executeTakeFirstOrThrow()
  expect(next_at).not.toBeNull()
  await syncMember(testApp.app.services, testApp.acmeId, body.member.id)
  const identity = () =>
    identityRecords(testApp).users.find(({ email }) => email === body.member.email)
  expect(identity()).toMatchObject({ is_active: false, groups: [] })
  await turn('resume', {})
})
