import { templateKeys } from '@atrium/core/branding/template-keys'
import { startTestApp, type TestApp, type TestResponse } from '@atrium/testing/test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: TestApp
let token: string
const [text = ''] = templateKeys
const list = { slug: 'acme', listId: '' }
const price = { id: '' }

beforeAll(async () => {
  testApp = await startTestApp({ manyChanges: true })
  token = await testApp.token('operator@atrium.test')
  const made = async (path: string, body: object) => {
    const response = await testApp.request('POST', path, { token, body })
    expect(response.status, JSON.stringify(response.body)).toBe(201)
    return response.body
  }
  await made('/partners', { slug: 'north-west', name: 'North West', marginPct: 20 })
  list.listId = (
    await made('/tenants/acme/lists', {
      address: 'team',
      name: 'Team',
      recipients: ['anna@elsewhere.example'],
    })
  ).id
}, 60_000)
beforeEach(async () => {
  const body = {
    plan: 'starter',
    cycle: 'year',
    amounts: [{ currency: 'EUR', unitAmount: 100 }],
    leaveOut: ['usd'],
    state: 'active',
  }
  price.id = (await testApp.request('POST', '/prices', { token, body })).body.id
})
afterAll(() => testApp[Symbol.asyncDispose]())

interface Editable {
  name: string
  path: () => string
  method: 'PATCH' | 'PUT'
  /** Where the update goes, when that is below the record. */
  below?: string
  /** A change that is different for each number. */
  change: (n: number) => Record<string, unknown>
  /** What of an answer the number is in. */
  read: (record: TestResponse['body']) => unknown
}

const slug = '/tenants/acme'
const records: Editable[] = [
  {
    name: 'a workplace',
    path: () => slug,
    method: 'PATCH',
    change: (n) => ({ industry: `Law ${n}` }),
    read: (body) => body.industry,
  },
  {
    name: 'a distribution list',
    path: () => `${slug}/lists/${list.listId}`,
    method: 'PATCH',
    change: (n) => ({ name: `Team ${n}` }),
    read: (body) => body.name,
  },
  {
    name: 'the branding',
    path: () => `${slug}/branding`,
    method: 'PUT',
    change: (n) => ({ productName: `Desk ${n}` }),
    read: (body) => body.productName,
  },
  {
    name: 'an e-mail text',
    path: () => `${slug}/branding`,
    method: 'PUT',
    change: (n) => ({ emailTemplates: { [text]: { subject: `Confirmed ${n}`, text: 'Yes' } } }),
    read: (body) =>
      body.templates.find(({ key }: { key: string }) => key === text).override.subject,
  },
  {
    name: 'the billing details',
    path: () => `${slug}/billing-info`,
    method: 'PATCH',
    change: (n) => ({ company: `Acme ${n}` }),
    read: (body) => body.billingInfo.company,
  },
  {
    name: 'the security policy',
    path: () => `${slug}/security-policy`,
    method: 'PATCH',
    change: (n) => ({ sessionAbsoluteMinutes: 600 + n }),
    read: (body) => (body.securityPolicy ?? body).sessionAbsoluteMinutes,
  },
  {
    name: 'a DMARC policy',
    path: () => `${slug}/domains/acme.tenants.local`,
    method: 'PUT',
    below: '/dmarc',
    change: (n) => ({ policy: 'quarantine', pct: n }),
    read: (body) => body.dmarc.pct,
  },
  {
    name: 'a price on sale',
    path: () => `/prices/${price.id}`,
    method: 'PATCH',
    change: (n) => ({ note: `Spring ${n}` }),
    read: (body) => body.note,
  },
  {
    name: 'a partner',
    path: () => '/partners/north-west',
    method: 'PATCH',
    change: (n) => ({ contactInfo: { name: `Nora ${n}` } }),
    read: (body) => body.contactInfo.name,
  },
  {
    name: 'the settings of a partner',
    path: () => '/partners/north-west/settings',
    method: 'PATCH',
    change: (n) => ({ defaultSeats: n }),
    read: (body) => body.defaultSeats,
  },
  {
    name: 'the branding of a partner',
    path: () => '/partners/north-west/branding',
    method: 'PUT',
    change: (n) => ({ productName: `North ${n}` }),
    read: (body) => body.productName,
  },
]

const get = (record: Editable) => testApp.request('GET', record.path(), { token })
const save = (
  { path, below = '', method }: Editable,
  body: object,
  headers: Record<string, string> = {},
) => testApp.request(method, `${path()}${below}`, { token, body, headers })
const eight = Array.from({ length: 8 }, (_, n) => n + 1)
let number = 0
/** Above what other tests of the record save, and within what is a percentage. */
const fresh = () => 30 + (number++ % 70)

