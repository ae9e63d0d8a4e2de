import {
  addDomain,
  auditOf,
  giveMailbox,
  mailDomainOf,
  mailOf,
  setTenantStatus,
} from '@atrium/testing/mailboxes'
import { clientsWithDeadline, mailFaults, upstreamText } from '@atrium/testing/outside'
import { userIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: TestApp
let admin: string
let member: string
let globexOwner: string
const ids = { admin: '', member: '', owner: '', globexOwner: '' }
const boxes = { admin: { address: '', accountId: '' }, member: { address: '', accountId: '' } }
const domain = 'acme.tenants.local'

beforeAll(async () => {
  testApp = await startTestApp({
    integrations: clientsWithDeadline(2_000),
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  admin = await testApp.token('admin@acme.test')
  member = await testApp.token('member@acme.test')
  globexOwner = await testApp.token('owner@globex.test')
  ids.admin = await userIdOf(testApp.database.db, 'admin@acme.test')
  ids.member = await userIdOf(testApp.database.db, 'member@acme.test')
  ids.owner = await userIdOf(testApp.database.db, 'owner@acme.test')
  ids.globexOwner = await userIdOf(testApp.database.db, 'owner@globex.test')
  boxes.admin = await giveMailbox(testApp, { slug: 'acme', userId: ids.admin, localPart: 'adam' })
  boxes.member = await giveMailbox(testApp, { slug: 'acme', userId: ids.member, localPart: 'mira' })
  await giveMailbox(testApp, { slug: 'globex', userId: ids.globexOwner, localPart: 'gero' })
  await addDomain(testApp, { slug: 'acme', name: 'acme.example.com', verified: true })
  await addDomain(testApp, { slug: 'acme', name: 'unproven.example.com', verified: false })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const path = '/tenants/acme/aliases'
const add = (address: string, userId = ids.member, token = admin) =>
  testApp.request('POST', path, { token, body: { address, userId } })
const list = (query = '') => testApp.request('GET', `${path}${query}`, { token: member })
const remove = (address: string, token = admin) =>
  testApp.request('DELETE', `${path}/${encodeURIComponent(address)}`, { token })
const aliasesOf = async (accountId: string) =>
  [...((await mailOf(testApp).readAccount(accountId))?.aliases ?? [])].sort()

describe('an alias', () => {
  it('is given to a mailbox, shown with its member, and taken away, over both wires', async () => {
    expect(await add('Sales')).toMatchObject({
      status: 201,
      body: {
        address: `sales@${domain}`,
        domain,
        member: { id: ids.member, email: 'member@acme.test', name: 'Mira Member' },
      },
    })
    expect(await aliasesOf(boxes.member.accountId)).toEqual([`sales@${domain}`])
    const client = testApp.trpc(admin)
    expect(
      await client.aliases.add.mutate({
        slug: 'acme',
        address: 'info@acme.example.com',
        userId: ids.admin,
      }),
    ).toMatchObject({
      address: 'info@acme.example.com',
      member: { id: ids.admin },
    })
    expect((await list()).body).toEqual({
      items: [
        {
          address: 'info@acme.example.com',
          domain: 'acme.example.com',
          member: expect.objectContaining({ id: ids.admin }),
        },
        { address: `sales@${domain}`, domain, member: expect.objectContaining({ id: ids.member }) },
      ],
      nextCursor: null,
    })
    expect(await remove(`SALES@${domain}`)).toMatchObject({ status: 204 })
    await client.aliases.remove.mutate({ slug: 'acme', address: 'info@acme.example.com' })
    expect((await list()).body.items).toEqual([])
    expect([
      await aliasesOf(boxes.member.accountId),
      await aliasesOf(boxes.admin.accountId),
    ]).toEqual([[], []])
  })

  it('is recorded with who, whose and which', async () => {
    await add('press')
    await remove(`press@${domain}`)
    const common = {
      outcome: 'success',
      actor_email: 'admin@acme.test',
      resource_id: ids.member,
      resource_name: `press@${domain}`,
      tenant_slug: 'acme',
      metadata: { mailbox: boxes.member.address },
    }
    expect((await auditOf(testApp, 'alias.added'))[0]).toMatchObject(common)
    expect((await auditOf(testApp, 'alias.removed'))[0]).toMatchObject(common)
  })

  it('is found by text, domain and member, page by page', async () => {
    for (const name of ['c', 'a', 'b']) await add(`page-${name}`)
    await add('page-d@acme.example.com', ids.admin)
    const shown = async (query: string) =>
      (await list(query)).body.items.map(
        ({ address }: { address: string }) => address.split('@')[0],
      )
    expect(await shown('?q=PAGE-')).toEqual(['page-a', 'page-b', 'page-c', 'page-d'])
    expect(await shown('?q=mira')).toEqual(['page-a', 'page-b', 'page-c'])
    expect(await shown('?domain=acme.example.com')).toEqual(['page-d'])
    expect(await shown(`?userId=${ids.admin}`)).toEqual(['page-d'])
    expect(await shown('?domain=globex.tenants.local')).toEqual([])
    const first = (await list('?limit=3')).body
    const rest = (await list(`?limit=3&cursor=${first.nextCursor}`)).body
    expect([...first.items, ...rest.items].map(({ address }) => address.split('@')[0])).toEqual([
      'page-a',
      'page-b',
      'page-c',
      'page-d',
    ])
    expect(rest.nextCursor).toBe(null)
    for (const address of [
      `page-a@${domain}`,
      `page-b@${domain}`,
      `page-c@${domain}`,
      'page-d@acme.example.com',
    ])
      await remove(address)
  })

  it("of another tenant's mailbox is neither shown nor taken away", async () => {
    const { status } = await testApp.request('POST', '/tenants/globex/aliases', {
      token: globexOwner,
      body: { address: 'own', userId: ids.globexOwner },
    })
    expect(status).toBe(201)
    expect((await list()).body.items).toEqual([])
    expect(await remove('own@globex.tenants.local')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
  })

  it('is shown without a member where the mailbox is nobody of the tenant', async () => {
    const { id: domainId } = await mailDomainOf(testApp, 'acme')
    const { id: accountId } = await mailOf(testApp).createAccount({
      localPart: 'robot',
      domainId,
      displayName: 'Robot',
      password: 'Xk3!fjWq9zLm7Rt2',
    })
    await mailOf(testApp).addAlias({ accountId, localPart: 'machine', domainId })
    expect((await list()).body.items).toEqual([
      { address: `machine@${domain}`, domain, member: null },
    ])
    expect(await remove(`machine@${domain}`)).toMatchObject({ status: 204 })
  })
})

describe('an address is rejected as alias', () => {
  it.each([
    [
      'on a domain of nobody',
      'sales@elsewhere.example.com',
      /elsewhere\.example\.com is not a domain of this tenant/,
    ],
    [
      'on the domain of another tenant',
      'sales@globex.tenants.local',
      /not a domain of this tenant/,
    ],
    ['below a domain of the tenant', `sales@sub.${domain}`, /not a domain of this tenant/],
    ['with a look-alike letter', 's\u0430les', /accents/],
    ['with an accent', 'vérkauf', /accents/],
    ['with a Kelvin sign', '\u212aontakt', /accents/],
    ['with an invisible character', 'sa\u200bles', /accents/],
    ['with a tag', 'sales+x', /plus/],
    ['with two dots', 'sa..les', /dot/],
    ['with a public suffix', 'sales@co.uk', /domain/],
    ['of nothing', ' ', /empty/],
    ['of 65 characters', 'x'.repeat(65), /64/],
  ])('%s', async (_, address, message) => {
    const response = await add(address)
    expect(response).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', issues: [{ path: 'address' }] },
    })
    expect(response.body.issues[0].message).toMatch(message)
  })

  it('on a domain that is not verified', async () => {
    expect(await add('sales@unproven.example.com')).toMatchObject({
      status: 409,
      body: { code: 'domain_not_verified' },
    })
  })

  it('when it is the primary one of the same mailbox, which the mail server would take', async () => {
    expect(await add('mira')).toMatchObject({
      status: 409,
      body: { code: 'email_taken', detail: expect.stringMatching(/primary/) },
    })
  })

  it('when a mailbox, an alias, a list or a person has it, anywhere', async () => {
    const taken = { status: 409, body: { code: 'email_taken' } }
    expect(await add('adam')).toMatchObject(taken)
    await add('shared', ids.admin)
    expect(await add('shared')).toMatchObject(taken)
    expect(await add('shared', ids.admin)).toMatchObject({
      status: 409,
      body: { code: 'already_exists' },
    })
    await remove(`shared@${domain}`)
    const made = await testApp.request('POST', '/tenants/acme/lists', {
      token: admin,
      body: { address: 'everybody', name: 'Everybody', recipients: ['anna@elsewhere.example'] },
    })
    expect(made.status).toBe(201)
    expect(await add('everybody')).toMatchObject(taken)
    await testApp.request('DELETE', `/tenants/acme/lists/${made.body.id}`, { token: admin })
    await testApp.database.db
      .insertInto('users')
      .values({ idp_subject_id: 'signs-in', email: `signsin@${domain}`, name: 'Signs In' })
      .execute()
    expect(await add('signsin')).toMatchObject(taken)
    // A list that somebody made in the mail server by hand.
    const { id: domainId } = await mailDomainOf(testApp, 'acme')
    await mailOf(testApp).createList({
      localPart: 'handmade',
      domainId,
      name: 'By hand',
      recipients: ['x@elsewhere.example'],
    })
    expect(await add('handmade')).toMatchObject(taken)
    expect(await aliasesOf(boxes.member.accountId)).toEqual([])
  })

  it('for a member without a mailbox, and for a non-member', async () => {
    expect(await add('boss', ids.owner)).toMatchObject({
      status: 409,
      body: { code: 'mailbox_missing' },
    })
    expect(await add('boss', ids.globexOwner)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
    expect(await add('boss', 'nobody')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'userId' }] },
    })
  })

  it.each(['suspended', 'deleted'] as const)(
    'while the tenant is %s, and none is taken away',
    async (status) => {
      await add('stays')
      await setTenantStatus(testApp, 'acme', status)
      try {
        const rejected = { status: 409, body: { code: `tenant_${status}` } }
        expect(await add('later')).toMatchObject(rejected)
        expect(await remove(`stays@${domain}`)).toMatchObject(rejected)
      } finally {
        await setTenantStatus(testApp, 'acme', 'active')
      }
      expect(await remove(`stays@${domain}`)).toMatchObject({ status: 204 })
    },
  )
})

describe('an alias that has gone from the mail server alone, because a process died while it took it away', () => {
  const lists = (body: object) =>
    testApp.request('POST', '/tenants/acme/lists', { token: admin, body })
  const recipientsOf = async (id: string) =>
    (await testApp.request('GET', `/tenants/acme/lists/${id}`, { token: admin })).body.recipients
  async function lost(localPart: string) {
    await add(localPart)
    const { body } = await lists({
      address: `${localPart}-list`,
      name: 'List',
      recipients: [`${localPart}@${domain}`, 'else@example.org'],
    })
    const { id: domainId } = await mailDomainOf(testApp, 'acme')
    await mailOf(testApp).removeAlias({ accountId: boxes.member.accountId, localPart, domainId })
    return body.id as string
  }

  it.each([
    ['of the tenant', (address: string) => remove(address)],
    [
      'of the member',
      (address: string) =>
        testApp.request('DELETE', `/tenants/acme/users/${ids.member}/aliases/${address}`, {
          token: admin,
        }),
    ],
  ])('is taken out of the lists by the same call again: %s', async (name, again) => {
    const localPart = `lost-${name.split(' ').at(-1)}`
    const id = await lost(localPart)
    expect(await again(`${localPart}@${domain}`)).toMatchObject({ status: 204 })
    expect(await recipientsOf(id)).toEqual(['else@example.org'])
    expect(await again(`${localPart}@${domain}`)).toMatchObject({ status: 404 })
  })

  it('stays in the lists when somebody else has the address by now, and so does any address that is no alias', async () => {
    const id = await lost('moved-on')
    expect(await add('moved-on', ids.admin)).toMatchObject({ status: 201 })
    const ofMember = `/tenants/acme/users/${ids.member}/aliases/moved-on@${domain}`
    expect(await testApp.request('DELETE', ofMember, { token: admin })).toMatchObject({
      status: 404,
    })
    expect(await recipientsOf(id)).toEqual(['else@example.org', `moved-on@${domain}`].sort())
    const { body } = await lists({
      address: 'of-mailboxes',
      name: 'List',
      recipients: [boxes.member.address, `of-mailboxes-too@${domain}`],
    })
    expect(await remove(boxes.member.address)).toMatchObject({ status: 404 })
    expect(await recipientsOf(body.id)).toContain(boxes.member.address)
    await remove(`moved-on@${domain}`)
  })
})

describe('several at once', () => {
  it('added to one mailbox are all there', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `many-${index}`)
    const responses = await Promise.all(names.map((name) => add(name)))
    expect(responses.map(({ status }) => status)).toEqual(names.map(() => 201))
    expect(await aliasesOf(boxes.member.accountId)).toEqual(
      names.map((name) => `${name}@${domain}`),
    )
    // Every second goes while others come.
    const moved = await Promise.all(
      names.flatMap((name, index) =>
        index % 2 === 0 ? [remove(`${name}@${domain}`)] : [add(name.replace('many', 'more'))],
      ),
    )
    expect(moved.map(({ status }) => status).sort()).toEqual([201, 201, 201, 204, 204, 204])
    const left = ['many-1', 'many-3', 'many-5', 'more-1', 'more-3', 'more-5']
    expect(await aliasesOf(boxes.member.accountId)).toEqual(left.map((name) => `${name}@${domain}`))
    for (const name of left) await remove(`${name}@${domain}`)
  }, 20_000)

  it('asking for one address give it to exactly one mailbox', async () => {
    for (let round = 0; round < 4; round++) {
      const responses = await Promise.all([
        add(`race-${round}`, ids.member),
        add(`race-${round}`, ids.admin),
      ])
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 409])
      const [one, other] = [
        await aliasesOf(boxes.member.accountId),
        await aliasesOf(boxes.admin.accountId),
      ]
      expect([...one, ...other]).toEqual([`race-${round}@${domain}`])
      await remove(`race-${round}@${domain}`)
    }
  }, 20_000)
})

