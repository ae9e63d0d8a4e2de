import { randomBytes, randomUUID } from 'node:crypto'
import { createKeyring } from '@atrium/db/platform/encryption'
import type { WebApp } from '@atrium/db/users/web-sessions'
import { openTestDatabase, type TestDatabase } from '@atrium/testing/postgres/open-database'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '../src/log.ts'
import type { IssuedTokens, OidcClient } from '../src/oidc/client.ts'
import { createSessions, type Session, type Sessions } from '../src/sessions.ts'

let database: TestDatabase
let sessions: Sessions
const keyring = createKeyring(`test:${randomBytes(32).toString('base64')}`)
/** The identity provider: what it answers to a refresh token. */
const refresh = vi.fn<OidcClient['refresh']>()
const lines: string[] = []

beforeAll(async () => {
  database = await openTestDatabase()
}, 60_000)
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(() => {
  refresh.mockReset()
  lines.length = 0
  sessions = open()
})

/** As one process has it. */
function open(app: WebApp = 'portal', keys = keyring): Sessions {
  const log = createLogger(app, 'debug', { write: (line) => void lines.push(line) })
  return createSessions({ app, database, keyring: keys, oidc: { refresh } as never, log })
}

const issued: IssuedTokens = { access: 'a1', refresh: 'r1', id: 'i1', accessSeconds: 300 }
const newPerson = () => ({
  subject: randomUUID(),
  idpSessionId: randomUUID(),
  email: 'owner@acme.test',
  authTime: undefined,
  secondFactor: false,
})

const device = { userAgent: 'Firefox', address: '192.0.2.1', country: 'DE' }

async function begun(tokens: IssuedTokens = issued, person = newPerson()) {
  const cookie = await sessions.begin(tokens, person, device)
  const session = await sessions.find(cookie)
  if (!session) throw new Error('there is no session')
  return { cookie, session, person }
}
const tokensOf = async (cookie: string) => (await sessions.find(cookie))?.tokens
const stored = (session: Session) =>
  database.db
    .selectFrom('web_sessions')
    .select(['tokens', 'last_used_at'])
    .where('id', '=', session.id)
    .executeTakeFirst()
const usedAgo = (session: Session, seconds: number) =>
  database.db
    .updateTable('web_sessions')
    .set({ last_used_at: new Date(Date.now() - seconds * 1_000) })
    .where('id', '=', session.id)
    .execute()
const secondsUnused = async (session: Session) =>
  (Date.now() - ((await stored(session))?.last_used_at.getTime() ?? 0)) / 1_000

describe('a session', () => {
  it('is found by the value of its cookie, with what the sign-in gave', async () => {
    const { cookie, session, person } = await begun()
    expect(cookie).toMatch(/^[\w-]{43}$/)
    expect(session).toEqual({
      id: expect.any(String),
      subject: person.subject,
      email: 'owner@acme.test',
      tokens: { access: 'a1', refresh: 'r1', id: 'i1' },
      accessDue: false,
      accessExpired: false,
    })
    expect(lines.join('')).toContain(session.id)
    for (const secret of [cookie, 'owner@acme.test']) expect(lines.join('')).not.toContain(secret)
  })

  it('is none of another app, of no cookie, and of what cannot be one', async () => {
    const { cookie } = await begun()
    expect(await open('operator').find(cookie)).toBeUndefined()
    const reads = vi.spyOn(database, 'read')
    for (const other of [undefined, '', 'x', `${cookie}x`, `x${cookie}`, `${cookie.slice(1)}.`])
      expect(await sessions.find(other)).toBeUndefined()
    expect(reads).not.toHaveBeenCalled()
    reads.mockRestore()
  })

  it('notes its use once a minute, unless told not to', async () => {
    const { cookie, session } = await begun()
    await usedAgo(session, 50)
    await sessions.find(cookie)
    expect(await secondsUnused(session)).toBeGreaterThan(40)
    await usedAgo(session, 70)
    await sessions.find(cookie, { touch: false })
    expect(await secondsUnused(session)).toBeGreaterThan(60)
    await sessions.find(cookie, {})
    await expect.poll(() => secondsUnused(session)).toBeLessThan(40)
  })

  it('whose tokens another key has encrypted is none, and stays', async () => {
    const { cookie, session } = await begun()
    const other = open('portal', createKeyring(`other:${randomBytes(32).toString('base64')}`))
    expect(await other.find(cookie)).toBeUndefined()
    expect(lines.some((line) => /"error"/.test(line) && line.includes(session.id))).toBe(true)
    expect(await tokensOf(cookie)).toEqual(session.tokens)
  })

  it('whose tokens are ours and have another shape is a bug', async () => {
    const { cookie, session } = await begun()
    await database.db
      .updateTable('web_sessions')
      .set({ tokens: keyring.encrypt('{}', `web_sessions.tokens:${session.id}`) })
      .where('id', '=', session.id)
      .execute()
    await expect(sessions.find(cookie)).rejects.toThrow()
  })
})