describe.each(records)('$name', (record) => {
  it('of eight who expect one version, exactly one is saved, and the others are told what it is now', async () => {
    const { editVersion } = (await get(record)).body
    const responses = await Promise.all(
      eight.map((n) => save(record, { ...record.change(n), expectedVersion: editVersion })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
    const now = (await get(record)).body
    const winner = responses.findIndex(({ status }) => status === 200) + 1
    expect(String(record.read(now))).toContain(String(winner))
    for (const { status, body } of responses) {
      if (status === 200) continue
      expect(body).toMatchObject({
        code: 'edit_conflict',
        current: { editVersion: now.editVersion },
      })
      if (record.name !== 'a DMARC policy' || body.current.dmarc)
        expect(record.read(body.current)).toEqual(record.read(now))
    }
  })

  it('is saved for everybody who expects nothing, and the last one stays', async () => {
    const responses = await Promise.all(eight.map((n) => save(record, record.change(n + 20))))
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200))
  })

  it('has an ETag, and If-Match is 412 with the record once that has passed', async () => {
    const before = await get(record)
    const tag = before.headers.get('etag') ?? ''
    expect(tag).toBe(`"${before.body.editVersion}"`)
    const first = await save(record, record.change(fresh()), { 'if-match': tag })
    expect(first.status).toBe(200)
    const now = await get(record)
    expect(now.headers.get('etag')).not.toBe(tag)
    for (const stale of [tag, `W/${now.headers.get('etag')}`, '"something-else"']) {
      const rejected = await save(record, record.change(fresh()), { 'if-match': stale })
      expect(rejected).toMatchObject({
        status: 412,
        body: {
          code: 'precondition_failed',
          status: 412,
          current: { editVersion: now.body.editVersion },
        },
      })
    }
    expect(await get(record)).toMatchObject({ body: { editVersion: now.body.editVersion } })
    expect((await save(record, record.change(fresh()), { 'if-match': '*' })).status).toBe(200)
  })

  it('keeps its version when a save changes nothing, so no conflict arises', async () => {
    if (record.name === 'a price on sale') return
    const change = record.change(fresh())
    await save(record, change)
    const { editVersion } = (await get(record)).body
    await save(record, change)
    expect((await get(record)).body.editVersion).toBe(editVersion)
  })
})

describe('a precondition', () => {
  it('that is no single entity tag is rejected, and one that is given twice', async () => {
    const [record] = records as [Editable]
    for (const header of ['abc', '"a", "b"', '""x', `"${'x'.repeat(101)}"`]) {
      const rejected = await save(record, record.change(fresh()), { 'if-match': header })
      expect(rejected, header).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'If-Match' }] },
      })
    }
    const twice = await save(
      record,
      { ...record.change(fresh()), expectedVersion: 'a' },
      { 'if-match': '"a"' },
    )
    expect(twice).toMatchObject({ status: 400, body: { issues: [{ path: 'expectedVersion' }] } })
  })

  it('is rejected where a record has no versions, and not passed over', async () => {
    const response = await testApp.request(
      'PATCH',
      '/tenants/acme/users/00000000-0000-0000-0000-000000000000',
      {
        token,
        body: { role: 'admin' },
        headers: { 'if-match': '"a"' },
      },
    )
    expect(response.status).toBe(400)
  })

  it('is a conflict with the record over tRPC too', async () => {
    const client = testApp.trpc(token)
    const { editVersion } = await client.tenants.get.query({ slug: 'acme' })
    await client.tenants.update.mutate({
      slug: 'acme',
      industry: 'Crafts',
      expectedVersion: editVersion,
    })
    await expect(
      client.tenants.update.mutate({
        slug: 'acme',
        industry: 'Health',
        expectedVersion: editVersion,
      }),
    ).rejects.toMatchObject({
      data: { code: 'edit_conflict', httpStatus: 409, current: { industry: 'Crafts' } },
    })
  })
})

describe('a price on sale with other amounts', () => {
  it('of eight who expect one version, exactly one makes a new version', async () => {
    const path = `/prices/${price.id}`
    const { editVersion } = (await testApp.request('GET', path, { token })).body
    const change = (n: number) => ({
      amounts: [{ currency: 'EUR', unitAmount: 1_000 + n }],
      expectedVersion: editVersion,
    })
    const responses = await Promise.all(
      eight.map((n) => testApp.request('PATCH', path, { token, body: change(n) })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  })
})

describe('the version of a workplace', () => {
  it('is that of its domains too, and no other change of the row moves it', async () => {
    const read = async () =>
      (await testApp.request('GET', '/tenants/acme', { token })).body.editVersion
    const before = await read()
    await testApp.request('POST', '/tenants/acme/reconcile', { token, body: {} })
    expect(await read()).toBe(before)
    await testApp.request('POST', '/tenants/acme/domains', {
      token,
      body: { domain: 'other.example.com' },
    })
    expect(await read()).not.toBe(before)
  })
})
