import type { ListView } from '@atrium/core/mail/lists'
import {
  changeMailList,
  claimMailList,
  insertMailList,
  lockListRecipients,
} from '@atrium/db/mail/lists'
import {
  addDomain,
  auditOf,
  giveMailbox,
  mailDomainOf,
  mailOf,
  setTenantStatus,
} from '@atrium/testing/mailboxes'
import { clientsWithDeadline, mailFaults, upstreamText } from '@atrium/testing/outside'
import { lockIsWaitedFor } from '@atrium/testing/postgres/lock-waits'
import { tenantIdOf, userIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sweepLists } from '../src/mail/lists/sweep.ts'

let testApp: TestApp
let admin: string
let member: string
let globexOwner: string
let domainId: string
const domain = 'acme.tenants.local'

beforeAll(async () => {
  testApp = await startTestApp({
    integrations: clientsWithDeadline(2_000),
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  admin = await testApp.token('admin@acme.test')
  member = await testApp.token('member@acme.test')
  globexOwner = await testApp.token('owner@globex.test')
  await giveMailbox(testApp, {
    slug: 'acme',
    userId: await userIdOf(testApp.database.db, 'member@acme.test'),
    localPart: 'mira',
  })
  await addDomain(testApp, { slug: 'acme', name: 'acme.example.com', verified: true })
  await addDomain(testApp, { slug: 'acme', name: 'unproven.example.com', verified: false })
  domainId = (await mailDomainOf(testApp, 'acme')).id
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(async () => {
  testApp.sandbox.clearFaults()
  const { id: globexDomainId } = await mailDomainOf(testApp, 'globex')
  for (const { id } of await mailOf(testApp).listsOn([domainId, globexDomainId]))
    await mailOf(testApp).removeList(id)
  await testApp.database.db.deleteFrom('mail_lists').execute()
})

const path = '/tenants/acme/lists'
const anna = 'anna@elsewhere.example'
const ben = 'ben@elsewhere.example'
const create = (address: string, recipients: string[] = [anna], token = admin, slug = 'acme') =>
  testApp.request('POST', `/tenants/${slug}/lists`, {
    token,
    body: { address, name: 'Team', recipients },
  })
const made = async (address: string, recipients?: string[]): Promise<ListView> => {
  const response = await create(address, recipients)
  if (response.status !== 201) throw new Error(JSON.stringify(response.body))
  return response.body
}
const update = (id: string, body: object, token = admin) =>
  testApp.request('PATCH', `${path}/${id}`, { token, body })
const remove = (id: string, token = admin) => testApp.request('DELETE', `${path}/${id}`, { token })
const retry = (id: string) => testApp.request('POST', `${path}/${id}/retry`, { token: admin })
const read = (id: string) => testApp.request('GET', `${path}/${id}`, { token: member })
/** The list of an address as the mail server has it. */
const outside = async (address: string) =>
  (await mailOf(testApp).listsOn([domainId]))
    .filter((list) => list.address === address)
    .map(({ name, recipients }) => ({ name, recipients }))
const makeDue = () =>
  sql`update mail_lists set next_at = now() where state <> 'ok'`.execute(testApp.database.db)

describe('a distribution list', () => {
  it('fans out to members and people elsewhere, is changed and removed, here and in the mail server', async () => {
    const list = await made('Team', [`Mira@${domain}`, anna])
    expect(list).toMatchObject({
      address: `team@${domain}`,
      name: 'Team',
      recipients: [anna, `mira@${domain}`],
      state: 'ok',
      error: null,
    })
    expect(await outside(`team@${domain}`)).toEqual([
      { name: 'Team', recipients: [anna, `mira@${domain}`] },
    ])
    expect((await read(list.id)).body).toEqual(list)
    expect(await update(list.id, { name: 'Crew', add: [ben], remove: [anna] })).toMatchObject({
      status: 200,
      body: { id: list.id, name: 'Crew', recipients: [ben, `mira@${domain}`], state: 'ok' },
    })
    expect(await outside(`team@${domain}`)).toEqual([
      { name: 'Crew', recipients: [ben, `mira@${domain}`] },
    ])
    expect((await update(list.id, { recipients: [anna] })).body).toMatchObject({
      name: 'Crew',
      recipients: [anna],
    })
    expect(await remove(list.id)).toMatchObject({ status: 204 })
    expect(await outside(`team@${domain}`)).toEqual([])
    expect(await read(list.id)).toMatchObject({ status: 404 })
    expect(await remove(list.id)).toMatchObject({ status: 404 })
  })

  it('works over tRPC', async () => {
    const { lists } = testApp.trpc(admin)
    const list = await lists.create.mutate({
      slug: 'acme',
      address: 'wire',
      name: 'Wire',
      recipients: [anna],
    })
    expect(await lists.get.query({ slug: 'acme', listId: list.id })).toEqual(list)
    expect(
      (await lists.update.mutate({ slug: 'acme', listId: list.id, add: [ben] })).recipients,
    ).toEqual([anna, ben])
    expect((await lists.list.query({ slug: 'acme' })).items).toMatchObject([
      { id: list.id, recipientCount: 2 },
    ])
    expect(await lists.retry.mutate({ slug: 'acme', listId: list.id })).toMatchObject({
      state: 'ok',
    })
    await lists.remove.mutate({ slug: 'acme', listId: list.id })
    expect((await lists.list.query({ slug: 'acme' })).items).toEqual([])
  })

  it('is recorded with what changed', async () => {
    const list = await made('logged')
    await update(list.id, { name: 'Renamed', add: [ben] })
    await update(list.id, { name: 'Renamed' })
    await remove(list.id)
    const common = {
      outcome: 'success',
      actor_email: 'admin@acme.test',
      resource_id: list.id,
      resource_name: `logged@${domain}`,
    }
    expect((await auditOf(testApp, 'list.created'))[0]).toMatchObject({
      ...common,
      metadata: { name: 'Team', recipients: [anna] },
    })
    const updates = (await auditOf(testApp, 'list.updated')).filter(
      ({ resource_id }) => resource_id === list.id,
    )
    expect(updates).toHaveLength(1)
    expect(updates[0]).toMatchObject({
      ...common,
      metadata: { changes: { name: ['Team', 'Renamed'], recipients: [[], [ben]] } },
    })
    expect((await auditOf(testApp, 'list.removed'))[0]).toMatchObject(common)
  })

  it('is found by address, name and recipient, newest first, page by page', async () => {
    for (const name of ['one', 'two', 'three']) await made(name, [`${name}@elsewhere.example`])
    const shown = async (query: string) =>
      (await testApp.request('GET', `${path}${query}`, { token: member })).body.items.map(
        ({ address }: ListView) => address.split('@')[0],
      )
    expect(await shown('')).toEqual(['three', 'two', 'one'])
    expect(await shown('?q=TWO@else')).toEqual(['two'])
    expect(await shown('?q=three@acme')).toEqual(['three'])
    expect(await shown('?q=%25')).toEqual([])
    const first = (await testApp.request('GET', `${path}?limit=2`, { token: member })).body
    expect(first.items).toHaveLength(2)
    expect(await shown(`?limit=2&cursor=${first.nextCursor}`)).toEqual(['one'])
    expect(
      (await testApp.request('GET', '/tenants/globex/lists', { token: globexOwner })).body.items,
    ).toEqual([])
  })

  it('of another tenant does not exist', async () => {
    const list = await made('ours')
    const other = `/tenants/globex/lists/${list.id}`
    for (const [method, body] of [['GET'], ['PATCH', { name: 'X' }], ['DELETE']] as const)
      expect(await testApp.request(method, other, { token: globexOwner, body })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
    expect(await testApp.request('POST', `${other}/retry`, { token: globexOwner })).toMatchObject({
      status: 404,
    })
  })
})

describe('a list is rejected', () => {
  it.each([
    [
      'on a domain that is not the tenant’s',
      { address: 'team@elsewhere.example.com' },
      'address',
      /not a domain of this tenant/,
    ],
    ['with a look-alike address', { address: 't\u0435am' }, 'address', /accents/],
    ['without recipients', { recipients: [] }, 'recipients', /at least one/],
    [
      'with a look-alike recipient',
      { recipients: [anna, '\u0430nna@elsewhere.example'] },
      'recipients.1',
      /without accents/,
    ],
    [
      'with a recipient that is no address',
      { recipients: ['anna'] },
      'recipients.0',
      /not an e-mail/,
    ],
    [
      'with a recipient twice',
      { recipients: [anna, ben, 'ANNA@elsewhere.example'] },
      'recipients.2',
      /twice/,
    ],
    ['without a name', { name: ' ' }, 'name', /empty/],
    ['with an unknown field', { owner: 'anna' }, 'owner', /unknown/],
  ])('%s', async (_, fields, field, message) => {
    const body = { address: 'team', name: 'Team', recipients: [anna], ...fields }
    const response = await testApp.request('POST', path, { token: admin, body })
    expect(response).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', issues: [{ path: field }] },
    })
    expect(response.body.issues[0].message).toMatch(message)
    expect((await testApp.request('GET', path, { token: admin })).body.items).toEqual([])
  })

  it('on a domain that is not verified', async () => {
    expect(await create('team@unproven.example.com')).toMatchObject({
      status: 409,
      body: { code: 'domain_not_verified' },
    })
  })

  it('when a mailbox, an alias, a list or a person has the address, and nothing is left of it', async () => {
    const taken = { status: 409, body: { code: 'email_taken' } }
    expect(await create('mira')).toMatchObject(taken)
    await made('team')
    expect(await create('team')).toMatchObject(taken)
    const userId = await userIdOf(testApp.database.db, 'member@acme.test')
    await testApp.request('POST', '/tenants/acme/aliases', {
      token: admin,
      body: { address: 'contact', userId },
    })
    expect(await create('contact')).toMatchObject(taken)
    await mailOf(testApp).createList({
      localPart: 'byhand',
      domainId,
      name: 'By hand',
      recipients: [ben],
    })
    expect(await create('byhand')).toMatchObject(taken)
    expect(await outside(`byhand@${domain}`)).toEqual([{ name: 'By hand', recipients: [ben] }])
    const { items } = (await testApp.request('GET', path, { token: admin })).body
    expect(items.map(({ address }: ListView) => address)).toEqual([`team@${domain}`])
  })

  it('when a change adds who is there or removes who is not', async () => {
    const list = await made('team')
    expect(await update(list.id, { add: [anna] })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'add.0' }] },
    })
    expect(await update(list.id, { remove: [ben] })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'remove.0' }] },
    })
    expect(await update(list.id, { remove: [anna] })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'remove' }] },
    })
    expect(await update(list.id, {})).toMatchObject({ status: 400 })
  })

  it.each(['suspended', 'deleted'] as const)('while the tenant is %s', async (status) => {
    const list = await made('team')
    await setTenantStatus(testApp, 'acme', status)
    try {
      const rejected = { status: 409, body: { code: `tenant_${status}` } }
      for (const response of [
        await create('later'),
        await update(list.id, { name: 'X' }),
        await remove(list.id),
        await retry(list.id),
      ])
        expect(response).toMatchObject(rejected)
    } finally {
      await setTenantStatus(testApp, 'acme', 'active')
    }
    expect(await read(list.id)).toMatchObject({ status: 200, body: { name: 'Team' } })
  })
})

