import { randomBytes } from 'node:crypto'
import { openTestDatabase, type TestDatabase } from '@atrium/testing/postgres/open-database'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createWebSession,
  deleteExpiredWebSessions,
  deleteOtherWebSessions,
  deleteOwnWebSession,
  deleteWebSessionsOfLogin,
  findWebSession,
  listWebSessionsOfSubject,
  lockWebSessionTokens,
  type NewWebSession,
  setWebSessionTokens,
  takeWebSession,
  touchWebSession,
} from '../../src/users/web-sessions.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  await database.db.deleteFrom('web_sessions').execute()
})

async function begin(changes: Partial<NewWebSession> = {}) {
  const tokenHash = randomBytes(32)
  const session: NewWebSession = {
    app: 'portal',
    tokenHash,
    subject: 'person-1',
    idpSessionId: 'login-1',
    email: 'a@b.test',
    device: { userAgent: 'Firefox', address: '192.0.2.1', country: 'DE' },
    signedInAt: undefined,
    seal: (id) => Buffer.from(`sealed for ${id}`),
    accessSeconds: 600,
    ...changes,
  }
  return { id: await createWebSession(database.db, session), tokenHash }
}
const find = (tokenHash: Buffer) => findWebSession(database, 'portal', tokenHash)
const shift = (column: 'last_used_at' | 'expires_at', id: string, minutes: number) =>
  database.db
    .updateTable('web_sessions')
    .set({ [column]: new Date(Date.now() + minutes * 60_000) })
    .where('id', '=', id)
    .execute()

describe('a web session', () => {
  it('is found by the hash of its cookie, in its own app, with tokens that are bound to its id', async () => {
    const { id, tokenHash } = await begin()
    const expected = {
      id,
      subject: 'person-1',
      email: 'a@b.test',
      accessDue: false,
      accessExpired: false,
      touchDue: false,
      endedByPolicy: false,
    }
    expect(await find(tokenHash)).toEqual({ ...expected, tokens: Buffer.from(`sealed for ${id}`) })
    expect(await findWebSession(database, 'operator', tokenHash)).toBeUndefined()
    expect(await find(randomBytes(32))).toBeUndefined()
  })

  it.each([
    [31, false, false],
    [29, true, false],
    [-1, true, true],
  ])(
    'whose access token lasts %i s more is due: %s, expired: %s',
    async (accessSeconds, accessDue, accessExpired) => {
      const { tokenHash } = await begin({ accessSeconds })
      expect(await find(tokenHash)).toMatchObject({ accessDue, accessExpired })
    },
  )

  it('notes its use once a minute', async () => {
    const { id, tokenHash } = await begin()
    await shift('last_used_at', id, -2)
    expect(await find(tokenHash)).toMatchObject({ touchDue: true })
    await touchWebSession(database.db, id)
    expect(await find(tokenHash)).toMatchObject({ touchDue: false })
    await shift('last_used_at', id, -0.5)
    const before = await database.db
      .selectFrom('web_sessions')
      .select('last_used_at')
      .executeTakeFirst()
    await touchWebSession(database.db, id)
    expect(
      await database.db.selectFrom('web_sessions').select('last_used_at').executeTakeFirst(),
    ).toEqual(before)
  })

  it('takes new tokens under its lock, and lets a second transaction see them only then', async () => {
    const { id } = await begin()
    const order: string[] = []
    const locked = Promise.withResolvers<void>()
    const first = database.db.transaction().execute(async (trx) => {
      await lockWebSessionTokens(trx, id)
      locked.resolve()
      await new Promise((done) => setTimeout(done, 100))
      await setWebSessionTokens(trx, id, Buffer.from('newer'), 600)
      order.push('first')
    })
    await locked.promise
    const second = await database.db.transaction().execute(async (trx) => {
      const tokens = await lockWebSessionTokens(trx, id)
      order.push('second')
      return tokens
    })
    await first
    expect(order).toEqual(['first', 'second'])
    expect(second).toEqual(Buffer.from('newer'))
  })

  it('is taken once', async () => {
    const { id, tokenHash } = await begin()
    expect(await takeWebSession(database.db, 'operator', tokenHash)).toBeUndefined()
    expect(await takeWebSession(database.db, 'portal', tokenHash)).toMatchObject({ id })
    expect(await takeWebSession(database.db, 'portal', tokenHash)).toBeUndefined()
  })
})

