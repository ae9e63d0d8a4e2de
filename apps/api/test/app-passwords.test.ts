import { auditOf, giveMailbox, mailOf } from '@atrium/testing/mailboxes'
import {
  type MembersTestApp,
  mailboxOpens,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { mailFaults, upstreamText } from '@atrium/testing/outside'
import { userIdOf } from '@atrium/testing/records'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({ manyChanges: true })
}, 120_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

async function withMailbox() {
  const { member } = await testApp.newMember()
  const token = await testApp.token(member.email)
  return { member, token, address: String(member.mailboxAddress) }
}
const create = (token: string, name = 'Phone') =>
  testApp.call('POST', '/app-passwords', { name }, token)
const list = (userId: string, token: string) =>
  testApp.call('GET', `/users/${userId}/app-passwords`, undefined, token)
const remove = (userId: string, id: string, token: string) =>
  testApp.call('DELETE', `/users/${userId}/app-passwords/${id}`, undefined, token)
const mailsTo = (userId: string) =>
  testApp.database.db
    .selectFrom('outbox')
    .select(['template', 'values'])
    .where('template', '=', 'member.app_password_created')
    .where((row) => row(row.ref('key'), 'like', `%:${userId}:%`))
    .execute()

describe('an app password', () => {
  it('opens the mailbox until its owner removes it, is shown once, and is told by mail', async () => {
    const { member, token, address } = await withMailbox()
    const made = await create(token)
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'Phone', mailboxAddress: address, secret: expect.stringMatching(/^app_/) },
    })
    const { id, secret } = made.body
    expect(await mailboxOpens(testApp, address, secret)).toBe(true)
    const listed = await list(member.id, token)
    expect(listed.body).toEqual({
      mailboxAddress: address,
      items: [{ id, name: 'Phone', scheduling: false, createdAt: expect.stringMatching(/^20/) }],
    })
    expect(JSON.stringify(listed.body)).not.toContain(secret)
    const mails = await mailsTo(member.id)
    expect(mails).toMatchObject([{ values: { 'password.name': 'Phone' } }])
    expect(JSON.stringify(mails)).not.toContain(secret)
    expect((await auditOf(testApp, 'member.app_password_created'))[0]).toMatchObject({
      resource_id: member.id,
      metadata: expect.objectContaining({ name: 'Phone' }),
    })

    expect((await remove(member.id, id, token)).status).toBe(204)
    expect(await mailboxOpens(testApp, address, secret)).toBe(false)
    expect(await remove(member.id, id, token)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
    expect((await auditOf(testApp, 'member.app_password_removed'))[0]).toMatchObject({
      resource_id: member.id,
      metadata: expect.objectContaining({ name: 'Phone' }),
    })
  })

  it('is seen and removed by an admin, and by no colleague', async () => {
    const { member, token } = await withMailbox()
    const colleague = await withMailbox()
    const { id } = (await create(token)).body
    for (const call of [list(member.id, colleague.token), remove(member.id, id, colleague.token)])
      expect(await call).toMatchObject({ status: 403, body: { code: 'not_admin' } })
    expect((await list(member.id, testApp.as.admin)).body.items).toMatchObject([{ id }])
    // Ids are counted per mailbox: one's own id is nobody else's.
    expect((await remove(colleague.member.id, id, colleague.token)).status).toBe(404)
    expect((await remove(member.id, id, testApp.as.admin)).status).toBe(204)
  })

  it("is out of reach for another tenant's people", async () => {
    const { member, token } = await withMailbox()
    const { id } = (await create(token)).body
    for (const call of [
      list(member.id, testApp.as.outsider),
      remove(member.id, id, testApp.as.outsider),
      create(testApp.as.outsider),
    ])
      expect(await call).toMatchObject({ status: 403, body: { code: 'not_member' } })
    const globex = `/tenants/globex/users/${member.id}/app-passwords`
    const { outsider } = testApp.as
    for (const path of [globex, `${globex}/${id}`])
      expect(
        await testApp.request(path === globex ? 'GET' : 'DELETE', path, { token: outsider }),
      ).toMatchObject({ status: 404 })
    expect((await list(member.id, token)).body.items).toHaveLength(1)
  })

  it('never takes the mailbox password away', async () => {
    const { member, token } = await withMailbox()
    expect((await remove(member.id, 'a', token)).status).toBe(404)
  })

  it('needs a mailbox', async () => {
    const userId = await testApp.idOf('owner@acme.test')
    expect((await list(userId, testApp.as.owner)).body).toEqual({ mailboxAddress: null, items: [] })
    expect(await create(testApp.as.owner)).toMatchObject({
      status: 409,
      body: { code: 'mailbox_missing' },
    })
  })

  it('has a name of its own, and there are five at most', async () => {
    const { member, token } = await withMailbox()
    await create(token, 'Phone')
    for (const name of ['Phone', 'Atrium scheduling 1234'])
      expect(await create(token, name)).toMatchObject({
        status: 409,
        body: { code: 'already_exists' },
      })
    for (const name of ['two', 'three', 'four', 'five']) await create(token, name)
    expect(await create(token, 'six')).toMatchObject({
      status: 409,
      body: { code: 'limit_reached' },
    })
    expect((await list(member.id, token)).body.items).toHaveLength(5)
  })

  it('is made once when eight ask for the same at the same time', async () => {
    const { member, token } = await withMailbox()
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(token)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const { status, body } of answers)
      if (status !== 201) expect(['already_exists', 'member_busy']).toContain(body.code)
    expect((await list(member.id, token)).body.items).toHaveLength(1)
  })

  it('of a calendar connection is named as one', async () => {
    const { member, token } = await withMailbox()
    const userId = member.id
    const { accountId } = await testApp.database.db
      .selectFrom('memberships')
      .select('mail_account_id as accountId')
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
    await mailOf(testApp).createAppPassword({
      accountId: accountId ?? '',
      description: 'Atrium scheduling 12345678',
    })
    expect((await list(userId, token)).body.items).toMatchObject([{ scheduling: true }])
  })

  it('is not made in a suspended tenant, where it can still be taken back', async () => {
    const other = await testApp.token('owner@globex.test')
    const userId = await userIdOf(testApp.database.db, 'owner@globex.test')
    await giveMailbox(testApp, { slug: 'globex', userId, localPart: 'gero' })
    const globex = (method: string, path: string, body?: unknown) =>
      testApp.request(method, `/tenants/globex${path}`, {
        token: other,
        ...(body !== undefined && { body }),
      })
    const { id } = (await globex('POST', '/app-passwords', { name: 'Phone' })).body
    const token = testApp.as.operator
    await testApp.request('POST', '/tenants/globex/suspend', { token, body: { reason: 'Test' } })
    expect(await globex('POST', '/app-passwords', { name: 'Tablet' })).toMatchObject({
      status: 409,
      body: { code: 'tenant_suspended' },
    })
    expect((await globex('DELETE', `/users/${userId}/app-passwords/${id}`)).status).toBe(204)
    await testApp.request('POST', '/tenants/globex/resume', { token })
  })
})