describe('a refresh', () => {
  const next: IssuedTokens = { access: 'a2', refresh: 'r2', id: 'i2', accessSeconds: 300 }

  it('stores what the identity provider gives for the refresh token of the person', async () => {
    const { cookie, session, person } = await begun()
    refresh.mockResolvedValue(next)
    expect(await sessions.refresh(session, 'a1')).toBe('a2')
    expect(refresh.mock.calls).toEqual([['r1', person.subject]])
    expect(await tokensOf(cookie)).toEqual({ access: 'a2', refresh: 'r2', id: 'i2' })
  })

  it('keeps the refresh token and the ID token that are not replaced', async () => {
    const { cookie, session } = await begun()
    refresh.mockResolvedValue({ ...next, refresh: undefined, id: undefined })
    await sessions.refresh(session, 'a1')
    expect(await tokensOf(cookie)).toEqual({ access: 'a2', refresh: 'r1', id: 'i1' })
  })

  it('is made once, however many requests and processes ask', async () => {
    const { session } = await begun()
    const other = open()
    const answer = Promise.withResolvers<IssuedTokens>()
    refresh.mockReturnValueOnce(answer.promise)
    const asked = [sessions, sessions, other, other].map((of) => of.refresh(session, 'a1'))
    await expect.poll(() => refresh.mock.calls.length).toBe(1)
    let settled = false
    const allSettled = sessions.settled().then(() => {
      settled = true
    })
    await new Promise((done) => setTimeout(done, 20))
    expect(settled).toBe(false)
    answer.resolve(next)
    expect(await Promise.all(asked)).toEqual(['a2', 'a2', 'a2', 'a2'])
    await allSettled
    expect(refresh).toHaveBeenCalledTimes(1)
    expect(lines.filter((line) => line.includes('"refreshing"'))).toHaveLength(2)
  })

  it('is not made for a token that was replaced meanwhile, and made again for the new one', async () => {
    const { session } = await begun()
    refresh.mockResolvedValueOnce(next).mockResolvedValueOnce({ ...next, access: 'a3' })
    await sessions.refresh(session, 'a1')
    expect(await sessions.refresh(session, 'a1')).toBe('a2')
    expect(refresh).toHaveBeenCalledTimes(1)
    expect(await sessions.refresh(session, 'a2')).toBe('a3')
  })

  it.each([
    ['the identity provider rejects the token', issued, 1],
    ['there is no refresh token', { ...issued, refresh: undefined }, 0],
  ])('ends the session where %s', async (_name, tokens, calls) => {
    const { cookie, session } = await begun(tokens)
    refresh.mockResolvedValue(undefined)
    await expect(sessions.refresh(session, 'a1')).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(refresh).toHaveBeenCalledTimes(calls)
    expect(await sessions.find(cookie)).toBeUndefined()
    expect(await stored(session)).toBeUndefined()
    await expect(sessions.refresh(session, 'a1')).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(refresh).toHaveBeenCalledTimes(calls)
  })

  it('leaves the session as it is while the identity provider does not respond', async () => {
    const { cookie, session } = await begun()
    refresh.mockRejectedValueOnce(new Error('no response'))
    await expect(sessions.refresh(session, 'a1')).rejects.toMatchObject({ code: 'unavailable' })
    expect(lines.some((line) => /"warn"/.test(line) && line.includes(session.id))).toBe(true)
    expect(await tokensOf(cookie)).toEqual(session.tokens)
    refresh.mockResolvedValueOnce(next)
    expect(await sessions.refresh(session, 'a1')).toBe('a2')
  })
})

describe('the end of a session', () => {
  it('returns its tokens once, to revoke them', async () => {
    const { cookie, session } = await begun()
    expect(await sessions.end(cookie)).toEqual(session.tokens)
    expect(lines.some((line) => line.includes('ended') && line.includes(session.id))).toBe(true)
    expect(await sessions.find(cookie)).toBeUndefined()
    for (const over of [cookie, undefined, 'x']) expect(await sessions.end(over)).toBeUndefined()
  })

  it('comes for all of a login, or all of a person', async () => {
    const person = newPerson()
    const again = { ...person, idpSessionId: randomUUID() }
    const [one, two, three] = [
      await begun(issued, person),
      await begun(issued, person),
      await begun(issued, again),
    ]
    const other = await begun()
    expect(await sessions.endLogin({ idpSessionId: person.idpSessionId })).toBe(2)
    const found = async () =>
      Promise.all(
        [one, two, three, other].map(async ({ cookie }) => !!(await sessions.find(cookie))),
      )
    expect(await found()).toEqual([false, false, true, true])
    expect(await sessions.endLogin({ subject: person.subject })).toBe(1)
    expect(await found()).toEqual([false, false, false, true])
  })
})
