import { mailGroupOf, switchableMails } from '@atrium/core/account/notifications'
import { mailTemplateKeys } from '@atrium/core/branding/template-keys'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({ manyChanges: true })
}, 120_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const read = (token: string) => testApp.request('GET', '/users/me/notifications', { token })
const change = (token: string, body: unknown) =>
  testApp.request('PATCH', '/users/me/notifications', { token, body })
const groupsOf = (body: { groups: { group: string }[] }) => body.groups.map(({ group }) => group)

describe('notification settings', () => {
  it('list what concerns the person, and are switched off and on again', async () => {
    const { member } = await testApp.newMember()
    const token = await testApp.token(member.email)
    expect((await read(token)).body.groups).toEqual([
      { group: 'bookings', on: true },
      { group: 'reminders', on: true },
    ])
    for (const on of [false, false, true])
      expect(await change(token, { group: 'reminders', on })).toMatchObject({
        status: 200,
        body: { groups: expect.arrayContaining([{ group: 'reminders', on }]) },
      })
    expect(groupsOf((await read(testApp.as.operator)).body)).toContain('rollbacks')
  })

  it('keep both of two changes at the same time', async () => {
    const { member } = await testApp.newMember()
    const token = await testApp.token(member.email)
    await Promise.all([
      ...Array.from({ length: 4 }, () => change(token, { group: 'reminders', on: false })),
      ...Array.from({ length: 4 }, () => change(token, { group: 'bookings', on: false })),
    ])
    expect((await read(token)).body.groups).toEqual([
      { group: 'bookings', on: false },
      { group: 'reminders', on: false },
    ])
  })

  it.each(['security', 'member.password_reset', 'toString'])('know no group %s', async (group) => {
    expect(await change(testApp.as.member, { group, on: false })).toMatchObject({ status: 400 })
  })

  it('are respected by the sender, by person and by address', async () => {
    const { member } = await testApp.newMember()
    const token = await testApp.token(member.email)
    await change(token, { group: 'approvals', on: false })
    const { database, outbox } = testApp.app.services
    const send = (key: string, userId?: string) =>
      database.db.transaction().execute((trx) =>
        outbox.send(trx, {
          tenantId: null,
          template: 'partner.approval_decided',
          to: member.email,
          ...(userId && { userId }),
          name: member.name,
          values: {
            'partner.name': 'North',
            'customer.name': 'Acme',
            'change.terms': 'Business',
            'approval.outcome': 'Approved',
            'link.customer': '',
          },
          key,
        }),
      )
    await send(`muted-${member.id}`, member.id)
    await send(`muted-by-address-${member.id}`)
    await change(token, { group: 'approvals', on: true })
    await send(`sent-${member.id}`, member.id)
    const queued = await database.db
      .selectFrom('outbox')
      .select('key')
      .where('key', 'like', `%${member.id}`)
      .where('template', '=', 'partner.approval_decided')
      .execute()
    expect(queued).toEqual([{ key: `sent-${member.id}` }])
  })

  it('cover no mail that protects an account, asks for a decision or is due by law', () => {
    const always = mailTemplateKeys.filter((key) => mailGroupOf(key) === undefined)
    expect(always).toEqual(
      expect.arrayContaining([
        'member.password_reset',
        'member.app_password_created',
        'member.second_factors_reset',
        'booking.host_requested',
        'subscription.price_change',
        'invoice.paid',
      ]),
    )
    expect(Object.values(switchableMails).flat()).toHaveLength(7)
  })
})

describe('leaving a workplace', () => {
  const leave = (token: string) => testApp.call('POST', '/leave', {}, token)

  it('ends the own membership with everything that belongs to it', async () => {
    const { member } = await testApp.newMember()
    const token = await testApp.token(member.email)
    expect((await leave(token)).status).toBe(204)
    expect((await testApp.call('GET', `/users/${member.id}`)).status).toBe(404)
    expect((await leave(token)).status).toBe(403)
    expect(await testApp.auditActions()).toContain('member.left')
  })

  it('is not for the owner, and not for people who are no members', async () => {
    expect(await leave(testApp.as.owner)).toMatchObject({
      status: 409,
      body: { code: 'owner_removal' },
    })
    expect(await leave(testApp.as.outsider)).toMatchObject({ status: 403 })
    expect(await leave(testApp.as.operator)).toMatchObject({ status: 404 })
  })

  it('happens once when eight ask at the same time', async () => {
    const { member } = await testApp.newMember()
    const token = await testApp.token(member.email)
    const answers = await Promise.all(Array.from({ length: 8 }, () => leave(token)))
    expect(answers.some(({ status }) => status === 204)).toBe(true)
    for (const { status } of answers) expect([204, 403, 404, 409]).toContain(status)
    expect((await testApp.call('GET', `/users/${member.id}`)).status).toBe(404)
  })
})
