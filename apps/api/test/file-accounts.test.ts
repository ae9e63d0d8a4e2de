import { demoServiceCredentials } from '@atrium/core/demo/demo'
import {
  fileUser,
  type MembersTestApp,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { clientsWithDeadline } from '@atrium/testing/outside'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { sweepFormerFileAccounts } from '../src/members/former-file-accounts.ts'
import { syncMember } from '../src/members/jobs.ts'

const issuer = 'https://id.acme.test/application/o/files/'
let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({ integrations: clientsWithDeadline(2_000) })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const graph = async (
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
) => {
  const { filesUser, filesAppToken } = demoServiceCredentials
  const authorization = `Basic ${Buffer.from(`${filesUser}:${filesAppToken}`).toString('base64')}`
  const response = await fetch(`${testApp.sandbox.filesUrl}/graph/${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(response.ok, `${method} ${path} ${response.status}`).toBe(true)
  const text = await response.text()
  return text === '' ? undefined : JSON.parse(text)
}
const spaceId = async () =>
  (
    await testApp.database.db
      .selectFrom('tenants')
      .select('file_space_id as id')
      .where('id', '=', testApp.acmeId)
      .executeTakeFirstOrThrow()
  ).id ?? ''
const space = async (rest = '', version = 'v1.0') =>
  `${version}/drives/${encodeURIComponent(await spaceId())}${rest}`
const inSpace = async (): Promise<string[]> =>
  (await graph('GET', await space('/root/permissions', 'v1beta1'))).value.map(
    ({ id }: { id: string }) => id,
  )
const invite = async (objectId: string) =>
  graph('POST', await space('/root/invite', 'v1beta1'), {
    recipients: [{ objectId, '@libre.graph.recipient.type': 'user' }],
    roles: ['58c63c02-1d89-4572-916a-870abc5a1b7d'],
  })
const accountOf = async (email: string) => (await fileUser(testApp, email))?.id ?? ''
const reconcile = () =>
  testApp.request('POST', '/tenants/acme/reconcile', { token: testApp.as.operator })
const remove = async (id: string) =>
  expect((await testApp.call('DELETE', `/users/${id}`)).status).toBe(204)
const subjectOf = async (id: string) =>
  (
    await testApp.database.db
      .selectFrom('users')
      .select('idp_subject_id as subject')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).subject
const signIn = (subject: string, username: string) =>
  testApp.sandbox.files.signInByToken({ issuer, subject, username, displayName: 'Back' })
const former = (id: string) =>
  testApp.database.db
    .selectFrom('former_file_accounts')
    .selectAll()
    .where('user_id', '=', id)
    .executeTakeFirst()
/** As if the accounts had been removed so long ago. */
async function sweepAfter(interval: string): Promise<void> {
  await sql`update former_file_accounts set removed_at = now() - ${interval}::interval, next_at = now()`.execute(
    testApp.database.db,
  )
  await sweepFormerFileAccounts(testApp.app.services)
}

/** Somebody who was removed and whose token then made the file storage create an account again. */
async function comeBack(): Promise<{
  id: string
  email: string
  subject: string
  accountId: string
}> {
  const { member } = await testApp.newMember()
  const subject = await subjectOf(member.id)
  await remove(member.id)
  const accountId = signIn(subject, member.email) ?? ''
  return { id: member.id, email: member.email, subject, accountId }
}

it('a removed member leaves nothing in the space of the workplace', async () => {
  const { member } = await testApp.newMember()
  const account = await accountOf(member.email)
  expect(await inSpace()).toContain(`u:${account}`)
  await remove(member.id)
  expect(await fileUser(testApp, member.email)).toBeUndefined()
  expect(await inSpace()).not.toContain(`u:${account}`)
})

it('a member is removed while the space is disabled, and a reconcile clears what stays there', async () => {
  const { member } = await testApp.newMember()
  const account = await accountOf(member.email)
  await graph('DELETE', await space())
  await remove(member.id)
  expect(await fileUser(testApp, member.email)).toBeUndefined()
  expect((await reconcile()).body).toMatchObject({ results: { files: { state: 'ok' } } })
  expect(await inSpace()).not.toContain(`u:${account}`)
})

it('a failed removal from the space keeps the account until it succeeds', async () => {
  const { member } = await testApp.newMember()
  const account = await accountOf(member.email)
  testApp.sandbox.fault({
    system: 'files',
    match: 'DELETE /graph/v1beta1/drives/',
    mode: 'error',
    status: 503,
  })
  await testApp.call('DELETE', `/users/${member.id}`)
  expect(await testApp.member(member.id)).toMatchObject({
    status: 'removing',
    outcomes: { files: 'error' },
  })
  expect(await accountOf(member.email)).toBe(account)
  testApp.sandbox.clearFaults()
  await testApp.database.db
    .updateTable('memberships')
    .set({ next_at: null })
    .where('user_id', '=', member.id)
    .execute()
  await syncMember(testApp.app.services, testApp.acmeId, member.id)
  expect(await fileUser(testApp, member.email)).toBeUndefined()
  expect(await inSpace()).not.toContain(`u:${account}`)
})

it('a reconcile takes accounts that are gone out of the space, and leaves who exists', async () => {
  const { member } = await testApp.newMember()
  const byHand = await graph('POST', 'v1.0/users', {
    onPremisesSamAccountName: 'guest@else.test',
    displayName: 'Guest',
  })
  const lost = await graph('POST', 'v1.0/users', {
    onPremisesSamAccountName: 'lost@else.test',
    displayName: 'Lost',
  })
  for (const { id } of [byHand, lost]) await invite(id)
  await graph('DELETE', `v1.0/users/${lost.id}`)
  expect(await inSpace()).toContain(`u:${lost.id}`)
  expect((await reconcile()).body).toMatchObject({ results: { files: { state: 'ok' } } })
  const left = await inSpace()
  expect(left).not.toContain(`u:${lost.id}`)
  expect(left).toEqual(
    expect.arrayContaining([`u:${byHand.id}`, `u:${await accountOf(member.email)}`]),
  )
})

it('an account that a token created again after the removal is disabled, gives up the name, and is deleted in the end', async () => {
  const { id, email, subject, accountId } = await comeBack()
  await sweepFormerFileAccounts(testApp.app.services)
  expect(await fileUser(testApp, email)).toMatchObject({ id: accountId, accountEnabled: false })
  expect(signIn(subject, email)).toBeUndefined()
  expect(testApp.logLines.join('\n')).toContain(
    'file account of a removed user was recreated; disabled it',
  )

  // Somebody else has the address now: never with the account of the former one.
  const { body } = await testApp.call('POST', '/users', { email, name: 'Somebody Else' })
  expect(body.member).toMatchObject({ outcomes: { files: 'error' } })
  expect(body.member.errors.files).toContain('is not known to be this person')
  await sweepAfter('2 hours')
  expect(await fileUser(testApp, email)).toBeUndefined()
  expect(await fileUser(testApp, accountId)).toMatchObject({
    onPremisesSamAccountName: `former-${accountId}@former.invalid`,
  })
  expect((await testApp.call('POST', `/users/${body.member.id}/retry`)).body.member).toMatchObject({
    outcomes: { files: 'ok' },
  })
  const own = await accountOf(email)
  expect(own).not.toBe(accountId)

  await sweepAfter('3 days')
  expect(await fileUser(testApp, accountId)).toMatchObject({ accountEnabled: false })
  await sweepAfter('31 days')
  expect(await fileUser(testApp, accountId)).toBeUndefined()
  expect(await former(id)).toBeUndefined()
  expect(await accountOf(email)).toBe(own)
})

it('a disabled account that was enabled again by hand is left alone', async () => {
  const { id, accountId } = await comeBack()
  await sweepAfter('2 hours')
  await graph('PATCH', `v1.0/users/${accountId}`, { accountEnabled: true })
  await sweepAfter('31 days')
  expect(await fileUser(testApp, accountId)).toMatchObject({ accountEnabled: true })
  expect(await former(id)).toBeUndefined()
})

it('accounts under the name that are not the removed person’s are never touched', async () => {
  const { member } = await testApp.newMember()
  await remove(member.id)
  const accountId = signIn('subject-of-somebody-else', member.email) ?? ''
  for (const age of ['10 minutes', '2 hours', '3 days']) await sweepAfter(age)
  expect(await fileUser(testApp, member.email)).toMatchObject({ id: accountId })
  expect((await fileUser(testApp, member.email))?.accountEnabled).not.toBe(false)
  expect(await former(member.id)).toBeUndefined()
})

it('looks for a removed person end after two days, and not before, while the file storage is away', async () => {
  const { member } = await testApp.newMember()
  await remove(member.id)
  testApp.sandbox.fault({ system: 'files', mode: 'error', status: 503 })
  await sweepAfter('3 days')
  expect(await former(member.id)).toBeDefined()
  testApp.sandbox.clearFaults()
  await sweepAfter('1 day')
  expect(await former(member.id)).toBeDefined()
  await sweepAfter('3 days')
  expect(await former(member.id)).toBeUndefined()
})

it('two processes that look at once act on each person once', async () => {
  const { accountId } = await comeBack()
  const patches = () =>
    testApp.sandbox
      .state()
      .files.calls.filter(({ method, path }) => method === 'PATCH' && path.endsWith(accountId))
      .length
  await Promise.all([
    sweepFormerFileAccounts(testApp.app.services),
    sweepFormerFileAccounts(testApp.app.services),
  ])
  expect(patches()).toBe(1)
})

it('who signed in to the files before keeps the account', async () => {
  const { member } = await testApp.newMember()
  const { db } = testApp.database
  // As a sign-in left it: without our mark, known by the subject alone.
  const id = await accountOf(member.email)
  await graph('DELETE', `v1.0/users/${id}`)
  const own = signIn(await subjectOf(member.id), member.email)
  expect((await testApp.call('POST', `/users/${member.id}/retry`)).body.member).toMatchObject({
    outcomes: { files: 'ok' },
  })
  const stored = async () =>
    (
      await db
        .selectFrom('memberships')
        .select('file_account_id')
        .where('user_id', '=', member.id)
        .execute()
    )[0]
  expect(await stored()).toEqual({ file_account_id: own })
  const shown = await graph('GET', `v1.0/users/${own}`)
  expect(shown.identities).toContainEqual({
    issuer: 'urn:atrium:person',
    issuerAssignedId: member.id,
  })
})

it('an address that begins with a digit gets an account, and a clear sentence where the server rejects it', async () => {
  const made = await testApp.call('POST', '/users', { email: '24x7', name: 'On call' })
  expect(made.body.member).toMatchObject({ outcomes: { files: 'ok' } })
  await using strict = await startMembersTestApp({
    integrations: clientsWithDeadline(2_000),
    sandbox: { files: { usernames: 'default' } },
  })
  const rejected = await strict.call('POST', '/users', { email: '24x7', name: 'On call' })
  expect(rejected.body.member).toMatchObject({ outcomes: { files: 'error' } })
  expect(rejected.body.member.errors.files).toContain('GRAPH_USERNAME_MATCH=none')
})