describe('a loop is rejected and its way told', () => {
  const loop = (...way: string[]) => ({
    status: 409,
    body: {
      code: 'list_loop',
      detail: expect.stringContaining(way.join(' → ')),
      issues: [{ path: 'recipients' }],
    },
  })
  const at = (name: string) => `${name}@${domain}`

  it('when the list is its own recipient', async () => {
    expect(await create('self', [anna, at('SELF')])).toMatchObject(loop(at('self'), at('self')))
    const list = await made('self')
    expect(await update(list.id, { add: [at('self')] })).toMatchObject(loop(at('self'), at('self')))
  })

  it('through other lists, also one that comes into being last', async () => {
    const c = await made('c', [anna])
    await made('b', [at('c')])
    await made('a', [at('b')])
    expect(await update(c.id, { add: [at('a')] })).toMatchObject(
      loop(at('c'), at('a'), at('b'), at('c')),
    )
    // Nobody has the address yet when it is made a recipient.
    await made('d', [at('later')])
    expect(await create('later', [at('d')])).toMatchObject(loop(at('later'), at('d'), at('later')))
    expect((await read(c.id)).body.recipients).toEqual([anna])
  })

  it('not where two ways meet, nor when the way was cut', async () => {
    const c = await made('c', [anna])
    const b = await made('b', [at('c')])
    await made('a', [at('b'), at('c')])
    await update(b.id, { recipients: [ben] })
    expect(await update(c.id, { add: [at('b')] })).toMatchObject({ status: 200 })
    const gone = await made('gone', [at('a')])
    await remove(gone.id)
    expect(await create('gone', [at('a')])).toMatchObject({ status: 201 })
  })

  it('through a list of another tenant, of which only what was written here is told', async () => {
    await made('start', ['relay@globex.tenants.local'])
    await create('relay', ['hidden@globex.tenants.local'], globexOwner, 'globex')
    const closing = await create('hidden', [at('start')], globexOwner, 'globex')
    expect(closing).toMatchObject(
      loop(
        'hidden@globex.tenants.local',
        at('start'),
        'relay@globex.tenants.local',
        'hidden@globex.tenants.local',
      ),
    )
    const open = await create('hidden', [anna], globexOwner, 'globex')
    const start = (await testApp.request('GET', `${path}?q=start`, { token: admin })).body.items[0]
    await testApp.request('PATCH', `/tenants/globex/lists/${open.body.id}`, {
      token: globexOwner,
      body: { add: [at('third')] },
    })
    const rejected = await create('third', [at('start')])
    expect(rejected).toMatchObject(loop(at('third'), at('start'), '…', '…', at('third')))
    expect(start.recipientCount).toBe(1)
  })

  it('when two changes, harmless alone, would close it together, in two tenants as in one', async () => {
    const globex = '/tenants/globex/lists'
    for (let round = 0; round < 6; round++) {
      const [one, other] = [await made(`one-${round}`), await made(`other-${round}`)]
      const theirs = (await create(`theirs-${round}`, [anna], globexOwner, 'globex')).body
      const within = await Promise.all([
        update(one.id, { add: [at(`other-${round}`)] }),
        update(other.id, { add: [at(`one-${round}`)] }),
      ])
      expect(within.map(({ status }) => status).sort()).toEqual([200, 409])
      const across = await Promise.all([
        update(other.id, { recipients: [`theirs-${round}@globex.tenants.local`] }),
        testApp.request('PATCH', `${globex}/${theirs.id}`, {
          token: globexOwner,
          body: { recipients: [at(`other-${round}`)] },
        }),
      ])
      expect(across.map(({ status }) => status).sort()).toEqual([200, 409])
    }
  }, 30_000)

  it('when two tenants create the lists of a loop at the same time', async () => {
    for (let round = 0; round < 6; round++) {
      const created = await Promise.all([
        create(`ours-${round}`, [`theirs-${round}@globex.tenants.local`]),
        create(`theirs-${round}`, [at(`ours-${round}`)], globexOwner, 'globex'),
      ])
      expect(created.map(({ status }) => status).sort()).toEqual([201, 409])
    }
  }, 30_000)
})