describe('while the mail server fails', () => {
  it.each(mailFaults)('nothing is added and the reason is returned: %j', async (fault) => {
    testApp.sandbox.fault({ system: 'mail', match: 'x:Account/set', ...fault })
    const response = await add('faulty')
    expect(response).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed', detail: expect.stringMatching(/^The mail server /) },
    })
    for (const secret of upstreamText) expect(JSON.stringify(response.body)).not.toContain(secret)
    expect((await auditOf(testApp, 'alias.added'))[0]).toMatchObject({
      outcome: 'failure',
      resource_name: `faulty@${domain}`,
    })
    // The member is free again at once.
    testApp.sandbox.clearFaults()
    expect(await add('faulty')).toMatchObject({ status: 201 })
    testApp.sandbox.fault({ system: 'mail', match: 'x:Account/set', ...fault })
    expect(await remove(`faulty@${domain}`)).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed' },
    })
    testApp.sandbox.clearFaults()
    expect(await aliasesOf(boxes.member.accountId)).toEqual([`faulty@${domain}`])
    expect(await remove(`faulty@${domain}`)).toMatchObject({ status: 204 })
  })

  it.each(mailFaults)('an unread list is never shown as an empty one: %j', async (fault) => {
    testApp.sandbox.fault({ system: 'mail', ...fault })
    expect(await list()).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
  })

  it('an addition whose answer is lost is found done or can be done again', async () => {
    testApp.sandbox.fault({
      system: 'mail',
      match: 'x:Account/set',
      mode: 'reset',
      after: true,
      times: 1,
    })
    const response = await add('lost')
    expect([201, 502]).toContain(response.status)
    expect(await aliasesOf(boxes.member.accountId)).toEqual([`lost@${domain}`])
    if (response.status === 502)
      expect(await add('lost')).toMatchObject({ status: 409, body: { code: 'already_exists' } })
    expect(await remove(`lost@${domain}`)).toMatchObject({ status: 204 })
  })
})

it('says so where there is no mail server', async () => {
  await using bare = await startTestApp({
    provisioned: false,
    env: { MAIL_PROVISIONING_ENABLED: 'false' },
  })
  const token = await bare.token('admin@acme.test')
  const off = { status: 409, body: { code: 'integration_off' } }
  expect(await bare.request('GET', path, { token })).toMatchObject(off)
  expect(
    await bare.request('POST', path, { token, body: { address: 'x', userId: ids.member } }),
  ).toMatchObject(off)
  expect(await bare.request('DELETE', `${path}/x@${domain}`, { token })).toMatchObject(off)
})
