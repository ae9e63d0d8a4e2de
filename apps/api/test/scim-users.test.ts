import { scimSchemas } from '@atrium/core/scim/schemas'
import { tenantIdOf } from '@atrium/testing/records'
import { scimBase as base, type ScimTestApp, startScimTestApp } from '@atrium/testing/scim'
import { insertServiceToken } from '@atrium/testing/service-tokens'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: ScimTestApp

beforeAll(async () => {
  testApp = await startScimTestApp()
}, 120_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const userSchema = scimSchemas.user

const scim: ScimTestApp['scim'] = (...request) => testApp.scim(...request)
const patch = (id: string, ...operations: object[]) => testApp.patch(`/Users/${id}`, ...operations)
const find = (filter: string, more = '') =>
  scim('GET', `/Users?filter=${encodeURIComponent(filter)}${more}`)

/** Our code, at the end of the text. */
const codeIn = ({ detail }: { detail: string }) => /\((\w+)\)$/.exec(detail)?.[1]

let made = 0
async function newUser(fields: object = {}) {
  made += 1
  const userName = `scim${made}@acme.tenants.local`
  const created = await scim('POST', '/Users', {
    schemas: [userSchema],
    userName,
    externalId: `ext-${made}`,
    name: { givenName: 'Ada', familyName: `Number ${made}` },
    active: true,
    ...fields,
  })
  expect(created).toMatchObject({ status: 201, body: { id: expect.any(String) } })
  return created.body as { id: string; userName: string; meta: { version: string } }
}
const statusOf = async (id: string) => (await testApp.member(id)).status
const audited = async (id: string) =>
  (
    await testApp.database.db
      .selectFrom('audit_events')
      .select(['action', 'actor_type', 'actor_id'])
      .where('resource_id', '=', id)
      .orderBy('id')
      .execute()
  ).map(
    ({ action, actor_type, actor_id }) => `${actor_type} ${actor_id === testApp.tokenId} ${action}`,
  )

describe('discovery', () => {
  it('describes what the service can do, its resource types and their schemas', async () => {
    const config = await scim('GET', '/ServiceProviderConfig')
    expect(config.headers.get('content-type')).toBe('application/scim+json')
    expect(config.body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      etag: { supported: true },
    })
    const types = await scim('GET', '/ResourceTypes')
    for (const { id, schema, endpoint } of types.body.Resources) {
      expect((await scim('GET', `/ResourceTypes/${id}`)).body).toMatchObject({ id, schema })
      expect((await scim('GET', `/Schemas/${schema}`)).body).toMatchObject({ id: schema })
      expect((await scim('GET', `${endpoint}?count=0`)).status).toBe(200)
    }
    expect((await scim('GET', '/Schemas/urn:none')).status).toBe(404)
  })

  it('answers in SCIM form where there is nothing, and for a method that is not', async () => {
    expect(await scim('GET', '/Nothing')).toMatchObject({
      status: 404,
      body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '404' },
    })
    expect(await scim('POST', '/Bulk', {})).toMatchObject({
      status: 501,
      body: { status: '501' },
    })
    const wrong = await scim('PUT', '/Users', {})
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST'])
  })
})

