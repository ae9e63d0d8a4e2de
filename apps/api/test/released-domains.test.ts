import {
  fileUser,
  identityUser,
  type MembersTestApp,
  mailbox,
  mailboxOpens,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { clientsWithDeadline } from '@atrium/testing/outside'
import { settleTenant } from '@atrium/testing/suspension-test-app'
import { proveDomain } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkDueDomains } from '../src/mail/domains/jobs.ts'
import { sweepLists } from '../src/mail/lists/sweep.ts'
import { purgeTenants } from '../src/tenants/purge.ts'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({
    integrations: clientsWithDeadline(1_000),
    manyChanges: true,
  })
  // It keeps the directory of proven domains for the version before. The service does so itself.
  const owner = new pg.Client({ connectionString: testApp.ownerUrl })
  await owner.connect()
  await owner.query('drop trigger keep_proven_domain on domains').finally(() => owner.end())
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

let made = 0
interface Place {
  slug: string
  /** The domain that the tenant proved. */
  domain: string
  /** The name in its place once it is released. */
  standIn: string
  password: string
}

/**
 * A tenant with a domain of its own: on it a member with mailbox, alias and file account, and a
 * list; another list below the platform's domain.
 */
async function tenantWithDomain(): Promise<Place> {
  made += 1
  const slug = `leaver${made}`
  const domain = `leaver${made}.example.com`
  const call = (method: string, path: string, body?: object) => ask(slug, method, path, body)
  expect(
    (
      await testApp.request('POST', '/tenants', {
        token: testApp.as.outsider,
        body: { name: slug, slug },
      })
    ).body.status,
  ).toBe('active')
  await own(slug, domain)
  const { body } = await call('POST', '/users', { email: `person@${domain}`, name: 'Person' })
  await call('POST', `/users/${body.member.id}/aliases`, { address: `other@${domain}` })
  for (const on of [domain, `${slug}.tenants.local`]) {
    await call('POST', '/lists', {
      address: `all@${on}`,
      name: 'All',
      recipients: [`person@${domain}`],
    })
  }
  return {
    slug,
    domain,
    standIn: `was-leaver${made}-example-com.${slug}.tenants.local`,
    password: body.oneTimePassword,
  }
}

/** The domain becomes the tenant's, and its primary one. */
async function own(slug: string, domain: string): Promise<void> {
  await proveDomain(testApp, slug, domain)
  expect(
    (await testApp.request('POST', `/tenants/${slug}/reconcile`, { token: testApp.as.operator }))
      .body.tenant.status,
  ).toBe('active')
  const primary = await testApp.request('PUT', `/tenants/${slug}/domains/${domain}/primary`, {
    token: testApp.as.operator,
  })
  expect(primary.status, JSON.stringify(primary.body)).toBe(200)
}

async function ask(slug: string, method: string, path: string, body?: object) {
  const response = await testApp.request(method, `/tenants/${slug}${path}`, {
    token: testApp.as.outsider,
    ...(body ? { body } : {}),
  })
  expect(response.status, `${method} ${path} ${JSON.stringify(response.body)}`).toBeLessThan(300)
  return response
}

const release = (slug: string, token = testApp.as.outsider) =>
  testApp.request('DELETE', `/tenants/${slug}?releaseDomains=true`, { token })
const restore = (slug: string) =>
  testApp.request('POST', `/tenants/${slug}/restore`, { token: testApp.as.operator, body: {} })
const domainsOf = async (slug: string) =>
  (await testApp.request('GET', `/tenants/${slug}/domains`, { token: testApp.as.operator })).body
    .items as {
    name: string
    primary: boolean
    verified: boolean
    releasedName: string | null
  }[]
const mailDomains = () =>
  (testApp.sandbox.state().mail.records as { Domain: { name: string }[] }).Domain.map(
    ({ name }) => name,
  )
const mailLists = () =>
  (
    testApp.sandbox.state().mail.records as {
      MailingList: { emailAddress: string; recipients: Record<string, true> }[]
    }
  ).MailingList

/** Everything follows, as the jobs bring it about. */
async function settle(slug: string): Promise<void> {
  await testApp.database.db
    .updateTable('domains')
    .set({ next_check_at: new Date(0) })
    .where('mail_rename_due', '=', true)
    .execute()
  await checkDueDomains(testApp.app.services)
  await testApp.database.db
    .updateTable('mail_lists')
    .set({ next_at: null })
    .where('state', '=', 'pending')
    .execute()
  await sweepLists(testApp.app.services)
  await settleTenant(testApp, slug)
}

