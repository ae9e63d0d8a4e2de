import { scimSchemas } from '@atrium/core/scim/schemas'
import { type ScimTestApp, scimBase, startScimTestApp } from '@atrium/testing/scim'
import { insertServiceToken } from '@atrium/testing/service-tokens'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** Searches by POST (RFC 7644, section 3.4.3). */

let testApp: ScimTestApp
let id: string
const userName = 'searched@acme.tenants.local'

beforeAll(async () => {
  testApp = await startScimTestApp()
  const created = await testApp.scim('POST', '/Users', { userName, displayName: 'Found by root' })
  expect(created.status).toBe(201)
  id = created.body.id
}, 120_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const search = (path: string, body: object) =>
  testApp.scim('POST', `${path}/.search`, { schemas: [scimSchemas.searchRequest], ...body })
const idsIn = ({ body }: Awaited<ReturnType<typeof search>>): string[] =>
  body.Resources.map((one: { id: string }) => one.id)

it('finds users or groups as a list does', async () => {
  const found = await search('/Users', {
    FILTER: `userName eq "${userName}"`,
    attributes: ['userName', 'active'],
    startIndex: 1,
    count: 1,
  })
  expect(found).toMatchObject({
    status: 200,
    body: { schemas: [scimSchemas.listResponse], totalResults: 1, itemsPerPage: 1 },
  })
  expect(found.body.Resources).toEqual([
    { schemas: [scimSchemas.user], id, userName, active: true },
  ])
  const groups = await search('/Groups', { attributes: [], excludedAttributes: ['members'] })
  expect(groups.body.Resources.length).toBeGreaterThan(0)
  for (const one of groups.body.Resources) expect(one).not.toHaveProperty('members')
})

it('goes over both from the root, each resource once', async () => {
  const total = (await search('', { count: 0 })).body.totalResults
  const ids: string[] = []
  for (let startIndex = 1; startIndex <= total; startIndex += 3) {
    const page = await search('', { startIndex, count: 3 })
    expect(page.body.totalResults).toBe(total)
    ids.push(...idsIn(page))
  }
  expect([ids.length, new Set(ids).size]).toEqual([total, total])
  expect(ids).toEqual(expect.arrayContaining([id, testApp.acmeId]))
})

it('takes an attribute that a type does not have for one without a value', async () => {
  const found = async (filter: string) => idsIn(await search('', { filter }))
  const named = 'displayName eq "Found by root"'
  expect(await found(`${named} and userName pr`)).toEqual([id])
  expect(await found(`${named} and active eq true`)).toEqual([id])
  expect(await found(`${named} and (members pr or nothing[value eq "x"])`)).toEqual([])
  expect(await found(`${named} and members ne "x" and unknown eq null`)).toEqual([id])
  expect(await found('meta.resourceType eq "Group" and displayName sw "admin"')).toEqual([
    testApp.acmeId,
  ])
})

it('rejects what a list rejects, and a body that is no search', async () => {
  const malformed = await search('', { filter: 'userName eq' })
  expect([malformed.status, malformed.body.scimType]).toEqual([400, 'invalidFilter'])
  expect((await search('/Users', { filter: 'unknown pr' })).body.scimType).toBe('invalidFilter')
  for (const body of [{ count: 'many' }, { attributes: 'userName' }, { filter: 7 }])
    expect((await search('/Users', body)).status).toBe(400)
  expect((await testApp.scim('POST', '/Users/.search', '[]')).status).toBe(400)
  const wrong = await testApp.scim('GET', '/Users/.search')
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
})

it('needs the scope for reading, and no other', async () => {
  const owner = { kind: 'tenant', tenantId: testApp.acmeId } as const
  for (const [scope, status] of [
    ['scim:read', 200],
    ['scim:write', 403],
  ] as const) {
    const { token } = await insertServiceToken(testApp, owner, { scopes: [scope] })
    for (const path of ['/.search', '/Users/.search', '/Groups/.search']) {
      const answer = await testApp.request('POST', `${scimBase}${path}`, { token, body: {} })
      expect(answer.status).toBe(status)
    }
  }
})