describe('who may call', () => {
  const tokenWith = async (scopes: readonly ('scim:read' | 'scim:write' | 'members:write')[]) =>
    (
      await insertServiceToken(
        testApp,
        { kind: 'tenant', tenantId: testApp.acmeId },
        { scopes: [...scopes] },
      )
    ).token
  const outcome = async (method: string, path: string, by: string | undefined, body?: object) => {
    const { status, body: answer } = await testApp.request(method, `${base}${path}`, {
      token: by,
      ...(body && { body }),
    })
    return [status, status < 400 ? undefined : codeIn(answer)]
  }

  it('needs the scope for reading or changing', async () => {
    const member = await newUser()
    const reads = await tokenWith(['scim:read'])
    const writes = await tokenWith(['scim:write'])
    const others = await tokenWith(['members:write'])
    expect(await outcome('GET', `/Users/${member.id}`, reads)).toEqual([200, undefined])
    for (const by of [writes, others])
      expect(await outcome('GET', '/Users', by)).toEqual([403, 'insufficient_scope'])
    for (const by of [reads, others]) {
      expect(await outcome('DELETE', `/Users/${member.id}`, by)).toEqual([
        403,
        'insufficient_scope',
      ])
      expect(await outcome('POST', '/Users', by, { userName: 'x' })).toEqual([
        403,
        'insufficient_scope',
      ])
    }
    expect(await statusOf(member.id)).toBe('active')
  })

  it('is closed to tokens of another tenant, members, outsiders and nobody', async () => {
    const globex = await tenantIdOf(testApp.database.db, 'globex')
    const foreign = await insertServiceToken(testApp, { kind: 'tenant', tenantId: globex })
    const member = await newUser()
    const calls = [
      ['GET', '/Users'],
      ['GET', `/Users/${member.id}`],
      ['POST', '/Users', { userName: 'intruder' }],
      ['PUT', `/Users/${member.id}`, { userName: 'intruder' }],
      ['PATCH', `/Users/${member.id}`, { Operations: [] }],
      ['DELETE', `/Users/${member.id}`],
      ['GET', '/ServiceProviderConfig'],
    ] as const
    for (const [method, path, body] of calls) {
      expect(await outcome(method, path, foreign.token, body)).toEqual([403, 'not_member'])
      expect(await outcome(method, path, testApp.as.outsider, body)).toEqual([403, 'not_member'])
      expect(await outcome(method, path, testApp.as.member, body)).toEqual([403, 'not_admin'])
      expect(await outcome(method, path, undefined, body)).toEqual([401, 'unauthenticated'])
    }
    expect(await statusOf(member.id)).toBe('active')
  })

  it('ends with the token, at once', async () => {
    const { id, token: short } = await insertServiceToken(testApp, {
      kind: 'tenant',
      tenantId: testApp.acmeId,
    })
    expect(await outcome('GET', '/Users?count=0', short)).toEqual([200, undefined])
    await testApp.database.db
      .updateTable('service_tokens')
      .set({ revoked_at: new Date() })
      .where('id', '=', id)
      .execute()
    const rejected = await testApp.request('GET', `${base}/Users`, { token: short })
    expect(rejected.status).toBe(401)
    expect(rejected.headers.get('www-authenticate')).toContain('invalid_token')
  })

  it('is rejected while the tenant is suspended, except to take access away', async () => {
    const member = await newUser()
    const reason = { reason: 'A test.' }
    const by = { token: testApp.as.operator, body: reason }
    await testApp.request('POST', '/tenants/acme/suspend', by)
    const created = await scim('POST', '/Users', { userName: 'late' })
    const suspended = await patch(member.id, { op: 'replace', path: 'active', value: false })
    await testApp.request('POST', '/tenants/acme/resume', by)
    expect(codeIn(created.body)).toBe('tenant_suspended')
    expect(suspended.status).toBe(200)
    expect(await statusOf(member.id)).toBe('suspended')
  })
})

