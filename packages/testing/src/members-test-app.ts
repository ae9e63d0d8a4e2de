import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { expect } from 'vitest'
import { accept, invite } from './invitations.ts'
import { clientsWithDeadline, identityApi } from './outside.ts'
import { tenantIdOf, userIdOf } from './records.ts'
import { startTestApp, type TestApp, type TestResponse } from './test-app.ts'

/** A test app with the demo tenants and room in Acme, and short ways to act on its members. */
export interface MembersTestApp extends TestApp {
  as: { owner: string; admin: string; member: string; operator: string; outsider: string }
  acmeId: string
  /** A call below `/tenants/acme`, by the admin by default. */
  call(method: string, path: string, body?: unknown, token?: string): Promise<TestResponse>
  /**
   * A new member of Acme, all well; returns the view and the one-time password. Who is invited has
   * followed the link.
   */
  newMember(fields?: Record<string, unknown>): Promise<{ member: Member; oneTimePassword: string }>
  /** The member as the API shows it. */
  member(id: string): Promise<Member>
  idOf(email: string): Promise<string>
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire brought
export type Member = Record<string, any> & { id: string; email: string }

let made = 0

export async function startMembersTestApp(
  options: Parameters<typeof startTestApp>[0] = {},
): Promise<MembersTestApp> {
  const testApp = await startTestApp({ integrations: clientsWithDeadline(4_000), ...options })
  const { db } = testApp.database
  await db.updateTable('tenants').set({ seats: 0 }).execute()
  await db.updateTable('plan_grants').set({ seats: 0 }).execute()
  const acmeId = await tenantIdOf(db, 'acme')
  const as = {
    owner: await testApp.token('owner@acme.test'),
    admin: await testApp.token('admin@acme.test'),
    member: await testApp.token('member@acme.test'),
    operator: await testApp.token('operator@atrium.test'),
    outsider: await testApp.token('owner@globex.test'),
  }
  // A loaded machine may miss a deadline while the workplace is furnished; what follows needs
  // group, domain and space.
  const ready = async () =>
    (await testApp.request('POST', '/tenants/acme/reconcile', { token: as.operator })).body.tenant
      .status === 'active'
  for (let tries = 0; (options.provisioned ?? true) && tries < 5 && !(await ready()); tries++);
  const call: MembersTestApp['call'] = (method, path, body, token = as.admin) =>
    testApp.request(method, `/tenants/acme${path}`, {
      token,
      ...(body === undefined ? {} : { body }),
    })
  async function joined(email: string): Promise<{ member: Member; oneTimePassword: string }> {
    const { body } = await accept(testApp, email)
    const { id } = await db
      .selectFrom('users')
      .select('id')
      .where('email', '=', email)
      .where('removed_at', 'is', null)
      .executeTakeFirstOrThrow()
    return {
      member: (await call('GET', `/users/${id}`)).body,
      oneTimePassword: body.tempPassword ?? null,
    }
  }
  return {
    ...testApp,
    as,
    acmeId,
    call,
    async newMember(fields = {}) {
      made += 1
      const email = `person${made}`
      const person = { email, name: `Person ${made}`, ...fields }
      const created = await call('POST', '/users', person)
      const outside = created.body.code === 'invitation_required'
      if (outside) await invite(testApp, 'acme', person, as.admin)
      const result = outside ? await joined(person.email) : created.body
      expect(result).toMatchObject({ member: { outcomes: { identity: 'ok', files: 'ok' } } })
      return result
    },
    member: async (id) => (await call('GET', `/users/${id}`)).body,
    idOf: (email) => userIdOf(db, email),
  }
}

export interface IdentityRecord {
  pk: number
  email: string
  username: string
  name: string
  is_active: boolean
  path: string
  groups: string[]
  attributes: Record<string, unknown>
}

/** The user at the identity provider; undefined when there is none. */
export async function identityUser(
  testApp: TestApp,
  email: string,
): Promise<IdentityRecord | undefined> {
  const { results } = await identityApi(
    testApp,
    'GET',
    `/core/users/?username=${encodeURIComponent(email)}`,
  )
  return results[0]
}

/** Whether the mail server accepts this password. */
export async function mailboxOpens(
  testApp: TestApp,
  address: string,
  password: string,
): Promise<boolean> {
  const response = await fetch(`${testApp.sandbox.mailUrl}/jmap/session`, {
    headers: { authorization: `Basic ${Buffer.from(`${address}:${password}`).toString('base64')}` },
  })
  await response.arrayBuffer()
  return response.ok
}

export interface MailboxRecord {
  id: string
  emailAddress: string
  description: string | null
  aliases: Record<string, { name: string }>
}

export function mailbox(testApp: TestApp, address: string): MailboxRecord | undefined {
  const { Account } = testApp.sandbox.state().mail.records as { Account: MailboxRecord[] }
  return Account.find((account) => account.emailAddress === address)
}

/**
 * A proxy to the identity provider that drops every filter: lists return everyone's rows, like an
 * authentik that does not know a filter's name.
 */
export async function openUnfilteredIdentity(): Promise<
  AsyncDisposable & { url: string; target: string }
> {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', proxy.target)
    const body = await text(request)
    for (const name of [...url.searchParams.keys()])
      if (!['page', 'page_size', 'ordering'].includes(name)) url.searchParams.delete(name)
    const { authorization = '' } = request.headers
    const sent = body === '' ? {} : { body }
    fetch(url, {
      method: request.method ?? 'GET',
      headers: { authorization, 'content-type': 'application/json' },
      ...sent,
    }).then(
      async (answer) => {
        const type = answer.headers.get('content-type')
        response.writeHead(answer.status, type === null ? {} : { 'content-type': type })
        response.end(Buffer.from(await answer.arrayBuffer()))
      },
      () => response.writeHead(502).end(),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: '',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return proxy
}

interface FileUser {
  id: string
  onPremisesSamAccountName: string
  displayName: string
  accountEnabled?: boolean
}

/** The account in the file storage, asked over its API. */
export async function fileUser(testApp: TestApp, email: string): Promise<FileUser | undefined> {
  const { filesUser, filesAppToken } = demoServiceCredentials
  const response = await fetch(
    `${testApp.sandbox.filesUrl}/graph/v1.0/users/${encodeURIComponent(email)}`,
    {
      headers: {
        authorization: `Basic ${Buffer.from(`${filesUser}:${filesAppToken}`).toString('base64')}`,
      },
    },
  )
  return response.ok ? ((await response.json()) as FileUser) : undefined
}

/**
 * Fails when a secret is in the log, the audit log or any table that a member's life cycle touches.
 */
export async function expectNowhere(testApp: TestApp, secret: string): Promise<void> {
  expect(testApp.logLines.join('\n')).not.toContain(secret)
  const { db } = testApp.database
  const rows = await Promise.all([
    db.selectFrom('audit_events').selectAll().execute(),
    db.selectFrom('users').selectAll().execute(),
    db.selectFrom('memberships').selectAll().execute(),
    db.selectFrom('idempotency_keys').selectAll().execute(),
    db.selectFrom('member_import_rows').selectAll().execute(),
  ])
  expect(JSON.stringify(rows)).not.toContain(secret)
}
