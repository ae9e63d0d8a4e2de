import type { Browser } from '@atrium/testing/bff/browser'
import { identityApi, identityRecords } from '@atrium/testing/outside'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Front, openFront } from './front.ts'

const tenants = 10_000
const email = 'partner@north.test'

let front: Front
let browser: Browser
beforeAll(async () => {
  front = await openFront({ started: false, env: { IDP_TENANT_GROUP_PREFIX: 'tenant-' } })
  await putIntoGroups()
  browser = front.browser()
}, 180_000)
afterAll(async () => {
  await front[Symbol.asyncDispose]()
})

/**
 * Tenants of one person with their groups at the identity provider, as provisioning leaves them.
 */
async function putIntoGroups(): Promise<void> {
  const { testApp } = front
  const person = identityRecords(testApp).users.find((user) => user.email === email)
  if (!person) throw new Error('the demo has this person')
  const names = Array.from({ length: tenants }, (_, n) => `tenant-customer-of-north-${n}`)
  for (let start = 0; start < names.length; start += 100) {
    await Promise.all(
      names
        .slice(start, start + 100)
        .map((name) => identityApi(testApp, 'POST', '/core/groups/', { name, users: [person.pk] })),
    )
  }
  const { db } = testApp.database
  await db.transaction().execute(async (trx) => {
    await sql`
      insert into tenants (slug, name, identity_group_name)
      select 'customer-of-north-' || n, 'Customer ' || n, 'tenant-customer-of-north-' || n from generate_series(0, ${tenants - 1}) n`.execute(
      trx,
    )
    await sql`
      insert into memberships (tenant_id, user_id, role, status)
      select t.id, u.id, 'owner', 'active' from tenants t, users u
      where t.slug like 'customer-of-north-%' and u.email = 'owner@acme.test'`.execute(trx)
    await sql`
      insert into provisioning_steps (tenant_id, step, state)
      select t.id, 'identity', 'ok' from tenants t where t.slug like 'customer-of-north-%'
      on conflict (tenant_id, step) do update set state = 'ok'`.execute(trx)
  })
}

const page = async (path: string) => {
  const response = await browser.fetch(`${front.urls.portal}${path}`)
  const body = (await response.json()) as { groups?: string[]; tenants?: object[] }
  return { status: response.status, body }
}

it('somebody in the groups of 10,000 tenants signs in at the portal, works, and stays signed in after a refresh', async () => {
  await browser.signIn(front.urls.portal, email)
  expect(await page('/api/session')).toMatchObject({ status: 200, body: { signedIn: true, email } })
  // authentik names each group twice here, because both mappings that bring groups are attached;
  // the limit has to take that.
  const verified = await page('/api/verify-token')
  expect(verified.body.groups).toHaveLength(tenants + 1)
  const me = await page('/api/me')
  expect(me).toMatchObject({ status: 200, body: { email } })
  expect(me.body.tenants).toHaveLength(tenants)
  expect((await page('/trpc/users.me')).status).toBe(200)

  await sql`update web_sessions set access_expires_at = now()`.execute(front.testApp.database.db)
  expect(await page('/api/me')).toMatchObject({ status: 200, body: { email } })
  expect(front.logLines.filter((line) => line.includes('"refreshed":true'))).not.toEqual([])
}, 120_000)

it('and signs out there and at the provider, by an address that proxies accept', async () => {
  const answer = await browser.post(`${front.urls.portal}/auth/logout`)
  expect(answer.status).toBe(303)
  const target = answer.headers.get('location') ?? ''
  expect(new URL(target).pathname).toBe('/application/o/atrium-portal/end-session/')
  expect(target.length).toBeLessThan(8_000)
  expect(new URL(target).searchParams.get('client_id')).toBe('atrium-portal')
  await browser.follow(target, (url) => url.startsWith(front.urls.portal))
  const again = await browser.follow(`${front.urls.portal}/auth/login`)
  expect(await again.response.text()).toContain('Local sign-in')
})

it('tokens never reach the browser, in cookies or responses', () => {
  for (const url of [front.urls.portal, front.testApp.sandbox.identityUrl]) {
    for (const name of browser.names(url))
      expect(browser.cookie(url, name)?.value.length ?? 0, name).toBeLessThan(2_000)
  }
})