describe('users', () => {
  it('are created as members, without a password, and audited as acts of the token', async () => {
    const created = await scim('POST', '/Users', {
      schemas: [userSchema],
      userName: 'Mira.Lang@acme.tenants.local',
      externalId: '00u1',
      name: { givenName: 'Mira', familyName: 'Lang' },
      phoneNumbers: [{ value: 'tel:+49 89 1234', type: 'work' }],
    })
    expect(created.status).toBe(201)
    const { id, meta } = created.body
    expect(created.headers.get('location')).toBe(`${base}/Users/${id}`)
    expect(created.headers.get('etag')).toBe(meta.version)
    expect(created.body).toMatchObject({
      userName: 'Mira.Lang@acme.tenants.local',
      externalId: '00u1',
      displayName: 'Mira Lang',
      name: { givenName: 'Mira', familyName: 'Lang' },
      active: true,
      emails: [{ value: 'mira.lang@acme.tenants.local', type: 'work', primary: true }],
      phoneNumbers: [{ value: '+49 89 1234', type: 'work' }],
      meta: { resourceType: 'User', location: `${base}/Users/${id}` },
    })
    expect(JSON.stringify(created.body)).not.toMatch(/password/i)
    expect(await testApp.member(id)).toMatchObject({
      email: 'mira.lang@acme.tenants.local',
      role: 'member',
      needsPassword: true,
      mailboxAddress: 'mira.lang@acme.tenants.local',
      outcomes: { identity: 'ok', mail: 'ok', files: 'ok' },
    })
    expect(await audited(id)).toEqual(['service true member.created'])
  })

  it.each([
    ['whom the tenant has already', 'owner@acme.test', 409, 'uniqueness', 'email_taken'],
    ['outside its proven domains', 'someone@elsewhere.test', 400, undefined, 'invitation_required'],
    ['whose name is no address', 'no one', 400, 'invalidValue', 'invalid_input'],
  ])('are rejected %s', async (_, userName, status, scimType, code) => {
    const rejected = await scim('POST', '/Users', { schemas: [userSchema], userName })
    expect([rejected.status, rejected.body.scimType, codeIn(rejected.body)]).toEqual([
      status,
      scimType,
      code,
    ])
    expect(rejected.body.status).toBe(String(status))
  })

  it('are made once by eight clients at the same time', async () => {
    const body = { schemas: [userSchema], userName: 'eight@acme.tenants.local' }
    const all = await Promise.all(Array.from({ length: 8 }, () => scim('POST', '/Users', body)))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(all.filter(({ status }) => status === 409)).toHaveLength(7)
  })

  it('are replaced: what is left out is gone, except whether they are active', async () => {
    const { id } = await newUser({ phoneNumbers: [{ value: '+49 1234', type: 'mobile' }] })
    await patch(id, { op: 'replace', path: 'active', value: false })
    const replaced = await scim('PUT', `/Users/${id}`, {
      schemas: [userSchema],
      id,
      userName: (await testApp.member(id)).email,
      displayName: 'Only a name',
    })
    expect(replaced).toMatchObject({
      status: 200,
      body: { displayName: 'Only a name', active: false },
    })
    for (const gone of ['externalId', 'phoneNumbers', 'name'])
      expect(replaced.body).not.toHaveProperty(gone)
  })

  it('get another address, as by an admin', async () => {
    const { id } = await newUser()
    const renamed = await patch(id, { op: 'replace', path: 'userName', value: 'Renamed.Person' })
    expect(renamed).toMatchObject({
      status: 200,
      body: {
        userName: 'Renamed.Person',
        emails: [{ value: 'renamed.person@acme.tenants.local' }],
      },
    })
    expect((await find('userName eq "renamed.person"')).body.Resources).toMatchObject([{ id }])
    expect(await audited(id)).toContain('service true member.email_changed')
    // In the portal the name of the directory has no say.
    await testApp.call('PUT', `/users/${id}/email`, { email: 'other.person' }, testApp.as.owner)
    expect((await scim('GET', `/Users/${id}`)).body.userName).toBe(
      'other.person@acme.tenants.local',
    )
  })

  it('are suspended by active: false also when another part of the change is rejected', async () => {
    const { id } = await newUser()
    const rejected = await patch(
      id,
      { op: 'replace', path: 'userName', value: 'owner@acme.test' },
      { op: 'replace', path: 'active', value: false },
    )
    expect([rejected.status, rejected.body.scimType]).toEqual([409, 'uniqueness'])
    expect(await statusOf(id)).toBe('suspended')
    const again = await patch(id, { op: 'replace', path: 'active', value: true })
    expect([again.status, again.body.active]).toEqual([200, true])
    expect(await statusOf(id)).toBe('active')
    expect(await audited(id)).toEqual([
      'service true member.created',
      'service true member.suspended',
      'service true member.resumed',
    ])
  })

  it('are removed, and the owner is not', async () => {
    const { id } = await newUser()
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204)
    for (const method of ['GET', 'DELETE'] as const)
      expect((await scim(method, `/Users/${id}`)).status).toBe(404)
    const owner = await testApp.idOf('owner@acme.test')
    expect(codeIn((await scim('DELETE', `/Users/${owner}`)).body)).toBe('owner_removal')
    expect(codeIn((await patch(owner, { op: 'replace', value: { active: false } })).body)).toBe(
      'owner_locked',
    )
    expect(await statusOf(owner)).toBe('active')
  })

  it('stay for a system that fails, and follow later', async () => {
    testApp.sandbox.fault({
      system: 'identity',
      match: 'POST /api/v3/core/users/',
      mode: 'error',
      status: 503,
    })
    const created = await scim('POST', '/Users', { userName: 'behind@acme.tenants.local' })
    testApp.sandbox.clearFaults()
    expect(created.status).toBe(201)
    expect((await testApp.member(created.body.id)).outcomes.identity).toBe('error')
  })

  it('have a version that conditional requests compare', async () => {
    const { id, meta } = await newUser()
    const same = await scim('GET', `/Users/${id}`, undefined, { 'if-none-match': meta.version })
    expect([same.status, same.body]).toEqual([304, ''])
    const body = { Operations: [{ op: 'replace', path: 'displayName', value: 'First' }] }
    const first = await scim('PATCH', `/Users/${id}`, body, { 'if-match': meta.version })
    expect(first.status).toBe(200)
    expect(first.headers.get('etag')).not.toBe(meta.version)
    const stale = { 'if-match': meta.version }
    for (const [method, sent] of [
      ['PATCH', body],
      ['PUT', { userName: 'x' }],
      ['DELETE', undefined],
    ] as const)
      expect((await scim(method, `/Users/${id}`, sent, stale)).status).toBe(412)
    const any = await scim('DELETE', `/Users/${id}`, undefined, { 'if-match': '*' })
    expect(any.status).toBe(204)
  })
})

