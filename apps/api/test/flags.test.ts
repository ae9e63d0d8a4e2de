import { randomBytes } from 'node:crypto'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const started = new Date()
const clock = { now: () => started }
let testApp: TestApp
let operator: string
let member: string

beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false, clock })
  operator = await testApp.token('operator@atrium.test')
  member = await testApp.token('member@acme.test')
})
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
})

const newKey = () => `flag_${randomBytes(6).toString('hex')}`

async function create(fields: Record<string, unknown> = {}): Promise<string> {
  const key = newKey()
  const { status, body } = await testApp.request('POST', '/flags', {
    token: operator,
    body: { key, ...fields },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return key
}
const patch = (key: string, body: Record<string, unknown>) =>
  testApp.request('PATCH', `/flags/${key}`, { token: operator, body })
const read = async (key: string) =>
  (await testApp.request('GET', `/flags/${key}`, { token: operator })).body
const evaluate = (body: Record<string, unknown> | undefined, token = member) =>
  testApp.request('POST', '/flags/evaluate', { token, ...(body ? { body } : {}) })
const valueFor = async (key: string, tenantSlug = 'acme', token = operator) =>
  (await evaluate({ tenantSlug }, token)).body[key]
async function auditOf(key: string) {
  const { body } = await testApp.request('GET', `/audit?action=flag.*&q=${key}`, {
    token: operator,
  })
  return body.items.reverse()
}

describe('a flag', () => {
  it('is off by default, and shows its creator', async () => {
    const key = await create()
    expect(await read(key)).toMatchObject({
      key,
      state: 'off',
      percentage: 0,
      version: 1,
      note: 'Created.',
      owner: 'operator@atrium.test',
      updatedBy: 'operator@atrium.test',
      allowTenants: [],
      denyTenants: [],
      allowPartners: [],
      allowPlans: [],
      prerequisites: [],
      killedAt: null,
      lastAskedAt: null,
    })
    expect(await auditOf(key)).toMatchObject([
      { action: 'flag.created', actorType: 'operator', resourceId: key, outcome: 'success' },
    ])
  })

  it('keeps every field that it is given', async () => {
    const base = await create()
    const fields = {
      description: 'New invoices',
      owner: 'Billing',
      state: 'rollout',
      percentage: 12.5,
      salt: 'pepper',
      note: 'First tenants.',
      allowTenants: ['acme'],
      denyTenants: ['globex'],
      allowPartners: ['north'],
      allowPlans: ['enterprise'],
      prerequisites: [{ key: base, value: true }],
      staleAfter: '2027-01-31',
      enabledFrom: '2026-11-01T00:00:00.000Z',
      enabledUntil: '2027-11-01T00:00:00.000Z',
    }
    const key = await create(fields)
    expect(await read(key)).toMatchObject(fields)
    expect(await read(base)).toMatchObject({ requiredBy: [key] })
  })

  it('is found in the list by its words and its state, page by page', async () => {
    const word = randomBytes(6).toString('hex')
    const keys = [
      await create({ description: `About ${word}` }),
      await create({ owner: word, state: 'on' }),
      await create({ note: word }),
    ]
    const list = async (query: string) =>
      (await testApp.request('GET', `/flags?${query}`, { token: operator })).body
    expect((await list(`q=${word}`)).items.map((flag: { key: string }) => flag.key)).toEqual(
      [...keys].reverse(),
    )
    expect(
      (await list(`q=${word}&state=on`)).items.map((flag: { key: string }) => flag.key),
    ).toEqual([keys[1]])
    const first = await list(`q=${word}&limit=2`)
    const second = await list(`q=${word}&limit=2&cursor=${first.nextCursor}`)
    expect(second).toMatchObject({ items: [{ key: keys[0] }], nextCursor: null })
  })

  it('is rejected with a reason per field, and nothing is half-made', async () => {
    const key = newKey()
    const { status, body } = await testApp.request('POST', '/flags', {
      token: operator,
      body: {
        key,
        allowTenants: ['acme', 'no-such-tenant'],
        denyTenants: ['nobody-here'],
        allowPartners: ['no-such-partner'],
        enabledFrom: '2027-01-01T00:00:00Z',
        enabledUntil: '2026-01-01T00:00:00Z',
        prerequisites: [{ key: 'no_such_flag', value: true }],
      },
    })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_input' })
    expect(body.issues).toEqual([
      { path: 'allowTenants.1', message: 'There is no tenant no-such-tenant.' },
      { path: 'denyTenants.0', message: 'There is no tenant nobody-here.' },
      { path: 'allowPartners.0', message: 'There is no partner no-such-partner.' },
      { path: 'enabledUntil', message: 'It would end before it starts.' },
      { path: 'prerequisites.0.key', message: 'There is no flag no_such_flag.' },
    ])
    expect(await read(key)).toMatchObject({ code: 'not_found' })
    expect(await auditOf(key)).toEqual([])
  })

  it('has a key of its own', async () => {
    const key = await create()
    const { status, body } = await testApp.request('POST', '/flags', {
      token: operator,
      body: { key },
    })
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'already_exists' })
  })

  it('cannot be created as a killed one', async () => {
    const body = { key: newKey(), state: 'off', note: 'kill-switch' }
    expect(
      (await testApp.request('POST', '/flags', { token: operator, body })).body.issues,
    ).toMatchObject([{ path: 'note' }])
  })
})

