import type { AuditEvent } from '@atrium/core/audit/audit'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { accept } from '@atrium/testing/invitations'
import { insertTestTenant, userIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: TestApp
const tokens: Record<string, string> = {}
let south: string

beforeAll(async () => {
  testApp = await startTestApp({ sandbox: { identity: { accessTokenSeconds: 3600 } } })
  for (const email of [
    'operator@atrium.test',
    'owner@acme.test',
    'admin@acme.test',
    'member@acme.test',
    'owner@globex.test',
    'partner@north.test',
    'newcomer@example.test',
  ])
    tokens[email] = await testApp.token(email)
  const { db } = testApp.database
  south = (
    await db
      .insertInto('partners')
      .values({ slug: 'south', name: 'South' })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id
  const ownerId = await userIdOf(db, 'owner@globex.test')
  for (let n = 0; n < 5; n++) {
    const values = {
      slug: `many-${n}`,
      name: `Many ${n}`,
      plan: n === 0 ? ('enterprise' as const) : ('free' as const),
      partnerId: n < 2 ? south : null,
      seats: n,
      ownerId,
      domains: [`many-${n}.example.com`],
    }
    await db.transaction().execute((trx) => insertTestTenant(trx, values))
  }
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const call = (who: string, method: string, path: string, body?: object) =>
  testApp.request(method, path, { token: tokens[who], ...(body ? { body } : {}) })
const operator = 'operator@atrium.test'
const slugs = async (who: string, query = '') =>
  (await call(who, 'GET', `/tenants?${query}`)).body.items
    .map((tenant: TenantView) => tenant.slug)
    .sort()

describe('the list of tenants', () => {
  const many = ['many-0', 'many-1', 'many-2', 'many-3', 'many-4']

  it('shows operators all, partner staff those of their partner, others their own', async () => {
    expect(await slugs(operator)).toEqual(['acme', 'globex', ...many])
    expect(await slugs('partner@north.test')).toEqual(['acme'])
    expect(await slugs('owner@globex.test')).toEqual(['globex', ...many])
    expect(await slugs('member@acme.test')).toEqual(['acme'])
    expect(await slugs('newcomer@example.test')).toEqual([])
  })

  it('shows partner staff their own tenants too', async () => {
    const { body } = await call('partner@north.test', 'POST', '/tenants', {
      name: 'Staff House',
      ownerEmail: 'partner@north.test',
    })
    expect(body).toMatchObject({ partnerSlug: 'north', role: 'owner' })
    await call(operator, 'PATCH', '/tenants/staff-house', { partnerId: null })
    expect(await slugs('partner@north.test')).toEqual(['acme', 'staff-house'])
    await call(operator, 'DELETE', '/tenants/staff-house')
  })

  it.each([
    ['plan=enterprise', ['many-0']],
    ['partnerSlug=south', ['many-0', 'many-1']],
    ['partnerSlug=SOUTH&plan=free', ['many-1']],
    ['status=active', ['acme', 'globex']],
    ['status=pending&q=many-3', ['many-3']],
    ['q=MANY%203', ['many-3']],
    ['q=many-2.example', ['many-2']],
    ['q=owner@acme', ['acme']],
    ['q=nothing-like-it', []],
    ['status=deleted', ['staff-house']],
  ])('is filtered: %s', async (query, expected) => {
    expect(await slugs(operator, query)).toEqual(expected)
  })

  it.each([
    ['plan=enterprise', ['many-0']],
    ['partnerSlug=SOUTH&plan=free', ['many-1']],
    ['status=active', ['globex']],
    ['status=pending&q=many-3', ['many-3']],
    ['status=deleted', []],
    ['q=acme', []],
  ])('is filtered for a member: %s', async (query, expected) => {
    expect(await slugs('owner@globex.test', query)).toEqual(expected)
  })

  it.each([
    [operator, [...[...many].reverse(), 'globex', 'acme']],
    ['owner@globex.test', [...[...many].reverse(), 'globex']],
  ])('pages through all of them once, newest first, for %s', async (who, expected) => {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body }: { body: { items: TenantView[]; nextCursor: string | null } } = await call(
        who,
        'GET',
        `/tenants?limit=3${cursor ? `&cursor=${cursor}` : ''}`,
      )
      seen.push(...body.items.map(({ slug }) => slug))
      cursor = body.nextCursor
    }
    expect(seen).toEqual(expected)
  })

  it('names the role of the one who asks, and none to those who are no members', async () => {
    const roleOf = async (who: string) => (await call(who, 'GET', '/tenants/acme')).body.role
    expect(await roleOf('owner@acme.test')).toBe('owner')
    expect(await roleOf('admin@acme.test')).toBe('admin')
    expect(await roleOf(operator)).toBeNull()
    expect(await roleOf('partner@north.test')).toBeNull()
  })
})

describe('a change of a tenant', () => {
  const changes = async (): Promise<AuditEvent[]> =>
    (await call(operator, 'GET', '/audit?action=tenant.updated&limit=500')).body.items

  it('changes what it names and records from what to what', async () => {
    const response = await call('admin@acme.test', 'PATCH', '/tenants/acme', {
      name: 'Acme Works',
      industry: null,
      brandColor: '#ABCDEF',
      seats: 3,
    })
    expect(response).toMatchObject({
      status: 200,
      body: {
        name: 'Acme Works',
        industry: null,
        brandColor: '#abcdef',
        seats: 3,
        plan: 'business',
      },
    })
    expect((await changes())[0]).toMatchObject({
      actorType: 'user',
      actorEmail: 'admin@acme.test',
      tenantSlug: 'acme',
      metadata: {
        changes: {
          name: ['Acme Engineering', 'Acme Works'],
          industry: ['Manufacturing', null],
          brandColor: ['#b4391f', '#abcdef'],
          seats: [4, 3],
        },
      },
    })
  })

  it('sets the language of its people, and unsets it', async () => {
    const set = await call('admin@acme.test', 'PATCH', '/tenants/acme', { language: 'de' })
    expect(set).toMatchObject({ status: 200, body: { language: 'de' } })
    expect((await changes())[0]).toMatchObject({
      metadata: { changes: { language: [null, 'de'] } },
    })
    expect((await call('admin@acme.test', 'GET', '/users/me')).body.tenants).toContainEqual(
      expect.objectContaining({ slug: 'acme', language: 'de' }),
    )
    const unset = await call('admin@acme.test', 'PATCH', '/tenants/acme', { language: null })
    expect(unset).toMatchObject({ status: 200, body: { language: null } })
    for (const language of ['fr', 'en-XA', 'DE', ''])
      expect(await call('admin@acme.test', 'PATCH', '/tenants/acme', { language })).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', issues: [{ path: 'language' }] },
      })
  })

  it('is found in the log by the partner of the tenant and by its name, whoever made it', async () => {
    await call(operator, 'PATCH', '/tenants/many-1', { seats: 77 })
    await call(operator, 'POST', '/tenants/many-1/suspend', {})
    await call(operator, 'POST', '/tenants/many-1/resume', {})
    const { items } = (await call(operator, 'GET', '/audit?partnerSlug=south&q=Many%201')).body
    expect(items.map((entry: AuditEvent) => entry.action)).toEqual([
      'tenant.resumed',
      'tenant.suspended',
      'tenant.updated',
    ])
  })

  it('that changes nothing leaves no entry', async () => {
    const before = (await changes()).length
    expect((await call('admin@acme.test', 'PATCH', '/tenants/acme', { seats: 3 })).status).toBe(200)
    expect(await changes()).toHaveLength(before)
  })

  it('attaches to a partner that is active, and detaches', async () => {
    expect(await call(operator, 'PATCH', '/tenants/globex', { partnerId: south })).toMatchObject({
      status: 200,
      body: { partnerId: south, partnerSlug: 'south' },
    })
    expect(await call(operator, 'PATCH', '/tenants/globex', { partnerId: null })).toMatchObject({
      status: 200,
      body: { partnerId: null, partnerSlug: null },
    })
    expect(
      await call(operator, 'PATCH', '/tenants/globex', { partnerId: crypto.randomUUID() }),
    ).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'partnerId' }] },
    })
    await testApp.database.db
      .updateTable('partners')
      .set({ status: 'suspended' })
      .where('id', '=', south)
      .execute()
    expect(await call(operator, 'PATCH', '/tenants/globex', { partnerId: south })).toMatchObject({
      status: 409,
      body: { code: 'partner_unavailable' },
    })
    expect(
      await call(operator, 'POST', '/tenants', { name: 'Nowhere', partnerId: south }),
    ).toMatchObject({
      status: 409,
      body: { code: 'partner_unavailable' },
    })
    await testApp.database.db
      .updateTable('partners')
      .set({ status: 'active' })
      .where('id', '=', south)
      .execute()
  })

  it('of one field that the caller may not set changes none of the others', async () => {
    const response = await call('owner@acme.test', 'PATCH', '/tenants/acme', {
      name: 'Sneaked',
      plan: 'enterprise',
    })
    expect(response).toMatchObject({ status: 403, body: { code: 'operator_required' } })
    expect((await call('owner@acme.test', 'GET', '/tenants/acme')).body).toMatchObject({
      name: 'Acme Works',
      plan: 'business',
    })
  })

  it('of domains keeps those that stay, removes the others and moves the primary', async () => {
    const domains = ['second.example.com', 'acme.tenants.local']
    await call('owner@acme.test', 'POST', '/tenants/acme/domains', { domain: 'second.example.com' })
    await testApp.database.db
      .updateTable('domains')
      .set({ verified_at: new Date() })
      .where('name', '=', 'second.example.com')
      .execute()
    expect(
      (await call('owner@acme.test', 'PATCH', '/tenants/acme', { domains })).body,
    ).toMatchObject({
      domains,
      primaryDomain: 'second.example.com',
    })
    expect(
      (await call('owner@acme.test', 'PATCH', '/tenants/acme', { domains: ['acme.tenants.local'] }))
        .body,
    ).toMatchObject({
      domains: ['acme.tenants.local'],
    })
    expect(
      await call('owner@globex.test', 'POST', '/tenants', {
        name: 'Taker',
        domains: ['second.example.com'],
      }),
    ).toMatchObject({
      status: 201,
    })
  })

  it('by many at once loses none', async () => {
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        call(
          operator,
          'PATCH',
          '/tenants/many-4',
          n % 2 ? { seats: n } : { industry: `Industry ${n}` },
        ),
      ),
    )
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    // Entries are written after the change, so their order is not that of the changes; each change
    // begins where one ended.
    const entries = (await changes()).filter((entry) => entry.tenantSlug === 'many-4')
    const steps = entries.flatMap(
      ({ metadata }) => (metadata.changes as { seats?: [number, number] }).seats ?? [],
    ) as number[]
    const [before, after] = [
      steps.filter((_, i) => i % 2 === 0),
      steps.filter((_, i) => i % 2 === 1),
    ]
    const last = (await call(operator, 'GET', '/tenants/many-4')).body.seats
    expect([4, ...after].sort()).toEqual([...before, last].sort())
  })
})

