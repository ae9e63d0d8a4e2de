import { fileQuotaBytes } from '@atrium/core/tenants/tenants'
import { claimMember, finishMember, saveMemberOutcomes } from '@atrium/db/members/member-work'
import { changeMembership } from '@atrium/db/members/members'
import {
  claimProvisioning,
  finishProvisioning,
  saveStepOutcome,
} from '@atrium/db/provisioning/provisioning'
import { type MembersTestApp, mailbox, startMembersTestApp } from '@atrium/testing/members-test-app'
import { outsideObjects } from '@atrium/testing/outside'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { syncMember } from '../src/members/jobs.ts'
import { provisionTenant } from '../src/provisioning/jobs.ts'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const spaceNames = () => {
  const { drives } = testApp.sandbox.state().files.records as {
    drives: { driveAlias: string; name: string }[]
  }
  return drives.filter(({ driveAlias }) => driveAlias === 'project/acme').map(({ name }) => name)
}
const change = (body: object) =>
  testApp.request('PATCH', '/tenants/acme', { token: testApp.as.operator, body })

it('a plan that changes while the files step works is followed, although that step ends well', async () => {
  const { db } = testApp.database
  const run = await claimProvisioning(db, testApp.acmeId)
  if (!run) throw new Error('the tenant is held')
  expect(await change({ plan: 'enterprise' })).toMatchObject({
    status: 200,
    body: { provisioningStatus: { files: 'pending' } },
  })
  expect(await saveStepOutcome(db, run, 'files', { state: 'ok' })).toBe(true)
  await finishProvisioning(db, run)
  expect((await testApp.call('GET', '')).body).toMatchObject({
    provisioningStatus: { files: 'pending' },
  })
  await provisionTenant(testApp.app.services, testApp.acmeId)
  expect((await testApp.call('GET', '')).body).toMatchObject({
    provisioningStatus: { files: 'ok' },
  })
  expect(outsideObjects(testApp, 'acme').quota).toBe(fileQuotaBytes.enterprise)
})

it('a failure of the version before does not put off what is due now', async () => {
  const { db } = testApp.database
  const run = await claimProvisioning(db, testApp.acmeId)
  if (!run) throw new Error('the tenant is held')
  await change({ plan: 'business' })
  await saveStepOutcome(db, run, 'files', {
    state: 'error',
    error: 'The files are away.',
    retryInSeconds: 3600,
  })
  await finishProvisioning(db, run)
  await provisionTenant(testApp.app.services, testApp.acmeId)
  expect(outsideObjects(testApp, 'acme').quota).toBe(fileQuotaBytes.business)
})

it('the name of a tenant reaches its space', async () => {
  expect(await change({ name: 'Acme of the North' })).toMatchObject({
    status: 200,
    body: { provisioningStatus: { files: 'ok' } },
  })
  expect(spaceNames()).toEqual(['Acme of the North'])
})

it('a member whose mailbox has to follow again while it is worked on stays due, and is done at once', async () => {
  const { db } = testApp.database
  const { member } = await testApp.newMember()
  const work = await claimMember(db, testApp.acmeId, member.id)
  if (!work) throw new Error('the member is held')
  // As a sign-in without the group does, which asks for no lease.
  await db
    .transaction()
    .execute((trx) =>
      changeMembership(trx, testApp.acmeId, member.id, { status: 'suspended' }, ['mail', 'files']),
    )
  for (const step of ['identity', 'mail', 'files'] as const)
    await saveMemberOutcomes(db, work, [{ step, outcome: { state: 'ok' } }])
  expect(await db.transaction().execute((trx) => finishMember(trx, work, 3600))).toEqual({
    settled: false,
    retryInSeconds: 0,
  })
  await syncMember(testApp.app.services, testApp.acmeId, member.id)
  expect(await testApp.member(member.id)).toMatchObject({ outcomes: { mail: 'ok', files: 'ok' } })
  const frozen = await db
    .selectFrom('memberships')
    .select('mail_frozen')
    .where('user_id', '=', member.id)
    .executeTakeFirstOrThrow()
  expect(frozen.mail_frozen).toBe(true)
  expect(mailbox(testApp, member.email)).toBeDefined()
})