describe('a mail server that fails', () => {
  it.each(mailFaults)('claims no success: %j', async (fault) => {
    const { member, token } = await withMailbox()
    const { id } = (await create(token)).body
    testApp.sandbox.fault({ system: 'mail', match: 'x:AppPassword', ...fault })
    for (const call of [
      list(member.id, token),
      create(token, 'Tablet'),
      remove(member.id, id, token),
    ]) {
      const { status, body } = await call
      expect({ status, code: body.code }).toEqual({ status: 502, code: 'upstream_failed' })
      for (const text of upstreamText) expect(body.detail).not.toContain(text)
    }
    for (const action of ['member.app_password_created', 'member.app_password_removed'])
      expect((await auditOf(testApp, action))[0]).toMatchObject({ outcome: 'failure' })
  })

  it('leaves a password that nobody knows, under its name', async () => {
    const { member, token } = await withMailbox()
    await list(member.id, token)
    let calls = 0
    testApp.sandbox.fault({ system: 'mail', match: 'x:AppPassword', mode: 'reset', after: true })
    while ((await create(token)).status !== 502 && calls < 3) calls += 1
    testApp.sandbox.clearFaults()
    const { items } = (await list(member.id, token)).body
    for (const { id } of items) await remove(member.id, id, token)
    expect((await create(token)).status).toBe(201)
  })
})