describe('a change of a flag', () => {
  it('raises the version and tells history and audit log what was and is', async () => {
    const other = await create()
    const key = await create()
    const changes = {
      state: 'rollout',
      percentage: 25,
      allowTenants: ['acme'],
      prerequisites: [{ key: other, value: false }],
    }
    const { status, body } = await patch(key, { version: 1, note: 'A quarter.', ...changes })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { ...changes, version: 2, note: 'A quarter.' },
    })
    const { items } = (await testApp.request('GET', `/flags/${key}/history`, { token: operator }))
      .body
    expect(items).toMatchObject([
      {
        version: 2,
        kind: 'updated',
        note: 'A quarter.',
        actorEmail: 'operator@atrium.test',
        before: { percentage: 0 },
        after: changes,
      },
      { version: 1, kind: 'created', before: null },
    ])
    const entries = await auditOf(key)
    expect(entries.map((entry: { id: string }) => entry.id)).toEqual([
      items[1].auditId,
      items[0].auditId,
    ])
    expect(entries[1]).toMatchObject({
      action: 'flag.updated',
      metadata: {
        note: 'A quarter.',
        version: 2,
        changes: {
          state: ['off', 'rollout'],
          percentage: [0, 25],
          allowTenants: [[], ['acme']],
          prerequisites: [[], [`${other}=false`]],
        },
      },
    })
  })

  it('is rejected when another request was first, also of two at once', async () => {
    const key = await create()
    const both = await Promise.all(
      [10, 20].map((percentage) =>
        patch(key, { version: 1, note: 'More.', state: 'rollout', percentage }),
      ),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(both.find(({ status }) => status === 409)?.body.code).toBe('version_conflict')
    expect((await read(key)).version).toBe(2)
  })

  it('may leave a tenant in a list that was deleted since', async () => {
    const slug = `gone-${randomBytes(4).toString('hex')}`
    await testApp.request('POST', '/tenants', { token: operator, body: { name: 'Gone', slug } })
    const key = await create({ denyTenants: [slug] })
    await testApp.request('DELETE', `/tenants/${slug}`, { token: operator })
    expect(await patch(key, { version: 1, note: 'On.', state: 'on' })).toMatchObject({
      status: 200,
    })
    expect(
      await patch(key, { version: 2, note: 'Another.', denyTenants: [slug, 'acme'] }),
    ).toMatchObject({ status: 200 })
    expect(
      (await patch(key, { version: 3, note: 'New.', allowTenants: [slug] })).body.issues,
    ).toMatchObject([{ path: 'allowTenants.0' }])
  })

  it('returns 404 for an unknown flag', async () => {
    expect(await patch('no_such_flag', { version: 1, note: 'On.', state: 'on' })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
    expect(
      await testApp.request('GET', '/flags/no_such_flag/history', { token: operator }),
    ).toMatchObject({ status: 404 })
    expect(
      await testApp.request('GET', '/flags/no_such_flag/explain', { token: operator }),
    ).toMatchObject({ status: 404 })
  })
})

describe('prerequisites', () => {
  it('in a circle are rejected with the way, and change nothing', async () => {
    const first = await create()
    const second = await create({ prerequisites: [{ key: first, value: true }] })
    const third = await create({ prerequisites: [{ key: second, value: false }] })
    const { status, body } = await patch(first, {
      version: 1,
      note: 'Circle.',
      prerequisites: [{ key: third, value: true }],
    })
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'flag_cycle' })
    expect(body.issues).toEqual([
      {
        path: 'prerequisites.0.key',
        message: `The flag would depend on itself: ${first} needs ${third} needs ${second} needs ${first}.`,
      },
    ])
    expect(await read(first)).toMatchObject({ version: 1, prerequisites: [] })
    const itself = await patch(first, {
      version: 1,
      note: 'Itself.',
      prerequisites: [{ key: first, value: true }],
    })
    expect(itself.body.code).toBe('flag_cycle')
  })

  it('cannot be closed to a circle by two changes at once', async () => {
    const [one, two] = [await create(), await create()]
    const needs = (key: string, other: string) =>
      patch(key, { version: 1, note: 'Needs.', prerequisites: [{ key: other, value: true }] })
    const responses = await Promise.all([needs(one, two), needs(two, one)])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  it('may be five deep', async () => {
    let key = await create()
    for (let depth = 0; depth < 5; depth++)
      key = await create({ prerequisites: [{ key, value: true }] })
    const body = { key: newKey(), prerequisites: [{ key, value: true }] }
    expect(
      (await testApp.request('POST', '/flags', { token: operator, body })).body.issues,
    ).toMatchObject([{ path: 'prerequisites' }])
  })

  it('decide for the tenant that is asked about', async () => {
    const base = await create({ state: 'rollout', allowTenants: ['acme'] })
    const key = await create({ state: 'on', prerequisites: [{ key: base, value: true }] })
    expect([await valueFor(key), await valueFor(key, 'globex')]).toEqual([true, false])
  })
})