describe('a name below the domain of the platform', () => {
  it('goes to the tenant of that slug alone, whichever way it is asked for', async () => {
    const rejected = {
      status: 400,
      body: {
        code: 'invalid_input',
        issues: [{ path: 'domains', message: expect.stringContaining('platform') }],
      },
    }
    for (const domains of [
      ['globex.tenants.local'],
      ['tenants.local'],
      ['mail.globex.tenants.local'],
    ]) {
      expect(
        await call(operator, 'POST', '/tenants', { name: 'Grab', slug: 'grabber', domains }),
      ).toMatchObject(rejected)
      expect(await call(operator, 'PATCH', '/tenants/many-4', { domains })).toMatchObject(rejected)
    }
    const own = await call(operator, 'POST', '/tenants', {
      name: 'Own',
      slug: 'own-names',
      domains: ['own-names.tenants.local', 'eu.own-names.tenants.local'],
    })
    expect(own).toMatchObject({
      status: 201,
      body: { domains: ['own-names.tenants.local', 'eu.own-names.tenants.local'] },
    })
  })
})

describe('a new tenant', () => {
  it('takes what it is given and shows it', async () => {
    const given = {
      name: 'Complete',
      slug: 'complete',
      plan: 'starter',
      seats: 12,
      industry: 'Trade',
      brandColor: '#00ff00',
      domains: ['complete.example.com'],
      billingInfo: {
        company: 'Complete Ltd',
        vatNumber: 'DE 136695976',
        country: 'de',
        email: 'Bill@Complete.example.com',
      },
      ownerEmail: 'OWNER@globex.test',
      partnerId: south,
    }
    const { ownerEmail: _, billingInfo: __, ...plain } = given
    expect(await call(operator, 'POST', '/tenants', given)).toMatchObject({
      status: 201,
      body: {
        ...plain,
        domains: ['complete.tenants.local', 'complete.example.com'],
        billingInfo: {
          company: 'Complete Ltd',
          vatNumber: 'DE136695976',
          country: 'DE',
          email: 'bill@complete.example.com',
        },
        owner: null,
        awaitsOwner: true,
        memberCount: 0,
        partnerSlug: 'south',
        role: null,
      },
    })
  })

  it('invites the owner, and has none until the invitation is accepted', async () => {
    const email = 'stranger@example.test'
    const { status, body } = await call(operator, 'POST', '/tenants', {
      name: 'Waiting',
      ownerEmail: email,
    })
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { status: 'active', owner: null, awaitsOwner: true, memberCount: 0 },
    })
    const path = `/tenants/${body.slug}`
    expect((await call(operator, 'GET', `${path}/users`)).body.items).toEqual([])
    expect((await call(operator, 'GET', `${path}/invitations`)).body).toMatchObject({
      items: [{ email, kind: 'owner', role: 'owner', state: 'pending' }],
      reservedSeats: 1,
    })
    const { body: accepted } = await accept(testApp, email)
    expect(accepted).toMatchObject({ joined: 'Waiting', path: `/t/${body.slug}` })
    expect((await call(operator, 'GET', path)).body).toMatchObject({
      owner: { email },
      awaitsOwner: false,
      memberCount: 1,
    })
  })

  it('by eight at once under one name gives each the next free slug', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, () => call(operator, 'POST', '/tenants', { name: 'Rush Hour' })),
    )
    expect(made.map(({ status, body }) => body.slug ?? [status, body.code]).sort()).toEqual(
      ['rush-hour', ...Array.from({ length: 7 }, (_, n) => `rush-hour-${n + 2}`)].sort(),
    )
  })

  it('by eight at once under one requested slug makes one and rejects the others', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        call(operator, 'POST', '/tenants', { name: `Rush ${n}`, slug: 'rush' }),
      ),
    )
    expect(made.map(({ status, body }) => body.code ?? status).sort()).toEqual([
      201,
      ...Array.from({ length: 7 }, () => 'already_exists'),
    ])
  })

  it('of somebody who never called before makes their record too', async () => {
    const { body } = await call('newcomer@example.test', 'POST', '/tenants', { name: 'Debut' })
    expect(body).toMatchObject({
      owner: { email: 'newcomer@example.test' },
      role: 'owner',
      status: 'active',
    })
    expect((await call('newcomer@example.test', 'GET', '/users/me')).body.tenants).toMatchObject([
      { slug: 'debut', role: 'owner' },
    ])
  })
})