describe('lists', () => {
  it('are paged by startIndex and count, each user once', async () => {
    for (let index = 0; index < 3; index++) await newUser()
    const { body: all } = await scim('GET', '/Users?count=200')
    expect(all.itemsPerPage).toBe(all.totalResults)
    const ids: string[] = []
    for (let at = 1; at <= all.totalResults; at += 2) {
      const { body } = await scim('GET', `/Users?startIndex=${at}&count=2`)
      expect([body.startIndex, body.totalResults]).toEqual([at, all.totalResults])
      ids.push(...body.Resources.map(({ id }: { id: string }) => id))
    }
    expect(ids).toEqual(all.Resources.map(({ id }: { id: string }) => id))
    expect((await scim('GET', '/Users?count=0')).body).toMatchObject({
      totalResults: all.totalResults,
      Resources: [],
    })
    expect((await scim('GET', '/Users?startIndex=-1&count=-1')).body).toMatchObject({
      startIndex: 1,
      itemsPerPage: 0,
    })
    expect((await scim('GET', '/Users?startIndex=100000')).body.Resources).toEqual([])
  })

  it('return the attributes that were asked for, and those left after others were excluded', async () => {
    const { id } = await newUser()
    const chosen = await scim('GET', `/Users/${id}?attributes=userName,name.givenName`)
    expect(Object.keys(chosen.body).sort()).toEqual(['id', 'name', 'schemas', 'userName'])
    expect(chosen.body.name).toEqual({ givenName: 'Ada' })
    const left = await find(`id eq "${id}"`, '&excludedAttributes=emails,name.givenName')
    expect(left.body.Resources[0]).not.toHaveProperty('emails')
    expect(left.body.Resources[0].name).not.toHaveProperty('givenName')
  })

  it('are filtered', async () => {
    const one = await newUser({ externalId: 'Case-1', displayName: '100% Ada_1' })
    const two = await newUser({ externalId: 'case-1', name: { givenName: 'Zoe' } })
    await patch(two.id, { op: 'replace', path: 'active', value: false })
    const ids = async (filter: string) => {
      const { status, body } = await find(`(${filter}) and externalId co "ase-1"`)
      expect(status).toBe(200)
      return body.Resources.map(({ id }: { id: string }) =>
        id === one.id ? 1 : id === two.id ? 2 : id,
      )
    }
    const expected: Record<string, number[]> = {
      [`userName eq "${one.userName.toUpperCase()}"`]: [1],
      [`${userSchema}:userName eq "${one.userName}"`]: [1],
      [`USERNAME EQ "${one.userName.split('@')[0]}"`]: [],
      'externalId eq "case-1"': [2],
      'externalId ne "case-1"': [1],
      [`id eq "${two.id}"`]: [2],
      'id eq "no id"': [],
      'displayName co "% ada_"': [1],
      'displayName sw "100%"': [1],
      'displayName ew "_1"': [1],
      'name.givenName eq "zoe" or name.givenName eq "ada"': [1, 2],
      'not (name.givenName eq "zoe")': [1],
      'phoneNumbers pr': [],
      'not (phoneNumbers.value eq "1")': [1, 2],
      'emails[type eq "work" and value co "acme"]': [1, 2],
      'emails[type eq "home"]': [],
      'emails.value ew "@ACME.tenants.local"': [1, 2],
      'active eq true': [1],
      'active eq "False"': [2],
      'active ne true and name.familyName pr': [],
      'meta.created gt "2020-01-01T00:00:00Z" and meta.lastModified lt "2020-01-01T00:00:00Z"': [],
      'name.familyName eq null': [2],
    }
    for (const [filter, found] of Object.entries(expected))
      expect([filter, await ids(filter)]).toEqual([filter, found])
  })

  it.each([
    ['userName eq'],
    ['userName is "x"'],
    ['password eq "x"'],
    ['constructor pr'],
    ['emails.__proto__ pr'],
    ['active gt true'],
    ['userName eq 7'],
    ['meta.created gt "yesterday"'],
    [`userName eq "${'\n'.repeat(60)}`],
    [Array.from({ length: 60 }, () => 'id pr').join(' or ')],
    ['('.repeat(3000)],
  ])('reject the filter %j', async (filter) => {
    const rejected = await find(filter)
    expect([rejected.status, rejected.body.scimType]).toEqual([400, 'invalidFilter'])
  })
})