describe('the kill switch', () => {
  it('needs no version, and is recorded as a kill', async () => {
    const key = await create({ state: 'on', percentage: 40 })
    expect(await valueFor(key)).toBe(true)
    await patch(key, { version: 1, note: 'Meanwhile.', percentage: 50 })
    const { status, body } = await patch(key, { version: 1, state: 'off', note: 'kill-switch' })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { state: 'off', percentage: 50, killedAt: clock.now().toISOString() },
    })
    expect(await valueFor(key)).toBe(false)
    expect((await auditOf(key)).map((entry: { action: string }) => entry.action)).toEqual([
      'flag.created',
      'flag.updated',
      'flag.killed',
    ])
  })

  it('is left only with another note, which is recorded as a revival', async () => {
    const key = await create({ state: 'on' })
    await patch(key, { state: 'off', note: 'kill-switch' })
    expect(
      (await patch(key, { version: 2, state: 'on', note: 'kill-switch' })).body.issues,
    ).toMatchObject([{ path: 'note' }])
    const { body } = await patch(key, { version: 2, state: 'on', note: 'Mended.' })
    expect(body).toMatchObject({ state: 'on', killedAt: null, version: 3 })
    expect((await auditOf(key)).at(-1)).toMatchObject({
      action: 'flag.updated',
      metadata: { revived: true },
    })
    expect(await valueFor(key)).toBe(true)
  })

  it('is not what turning a flag off is', async () => {
    const key = await create({ state: 'on' })
    expect((await patch(key, { version: 1, state: 'off', note: 'Over.' })).body.killedAt).toBeNull()
    expect((await auditOf(key)).at(-1).action).toBe('flag.updated')
  })
})

describe('removing a flag', () => {
  it('keeps history and key', async () => {
    const key = await create({ state: 'on' })
    expect((await testApp.request('DELETE', `/flags/${key}`, { token: operator })).status).toBe(204)
    expect(await read(key)).toMatchObject({ code: 'not_found' })
    expect((await evaluate({ tenantSlug: 'acme' })).body).not.toHaveProperty(key)
    expect((await testApp.request('DELETE', `/flags/${key}`, { token: operator })).status).toBe(404)
    const again = await testApp.request('POST', '/flags', { token: operator, body: { key } })
    expect({ status: again.status, code: again.body.code }).toEqual({
      status: 409,
      code: 'already_exists',
    })
    const { items } = (await testApp.request('GET', `/flags/${key}/history`, { token: operator }))
      .body
    expect(items).toMatchObject([
      { kind: 'removed', version: 2, note: 'Removed.', after: null },
      { kind: 'created' },
    ])
    expect((await auditOf(key)).at(-1)).toMatchObject({
      action: 'flag.removed',
      id: items[0].auditId,
    })
  })

  it('is rejected while another flag needs it', async () => {
    const base = await create()
    const key = await create({ prerequisites: [{ key: base, value: true }] })
    const rejected = await testApp.request('DELETE', `/flags/${base}`, { token: operator })
    expect(rejected).toMatchObject({
      status: 409,
      body: { code: 'flag_in_use', detail: `It is a prerequisite of ${key}.` },
    })
    await testApp.request('DELETE', `/flags/${key}`, { token: operator })
    expect((await testApp.request('DELETE', `/flags/${base}`, { token: operator })).status).toBe(
      204,
    )
  })

  it('is rejected for seven days after code asked for it by name', async () => {
    const key = await create({ state: 'on' })
    expect(await testApp.app.services.flags.isOn(key, undefined)).toBe(true)
    expect(await testApp.request('DELETE', `/flags/${key}`, { token: operator })).toMatchObject({
      status: 409,
      body: { code: 'flag_in_use' },
    })
    expect((await read(key)).lastAskedAt).toBe(clock.now().toISOString())
    const uses = testApp.database.db.updateTable('flag_uses').where('flag_key', '=', key)
    await uses
      .set({ last_asked_at: new Date(clock.now().getTime() - 7 * 86_400_000 + 1_000) })
      .execute()
    expect((await testApp.request('DELETE', `/flags/${key}`, { token: operator })).status).toBe(409)
    await uses.set({ last_asked_at: new Date(clock.now().getTime() - 7 * 86_400_000) }).execute()
    expect((await testApp.request('DELETE', `/flags/${key}`, { token: operator })).status).toBe(204)
  })

  it('is not held up by those who ask for all flags at once', async () => {
    const key = await create()
    await evaluate({ tenantSlug: 'acme' })
    expect((await testApp.request('DELETE', `/flags/${key}`, { token: operator })).status).toBe(204)
  })
})