describe('the end of a login at the identity provider', () => {
  it('ends its sessions in the one app, or all of the person', async () => {
    await begin()
    await begin({ idpSessionId: 'login-2' })
    await begin({ app: 'operator' })
    await begin({ subject: 'person-2', idpSessionId: undefined })
    const { db } = database
    expect(
      await deleteWebSessionsOfLogin(db, 'portal', {
        idpSessionId: 'login-1',
        subject: 'somebody else',
      }),
    ).toBe(0)
    expect(await deleteWebSessionsOfLogin(db, 'portal', { idpSessionId: 'login-1' })).toBe(1)
    expect(await deleteWebSessionsOfLogin(db, 'portal', { subject: 'person-1' })).toBe(1)
    const left = await db
      .selectFrom('web_sessions')
      .select(['app', 'subject'])
      .orderBy('app')
      .execute()
    expect(left).toEqual([
      { app: 'operator', subject: 'person-1' },
      { app: 'portal', subject: 'person-2' },
    ])
  })
})

describe('the sessions of a person', () => {
  it('are listed while they are live, of both apps, the one used last first, and no more than asked for', async () => {
    const { db } = database
    const first = await begin({ app: 'operator' })
    const second = await begin({ device: { userAgent: null, address: null, country: null } })
    const idle = await begin()
    const over = await begin()
    await begin({ subject: 'person-2' })
    await shift('last_used_at', first.id, -5)
    await shift('last_used_at', idle.id, -12 * 60 - 1)
    await shift('expires_at', over.id, -1)
    expect(await listWebSessionsOfSubject(db, 'person-1', 9)).toEqual([
      expect.objectContaining({ id: second.id, app: 'portal', userAgent: null, address: null }),
      expect.objectContaining({
        id: first.id,
        app: 'operator',
        userAgent: 'Firefox',
        address: '192.0.2.1',
        country: 'DE',
      }),
    ])
    expect(await listWebSessionsOfSubject(db, 'person-1', 1)).toHaveLength(1)
  })

  it('are ended one by one by that person alone, or all but one', async () => {
    const { db } = database
    const [one, two, three] = [await begin(), await begin({ app: 'operator' }), await begin()]
    const foreign = await begin({ subject: 'person-2' })
    expect(await deleteOwnWebSession(db, { id: foreign.id, subject: 'person-1' })).toBe(false)
    expect(await deleteOwnWebSession(db, { id: one.id, subject: 'person-1' })).toBe(true)
    expect(await deleteOwnWebSession(db, { id: one.id, subject: 'person-1' })).toBe(false)
    expect(await deleteOtherWebSessions(db, { subject: 'person-1', keep: two.id })).toBe(1)
    expect(await find(three.tokenHash)).toBeUndefined()
    expect(await findWebSession(database, 'operator', two.tokenHash)).toMatchObject({ id: two.id })
    expect(await deleteOtherWebSessions(db, { subject: 'person-1', keep: undefined })).toBe(1)
    expect(await find(foreign.tokenHash)).toMatchObject({ id: foreign.id })
  })
})

it('cleanup removes what has run out and nothing else', async () => {
  const idle = await begin()
  const old = await begin()
  const live = await begin()
  await shift('last_used_at', idle.id, -12 * 60 - 1)
  await shift('expires_at', old.id, -1)
  expect(await deleteExpiredWebSessions(database.db)).toBe(2)
  expect(await find(live.tokenHash)).toMatchObject({ id: live.id })
})
