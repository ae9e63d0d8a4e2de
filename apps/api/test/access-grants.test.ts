import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { lockIsWaitedFor } from '@atrium/testing/postgres/lock-waits'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { endDueGrants } from '../src/access-grants/end.ts'

const day = 86_400_000
let testApp: MembersTestApp
let partner: string
let north: string
let partnerUser: string
let ownerUser: string
beforeAll(async () => {
  testApp = await startMembersTestApp({
    manyChanges: true,
    env: { PORTAL_URL: 'https://portal.test' },
  })
  partner = await testApp.token('partner@north.test')
  const { db } = testApp.database
  ;({ id: north } = await db
    .selectFrom('partners')
    .select('id')
    .where('slug', '=', 'north')
    .executeTakeFirstOrThrow())
  partnerUser = await testApp.idOf('partner@north.test')
  ownerUser = await testApp.idOf('owner@acme.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

/** Nobody has access, and Acme and Globex are customers of the partner. */
beforeEach(async () => {
  const { db } = testApp.database
  await db.updateTable('tenants').set({ partner_id: north }).execute()
  await db
    .updateTable('users')
    .set({ partner_id: north, partner_access: 'owner' })
    .where('id', '=', partnerUser)
    .execute()
  await db
    .updateTable('access_grants')
    .set({ status: 'ended', ended_at: new Date(), ending: 'time', end_recorded: true })
    .where('status', 'in', ['pending', 'active'])
    .execute()
  await db
    .updateTable('access_grants')
    .set({ requested_at: new Date(Date.now() - 2 * day) })
    .execute()
})

const inDays = (days: number) => new Date(Date.now() + days * day).toISOString()
const request = {
  role: 'admin',
  scopes: ['branding', 'members'],
  reason: 'The mails look wrong',
}
const ask = (fields: object = {}, token = partner, slug = 'acme') =>
  testApp.request('POST', `/tenants/${slug}/access-grants`, {
    token,
    body: { ...request, endsAt: inDays(2), ...fields },
  })
const decide = (id: string, what: string, token = testApp.as.owner, slug = 'acme') =>
  testApp.request('POST', `/tenants/${slug}/access-grants/${id}/${what}`, { token, body: {} })
const brand = (token = partner, slug = 'acme', productName = `Name ${Math.random()}`) =>
  testApp.request('PUT', `/tenants/${slug}/branding`, { token, body: { productName } })

async function granted(fields: object = {}, token = partner): Promise<string> {
  const asked = await ask(fields, token)
  expect(asked.status, JSON.stringify(asked.body)).toBe(201)
  const approved = await decide(asked.body.id, 'approve')
  expect(approved, JSON.stringify(approved.body)).toMatchObject({
    status: 200,
    body: { status: 'active' },
  })
  return asked.body.id
}

const grantsOf = async (token: string, slug = 'acme') =>
  (await testApp.request('GET', `/tenants/${slug}/access-grants`, { token })).body
const mails = (template: string, recipient: string) =>
  testApp.database.db
    .selectFrom('outbox')
    .select(['values', 'key'])
    .where('template', '=', template as never)
    .where('recipient', '=', recipient)
    .orderBy('id')
    .execute()
const entries = async (query: string) =>
  (await testApp.request('GET', `/audit?${query}`, { token: testApp.as.operator })).body.items
const rejection = (code: string) => ({ body: { code } })

describe('a request', () => {
  it('is decided by the owner, who is asked by mail with a link to the page', async () => {
    const asked = await ask()
    expect(asked).toMatchObject({
      status: 201,
      body: { status: 'pending', own: true, partner: { slug: 'north' }, scopes: request.scopes },
    })
    expect(await brand()).toMatchObject({ status: 403 })
    const [mail] = (await mails('access.requested', 'owner@acme.test')).slice(-1)
    expect(mail?.values).toMatchObject({
      'access.person': 'partner@north.test',
      'link.grants': 'https://portal.test/t/acme/security/access',
    })
    // What partner staff wrote is free text and must not come by a mail of the platform.
    expect(JSON.stringify(mail?.values)).not.toContain(request.reason)
    for (const token of [testApp.as.admin, testApp.as.operator, partner])
      expect(await decide(asked.body.id, 'approve', token)).toMatchObject(rejection('not_owner'))
    expect(await decide(asked.body.id, 'approve')).toMatchObject({ status: 200 })
    expect(await brand()).toMatchObject({ status: 200 })
    expect(await mails('access.decided', 'partner@north.test')).not.toEqual([])
  })

  it('that is declined gives nothing and cannot be approved afterwards', async () => {
    const { body } = await ask()
    const declined = await testApp.request(
      'POST',
      `/tenants/acme/access-grants/${body.id}/decline`,
      { token: testApp.as.owner, body: { reason: 'We do it ourselves' } },
    )
    expect(declined).toMatchObject({
      status: 200,
      body: {
        status: 'declined',
        declineReason: 'We do it ourselves',
        decidedBy: 'owner@acme.test',
      },
    })
    expect(await decide(body.id, 'approve')).toMatchObject(rejection('grant_state'))
    expect(await brand()).toMatchObject({ status: 403 })
  })

  it('approved twice or by two at once takes effect once', async () => {
    const { body } = await ask()
    const both = await Promise.all([decide(body.id, 'approve'), decide(body.id, 'approve')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    await decide(body.id, 'end')
    expect(await decide(body.id, 'approve')).toMatchObject(rejection('grant_state'))
    expect(await brand()).toMatchObject({ status: 403 })
  })

  it('expires after seven days', async () => {
    const { body } = await ask({ endsAt: inDays(20) })
    await testApp.database.db
      .updateTable('access_grants')
      .set({ expires_at: new Date() })
      .where('id', '=', body.id)
      .execute()
    expect((await grantsOf(testApp.as.owner)).items[0]).toMatchObject({ status: 'expired' })
    expect(await decide(body.id, 'approve')).toMatchObject(rejection('grant_state'))
    await endDueGrants(testApp.app.services)
    await endDueGrants(testApp.app.services)
    expect(await entries(`action=access_grant.expired&grantId=${body.id}`)).toHaveLength(1)
  })

  it('needs a reason, an end of at most 30 days and no earlier request', async () => {
    expect(await ask({ reason: ' ' })).toMatchObject(rejection('invalid_input'))
    expect(await ask({ endsAt: inDays(31) })).toMatchObject(rejection('invalid_input'))
    expect(await ask({ endsAt: inDays(-1) })).toMatchObject(rejection('invalid_input'))
    expect(await ask({ scopes: ['billing'] })).toMatchObject(rejection('invalid_input'))
    expect(await ask()).toMatchObject({ status: 201 })
    expect(await ask()).toMatchObject(rejection('grant_exists'))
  })

  it('is limited per partner and tenant', async () => {
    for (let n = 0; n < 20; n++) {
      const { body } = await ask()
      await decide(body.id, 'end', partner)
    }
    expect(await ask()).toMatchObject({ status: 429 })
    expect(await ask({}, partner, 'globex')).toMatchObject({ status: 201 })
  })

  it('of an admin of the workplace is pointless', async () => {
    const { db } = testApp.database
    await db
      .updateTable('users')
      .set({ partner_id: north, partner_access: 'owner' })
      .where('id', '=', ownerUser)
      .execute()
    expect(await ask({}, testApp.as.owner)).toMatchObject(rejection('grant_state'))
    await db
      .updateTable('users')
      .set({ partner_id: null, partner_access: null })
      .where('id', '=', ownerUser)
      .execute()
  })

  it('is decided by who owns the workplace at that moment', async () => {
    const { body } = await ask()
    const { db } = testApp.database
    const transfer = (from: string, to: string) =>
      db.transaction().execute(async (trx) => {
        await trx
          .updateTable('memberships')
          .set({ role: 'admin' })
          .where('tenant_id', '=', testApp.acmeId)
          .where('user_id', '=', from)
          .execute()
        await trx
          .updateTable('memberships')
          .set({ role: 'owner' })
          .where('tenant_id', '=', testApp.acmeId)
          .where('user_id', '=', to)
          .execute()
      })
    const admin = await testApp.idOf('admin@acme.test')
    await transfer(ownerUser, admin)
    expect(await decide(body.id, 'approve')).toMatchObject(rejection('not_owner'))
    expect(await decide(body.id, 'approve', testApp.as.admin)).toMatchObject({ status: 200 })
    await transfer(admin, ownerUser)
    expect(await brand()).toMatchObject({ status: 200 })
  })

  it('of somebody who has left the staff meanwhile cannot be approved', async () => {
    const { body } = await ask()
    const { db } = testApp.database
    await db
      .updateTable('users')
      .set({ partner_id: null, partner_access: null })
      .where('id', '=', partnerUser)
      .execute()
    expect(await decide(body.id, 'approve')).toMatchObject(rejection('grant_state'))
  })
})

describe('an access', () => {
  it('opens its scopes and nothing else', async () => {
    await granted({ scopes: ['branding'] })
    const get = (path: string) => testApp.request('GET', `/tenants/acme${path}`, { token: partner })
    expect(await get('/branding')).toMatchObject({ status: 200 })
    for (const path of ['/sso-apps', '/domains', '/security-policy', '/audit', '/billing'])
      expect(await get(path), path).toMatchObject({ status: 403 })
    expect(await get('')).toMatchObject({
      body: { role: null, grant: { role: 'admin', scopes: ['branding'] } },
    })
    expect(
      await testApp.request('POST', '/tenants/acme/transfer-ownership', {
        token: partner,
        body: { userId: partnerUser },
      }),
    ).toMatchObject({ status: 403 })
    expect(await testApp.request('DELETE', '/tenants/acme', { token: partner })).toMatchObject({
      status: 403,
    })
  })

  it('of a reader changes nothing', async () => {
    await granted({ role: 'reader' })
    expect(
      await testApp.request('GET', '/tenants/acme/branding', { token: partner }),
    ).toMatchObject({ status: 200 })
    expect(await brand()).toMatchObject({ status: 403 })
  })

  it('is good for its own tenant and person alone', async () => {
    await granted()
    expect(await brand(partner, 'globex')).toMatchObject({ status: 403 })
    const { db } = testApp.database
    const newcomer = await testApp.token('newcomer@example.test')
    await testApp.request('GET', '/users/me', { token: newcomer })
    const colleague = await testApp.idOf('newcomer@example.test')
    await db
      .updateTable('users')
      .set({ partner_id: north, partner_access: 'owner' })
      .where('id', '=', colleague)
      .execute()
    expect(await brand(newcomer)).toMatchObject({ status: 403 })
    await db
      .updateTable('users')
      .set({ partner_id: null, partner_access: null })
      .where('id', '=', colleague)
      .execute()
  })

  it('is named in the logs of tenant and partner, and its entries can be listed', async () => {
    const id = await granted()
    await brand(partner, 'acme', 'On behalf')
    const [entry] = await entries(`action=branding.updated&grantId=${id}`)
    expect(entry).toMatchObject({
      tenantSlug: 'acme',
      partnerSlug: 'north',
      actorEmail: 'partner@north.test',
      metadata: { onBehalfOf: 'acme', grantId: id },
    })
    expect(await entries(`partnerSlug=north&action=branding.updated&limit=1`)).toMatchObject([
      { id: entry.id },
    ])
    for (const token of [testApp.as.owner, partner]) {
      const entries = await testApp.request('GET', `/tenants/acme/access-grants/${id}/entries`, {
        token,
      })
      expect(entries.body.items.map(({ action }: { action: string }) => action)).toContain(
        'branding.updated',
      )
    }
    const other = await testApp.request('GET', `/tenants/globex/audit?grantId=${id}`, {
      token: testApp.as.operator,
    })
    expect(other.body.items).toEqual([])
  })

  it('ends to the second', async () => {
    const id = await granted()
    const { db } = testApp.database
    const endsAt = (ms: number) =>
      db
        .updateTable('access_grants')
        .set({ ends_at: new Date(Date.now() + ms) })
        .where('id', '=', id)
        .execute()
    await endsAt(60_000)
    expect(await brand()).toMatchObject({ status: 200 })
    await endsAt(-1_000)
    expect(await brand()).toMatchObject({ status: 403 })
    await endDueGrants(testApp.app.services)
    expect(await entries(`action=access_grant.ended&grantId=${id}`)).toMatchObject([
      { actorType: 'system', metadata: { ending: 'time' } },
    ])
  })

  it.each([
    ['the owner', () => testApp.as.owner, 'owner'],
    ['the holder', () => partner, 'holder'],
  ])('is ended by %s', async (_, token, ending) => {
    const id = await granted()
    expect(await decide(id, 'end', testApp.as.admin)).toMatchObject(rejection('not_owner'))
    expect(await decide(id, 'end', token())).toMatchObject({
      body: { status: 'ended', ending },
    })
    expect(await brand()).toMatchObject({ status: 403 })
    expect(await decide(id, 'end', token())).toMatchObject(rejection('grant_state'))
  })

  const changes = {
    'the person leaves the staff': [
      () => setPerson({ partner_id: null, partner_access: null }),
      () => setPerson({ partner_id: north, partner_access: 'owner' }),
      'not_staff',
    ],
    'the person is deactivated': [
      () => setPerson({ deactivated_at: new Date() }),
      () => setPerson({ deactivated_at: null }),
      'deactivated',
    ],
    'the partner is suspended': [
      () => setPartner('suspended'),
      () => setPartner('active'),
      'partner_closed',
    ],
    'the tenant leaves the partner': [
      () => setTenant(null),
      () => setTenant(north),
      'partner_changed',
    ],
  } as const
  const setPerson = (set: {
    partner_id?: string | null
    partner_access?: 'owner' | null
    deactivated_at?: Date | null
  }) => testApp.database.db.updateTable('users').set(set).where('id', '=', partnerUser).execute()
  const setPartner = (status: 'active' | 'suspended') =>
    testApp.database.db.updateTable('partners').set({ status }).where('id', '=', north).execute()
  const setTenant = (partnerId: string | null) =>
    testApp.database.db
      .updateTable('tenants')
      .set({ partner_id: partnerId })
      .where('id', '=', testApp.acmeId)
      .execute()

  it.each(Object.entries(changes))('ends for good when %s', async (_, [leave, back, ending]) => {
    const id = await granted()
    expect(await brand()).toMatchObject({ status: 200 })
    await leave()
    expect((await brand()).status).toBeGreaterThanOrEqual(400)
    await back()
    expect(await brand()).toMatchObject({ status: 403 })
    await endDueGrants(testApp.app.services)
    await endDueGrants(testApp.app.services)
    expect(await entries(`action=access_grant.ended&grantId=${id}`)).toMatchObject([
      { metadata: { ending } },
    ])
  })

  it('ends while the level of the person allows no changes of customers', async () => {
    await granted()
    await testApp.database.db
      .updateTable('users')
      .set({ partner_access: 'support' })
      .where('id', '=', partnerUser)
      .execute()
    expect(await brand()).toMatchObject({ status: 403 })
  })

  it('that is revoked between check and write changes nothing', async () => {
    const id = await granted()
    const { db } = testApp.database
    const before = await testApp.request('GET', '/tenants/acme/branding', {
      token: testApp.as.owner,
    })
    // The call passes its guard and waits for the tenant's lock; the end comes first.
    const waiting = await db.transaction().execute(async (trx) => {
      await trx
        .selectFrom('tenants')
        .select('id')
        .where('id', '=', testApp.acmeId)
        .forUpdate()
        .execute()
      const call = brand(partner, 'acme', 'Too late')
      await isWaitedFor()
      await trx
        .updateTable('access_grants')
        .set({ status: 'ended', ended_at: new Date(), ending: 'owner', end_recorded: true })
        .where('id', '=', id)
        .execute()
      return { call }
    })
    expect(await waiting.call).toMatchObject(rejection('not_member'))
    const after = await testApp.request('GET', '/tenants/acme/branding', {
      token: testApp.as.owner,
    })
    expect(after.body.productName).toBe(before.body.productName)
  })

  const isWaitedFor = () => lockIsWaitedFor(testApp.env.DATABASE_URL)
})

describe('under an access to members', () => {
  const call = (method: string, path: string, body?: object) =>
    testApp.request(method, `/tenants/acme${path}`, { token: partner, ...(body && { body }) })
  const address = () => `m${Math.random().toString(36).slice(2)}@acme.tenants.local`
  let id: string
  beforeEach(async () => {
    id = await granted({ scopes: ['members'] })
  })

  it('members are made and changed', async () => {
    const made = await call('POST', '/users', { email: address() })
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 })
    expect(
      await call('PATCH', `/users/${made.body.member.id}`, { name: 'New Name' }),
    ).toMatchObject({ status: 200 })
  })

  it('nobody becomes an admin, by whichever way', async () => {
    const excluded = { status: 403, body: { code: 'on_behalf_excluded' } }
    expect(await call('POST', '/users', { email: address(), role: 'admin' })).toMatchObject(
      excluded,
    )
    const member = await testApp.idOf('member@acme.test')
    expect(await call('PATCH', `/users/${member}`, { role: 'admin' })).toMatchObject(excluded)
    expect(
      await call('POST', '/user-imports', {
        csv: `email,role\n${address()},member\n${address()},admin\n`,
        dryRun: false,
      }),
    ).toMatchObject(excluded)
  })

  it('an import is among its entries, with all that it adds', async () => {
    const outside = `${Math.random().toString(36).slice(2)}@outside.example`
    const started = await call('POST', '/user-imports', {
      csv: `email,name\n${address()},One\n${outside},Two\n`,
      dryRun: false,
    })
    expect(started.status, JSON.stringify(started.body)).toBeLessThan(300)
    const { id: importId } = started.body
    await expect
      .poll(async () => (await call('GET', `/user-imports/${importId}`)).body.state, {
        timeout: 20_000,
      })
      .toBe('done')
    const rows = await testApp.database.db
      .selectFrom('audit_events')
      .select(['action', 'partner_slug', 'metadata'])
      .where((eb) => eb.ref('metadata', '->>').key('importId' as never), '=', importId)
      .execute()
    expect(rows.map(({ action }) => action).sort()).toEqual([
      'invitation.created',
      'member.created',
    ])
    for (const row of rows)
      expect(row).toMatchObject({
        partner_slug: 'north',
        metadata: { grantId: id, onBehalfOf: 'acme' },
      })
  })

  it('an import of admins that was interrupted is not continued', async () => {
    const started = await testApp.call(
      'POST',
      '/user-imports',
      { csv: `email,role\n${address()},admin\n`, dryRun: false },
      testApp.as.owner,
    )
    expect(started.status, JSON.stringify(started.body)).toBeLessThan(300)
    await testApp.app.services.background.settled()
    const { db } = testApp.database
    await db
      .updateTable('member_imports')
      .set({ finished_at: null })
      .where('id', '=', started.body.id)
      .execute()
    await db
      .updateTable('member_import_rows')
      .set({ state: 'ready', user_id: null })
      .where('import_id', '=', started.body.id)
      .execute()
    expect(await call('POST', `/user-imports/${started.body.id}/resume`, {})).toMatchObject({
      status: 403,
    })
  })

  it('owner and admins stay as they are', async () => {
    for (const email of ['owner@acme.test', 'admin@acme.test']) {
      const id = await testApp.idOf(email)
      for (const [method, path, body] of [
        ['POST', '/reset-password', {}],
        ['POST', '/suspend', {}],
        ['POST', '/force-logout', {}],
        ['DELETE', '', undefined],
        ['PATCH', '', { name: 'Taken Over' }],
        ['PUT', '/email', { email: address() }],
      ] as const) {
        const answer = await call(method, `/users/${id}${path}`, body)
        expect(answer, `${method} ${path} of ${email}`).toMatchObject({
          status: 403,
          body: { code: 'on_behalf_excluded' },
        })
      }
    }
  })
})

describe('break-glass', () => {
  const open = (token = testApp.as.operator, fields: object = {}) =>
    testApp.request('POST', '/tenants/acme/break-glass', {
      token,
      body: { reason: 'Mail is lost', hours: 4, ...fields },
    })

  it('is for operators only, and for at most four hours', async () => {
    for (const token of [partner, testApp.as.owner, testApp.as.member])
      expect(await open(token)).toMatchObject({ status: 403 })
    expect(await open(testApp.as.operator, { hours: 5 })).toMatchObject(rejection('invalid_input'))
    expect(await open(testApp.as.operator, { reason: '' })).toMatchObject(
      rejection('invalid_input'),
    )
  })

  it('is told to owner and admins, and stays on their pages until the owner acknowledges', async () => {
    const opened = await open()
    expect(opened, JSON.stringify(opened.body)).toMatchObject({
      status: 201,
      body: { kind: 'break_glass', status: 'active' },
    })
    for (const recipient of ['owner@acme.test', 'admin@acme.test'])
      expect(await mails('access.break_glass', recipient)).not.toEqual([])
    const notices = async (token: string) =>
      (await testApp.request('GET', '/tenants/acme/access-notices', { token })).body.breakGlass.map(
        ({ id }: { id: string }) => id,
      )
    const { id } = opened.body
    expect(await notices(testApp.as.admin)).toContain(id)
    await brand(testApp.as.operator)
    expect(await entries(`action=branding.updated&grantId=${id}`)).toMatchObject([
      { actorType: 'operator', metadata: { onBehalfOf: 'acme' } },
    ])
    expect(await decide(id, 'end', testApp.as.operator)).toMatchObject({ status: 200 })
    expect(await notices(testApp.as.admin)).toContain(id)
    expect(await decide(id, 'acknowledge', testApp.as.admin)).toMatchObject(rejection('not_owner'))
    expect(await decide(id, 'acknowledge')).toMatchObject({ status: 200 })
    expect(await notices(testApp.as.admin)).not.toContain(id)
    expect((await grantsOf(testApp.as.admin)).items.map((one: { id: string }) => one.id)).toContain(
      id,
    )
  })

  it('cannot be deleted by the service, nor hidden behind a request', async () => {
    await expect(testApp.database.db.deleteFrom('access_grants').execute()).rejects.toThrow(
      /permission denied/,
    )
    expect(await ask({}, testApp.as.operator)).toMatchObject({ status: 201 })
    expect(await open()).toMatchObject({ status: 201, body: { status: 'active' } })
  })

  it('is limited per operator and day', async () => {
    for (let n = 0; n < 10; n++) expect(await open()).toMatchObject({ status: 201 })
    expect(await open()).toMatchObject({ status: 429 })
  })

  it('without it an operator does what the specification gives operators, without a mark', async () => {
    await brand(testApp.as.operator)
    const [entry] = await entries('action=branding.updated&limit=1')
    expect(entry.metadata.grantId).toBeUndefined()
  })
})

it('shows each side what is theirs', async () => {
  const ofPartner = await granted()
  const ofOperator = (await ask({}, testApp.as.operator)).body.id
  const ids = async (token: string) =>
    (await grantsOf(token)).items.map(({ id }: { id: string }) => id)
  expect(await ids(testApp.as.owner)).toEqual(expect.arrayContaining([ofPartner, ofOperator]))
  expect(await ids(partner)).toContain(ofPartner)
  expect(await ids(partner)).not.toContain(ofOperator)
  const own = await testApp.request('GET', '/partners/north/access-grants', { token: partner })
  expect(own.body.items.map(({ id }: { id: string }) => id)).toContain(ofPartner)
  expect(await decide(ofOperator, 'end', partner)).toMatchObject({ status: 404 })
  expect(await grantsOf(testApp.as.member)).toMatchObject({ code: 'not_admin' })
})
