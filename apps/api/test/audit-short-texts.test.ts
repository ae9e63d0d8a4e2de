import type { AuditEvent, AuditPage } from '@atrium/core/audit/audit'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'

let testApp: TestApp
let operator: string

/**
 * More entries than one search goes along without an index, and beyond them one whose name is two
 * letters.
 */
const entries = 21_000

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    ownEvents: true,
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  operator = await testApp.token('operator@atrium.test')
  const owner = new pg.Client({ connectionString: testApp.ownerUrl })
  await owner.connect()
  await owner.query(
    `insert into audit_events (at, actor_type, action, outcome, resource_type, resource_name, source)
     select now() - n * interval '1 minute', 'system', 'member.updated', 'success', 'member', case when n > $1 then 'Ꙗ7' end, 'job'
     from generate_series(1, $1 + 1) n`,
    [entries],
  )
  await owner.end()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const ask = async (parameters: Record<string, string>): Promise<AuditPage> => {
  const { status, body } = await testApp.request(
    'GET',
    `/audit?${new URLSearchParams(parameters)}`,
    { token: operator },
  )
  expect(status).toBe(200)
  return body
}

it('says where a search stopped, and goes on from there', async () => {
  const first = await ask({ q: 'ꙗ7' })
  expect(first).toMatchObject({ items: [], more: true })
  expect(first.nextCursor).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  const second = await ask({ q: 'ꙗ7', before: first.nextCursor ?? '' })
  expect(second).toMatchObject({ items: [{ resourceName: 'Ꙗ7' }], nextCursor: null, more: false })
})

it('has nothing more to say where the page is full, or the text is long enough for the index', async () => {
  const full = await ask({ q: 'm', limit: '3' })
  expect(full.items).toHaveLength(3)
  expect(full).toMatchObject({ more: false, nextCursor: expect.stringContaining('_') })
  expect(await ask({ q: 'in no entry' })).toEqual({ items: [], nextCursor: null, more: false })
})

it('exports all that there is, however far back', async () => {
  const { body } = await testApp.request('GET', `/audit/export?q=${encodeURIComponent('Ꙗ7')}`, {
    token: operator,
  })
  const exported = String(body)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEvent)
  expect(exported.map(({ resourceName }) => resourceName)).toEqual(['Ꙗ7', undefined])
})