/** Everything of the person under this domain, and nothing under the other one. */
async function expectOn({ slug, password }: Place, domain: string, not: string): Promise<void> {
  const address = `person@${domain}`
  expect(await mailboxOpens(testApp, address, password)).toBe(true)
  expect(Object.values(mailbox(testApp, address)?.aliases ?? {}).map(({ name }) => name)).toEqual([
    'other',
  ])
  expect(await identityUser(testApp, address)).toMatchObject({ email: address, is_active: true })
  expect(await fileUser(testApp, address)).toMatchObject({ accountEnabled: true })
  const { body } = await ask(slug, 'GET', '/users')
  const member = body.items.find(({ email }: { email: string }) => email === address)
  expect(member).toMatchObject({
    mailboxAddress: address,
    outcomes: { identity: 'ok', mail: 'ok', files: 'ok' },
  })
  const lists = (await ask(slug, 'GET', '/lists')).body.items.map(
    ({ address: at, state }: Record<string, string>) => `${at} ${state}`,
  )
  expect(lists.sort()).toEqual([`all@${domain} ok`, `all@${slug}.tenants.local ok`].sort())
  const sent = mailLists().filter(
    ({ emailAddress }) => emailAddress === `all@${slug}.tenants.local`,
  )
  expect(sent.flatMap(({ recipients }) => Object.keys(recipients))).toEqual([address])
  const pattern = `%@${not}`
  const { rows } = await sql<{ address: string }>`
    select address from mail_list_recipients where address like ${pattern} union select mailbox_address from memberships where mailbox_address like ${pattern}
    union select address from mail_lists where address like ${pattern} union select mail_address from hosts where mail_address like ${pattern}`.execute(
    testApp.database.db,
  )
  expect(rows.map(({ address: at }) => at)).toEqual([])
}

