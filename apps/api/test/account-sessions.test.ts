import { randomBytes, randomUUID } from 'node:crypto'
import { createWebSession, type NewWebSession } from '@atrium/db/users/web-sessions'
import { auditOf } from '@atrium/testing/mailboxes'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { identityApi, upstreamText } from '@atrium/testing/outside'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newRefreshToken, refresh } from './refresh-tokens.ts'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({ manyChanges: true })
}, 120_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

/** As the sandbox names the browser of tokens that tests make. */
const thisBrowser = { userAgent: 'sandbox control API', address: '127.0.0.1', country: 'DE' }
const logins = '/core/authenticated_sessions/'

/** A member with a sign-in of this browser and one of another. */
async function signedIn() {
  const { member, oneTimePassword } = await testApp.newMember()
  const token = await testApp.token(member.email)
  const refreshToken = await newRefreshToken(testApp, member.email, oneTimePassword)
  const { idp_subject_id: subject } = await testApp.database.db
    .selectFrom('users')
    .select('idp_subject_id')
    .where('id', '=', member.id)
    .executeTakeFirstOrThrow()
  return { member, token, refreshToken, subject }
}

function begin(subject: string, changes: Partial<NewWebSession> = {}): Promise<string> {
  return createWebSession(testApp.database.db, {
    app: 'portal',
    tokenHash: randomBytes(32),
    subject,
    idpSessionId: undefined,
    email: undefined,
    device: thisBrowser,
    signedInAt: undefined,
    seal: () => Buffer.from('sealed'),
    accessSeconds: 600,
    ...changes,
  })
}

const sessionsOf = async (subject: string) => {
  const rows = await testApp.database.db
    .selectFrom('web_sessions')
    .select('id')
    .where('subject', '=', subject)
    .execute()
  return rows.map(({ id }) => id)
}
const signInsOf = async (email: string) =>
  (await identityApi(testApp, 'GET', `${logins}?user__username=${encodeURIComponent(email)}`))
    .results as { uuid: string; last_user_agent: string }[]

const call = (method: string, path: string, token: string, session?: string) =>
  testApp.request(method, `/users/me/${path}`, {
    token,
    ...(session && { headers: { 'x-atrium-session': session } }),
  })

describe('the list of own sessions', () => {
  it('shows both portals and the provider, and which of them this is', async () => {
    const { member, token, subject } = await signedIn()
    const here = await begin(subject)
    const elsewhere = await begin(subject, {
      app: 'operator',
      device: { userAgent: null, address: null, country: null },
    })
    await begin((await signedIn()).subject)
    const { status, body } = await call('GET', 'sessions', token, here)
    expect(status).toBe(200)
    expect(body.reason).toBeNull()
    expect(body.sessions).toHaveLength(2)
    expect(body.sessions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: here, app: 'portal', current: true, ...thisBrowser }),
        expect.objectContaining({
          id: elsewhere,
          app: 'operator',
          current: false,
          userAgent: null,
        }),
      ]),
    )
    const ids = (await signInsOf(member.email)).map(({ uuid }) => uuid).sort()
    expect(body.signIns.map(({ id }: { id: string }) => id).sort()).toEqual(ids)
    expect(body.signIns.filter(({ current }: { current: boolean }) => current)).toMatchObject([
      { userAgent: thisBrowser.userAgent, address: thisBrowser.address },
    ])
    for (const wrong of [randomUUID(), 'no id', undefined])
      expect(
        (await call('GET', 'sessions', token, wrong)).body.sessions.map(
          ({ current }: { current: boolean }) => current,
        ),
      ).toEqual([false, false])
  })

  it.each([{ mode: 'error', status: 503 }, { mode: 'reset' }, { mode: 'garbage' }] as const)(
    'shows the portals when the provider fails: %j',
    async (fault) => {
      const { token, subject } = await signedIn()
      const here = await begin(subject)
      testApp.sandbox.fault({ system: 'identity', match: `GET /api/v3${logins}`, ...fault })
      const { status, body } = await call('GET', 'sessions', token, here)
      expect(status).toBe(200)
      expect(body).toMatchObject({ sessions: [{ id: here, current: true }], signIns: null })
      expect(body.reason).toEqual(expect.any(String))
      for (const text of upstreamText) expect(body.reason).not.toContain(text)
    },
  )

  it('is empty for a person without a record', async () => {
    const { token, subject, member } = await signedIn()
    await begin(subject)
    await testApp.database.db.deleteFrom('memberships').where('user_id', '=', member.id).execute()
    await testApp.database.db.deleteFrom('users').where('id', '=', member.id).execute()
    expect((await call('GET', 'sessions', token)).body).toMatchObject({
      sessions: [{ current: false }],
      signIns: [],
    })
  })
})

