import { randomBytes } from 'node:crypto'
import { passwordMatches } from '@atrium/sandbox/identity/passwords'
import { clientsWithDeadline, identityApi, identityRecords } from '@atrium/testing/outside'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: TestApp
let operator: string

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    integrations: clientsWithDeadline(800),
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  operator = await testApp.token('operator@atrium.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const invite = (
  body: object,
  headers: Record<string, string> = {},
  on = testApp,
  token = operator,
) => on.request('POST', '/users/invite', { token, body, headers })
const fresh = () => `invited-${randomBytes(4).toString('hex')}@example.test`
const identityOf = (email: string, on = testApp) =>
  identityRecords(on).users.filter((user) => user.email === email)

/** Every table of every schema as text. */
async function everyRow(on: TestApp): Promise<string> {
  const { rows: tables } = await sql<{ schema: string; name: string }>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_schema in ('public', 'jobs') and table_type = 'BASE TABLE'`.execute(on.database.db)
  const texts: string[] = []
  for (const { schema, name } of tables) {
    const { rows } = await sql<{
      text: string
    }>`select row_to_json(r)::text as text from ${sql.table(`${schema}.${name}`)} r`.execute(
      on.database.db,
    )
    texts.push(...rows.map(({ text }) => text))
  }
  return texts.join('\n')
}

describe('an invitation', () => {
  it('makes an internal, active identity in the administrators’ group and a record with the flag', async () => {
    const email = fresh()
    const response = await invite({ name: 'Ina Invited', email: email.toUpperCase() })
    expect(response.status).toBe(201)
    const [identity, ...more] = identityOf(email) as unknown as Record<string, unknown>[]
    expect(more).toEqual([])
    expect(identity).toMatchObject({
      username: email,
      email,
      name: 'Ina Invited',
      type: 'internal',
      is_active: true,
      uid: response.body.subject,
    })
    const group = identityRecords(testApp).groups.find(({ name }) => name === 'platform-admins')
    expect(identity?.groups).toEqual([group?.pk])
    const user = await testApp.request('GET', `/users/${response.body.userId}`, { token: operator })
    expect(user.body).toMatchObject({
      email,
      name: 'Ina Invited',
      platformAdmin: true,
      idpSubjectId: response.body.subject,
    })
    const token = await testApp.token(email, 'operator')
    expect((await testApp.request('GET', '/users', { token })).status).toBe(200)
  })

  it('hands over a temporary password where the provider has no recovery flow', async () => {
    const email = fresh()
    const response = await invite({ name: 'Pat', email })
    expect(Object.keys(response.body).sort()).toEqual(['subject', 'tempPassword', 'userId'])
    const password: string = response.body.tempPassword
    expect(password).toMatch(/^[^IO01l]{16}$/)
    for (const kind of [/[A-Z]/, /[a-z]/, /[0-9]/, /[^A-Za-z0-9]/]) expect(password).toMatch(kind)
    const stored = (
      testApp.sandbox.identity.save() as { users: { email: string; password: string | null }[] }
    ).users.find((user) => user.email === email)
    expect(passwordMatches(stored?.password ?? null, password)).toBe(true)
  })

  it('hands over a link where it has one, on the address that people reach', async () => {
    await using other = await startTestApp({
      provisioned: false,
      env: { IDP_PUBLIC_URL: 'https://id.acme.test' },
      sandbox: { identity: { recoveryFlow: true } },
    })
    const email = fresh()
    const response = await invite(
      { name: 'Lin', email },
      {},
      other,
      await other.token('operator@atrium.test'),
    )
    expect(response.status).toBe(201)
    expect(Object.keys(response.body).sort()).toEqual(['link', 'subject', 'userId'])
    const link = new URL(response.body.link)
    expect(link.origin).toBe('https://id.acme.test')
    const page = await fetch(`${other.sandbox.identityUrl}${link.pathname}${link.search}`)
    expect(page.status).toBe(200)
    const [entry] = (
      await other.request('GET', '/audit?action=platform.user_invited', {
        token: await other.token('operator@atrium.test'),
      })
    ).body.items
    expect(entry).toMatchObject({ resourceName: email, metadata: { handoff: 'link' } })
    const secret = link.searchParams.get('flow_token') ?? 'none'
    expect(await everyRow(other)).not.toContain(secret)
    expect(other.logLines.join('')).not.toContain(secret)
  })

  it('keeps the secret out of every table, the log and the audit, also with an Idempotency-Key', async () => {
    const email = fresh()
    const headers = { 'idempotency-key': `invite-${email}` }
    const response = await invite({ name: 'Quiet', email }, headers)
    const secret: string = response.body.tempPassword
    expect(secret).toHaveLength(16)
    expect(await invite({ name: 'Quiet', email }, headers)).toMatchObject({
      status: 409,
      body: { code: 'idempotency_answer_withheld' },
    })
    const everything = await everyRow(testApp)
    expect(everything).toContain(email)
    expect(everything).not.toContain(secret)
    expect(testApp.logLines.join('')).not.toContain(secret)
    const entries = (
      await testApp.request('GET', '/audit?action=platform.user_invited', { token: operator })
    ).body.items
    expect(entries[0]).toMatchObject({
      actorType: 'operator',
      resourceName: email,
      resourceId: response.body.userId,
      metadata: { handoff: 'tempPassword' },
    })
  })

  it('makes the group of the administrators when it is missing', async () => {
    await using other = await startTestApp({
      provisioned: false,
      env: { IDP_PLATFORM_ADMIN_GROUP: 'chiefs' },
    })
    const token = await other.token('operator@atrium.test')
    const email = fresh()
    expect((await invite({ name: 'First', email }, {}, other, token)).status).toBe(201)
    const chiefs = identityRecords(other).groups.filter(({ name }) => name === 'chiefs')
    expect(chiefs).toHaveLength(1)
    expect(identityOf(email, other)[0]?.groups).toEqual([chiefs[0]?.pk])
  })
})

describe('an address that is known', () => {
  it('is rejected here, in any case, before anything is made', async () => {
    const email = fresh()
    await invite({ name: 'One', email })
    const calls = testApp.sandbox.state().identity.calls.length
    for (const written of [email, email.toUpperCase(), ` ${email} `])
      expect(await invite({ name: 'Two', email: written })).toMatchObject({
        status: 409,
        body: { code: 'email_exists' },
      })
    expect(testApp.sandbox.state().identity.calls.length).toBe(calls)
    expect(identityOf(email)).toHaveLength(1)
  })

  it('is rejected when the identity provider has it, and that identity is left alone', async () => {
    const email = fresh()
    await identityApi(testApp, 'POST', '/core/users/', {
      username: email,
      email,
      name: 'Already there',
      groups: [],
    })
    expect(await invite({ name: 'Again', email })).toMatchObject({
      status: 409,
      body: { code: 'email_exists' },
    })
    expect(identityOf(email)).toMatchObject([
      { name: 'Already there', groups: [], is_active: true },
    ])
  })

  it('is invited once when many invite it at once', async () => {
    const email = fresh()
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, n) => invite({ name: `Racer ${n}`, email })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(409)])
    expect(identityOf(email)).toHaveLength(1)
    expect(
      await testApp.database.db
        .selectFrom('users')
        .select('id')
        .where('email', '=', email)
        .execute(),
    ).toHaveLength(1)
  })
})

describe('a failing step', () => {
  const steps = [
    ['looking the address up', 'GET /api/v3/core/users/'],
    ['finding the group', 'GET /api/v3/core/groups/'],
    ['making the identity', 'POST /api/v3/core/users/'],
    ['asking for a link', '/recovery/'],
    ['setting the password', '/set_password/'],
    ['letting the person in', 'PATCH /api/v3/core/users/'],
  ] as const
  const modes = [{ mode: 'error', status: 503 }, { mode: 'reset' }, { mode: 'garbage' }] as const
  const cases = steps.flatMap(([name, match]) =>
    modes.flatMap((fault) =>
      [false, true].map((after) => ({
        name: `${name} with ${fault.mode}${after ? ' after it was done' : ''}`,
        match,
        fault,
        after,
      })),
    ),
  )

  it.each(cases)(
    'leaves nothing behind, and the invitation can be repeated: $name',
    async ({ match, fault, after }) => {
      const email = fresh()
      // Two hits: the first try and the second one of what is tried again.
      testApp.sandbox.fault({
        system: 'identity',
        match,
        ...fault,
        times: 2,
        ...(after ? { after } : {}),
      })
      const response = await invite({ name: 'Unlucky', email })
      testApp.sandbox.clearFaults()
      expect(response).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
      expect(response.body.detail).toMatch(/^The identity provider /)
      expect(identityOf(email)).toEqual([])
      expect(
        await testApp.database.db
          .selectFrom('users')
          .select('id')
          .where('email', '=', email)
          .execute(),
      ).toEqual([])
      expect((await invite({ name: 'Unlucky', email })).status).toBe(201)
    },
  )

  it('of our own database takes the identity away again', async () => {
    await using other = await startTestApp({ provisioned: false })
    const token = await other.token('operator@atrium.test')
    const owner = new pg.Client(other.env.DATABASE_URL?.replace('atrium_api', 'atrium_owner'))
    await owner.connect()
    await owner.query('revoke insert on users from atrium_app')
    await owner.end()
    const email = fresh()
    expect(await invite({ name: 'Unstored', email }, {}, other, token)).toMatchObject({
      status: 500,
      body: { code: 'internal' },
    })
    expect(identityOf(email, other)).toEqual([])
    expect(other.logLines.join('')).not.toContain('tempPassword')
  })
})