describe('the members of a tenant', () => {
  const emails = async (query: string) =>
    (await call('member@acme.test', 'GET', `/tenants/acme/users?${query}`)).body.items.map(
      (one: { email: string }) => one.email,
    )

  it('are listed with role, status and mailbox', async () => {
    await testApp.database.db
      .updateTable('memberships')
      .set({ status: 'suspended', mailbox_address: 'adam@acme.tenants.local' })
      .where('role', '=', 'admin')
      .execute()
    const { items } = (await call('member@acme.test', 'GET', '/tenants/acme/users')).body
    expect(items.find((one: { role: string }) => one.role === 'admin')).toMatchObject({
      email: 'admin@acme.test',
      status: 'suspended',
      mailboxAddress: 'adam@acme.tenants.local',
    })
    expect(items.find((one: { role: string }) => one.role === 'owner')).toMatchObject({
      email: 'owner@acme.test',
      status: 'active',
      mailboxAddress: null,
    })
    await testApp.database.db
      .updateTable('memberships')
      .set({ status: 'active' })
      .where('role', '=', 'admin')
      .execute()
  })

  it('are filtered and paged', async () => {
    expect(await emails('role=owner')).toEqual(['owner@acme.test'])
    expect(await emails('q=MIRA')).toEqual(['member@acme.test'])
    expect(await emails('q=adam@acme.tenants')).toEqual(['admin@acme.test'])
    expect(await emails('q=%25')).toEqual([])
    const first = (await call('member@acme.test', 'GET', '/tenants/acme/users?limit=2')).body
    const second = (
      await call(
        'member@acme.test',
        'GET',
        `/tenants/acme/users?limit=2&cursor=${first.nextCursor}`,
      )
    ).body
    expect([...first.items, ...second.items].map(({ email }) => email).sort()).toEqual([
      'admin@acme.test',
      'member@acme.test',
      'owner@acme.test',
    ])
    expect(second.nextCursor).toBeNull()
  })
})