describe('several at once', () => {
  it('lists of one tenant change while those of another are held', async () => {
    const id = await tenantIdOf(testApp.database.db, 'globex')
    const held = await testApp.database.db.transaction().execute(async (trx) => {
      await lockListRecipients(trx, id, [])
      const free = await create('free')
      // This one sends to the other tenant, so it waits for the end of the transaction.
      const waiting = create('waiting', ['someone@globex.tenants.local'])
      await lockIsWaitedFor(testApp.env.DATABASE_URL)
      return { free, waiting }
    })
    expect(held.free.status).toBe(201)
    expect((await held.waiting).status).toBe(201)
  })

  it('creating one address make one list', async () => {
    const responses = await Promise.all(Array.from({ length: 5 }, () => create('single')))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    expect(await outside(`single@${domain}`)).toHaveLength(1)
  })

  it('a change takes its locks again when the lists behind its recipients reach further', async () => {
    const { db } = testApp.database
    const idOf = (slug: string) => tenantIdOf(db, slug)
    const operator = await testApp.token('operator@atrium.test')
    await testApp.request('POST', '/tenants', {
      token: operator,
      body: { name: 'Third', slug: 'third', ownerEmail: 'newcomer@example.test' },
    })
    await addDomain(testApp, { slug: 'third', name: 'third.example.com', verified: true })
    const [globexId, thirdId] = [await idOf('globex'), await idOf('third')]
    const middle = 'middle@globex.tenants.local'
    const waiting = await db.transaction().execute(async (trx) => {
      await lockListRecipients(trx, globexId, [])
      const created = create('first', [middle])
      await lockIsWaitedFor(testApp.env.DATABASE_URL)
      const list = { address: middle, name: 'Middle', recipients: ['far@third.example.com'] }
      await insertMailList(trx, { tenantId: globexId, ...list }, 60)
      return { created }
    })
    expect((await waiting.created).status).toBe(201)
    // The next one that reaches them all waits for the third tenant alone.
    const further = await db.transaction().execute(async (trx) => {
      await lockListRecipients(trx, thirdId, [])
      const created = create('second', [middle])
      await lockIsWaitedFor(testApp.env.DATABASE_URL)
      return { created }
    })
    expect((await further.created).status).toBe(201)
  })

  it('changing one list lose nothing, and the mail server ends with the newest', async () => {
    const list = await made('busy')
    const added = Array.from({ length: 8 }, (_, index) => `r${index}@elsewhere.example`)
    const responses = await Promise.all(added.map((address) => update(list.id, { add: [address] })))
    expect(responses.map(({ status }) => status)).toEqual(added.map(() => 200))
    expect((await read(list.id)).body).toMatchObject({ recipients: [anna, ...added], state: 'ok' })
    expect(await outside(`busy@${domain}`)).toEqual([
      { name: 'Team', recipients: [anna, ...added] },
    ])
  }, 20_000)

  it('a push that waits for a change brings the recipients of that change', async () => {
    const list = await made('waiting')
    const { db } = testApp.database
    const push = await db.transaction().execute(async (trx) => {
      await changeMailList(trx, list.id, { recipients: [ben] }, 30)
      const claimed = claimMailList(db, list.id)
      const blocked = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      while ((await blocked.execute(db)).rows.length === 0);
      return { claimed }
    })
    expect(await push.claimed).toMatchObject({ version: 2, recipients: [ben] })
  })

  it('changing and removing end with no list', async () => {
    const list = await made('leaving')
    const [changed, removed] = await Promise.all([update(list.id, { add: [ben] }), remove(list.id)])
    expect([200, 404]).toContain(changed.status)
    expect(removed.status).toBe(204)
    expect(await outside(`leaving@${domain}`)).toEqual([])
    expect(await read(list.id)).toMatchObject({ status: 404 })
  })
})

