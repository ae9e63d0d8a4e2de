import { accept, invite } from '@atrium/testing/invitations'
import { mailDomainOf, mailOf } from '@atrium/testing/mailboxes'
import {
  type Member,
  type MembersTestApp,
  mailbox,
  mailboxOpens,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { syncMember } from '../src/members/jobs.ts'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({ sandbox: { identity: { accessTokenSeconds: 3600 } } })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const anna = 'anna@elsewhere.example'
let made = 0

async function list(recipients: readonly string[]): Promise<{ id: string; address: string }> {
  made += 1
  const { status, body } = await testApp.call('POST', '/lists', {
    address: `list${made}`,
    name: 'List',
    recipients,
  })
  expect(status).toBe(201)
  return body
}

async function alias({ id }: Member, address: string): Promise<string> {
  const { status, body } = await testApp.call('POST', `/users/${id}/aliases`, { address })
  expect(status).toBe(201)
  return body.address
}

const recipientsOf = async (id: string): Promise<string[]> =>
  (await testApp.call('GET', `/lists/${id}`)).body.recipients
const recipientsAtServer = async (address: string) => {
  const { id } = await mailDomainOf(testApp, 'acme')
  return (await mailOf(testApp).listsOn([id])).find((one) => one.address === address)?.recipients
}
const lastAudit = async (action: string) => {
  const { body } = await testApp.request('GET', `/audit?action=${action}&limit=1`, {
    token: testApp.as.operator,
  })
  return body.items[0]
}

describe('a person who leaves a tenant', () => {
  it('leaves its lists with every address, and lists left empty are named', async () => {
    const { member } = await testApp.newMember()
    const second = await alias(member, `also${made}`)
    const [both, alone, other] = [
      await list([member.email, anna]),
      await list([member.email]),
      await list([second, anna]),
    ]
    expect((await testApp.call('DELETE', `/users/${member.id}`)).status).toBe(204)
    expect(await recipientsOf(both.id)).toEqual([anna])
    expect(await recipientsOf(alone.id)).toEqual([])
    expect(await recipientsOf(other.id)).toEqual([anna])
    expect((await lastAudit('member.removed')).metadata).toMatchObject({
      complete: true,
      lists: [both.address, alone.address],
      listsLeftEmpty: [alone.address],
    })
    expect(await lastAudit('list.updated')).toMatchObject({
      actorType: 'system',
      resourceName: other.address,
      metadata: { recipientsLeft: 1 },
    })
    for (const [one, recipients] of [
      [both, [anna]],
      [alone, []],
      [other, [anna]],
    ] as const) {
      await expect
        .poll(() => recipientsAtServer(one.address), { timeout: 10_000 })
        .toEqual(recipients)
      expect((await testApp.call('GET', `/lists/${one.id}`)).body.state).toBe('ok')
    }
  })

  it('leaves the lists here also while the mail server is down, which follows', async () => {
    const { member } = await testApp.newMember()
    const { id, address } = await list([member.email, anna])
    testApp.sandbox.fault({
      system: 'mail',
      match: 'x:MailingList/set',
      mode: 'error',
      status: 503,
    })
    expect((await testApp.call('DELETE', `/users/${member.id}`)).status).toBe(204)
    expect(await recipientsOf(id)).toEqual([anna])
    await expect
      .poll(async () => (await testApp.call('GET', `/lists/${id}`)).body.state, { timeout: 10_000 })
      .toBe('error')
    testApp.sandbox.clearFaults()
    await testApp.call('POST', `/lists/${id}/retry`)
    expect(await recipientsAtServer(address)).toEqual([anna])
  })

  it('stays in lists of other tenants, which are not ours to change', async () => {
    const { member } = await testApp.newMember()
    const theirs = await testApp.request('POST', '/tenants/globex/lists', {
      token: testApp.as.outsider,
      body: { address: 'partners', name: 'Partners', recipients: [member.email] },
    })
    await testApp.call('DELETE', `/users/${member.id}`)
    const { body } = await testApp.request('GET', `/tenants/globex/lists/${theirs.body.id}`, {
      token: testApp.as.outsider,
    })
    expect(body.recipients).toEqual([member.email])
  })
})

describe('a removed address', () => {
  it.each(['member', 'tenant'])(
    'as an alias, removed from the %s, leaves the lists',
    async (where) => {
      const { member } = await testApp.newMember()
      const address = await alias(member, `gone-${where}`)
      const { id } = await list([address, member.email])
      const path =
        where === 'member' ? `/users/${member.id}/aliases/${address}` : `/aliases/${address}`
      expect((await testApp.call('DELETE', path)).status).toBe(204)
      expect(await recipientsOf(id)).toEqual([member.email])
      const entry = await lastAudit(where === 'member' ? 'member.alias_removed' : 'alias.removed')
      expect(entry).toMatchObject({
        outcome: 'success',
        metadata: { lists: [expect.stringMatching(/^list/)] },
      })
    },
  )

  it('stays in the lists when the mail server does not take it away', async () => {
    const { member } = await testApp.newMember()
    const address = await alias(member, 'kept-alias')
    const { id } = await list([address])
    testApp.sandbox.fault({ system: 'mail', match: 'x:Account/set', mode: 'error', status: 503 })
    expect((await testApp.call('DELETE', `/users/${member.id}/aliases/${address}`)).status).toBe(
      502,
    )
    expect(await recipientsOf(id)).toEqual([address])
  })

  it('is replaced by the new one where there is no mailbox, and stays as an alias where there is', async () => {
    const { member: guest } = await testApp.newMember({ email: 'guest@elsewhere.example' })
    const { member } = await testApp.newMember()
    const { id } = await list([guest.email, member.email])
    expect(
      (await testApp.call('PUT', `/users/${guest.id}/email`, { email: 'guest@moved.example' }))
        .status,
    ).toBe(200)
    expect(
      (await testApp.call('PUT', `/users/${member.id}/email`, { email: `moved${made}` })).status,
    ).toBe(200)
    expect(await recipientsOf(id)).toEqual([member.email, 'guest@moved.example'].sort())
    expect(mailbox(testApp, `moved${made}@acme.tenants.local`)?.aliases).toBeDefined()
  })
})

describe('DELETE /users/{id} by an operator', () => {
  const remove = (id: string) =>
    testApp.request('DELETE', `/users/${id}`, { token: testApp.as.operator })

  it('takes mailbox, files, lists and identity with it, in every tenant', async () => {
    const { member } = await testApp.newMember()
    const { id } = await list([member.email, anna])
    const { body } = await invite(testApp, 'globex', { email: member.email }, testApp.as.outsider)
    expect(body).toMatchObject({ code: null })
    expect((await accept(testApp, member.email)).status).toBe(200)
    expect((await remove(member.id)).status).toBe(204)
    expect(mailbox(testApp, member.email)).toBeUndefined()
    expect(await recipientsOf(id)).toEqual([anna])
    expect((await testApp.call('GET', `/users/${member.id}`)).status).toBe(404)
    expect(
      (await testApp.request('GET', `/users/${member.id}`, { token: testApp.as.operator })).status,
    ).toBe(404)
    const left = await testApp.database.db
      .selectFrom('memberships')
      .select('tenant_id')
      .where('user_id', '=', member.id)
      .execute()
    expect(left).toEqual([])
    const { metadata } = await lastAudit('user.deleted')
    expect(metadata.tenants.map(({ complete }: { complete: boolean }) => complete)).toEqual([
      true,
      true,
    ])
  })

  it('closes the record at once when an upstream system fails, and the job engine finishes it', async () => {
    const { member } = await testApp.newMember()
    const token = await testApp.token(member.email)
    testApp.sandbox.fault({ system: 'mail', mode: 'error', status: 503 })
    expect((await remove(member.id)).status).toBe(204)
    expect(mailbox(testApp, member.email)).toBeDefined()
    expect(await testApp.request('GET', '/users/me', { token })).toMatchObject({
      status: 403,
      body: { code: 'user_deactivated' },
    })
    expect(
      (await testApp.request('GET', `/users/${member.id}`, { token: testApp.as.operator })).status,
    ).toBe(404)
    expect((await lastAudit('user.deleted')).metadata.tenants).toEqual([
      { tenant: 'acme', complete: false },
    ])
    testApp.sandbox.clearFaults()
    await testApp.database.db
      .updateTable('memberships')
      .set({ next_at: new Date(0) })
      .where('user_id', '=', member.id)
      .execute()
    await syncMember(testApp.app.services, testApp.acmeId, member.id)
    expect(mailbox(testApp, member.email)).toBeUndefined()
    expect(
      await testApp.database.db
        .selectFrom('memberships')
        .select('role')
        .where('user_id', '=', member.id)
        .execute(),
    ).toEqual([])
  })

  it('works on a member of a suspended tenant too', async () => {
    const { member } = await testApp.newMember()
    await testApp.request('POST', '/tenants/acme/suspend', { token: testApp.as.operator, body: {} })
    expect((await remove(member.id)).status).toBe(204)
    await testApp.request('POST', '/tenants/acme/resume', { token: testApp.as.operator, body: {} })
    expect(mailbox(testApp, member.email)).toBeUndefined()
  })

  it('is rejected for the owner of a tenant, who keeps everything', async () => {
    const owner = await testApp.idOf('owner@acme.test')
    expect(await remove(owner)).toMatchObject({ status: 409, body: { code: 'user_in_use' } })
    expect(
      (await testApp.request('GET', `/users/${owner}`, { token: testApp.as.operator })).body.status,
    ).toBe('active')
  })
})

describe('deactivating and reactivating', () => {
  const act = (id: string, verb: string) =>
    testApp.request('POST', `/users/${id}/${verb}`, { token: testApp.as.operator, body: {} })

  it('freezes the mailbox and opens it with the same password', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(true)
    expect((await act(member.id, 'deactivate')).status).toBe(200)
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
    expect(mailbox(testApp, member.email)).toBeDefined()
    expect((await lastAudit('user.deactivated')).metadata).toMatchObject({
      tenants: [{ tenant: 'acme', complete: true }],
    })
    expect((await act(member.id, 'reactivate')).status).toBe(200)
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(true)
    expect(await testApp.member(member.id)).toMatchObject({
      status: 'active',
      outcomes: { identity: 'ok', mail: 'ok', files: 'ok' },
    })
  })

  it('keeps a person suspended by the tenant locked out', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    await testApp.call('POST', `/users/${member.id}/suspend`)
    await act(member.id, 'deactivate')
    await act(member.id, 'reactivate')
    expect((await testApp.member(member.id)).status).toBe('suspended')
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
    expect((await testApp.call('POST', `/users/${member.id}/resume`)).status).toBe(200)
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(true)
  })
})