describe('a released domain', () => {
  it('is free for others when the owner deletes the tenant, and is restored if not taken', async () => {
    const place = await tenantWithDomain()
    const { slug, domain, standIn } = place
    expect((await release(slug)).status).toBe(204)
    await settle(slug)
    expect(await domainsOf(slug)).toMatchObject([
      { name: standIn, primary: true, verified: true, releasedName: domain },
      { name: `${slug}.tenants.local`, releasedName: null },
    ])
    expect(mailDomains()).toContain(standIn)
    expect(mailDomains()).not.toContain(domain)
    expect(await identityUser(testApp, `person@${domain}`)).toBeUndefined()
    expect(await fileUser(testApp, `person@${domain}`)).toBeUndefined()
    expect(mailLists().flatMap(({ recipients }) => Object.keys(recipients))).not.toContain(
      `person@${domain}`,
    )
    expect((await testApp.call('POST', '/domains', { domain })).status).toBe(201)
    expect((await testApp.call('DELETE', `/domains/${domain}`)).status).toBe(204)

    expect(await restore(slug)).toMatchObject({
      status: 200,
      body: { tenant: { status: 'active', primaryDomain: domain }, lostDomains: [] },
    })
    await settle(slug)
    expect(mailDomains()).toContain(domain)
    expect(mailDomains()).not.toContain(standIn)
    await expectOn(place, domain, standIn)
    expect(await testApp.auditActions()).toEqual(
      expect.arrayContaining(['tenant.deleted', 'tenant.domains_released', 'tenant.restored']),
    )
  })

  it('stays with the tenant that proved it, with an address on it; the restored tenant works under another name', async () => {
    const place = await tenantWithDomain()
    const { slug, domain, standIn } = place
    const { items } = (await ask(slug, 'GET', '/users')).body as {
      items: { id: string; email: string }[]
    }
    const person = items.find(({ email }) => email === `person@${domain}`)?.id
    await ask(slug, 'POST', '/transfer-ownership', { userId: person })
    expect((await release(slug, testApp.as.operator)).status).toBe(204)
    await settle(slug)
    await own('acme', domain)
    const taken = await testApp.call('POST', '/users', {
      email: `person@${domain}`,
      name: 'Somebody else',
    })
    expect(taken, JSON.stringify(taken.body)).toMatchObject({
      status: 201,
      body: {
        member: {
          mailboxAddress: `person@${domain}`,
          outcomes: { identity: 'ok', mail: 'ok', files: 'ok' },
        },
      },
    })

    const lost = { name: domain, replacedBy: standIn, mailboxes: 1, lists: 1, signIns: 1 }
    expect(await restore(slug)).toMatchObject({
      status: 200,
      body: { tenant: { primaryDomain: standIn }, lostDomains: [lost] },
    })
    await settle(slug)
    await expectOn(place, standIn, 'nowhere.example.com')
    expect((await domainsOf(slug))[0]).toMatchObject({
      name: standIn,
      verified: true,
      releasedName: null,
    })
    expect(await mailboxOpens(testApp, `person@${domain}`, taken.body.oneTimePassword)).toBe(true)
    expect(await mailboxOpens(testApp, `person@${domain}`, place.password)).toBe(false)
    // Whoever has the address now is nobody here, also where it was the owner's.
    expect(
      (await ask(slug, 'GET', '/users')).body.items.map(({ name }: { name: string }) => name),
    ).not.toContain('Somebody else')
    expect((await ask(slug, 'GET', '')).body.owner).toMatchObject({
      id: person,
      email: `person@${standIn}`,
    })
    expect(taken.body.member.id).not.toBe(person)
    const mails = await testApp.database.db
      .selectFrom('outbox')
      .select('values')
      .where('template', '=', 'domain.superseded')
      .execute()
    expect(mails.map(({ values }) => (values as Record<string, string>)['domain.name'])).toContain(
      domain,
    )

    // What is lost stays lost: another deletion does not reach for it.
    await release(slug, testApp.as.operator)
    expect((await restore(slug)).body.lostDomains).toEqual([])
    expect((await domainsOf(slug))[0]?.name).toBe(standIn)
  })

  it('is released later too, by the owner or an operator, once for eight who ask', async () => {
    const place = await tenantWithDomain()
    const { slug, domain, standIn } = place
    await ask(slug, 'DELETE', '')
    await settle(slug)
    expect(await testApp.call('POST', '/domains', { domain })).toMatchObject({ status: 409 })
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        release(slug, n % 2 ? testApp.as.operator : testApp.as.outsider),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(204))
    await settle(slug)
    expect(mailDomains()).toContain(standIn)
    const { rows } = await sql`
      select count(*)::int as count from audit_events where action = 'tenant.domains_released' and tenant_slug = ${slug}`.execute(
      testApp.database.db,
    )
    expect(rows).toEqual([{ count: 1 }])
    expect(
      (await testApp.request('DELETE', `/tenants/${slug}`, { token: testApp.as.outsider })).body
        .code,
    ).toBe('already_deleted')
    expect((await release(slug, testApp.as.member)).status).toBe(404)
    await restore(slug)
    await settle(slug)
    await expectOn(place, domain, standIn)
  })

  it('goes from the mail server once that can be reached, and with the purge', async () => {
    const { slug, domain, standIn } = await tenantWithDomain()
    testApp.sandbox.fault({
      system: 'mail',
      match: 'x:Domain/set',
      mode: 'error',
      status: 503,
      times: 1_000,
    })
    expect((await release(slug)).status).toBe(204)
    expect(mailDomains()).toContain(domain)
    await settle(slug)
    expect(mailDomains()).toContain(domain)
    await testApp.request('POST', `/tenants/${slug}/purge`, {
      token: testApp.as.operator,
      body: { confirm: slug },
    })
    await purgeTenants(testApp.app.services)
    testApp.sandbox.clearFaults()
    for (let round = 0; round < 3; round++) {
      await testApp.database.db
        .updateTable('tenant_purges')
        .set({ next_at: null })
        .where('state', '<>', 'ok')
        .execute()
      await testApp.database.db
        .updateTable('memberships')
        .set({ next_at: null })
        .where('status', '=', 'removing')
        .execute()
      await purgeTenants(testApp.app.services)
    }
    expect(
      (
        await testApp.request('GET', `/tenants/${slug}?expand=purge`, {
          token: testApp.as.operator,
        })
      ).body.expanded.purge,
    ).toMatchObject({
      purgedAt: expect.any(String),
    })
    expect(mailDomains()).not.toContain(domain)
    expect(mailDomains()).not.toContain(standIn)
    expect(mailbox(testApp, `person@${standIn}`)).toBeUndefined()
  })

  it('is given back before the mail server has heard of it, without a second mailbox', async () => {
    const place = await tenantWithDomain()
    const { slug, domain, standIn } = place
    testApp.sandbox.fault({
      system: 'mail',
      match: 'x:Domain/set',
      mode: 'error',
      status: 503,
      times: 1_000,
    })
    await release(slug)
    await restore(slug)
    await settle(slug)
    testApp.sandbox.clearFaults()
    await settle(slug)
    await settle(slug)
    expect(mailDomains()).toContain(domain)
    expect(mailDomains()).not.toContain(standIn)
    await expectOn(place, domain, standIn)
  })

  it('is in the directory of proven domains under the name that it has, with its tenant', async () => {
    const { rows } = await sql<{ name: string; rows: number }>`
      select name, count(*)::int as rows from (
        select name, tenant_id from proven_domains
        union all select name, tenant_id from domains where verified_at is not null) as named
      group by name, tenant_id having count(*) <> 2`.execute(testApp.database.db)
    expect(rows).toEqual([])
    const { count } = await testApp.database.db
      .selectFrom('proven_domains')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    // Of the demo tenants, and of each one here its own and the one below the platform's.
    expect(count).toBeGreaterThan(made)
  })
})