describe('while the mail server fails', () => {
  it.each(mailFaults)(
    'a new list stands with the reason, and the sweep makes it: %j',
    async (fault) => {
      testApp.sandbox.fault({ system: 'mail', match: 'x:MailingList', ...fault })
      const response = await create('faulty')
      expect(response).toMatchObject({
        status: 201,
        body: { state: 'error', error: expect.stringMatching(/^The mail server /) },
      })
      for (const secret of upstreamText) expect(response.body.error).not.toContain(secret)
      expect((await auditOf(testApp, 'list.created'))[0]).toMatchObject({ outcome: 'failure' })
      await sweepLists(testApp.app.services)
      expect((await read(response.body.id)).body.state, 'before it is due').toBe('error')
      testApp.sandbox.clearFaults()
      await makeDue()
      await sweepLists(testApp.app.services)
      expect((await read(response.body.id)).body).toMatchObject({ state: 'ok', error: null })
      expect(await outside(`faulty@${domain}`)).toEqual([{ name: 'Team', recipients: [anna] }])
    },
  )

  it.each(mailFaults)('a change is kept, and a retry applies it upstream: %j', async (fault) => {
    const list = await made('changing')
    testApp.sandbox.fault({ system: 'mail', match: 'x:MailingList', ...fault })
    expect((await update(list.id, { add: [ben] })).body).toMatchObject({
      recipients: [anna, ben],
      state: 'error',
    })
    expect((await retry(list.id)).body).toMatchObject({ state: 'error' })
    testApp.sandbox.clearFaults()
    expect((await retry(list.id)).body).toMatchObject({ state: 'ok', error: null })
    expect(await outside(`changing@${domain}`)).toEqual([{ name: 'Team', recipients: [anna, ben] }])
    expect(
      (await auditOf(testApp, 'list.retried')).slice(0, 2).map(({ outcome }) => outcome),
    ).toEqual(['success', 'failure'])
  })

  it.each(mailFaults)('a failed removal is reported, and completed later: %j', async (fault) => {
    const list = await made('leaving')
    testApp.sandbox.fault({ system: 'mail', match: 'x:MailingList', ...fault })
    expect(await remove(list.id)).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed', detail: expect.stringMatching(/marked for removal/) },
    })
    expect((await read(list.id)).body).toMatchObject({
      state: 'removing',
      error: expect.stringMatching(/mail server/),
    })
    expect(await update(list.id, { name: 'X' })).toMatchObject({ status: 404 })
    testApp.sandbox.clearFaults()
    await makeDue()
    await sweepLists(testApp.app.services)
    expect(await outside(`leaving@${domain}`)).toEqual([])
    expect(await read(list.id)).toMatchObject({ status: 404 })
  })

  it('a creation whose answer is lost is taken over, not doubled and not rejected', async () => {
    testApp.sandbox.fault({
      system: 'mail',
      match: 'x:MailingList/set',
      mode: 'reset',
      after: true,
      times: 1,
    })
    const response = await create('lost')
    expect(response).toMatchObject({ status: 201, body: { state: 'error' } })
    expect(await outside(`lost@${domain}`)).toHaveLength(1)
    await update(response.body.id, { add: [ben] })
    expect((await read(response.body.id)).body).toMatchObject({ state: 'ok' })
    expect(await outside(`lost@${domain}`)).toEqual([{ name: 'Team', recipients: [anna, ben] }])
  })

  it('a lost creation that is not wanted any more is taken away too', async () => {
    testApp.sandbox.fault({
      system: 'mail',
      match: 'x:MailingList/set',
      mode: 'reset',
      after: true,
      times: 1,
    })
    const response = await create('unwanted')
    expect(await remove(response.body.id)).toMatchObject({ status: 204 })
    expect(await outside(`unwanted@${domain}`)).toEqual([])
  })

  it('an address taken meanwhile is not taken over, and the list reports it', async () => {
    testApp.sandbox.fault({ system: 'mail', match: 'x:MailingList', mode: 'error', status: 503 })
    const response = await create('meanwhile')
    testApp.sandbox.clearFaults()
    await mailOf(testApp).createList({
      localPart: 'meanwhile',
      domainId,
      name: 'Theirs',
      recipients: [ben],
    })
    expect((await retry(response.body.id)).body).toMatchObject({
      state: 'error',
      error: expect.stringMatching(/^Something else in the mail server already has the address /),
    })
    expect(await remove(response.body.id)).toMatchObject({ status: 204 })
    expect(await outside(`meanwhile@${domain}`)).toEqual([{ name: 'Theirs', recipients: [ben] }])
  })

  it('a list deleted upstream by hand is created again with the next change', async () => {
    const list = await made('restored')
    const row = await testApp.database.db
      .selectFrom('mail_lists')
      .select('mail_list_id')
      .where('id', '=', list.id)
      .executeTakeFirstOrThrow()
    await mailOf(testApp).removeList(row.mail_list_id ?? '')
    expect((await update(list.id, { add: [ben] })).body).toMatchObject({ state: 'ok' })
    expect(await outside(`restored@${domain}`)).toEqual([{ name: 'Team', recipients: [anna, ben] }])
  })

  it('a push whose process died is done by another', async () => {
    const list = await made('orphan')
    await sql`update mail_lists set state = 'pending', version = version + 1, push_run = new_id(), push_lease_until = now() + interval '1 minute'
      where id = ${list.id}`.execute(testApp.database.db)
    await sweepLists(testApp.app.services)
    expect((await read(list.id)).body.state).toBe('pending')
    await sql`update mail_lists set push_lease_until = now() - interval '1 second', next_at = now()`.execute(
      testApp.database.db,
    )
    await sweepLists(testApp.app.services)
    expect((await read(list.id)).body.state).toBe('ok')
  })
})

