import { giveMailbox } from '@atrium/testing/mailboxes'
import {
  identityUser,
  type MembersTestApp,
  mailbox,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { identityApi } from '@atrium/testing/outside'
import type { TestResponse } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const codes = (responses: readonly TestResponse[]) =>
  responses.map(({ status, body }) => (status < 300 ? 'ok' : body.code)).sort()

/** Two admins beside the owner, each with a token. */
async function twoAdmins() {
  const [one, other] = [
    await testApp.newMember({ role: 'admin' }),
    await testApp.newMember({ role: 'admin' }),
  ]
  const people = [one.member, other.member]
  return Promise.all(
    people.map(async ({ id, email }) => ({ id, email, token: await testApp.token(email) })),
  )
}

async function adminsBesideOwner(ids: readonly string[]): Promise<number> {
  const rows = await testApp.database.db
    .selectFrom('memberships')
    .select('user_id')
    .where('user_id', 'in', [...ids])
    .where('role', '=', 'admin')
    .execute()
  return rows.length
}

/** Nobody but the given admins can administer the tenant while `work` runs. */
async function withoutOthers(ids: readonly string[], work: () => Promise<void>): Promise<void> {
  const { db } = testApp.database
  const owner = db.updateTable('users').where('email', '=', 'owner@acme.test')
  await owner.set({ deactivated_at: new Date() }).execute()
  await db
    .updateTable('memberships')
    .set({ role: 'member' })
    .where('tenant_id', '=', testApp.acmeId)
    .where('role', '=', 'admin')
    .where('user_id', 'not in', [...ids])
    .execute()
  try {
    await work()
  } finally {
    await owner.set({ deactivated_at: null }).execute()
    await db
      .updateTable('memberships')
      .set({ role: 'admin' })
      .where('user_id', '=', await testApp.idOf('admin@acme.test'))
      .execute()
  }
}

const rounds = 6

describe('at the same time', () => {
  it('two admins who demote each other leave one admin', async () => {
    const [one, other] = await twoAdmins()
    if (!one || !other) throw new Error('no admins')
    for (let round = 0; round < rounds; round++) {
      const responses = await Promise.all([
        testApp.call('PATCH', `/users/${other.id}`, { role: 'member' }, one.token),
        testApp.call('PATCH', `/users/${one.id}`, { role: 'member' }, other.token),
      ])
      expect(codes(responses)).toEqual(['not_admin', 'ok'])
      expect(await adminsBesideOwner([one.id, other.id])).toBe(1)
      for (const { id } of [one, other])
        await testApp.call('PATCH', `/users/${id}`, { role: 'admin' }, testApp.as.operator)
    }
  })

  it('two admins who suspend each other leave one', async () => {
    const [one, other] = await twoAdmins()
    if (!one || !other) throw new Error('no admins')
    for (let round = 0; round < rounds; round++) {
      const responses = await Promise.all([
        testApp.call('POST', `/users/${other.id}/suspend`, undefined, one.token),
        testApp.call('POST', `/users/${one.id}/suspend`, undefined, other.token),
      ])
      expect(codes(responses)).toEqual(['not_member', 'ok'])
      for (const { id } of [one, other])
        await testApp.call('POST', `/users/${id}/resume`, undefined, testApp.as.operator)
      ;[one.token, other.token] = await Promise.all([
        testApp.token(one.email),
        testApp.token(other.email),
      ])
    }
  })

  it('the last admin is not removed while another one leaves by the identity provider', async () => {
    for (let round = 0; round < rounds; round++) {
      const [one, other] = await twoAdmins()
      if (!one || !other) throw new Error('no admins')
      await withoutOthers([one.id, other.id], async () => {
        // The provider takes the one out of the group; the next token, newer than the membership,
        // says so.
        const user = await identityUser(testApp, one.email)
        await identityApi(testApp, 'POST', `/core/groups/${user?.groups[0]}/remove_user/`, {
          pk: user?.pk,
        })
        const { db } = testApp.database
        const past = new Date(Date.now() - 60_000)
        await db
          .updateTable('memberships')
          .set({ created_at: past, identity_changed_at: past })
          .where('user_id', '=', one.id)
          .execute()
        const leaving = await testApp.token(one.email)
        await Promise.all([
          testApp.request('GET', '/users/me', { token: leaving }),
          testApp.call('DELETE', `/users/${other.id}`, undefined, testApp.as.operator),
        ])
        const left = await db
          .selectFrom('memberships')
          .select('user_id')
          .where('tenant_id', '=', testApp.acmeId)
          .where('role', '=', 'admin')
          .where('status', 'in', ['active', 'provisioning'])
          .execute()
        expect(left).toHaveLength(1)
      })
    }
  })

  it('two transfers of the ownership leave one owner', async () => {
    const [one, other] = await twoAdmins()
    if (!one || !other) throw new Error('no admins')
    const to = (userId: string) =>
      testApp.call('POST', '/transfer-ownership', { userId }, testApp.as.operator)
    for (let round = 0; round < rounds; round++) {
      const responses = await Promise.all([to(one.id), to(other.id), to(one.id)])
      expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2)
      const owners = await testApp.database.db
        .selectFrom('memberships')
        .select('user_id')
        .where('tenant_id', '=', testApp.acmeId)
        .where('role', '=', 'owner')
        .execute()
      expect(owners).toHaveLength(1)
      await to(await testApp.idOf('owner@acme.test'))
    }
  })

  it('two admins who each take the ownership are both told the truth', async () => {
    const people = await twoAdmins()
    const responses = await Promise.all(
      people.map(({ id, token }) =>
        testApp.call('POST', '/transfer-ownership', { userId: id }, token),
      ),
    )
    expect(codes(responses)).toEqual(['ok', 'ok'])
    const { owner } = (await testApp.call('GET', '')).body
    expect(people.map(({ id }) => id)).toContain(owner.id)
    await testApp.call(
      'POST',
      '/transfer-ownership',
      { userId: await testApp.idOf('owner@acme.test') },
      testApp.as.operator,
    )
  })

  it('ten creations of one address make one member', async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => testApp.call('POST', '/users', { email: 'raced' })),
    )
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(responses.filter(({ body }) => body.code === 'email_taken')).toHaveLength(9)
    expect(mailbox(testApp, 'raced@acme.tenants.local')).toBeDefined()
  })

  it('creations for the last seats fill exactly those', async () => {
    const { db } = testApp.database
    const { memberCount } = (await testApp.call('GET', '')).body
    await db
      .updateTable('tenants')
      .set({ seats: memberCount + 2 })
      .where('slug', '=', 'acme')
      .execute()
    try {
      const responses = await Promise.all(
        Array.from({ length: 6 }, (_, n) => testApp.call('POST', '/users', { email: `seat${n}` })),
      )
      expect(codes(responses)).toEqual(['ok', 'ok', ...Array(4).fill('seats_exhausted')])
      expect((await testApp.call('GET', '')).body.memberCount).toBe(memberCount + 2)
    } finally {
      await db.updateTable('tenants').set({ seats: 0 }).where('slug', '=', 'acme').execute()
    }
  })

  it('acts on one member follow one another', async () => {
    const { member } = await testApp.newMember()
    const path = `/users/${member.id}`
    const responses = await Promise.all([
      testApp.call('POST', `${path}/suspend`),
      testApp.call('PATCH', path, { name: 'At Once' }),
      testApp.call('POST', `${path}/reset-password`),
      testApp.call('POST', `${path}/suspend`),
    ])
    expect(responses.every(({ status }) => status === 200 || status === 409)).toBe(true)
    expect(
      codes(responses).filter((code) => !['ok', 'already_suspended', 'member_busy'].includes(code)),
    ).toEqual([])
    expect(await testApp.member(member.id)).toMatchObject({
      status: 'suspended',
      outcomes: { identity: 'ok', mail: 'ok', files: 'ok' },
    })
  })

  it('one mailbox address goes to one of two members', async () => {
    const made = await Promise.all(
      ['first@elsewhere.example', 'second@elsewhere.example'].map((email) =>
        testApp.newMember({ email }),
      ),
    )
    const responses = await Promise.all(
      made.map(({ member: { id } }) =>
        testApp.call('POST', `/users/${id}/mailbox`, { address: 'wanted' }),
      ),
    )
    expect(codes(responses)).toEqual(['email_taken', 'ok'])
  })
})

