import { randomBytes } from 'node:crypto'
import type { Browser } from '@atrium/testing/bff/browser'
import { startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startAppServer } from '../src/server.ts'
import type { SessionView } from '../src/views.ts'
import { openOptionRefusingPooler } from './pooler.ts'

let testBff: TestBff
let sessionName: string

beforeAll(async () => {
  testBff = await startTestBff()
  sessionName = testBff.cookieName
})
afterAll(async () => {
  await testBff[Symbol.asyncDispose]()
})

async function sessionOf(browser: Browser): Promise<SessionView> {
  return (await (await browser.fetch(`${testBff.publicUrl}/api/session`)).json()) as SessionView
}
const person = 'owner@acme.test'

describe('a session', () => {
  it('is a new one after every sign-in, and the former ends (fixation)', async () => {
    const attacker = testBff.browser()
    await attacker.signIn(testBff.publicUrl, 'owner@globex.test')
    const planted = attacker.cookie(testBff.publicUrl, sessionName)?.value ?? ''
    const victim = testBff.browser()
    victim.setCookie(testBff.publicUrl, sessionName, planted)
    await victim.signIn(testBff.publicUrl, person)
    expect(victim.cookie(testBff.publicUrl, sessionName)?.value).not.toBe(planted)
    expect(await sessionOf(victim)).toMatchObject({ email: person })
    expect(await sessionOf(attacker)).toMatchObject({ signedIn: false })
  })

  it('is not made from a cookie that the server did not give', async () => {
    for (const value of ['A'.repeat(43), 'x', "' or 1=1", 'A'.repeat(5_000)]) {
      const browser = testBff.browser()
      browser.setCookie(testBff.publicUrl, sessionName, value)
      expect(await sessionOf(browser)).toMatchObject({ signedIn: false })
      expect((await browser.fetch(`${testBff.publicUrl}/api/me`)).status).toBe(401)
    }
  })

  it('ends 12 hours after its last use, and 7 days after it began whatever its use', async () => {
    const browser = testBff.browser()
    await browser.signIn(testBff.publicUrl, person)
    const age = (column: 'last_used_at' | 'expires_at', hours: number) =>
      testBff.database.db
        .updateTable('web_sessions')
        .set({ [column]: new Date(Date.now() + hours * 3_600_000) })
        .execute()
    await age('last_used_at', -11.9)
    expect(await sessionOf(browser)).toMatchObject({ signedIn: true })
    // The look just now counted as a use.
    const lastUse = () =>
      testBff.database.db
        .selectFrom('web_sessions')
        .select('last_used_at')
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow()
    await expect
      .poll(async () => Date.now() - (await lastUse()).last_used_at.getTime())
      .toBeLessThan(60_000)
    await age('last_used_at', -12.1)
    expect(await sessionOf(browser)).toMatchObject({ signedIn: false })
    await age('last_used_at', 0)
    expect(await sessionOf(browser)).toMatchObject({ signedIn: true })
    await age('expires_at', -0.01)
    expect(await sessionOf(browser)).toMatchObject({ signedIn: false })
  })

  it('has a lifetime of seven days in the database and the browser', async () => {
    const browser = testBff.browser()
    await browser.signIn(testBff.publicUrl, person)
    expect(browser.cookie(testBff.publicUrl, sessionName)?.attributes).toContain('Max-Age=604800')
    const row = await testBff.database.db
      .selectFrom('web_sessions')
      .select(['created_at', 'expires_at'])
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    expect(row.expires_at.getTime() - row.created_at.getTime()).toBe(604_800_000)
  })

  it('of one app is none in the other', async () => {
    const browser = testBff.browser()
    await browser.signIn(testBff.publicUrl, person)
    await testBff.database.db.updateTable('web_sessions').set({ app: 'operator' }).execute()
    expect(await sessionOf(browser)).toMatchObject({ signedIn: false })
  })
})

describe('stored tokens', () => {
  it('open in their own row only', async () => {
    const [anna, gero] = [testBff.browser(), testBff.browser()]
    await anna.signIn(testBff.publicUrl, person)
    await gero.signIn(testBff.publicUrl, 'owner@globex.test')
    const rows = await testBff.database.db
      .selectFrom('web_sessions')
      .select(['id', 'tokens'])
      .orderBy('id', 'desc')
      .limit(2)
      .execute()
    const write = (id: string | undefined, tokens: Buffer | undefined) =>
      testBff.database.db
        .updateTable('web_sessions')
        .set({ tokens: tokens ?? Buffer.alloc(0) })
        .where('id', '=', id ?? '')
        .execute()
    await write(rows[0]?.id, rows[1]?.tokens)
    await write(rows[1]?.id, rows[0]?.tokens)
    for (const browser of [anna, gero]) {
      expect(await sessionOf(browser)).toMatchObject({ signedIn: false })
      expect((await browser.fetch(`${testBff.publicUrl}/api/me`)).status).toBe(401)
    }
    await write(rows[0]?.id, rows[0]?.tokens)
    expect(await sessionOf(gero)).toMatchObject({ signedIn: true, email: 'owner@globex.test' })
  })

  it('survive a server that does not have their key, and are read by one that has it in second place', async () => {
    const browser = testBff.browser()
    await browser.signIn(testBff.publicUrl, person)
    const other = `other:${randomBytes(32).toString('base64')}`
    const under = async (keys: string) => {
      const server = await startAppServer({
        app: 'portal',
        env: { ...testBff.env, ENCRYPTION_KEYS: keys, LOG_LEVEL: 'silent' },
        distDir: testBff.distDir,
      })
      const view = await browser.fetch(`http://localhost:${server.port}/api/session`)
      await server.close()
      return view.json()
    }
    expect(await under(other)).toMatchObject({ signedIn: false })
    expect(await under(`${other},${testBff.env.ENCRYPTION_KEYS}`)).toMatchObject({ signedIn: true })
    expect(await sessionOf(browser)).toMatchObject({ signedIn: true })
  })
})

describe('a transaction pooler before the database', () => {
  it('is asked for nothing that it rejects', async () => {
    const browser = testBff.browser()
    await browser.signIn(testBff.publicUrl, person)
    await using pooler = await openOptionRefusingPooler(testBff.env.DATABASE_URL ?? '')
    const server = await startAppServer({
      app: 'portal',
      env: {
        ...testBff.env,
        DATABASE_URL: pooler.addressOf(testBff.env.DATABASE_URL ?? ''),
        LOG_LEVEL: 'silent',
      },
      distDir: testBff.distDir,
    })
    const view = await browser.fetch(`http://localhost:${server.port}/api/session`)
    expect([view.status, await view.json()]).toMatchObject([200, { signedIn: true }])
    await server.close()
    expect(pooler.refused()).toBe(0)
  })
})

describe('the identity provider being away', () => {
  it('sends who signs in to a page that says so, and works again afterwards', async () => {
    await using fresh = await startTestBff({ bff: { idpDeadlineSeconds: 1 } })
    fresh.sandbox.fault({ system: 'identity', mode: 'error' })
    const browser = fresh.browser()
    const response = await browser.fetch(`${fresh.publicUrl}/auth/login`)
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/signed-out?error=unavailable',
    ])
    fresh.sandbox.clearFaults()
    expect(await browser.signIn(fresh.publicUrl, person)).toBe('/')
  })
})