describe('GET /tenants/{slug}?expand=', () => {
  const read = (expand: string, token: string) =>
    testApp.request('GET', `/tenants/acme?expand=${expand}`, { token })

  it('brings domains and the first members along, and nothing without being asked', async () => {
    const token = await testApp.token('member@acme.test')
    const plain = await testApp.request('GET', '/tenants/acme', { token })
    expect(plain.body).not.toHaveProperty('expanded')
    // The first list of the domains fetches what the mail server wants published.
    const { body: domains } = await testApp.request('GET', '/tenants/acme/domains', { token })
    const { status, body } = await read('domains,members', token)
    expect(status).toBe(200)
    expect(body.expanded.domains).toEqual(domains.items)
    expect(body.expanded.members).toEqual(
      (await testApp.request('GET', '/tenants/acme/users', { token })).body,
    )
    expect(Object.keys((await read('domains', token)).body.expanded)).toEqual(['domains'])
    expect({ ...body, expanded: undefined }).toEqual({ ...plain.body, expanded: undefined })
  })

  it('rejects words that it does not know, and says which it does', async () => {
    expect(
      await read('members,invoices,secrets', await testApp.token('member@acme.test')),
    ).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_input',
        issues: [
          {
            path: 'expand',
            message:
              '"invoices", "secrets" cannot be expanded here. Available are: domains, members, access, purge.',
          },
        ],
      },
    })
    expect((await read('', await testApp.token('member@acme.test'))).status).toBe(400)
  })

  it('shows members and domains to nobody who may not read them', async () => {
    const partner = await testApp.token('partner@north.test')
    expect((await testApp.request('GET', '/tenants/acme', { token: partner })).status).toBe(200)
    expect(await read('members', partner)).toMatchObject({
      status: 403,
      body: { code: 'not_member' },
    })
    expect((await read('members', await testApp.token('owner@globex.test'))).status).toBe(404)
    expect(
      (await read('members', await testApp.token('operator@atrium.test'))).body.expanded.members
        .items.length,
    ).toBeGreaterThan(2)
  })
})