it('keeps its domain with the tenant, also while the mail server does not have it', async () => {
  testApp.sandbox.fault({ system: 'mail', match: 'x:MailingList', mode: 'error', status: 503 })
  const list = (await create('team@acme.example.com')).body
  testApp.sandbox.clearFaults()
  expect(list.state).toBe('error')
  const used = {
    status: 409,
    body: { code: 'domain_in_use', detail: expect.stringContaining('team@acme.example.com') },
  }
  expect(
    await testApp.request('DELETE', '/tenants/acme/domains/acme.example.com', { token: admin }),
  ).toMatchObject(used)
  expect(
    await testApp.request('PATCH', '/tenants/acme', { token: admin, body: { domains: [domain] } }),
  ).toMatchObject(used)
})

it('waits for the domain to be in the mail server', async () => {
  await testApp.database.db
    .updateTable('domains')
    .set({ mail_domain_id: null })
    .where('name', '=', domain)
    .execute()
  const response = await create('early')
  expect(response.body).toMatchObject({
    state: 'error',
    error: `The mail server does not have the domain ${domain} yet. [domainMissing: ${domain}]`,
  })
  const inGerman = { token: admin, headers: { 'accept-language': 'de' } }
  const german = `Der Mailserver hat die Domain ${domain} noch nicht. [domainMissing: ${domain}]`
  const { body } = await testApp.request('GET', `${path}/${response.body.id}`, inGerman)
  expect(body.error).toBe(german)
  const { items } = (await testApp.request('GET', path, inGerman)).body
  expect(items).toContainEqual(expect.objectContaining({ error: german }))
  await mailDomainOf(testApp, 'acme')
  expect((await retry(response.body.id)).body).toMatchObject({ state: 'ok' })
})