describe('the schema', () => {
  it('keeps one owner, and the owner neither suspended nor on the way out', async () => {
    const { db } = testApp.database
    const [owner, member] = [
      await testApp.idOf('owner@acme.test'),
      await testApp.idOf('member@acme.test'),
    ]
    const set = (values: object, id: string) =>
      db
        .updateTable('memberships')
        .set(values)
        .where('tenant_id', '=', testApp.acmeId)
        .where('user_id', '=', id)
        .execute()
    await expect(set({ role: 'owner' }, member)).rejects.toThrow(/memberships_one_owner/)
    await expect(set({ role: 'admin' }, owner)).rejects.toThrow(/has no owner/)
    await expect(set({ status: 'suspended' }, owner)).rejects.toThrow(/memberships_owner_stays/)
    await expect(set({ status: 'removing' }, owner)).rejects.toThrow(/memberships_owner_stays/)
  })

  it('gives a mailbox address to one member', async () => {
    const { member } = await testApp.newMember()
    await expect(
      testApp.database.db
        .updateTable('memberships')
        .set({ mailbox_address: member.email })
        .where('user_id', '=', await testApp.idOf('member@acme.test'))
        .execute(),
    ).rejects.toThrow(/memberships_of_mailbox/)
  })
})

describe('a person whom the provider removes from the group', () => {
  it('is suspended with the mailbox frozen when there is one, and nothing is destroyed', async () => {
    const { db } = testApp.database
    const userId = await testApp.idOf('member@acme.test')
    const { address } = await giveMailbox(testApp, { slug: 'acme', userId, localPart: 'taken-out' })
    const user = await identityUser(testApp, 'member@acme.test')
    const { groups } = await identityApi(testApp, 'GET', `/core/users/${user?.pk}/`)
    for (const group of groups)
      await identityApi(testApp, 'POST', `/core/groups/${group}/remove_user/`, { pk: user?.pk })
    await db
      .updateTable('memberships')
      .set({ created_at: new Date(Date.now() - 60_000) })
      .where('user_id', '=', userId)
      .execute()
    await testApp.request('GET', '/users/me', { token: await testApp.token('member@acme.test') })
    expect(await testApp.member(userId)).toMatchObject({
      status: 'suspended',
      outcomes: { identity: 'ok', mail: 'pending' },
    })
    expect((await testApp.call('POST', `/users/${userId}/retry`)).body.member).toMatchObject({
      outcomes: { mail: 'ok' },
    })
    expect(mailbox(testApp, address)).toBeDefined()
    expect((await testApp.call('POST', `/users/${userId}/resume`)).body).toMatchObject({
      status: 'active',
      outcomes: { identity: 'ok', mail: 'ok' },
    })
    expect((await identityUser(testApp, 'member@acme.test'))?.groups.length).toBeGreaterThan(0)
  })
})
