import { fileQuotaBytes } from '@atrium/core/tenants'
import { claimMember, finishMember, saveMemberOutcome } from '@atrium/db/member-work'
import { changeMembership } from '@atrium/db/members'
import { claimProvisioning, finishProvisioning, saveStepOutcome } from '@atrium/db/provisioning'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { settleMember } from '../src/members/jobs.ts'
import { provisionTenant } from '../src/provisioning/jobs.ts'
import { type MembersHouse, mailbox, openMembersHouse } from './members-house.ts'
import { outsideObjects } from './outside.ts'

let house: MembersHouse
beforeAll(async () => {
  house = await openMembersHouse()
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())

const spaceNames = () => {
  const { drives } = house.sandbox.state().files.records as { drives: { driveAlias: string; name: string }[] }
  return drives.filter(({ driveAlias }) => driveAlias === 'project/acme').map(({ name }) => name)
}
const change = (body: object) => house.request('PATCH', '/tenants/acme', { token: house.as.operator, body })

it('a plan that changes while the files step works is followed, although that step ends well', async () => {
  const { db } = house.database
  const run = await claimProvisioning(db, house.acmeId)
  if (!run) throw new Error('the tenant is held')
  expect(await change({ plan: 'enterprise' })).toMatchObject({ status: 200, body: { provisioningStatus: { files: 'pending' } } })
  expect(await saveStepOutcome(db, run, 'files', { state: 'ok' })).toBe(true)
  await finishProvisioning(db, run)
  expect((await house.call('GET', '')).body).toMatchObject({ provisioningStatus: { files: 'pending' } })
  await provisionTenant(house.app.house, house.acmeId)
  expect((await house.call('GET', '')).body).toMatchObject({ provisioningStatus: { files: 'ok' } })
  expect(outsideObjects(house, 'acme').quota).toBe(fileQuotaBytes.enterprise)
})

it('a failure of the version before does not put off what is due now', async () => {
  const { db } = house.database
  const run = await claimProvisioning(db, house.acmeId)
  if (!run) throw new Error('the tenant is held')
  await change({ plan: 'business' })
  await saveStepOutcome(db, run, 'files', { state: 'error', error: 'The files are away.', retryInSeconds: 3600 })
  await finishProvisioning(db, run)
  await provisionTenant(house.app.house, house.acmeId)
  expect(outsideObjects(house, 'acme').quota).toBe(fileQuotaBytes.business)
})

it('the name of a tenant reaches its space', async () => {
  expect(await change({ name: 'Acme of the North' })).toMatchObject({ status: 200, body: { provisioningStatus: { files: 'ok' } } })
  expect(spaceNames()).toEqual(['Acme of the North'])
})

it('a member whose mailbox has to follow again while it is worked on stays due, and is done at once', async () => {
  const { db } = house.database
  const { member } = await house.newMember()
  const work = await claimMember(db, house.acmeId, member.id)
  if (!work) throw new Error('the member is held')
  // As a sign-in without the group does, which asks for no lease.
  await db.transaction().execute((trx) => changeMembership(trx, house.acmeId, member.id, { status: 'suspended' }, ['mail', 'files']))
  for (const step of ['identity', 'mail', 'files'] as const) await saveMemberOutcome(db, work, step, { state: 'ok' })
  expect(await db.transaction().execute((trx) => finishMember(trx, work, 3600))).toEqual({ settled: false, retryInSeconds: 0 })
  await settleMember(house.app.house, house.acmeId, member.id)
  expect(await house.member(member.id)).toMatchObject({ outcomes: { mail: 'ok', files: 'ok' } })
  const frozen = await db.selectFrom('memberships').select('mail_frozen').where('user_id', '=', member.id).executeTakeFirstOrThrow()
  expect(frozen.mail_frozen).toBe(true)
  expect(mailbox(house, member.email)).toBeDefined()
})