describe('input', () => {
  it.each([
    ['text that is no JSON', '{', 400, 'invalidSyntax'],
    ['a list', '[]', 400, 'invalidValue'],
    ['no user name', {}, 400, 'invalidValue'],
    ['a number as a name', { userName: 'good', displayName: 7 }, 400, 'invalidValue'],
    [
      'a bidirectional override',
      { userName: 'good', displayName: 'a\u202eb' },
      400,
      'invalidValue',
    ],
    ['a word as active', { userName: 'good', active: 'maybe' }, 400, 'invalidValue'],
    [
      'a phone number of letters',
      { userName: 'good', phoneNumbers: [{ value: 'call me' }] },
      400,
      'invalidValue',
    ],
  ])('rejects %s', async (_, body, status, scimType) => {
    const rejected = await scim('POST', '/Users', body)
    expect([rejected.status, rejected.body.scimType]).toEqual([status, scimType])
  })

  it('rejects another media type, and an object that would change every other one', async () => {
    const typed = await scim('POST', '/Users', '{}', { 'content-type': 'text/plain' })
    expect(typed.status).toBe(415)
    const { id } = await newUser()
    await patch(id, { op: 'add', path: '__proto__.polluted', value: true })
    await patch(id, { op: 'add', path: 'name.__proto__', value: { polluted: true } })
    await scim(
      'PATCH',
      `/Users/${id}`,
      '{"Operations":[{"op":"add","value":{"__proto__":{"polluted":true}}}]}',
    )
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it.each([
    ['an unknown operation', { op: 'move', path: 'active' }, 'invalidValue'],
    ['a removal without a path', { op: 'remove' }, 'noTarget'],
    ['a malformed path', { op: 'replace', path: 'name[', value: 'x' }, 'invalidPath'],
    [
      'a malformed filter',
      { op: 'replace', path: 'emails[type].value', value: 'x' },
      'invalidPath',
    ],
    ['the removal of the user name', { op: 'remove', path: 'userName' }, 'mutability'],
    ['a value that is no object', { op: 'add', value: 'x' }, 'invalidValue'],
  ])('rejects %s, and changes nothing of the request', async (_, operation, scimType) => {
    const { id } = await newUser()
    const named = { op: 'replace', path: 'displayName', value: 'Changed' }
    const rejected = await patch(id, named, operation)
    expect([rejected.status, rejected.body.scimType]).toEqual([400, scimType])
    expect((await testApp.member(id)).name).not.toBe('Changed')
  })
})