describe('ending one session', () => {
  it("ends the caller's own and nobody else's", async () => {
    const [mine, other] = [await signedIn(), await signedIn()]
    const [first, second] = [await begin(mine.subject), await begin(mine.subject)]
    const foreign = await begin(other.subject)
    expect((await call('DELETE', `sessions/${first}`, mine.token)).status).toBe(204)
    for (const id of [first, foreign, randomUUID()])
      expect(await call('DELETE', `sessions/${id}`, mine.token)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
    expect(await sessionsOf(mine.subject)).toEqual([second])
    expect(await sessionsOf(other.subject)).toEqual([foreign])
    expect((await auditOf(testApp, 'user.sessions_ended'))[0]).toMatchObject({
      outcome: 'success',
      resource_id: mine.member.id,
    })
  })

  it("ends the caller's own sign-in at the provider and nobody else's", async () => {
    const [mine, other] = [await signedIn(), await signedIn()]
    const [own] = await signInsOf(mine.member.email)
    const before = await signInsOf(other.member.email)
    const [foreign] = before
    expect((await call('DELETE', `sign-ins/${own?.uuid}`, mine.token)).status).toBe(204)
    for (const id of [own?.uuid, foreign?.uuid, randomUUID()])
      expect(await call('DELETE', `sign-ins/${id}`, mine.token)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
    expect(await signInsOf(mine.member.email)).toHaveLength(1)
    expect(await signInsOf(other.member.email)).toEqual(before)
  })

  it.each(['GET', 'DELETE'])('claims no success when the provider fails at %s', async (method) => {
    const { member, token } = await signedIn()
    const [own] = await signInsOf(member.email)
    testApp.sandbox.fault({
      system: 'identity',
      match: `${method} /api/v3${logins}`,
      mode: 'error',
      status: 403,
    })
    expect(await call('DELETE', `sign-ins/${own?.uuid}`, token)).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed' },
    })
    testApp.sandbox.clearFaults()
    expect(await signInsOf(member.email)).toHaveLength(2)
  })

  it('ends it once when eight ask at the same time', async () => {
    const { token, subject } = await signedIn()
    const id = await begin(subject)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call('DELETE', `sessions/${id}`, token)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(404)])
  })
})

describe('ending all others', () => {
  const endOthers = (token: string, session?: string) =>
    call('POST', 'sessions/end-others', token, session)

  it('keeps this session and the sign-in of this browser', async () => {
    const [mine, other] = [await signedIn(), await signedIn()]
    const here = await begin(mine.subject)
    await begin(mine.subject)
    await begin(mine.subject, { app: 'operator' })
    const foreign = await begin(other.subject)
    expect(await endOthers(mine.token, here)).toMatchObject({
      status: 200,
      body: { sessions: 2, signIns: 1 },
    })
    expect(await sessionsOf(mine.subject)).toEqual([here])
    expect(await signInsOf(mine.member.email)).toMatchObject([
      { last_user_agent: thisBrowser.userAgent },
    ])
    expect(await sessionsOf(other.subject)).toEqual([foreign])
    expect(await signInsOf(other.member.email)).toHaveLength(2)
    // Applications stay signed in by their refresh tokens, the portals' among them.
    expect((await refresh(testApp, mine.refreshToken)).status).toBe(200)
  })

  it("ends everything for a caller without a session, also when it names somebody else's", async () => {
    const [mine, other] = [await signedIn(), await signedIn()]
    await begin(mine.subject)
    const foreign = await begin(other.subject)
    expect(await endOthers(mine.token, foreign)).toMatchObject({
      body: { sessions: 1, signIns: 2 },
    })
    expect(await sessionsOf(other.subject)).toEqual([foreign])
    expect(await endOthers(mine.token)).toMatchObject({ body: { sessions: 0, signIns: 0 } })
  })

  it("ends the portals' sessions even when the provider fails, and says so", async () => {
    const { member, token, subject } = await signedIn()
    const here = await begin(subject)
    await begin(subject)
    testApp.sandbox.fault({
      system: 'identity',
      match: `DELETE /api/v3${logins}`,
      mode: 'error',
      status: 503,
    })
    expect(await endOthers(token, here)).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed' },
    })
    expect(await sessionsOf(subject)).toEqual([here])
    expect((await auditOf(testApp, 'user.sessions_ended'))[0]).toMatchObject({
      outcome: 'failure',
      resource_id: member.id,
    })
    testApp.sandbox.clearFaults()
    expect(await endOthers(token, here)).toMatchObject({ status: 200, body: { signIns: 1 } })
  })
})