it('is brought to the mail server by the job engine', async () => {
  await using own = await startTestApp()
  const token = await own.token('admin@acme.test')
  own.sandbox.fault({ system: 'mail', match: 'x:MailingList', mode: 'error', status: 403 })
  const list = (
    await own.request('POST', path, {
      token,
      body: { address: 'woken', name: 'Woken', recipients: [anna] },
    })
  ).body
  own.sandbox.clearFaults()
  await sql`update mail_lists set next_at = now()`.execute(own.database.db)
  await own.app.start()
  await expect
    .poll(async () => (await own.request('GET', `${path}/${list.id}`, { token })).body.state, {
      timeout: 15_000,
    })
    .toBe('ok')
}, 40_000)

it('takes no change where there is no mail server, and still shows what is on record', async () => {
  await using bare = await startTestApp({
    provisioned: false,
    env: { MAIL_PROVISIONING_ENABLED: 'false' },
  })
  const token = await bare.token('admin@acme.test')
  const body = { address: 'x', name: 'X', recipients: [anna] }
  expect(await bare.request('POST', path, { token, body })).toMatchObject({
    status: 409,
    body: { code: 'integration_off' },
  })
  expect(await bare.request('GET', path, { token })).toMatchObject({
    status: 200,
    body: { items: [] },
  })
})
