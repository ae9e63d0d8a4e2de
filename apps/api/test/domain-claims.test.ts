import { findDomainById } from '@atrium/db/mail/domains'
import { invite } from '@atrium/testing/invitations'
import { addDomain } from '@atrium/testing/mailboxes'
import { userIdOf } from '@atrium/testing/records'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { endLapsedClaim } from '../src/mail/domains/end-claim.ts'
import { checkDueDomains } from '../src/mail/domains/jobs.ts'
import {
  only,
  openDomains,
  domainsPath as path,
  tokenOf,
  waitingNameOf,
} from './domains-test-app.ts'

const { testApp, call, added, recheck, publish, rowOf, auditOf } = await openDomains()
const { db } = testApp.database

/** Names of the domains in the mail server. */
const mailNames = () =>
  (testApp.sandbox.state().mail.records as { Domain: { name: string }[] }).Domain.map(
    ({ name }) => name,
  )
/** Makes the claim that old, and its next check due. */
const age = (name: string, days: number) =>
  sql`update domains set created_at = now() - make_interval(days => ${days}), next_check_at = now() where name = ${name}`.execute(
    db,
  )
const due = () => checkDueDomains(testApp.app.services)
const lapseMails = async (name: string) =>
  (
    await db
      .selectFrom('outbox')
      .select(['recipient', 'values'])
      .where('template', '=', 'domain.lapsed')
      .execute()
  )
    .filter((mail) => mail.values['domain.name'] === name)
    .map((mail) => mail.recipient)
    .sort()

describe('a domain whose ownership was not shown', () => {
  it('takes no mail in the mail server, and has its keys there all the same', async () => {
    const view = await added('bigmail.example.org')
    expect(mailNames()).not.toContain('bigmail.example.org')
    expect(mailNames()).toContain(waitingNameOf(view))
    expect(JSON.stringify(view)).not.toContain('unproven-')
    expect(only(view, 'dkim').map(({ name }) => name)).toEqual([
      expect.stringMatching(/\._domainkey\.bigmail\.example\.org$/),
      expect.stringMatching(/\._domainkey\.bigmail\.example\.org$/),
    ])
    expect(await rowOf(view.name)).toMatchObject({
      mail_domain_id: null,
      mail_pending_id: expect.any(String),
    })
  })

  it('takes mail from the proof on, with the keys that were published', async () => {
    const view = await added('proven.example.org')
    const before = await rowOf(view.name)
    publish(view)
    const checked = await recheck(view.name)
    expect(checked).toMatchObject({ verified: true, state: 'verified', mailError: null })
    expect(only(checked, 'dkim')).toMatchObject(
      only(view, 'dkim').map(({ name, value }) => ({ name, value })),
    )
    expect(mailNames()).toContain('proven.example.org')
    expect(mailNames()).not.toContain(waitingNameOf(view))
    expect(await rowOf(view.name)).toMatchObject({
      mail_domain_id: before?.mail_pending_id,
      mail_pending_id: null,
    })
    const { status } = await call('POST', '/tenants/acme/users', {
      email: 'first@proven.example.org',
      name: 'First',
    })
    expect(status).toBe(201)
    await db
      .updateTable('memberships')
      .set({ mailbox_address: null })
      .where('mailbox_address', 'like', '%@proven.example.org')
      .execute()
  })

  it('is proven here while the mail server fails, and follows there with the next check', async () => {
    const view = await added('slow-rename.example.org')
    publish(view)
    testApp.sandbox.fault({ system: 'mail', match: 'x:Domain/set', mode: 'error', status: 503 })
    expect(await recheck(view.name)).toMatchObject({
      verified: true,
      state: 'degraded',
      mailError: expect.stringContaining('mail server'),
    })
    expect(mailNames()).not.toContain(view.name)
    testApp.sandbox.clearFaults()
    await expect
      .poll(async () => (await recheck(view.name)).state, { timeout: 20_000 })
      .toBe('verified')
    expect(mailNames()).toContain(view.name)
  }, 30_000)

  it('is put in place by a reconcile too, once it is proven', async () => {
    const view = await added('reconciled.example.org')
    await db
      .updateTable('domains')
      .set({ verified_at: new Date() })
      .where('name', '=', view.name)
      .execute()
    expect((await call('POST', '/tenants/acme/reconcile')).status).toBe(200)
    expect(mailNames()).toContain(view.name)
    expect(mailNames()).not.toContain(waitingNameOf(view))
  })
})

describe('a claim that is never proved', () => {
  it('ends after fourteen days, here and in the mail server; the admins are told and somebody else may add the domain', async () => {
    const view = await added('squatted.example.org')
    await age(view.name, 13)
    await due()
    expect(await rowOf(view.name)).toBeDefined()
    await age(view.name, 15)
    await due()
    expect(await rowOf(view.name)).toBeUndefined()
    expect(mailNames()).not.toContain(waitingNameOf(view))
    expect(await auditOf(view.name)).toContainEqual({
      action: 'domain.removed',
      actor_type: 'system',
      metadata: { reason: 'ownership was not shown within 14 days' },
    })
    expect(await lapseMails(view.name)).toEqual(['admin@acme.test', 'owner@acme.test'])
    const token = await testApp.token('owner@globex.test')
    const again = await testApp.request('POST', '/tenants/globex/domains', {
      token,
      body: { domain: view.name },
    })
    expect(again.status).toBe(201)
    await testApp.request('DELETE', `/tenants/globex/domains/${view.name}`, { token })
  })

  it('stays while DNS cannot be asked', async () => {
    const view = await added('dns-down.example.org')
    await age(view.name, 30)
    testApp.sandbox.fault({ system: 'dns', mode: 'servfail' })
    await due()
    expect(await rowOf(view.name)).toBeDefined()
    testApp.sandbox.clearFaults()
    await age(view.name, 30)
    await due()
    expect(await rowOf(view.name)).toBeUndefined()
  })

  it('is removed from the mail server as soon as that answers', async () => {
    const view = await added('stuck.example.org')
    await recheck(view.name)
    await age(view.name, 30)
    testApp.sandbox.fault({ system: 'mail', match: 'x:Domain/set', mode: 'error', status: 503 })
    await due()
    expect(await rowOf(view.name)).toBeUndefined()
    expect(await lapseMails(view.name)).toEqual(['admin@acme.test', 'owner@acme.test'])
    expect(mailNames()).toContain(waitingNameOf(view))
    testApp.sandbox.clearFaults()
    await new Promise((done) => setTimeout(done, 300))
    await db
      .updateTable('mail_domain_removals')
      .set({ next_at: new Date(0) })
      .execute()
    await due()
    expect(mailNames()).not.toContain(waitingNameOf(view))
    expect(await db.selectFrom('mail_domain_removals').selectAll().execute()).toEqual([])
  })

  it('never ends one that was proven, however it looks today', async () => {
    const view = await added('once.example.org')
    publish(view)
    expect((await recheck(view.name)).verified).toBe(true)
    testApp.sandbox.dns.zones.put(view.name, [])
    await age(view.name, 400)
    await due()
    expect(await rowOf(view.name)).toMatchObject({ state: 'failing' })
  })

  it('that was primary leaves the tenant with its own below the platform', async () => {
    const token = await testApp.token('newcomer@example.test')
    const domain = 'wishful.example.com'
    expect(
      (
        await testApp.request('POST', '/tenants', {
          token,
          body: { name: 'Wishful', domains: [domain] },
        })
      ).status,
    ).toBe(201)
    // As tenants were made before: with the one domain that they named.
    await db.deleteFrom('domains').where('name', '=', 'wishful.tenants.local').execute()
    await db.updateTable('domains').set({ is_primary: true }).where('name', '=', domain).execute()
    await age(domain, 20)
    await due()
    const { body } = await testApp.request('GET', '/tenants/wishful', { token })
    expect(body).toMatchObject({
      domains: ['wishful.tenants.local'],
      primaryDomain: 'wishful.tenants.local',
    })
  })

  it('of a deleted tenant ends as well, without notice', async () => {
    const token = await testApp.token('newcomer@example.test')
    const domain = 'left-behind.example.com'
    await testApp.request('POST', '/tenants', {
      token,
      body: { name: 'Left', slug: 'left', domains: ['left.tenants.local', domain] },
    })
    await testApp.request('DELETE', '/tenants/left', { token })
    await age(domain, 20)
    await due()
    expect(await rowOf(domain)).toBeUndefined()
    expect(await lapseMails(domain)).toEqual([])
  })

  it('with something on it stays, because that would lose it', async () => {
    await addDomain(testApp, { slug: 'acme', name: 'inherited.example.org', verified: false })
    const id = await userIdOf(db, 'member@acme.test')
    await db
      .updateTable('memberships')
      .set({ mailbox_address: 'someone@inherited.example.org' })
      .where('user_id', '=', id)
      .execute()
    await age('inherited.example.org', 60)
    await due()
    expect(await rowOf('inherited.example.org')).toBeDefined()
    await db
      .updateTable('memberships')
      .set({ mailbox_address: null })
      .where('user_id', '=', id)
      .execute()
    expect((await call('DELETE', `${path}/inherited.example.org`)).status).toBe(204)
  })
})

describe('a domain that several workplaces claim', () => {
  const bond = () => testApp.token('owner@globex.test')
  const globexPath = '/tenants/globex/domains'
  const globexAdds = async (domain: string) => call('POST', globexPath, { domain }, await bond())
  const supersededMails = async (name: string) =>
    (
      await db
        .selectFrom('outbox')
        .select(['recipient', 'values'])
        .where('template', '=', 'domain.superseded')
        .execute()
    )
      .filter((mail) => mail.values['domain.name'] === name)
      .map((mail) => mail.recipient)
      .sort()

  it('blocks no tenant until one of them proves it', async () => {
    await added('wanted.example.org')
    expect(await globexAdds('wanted.example.org')).toMatchObject({ status: 201 })
    expect(await globexAdds('wanted.example.org')).toMatchObject({
      status: 409,
      body: { code: 'already_exists' },
    })
    const token = await testApp.token('newcomer@example.test')
    const created = await testApp.request('POST', '/tenants', {
      token,
      body: { name: 'Third claim', domains: ['wanted.example.org'] },
    })
    expect(created).toMatchObject({
      status: 201,
      body: { primaryDomain: 'third-claim.tenants.local' },
    })
  })

  it('goes to the first proof, which ends the other claims, here and in the mail server, and tells their admins', async () => {
    const view = await added('first.example.org')
    const { body: other } = await globexAdds('first.example.org')
    publish(view)
    expect(await recheck('first.example.org')).toMatchObject({ verified: true })
    const rows = await db
      .selectFrom('domains')
      .select('tenant_id')
      .where('name', '=', 'first.example.org')
      .execute()
    expect(rows).toHaveLength(1)
    expect(mailNames()).toContain('first.example.org')
    expect(mailNames()).not.toContain(waitingNameOf(other))
    expect(await supersededMails('first.example.org')).toContain('owner@globex.test')
    expect(await supersededMails('first.example.org')).not.toContain('owner@acme.test')
    expect(await auditOf('first.example.org')).toContainEqual({
      action: 'domain.removed',
      actor_type: 'system',
      metadata: { reason: 'another workplace has proved the domain' },
    })
    expect(await globexAdds('first.example.org')).toMatchObject({
      status: 409,
      body: { code: 'already_exists' },
    })
  })

  it('is proved once when several show their code at the same moment', async () => {
    const view = await added('both.example.org')
    const { body: other } = await globexAdds('both.example.org')
    testApp.sandbox.dns.zones.put(
      'both.example.org',
      [...only(view, 'ownership'), ...only(other, 'ownership')].map(({ name, type, value }) => ({
        name,
        type,
        value,
      })),
    )
    const token = await bond()
    const responses = await Promise.all([
      call('POST', `${path}/both.example.org/recheck`),
      call('POST', `${globexPath}/both.example.org/recheck`, undefined, token),
    ])
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(
      responses
        .map(({ status }) => status)
        .filter((status) => status !== 200 && status !== 409 && status !== 404),
    ).toEqual([])
    const rows = await db
      .selectFrom('domains')
      .select(['verified_at'])
      .where('name', '=', 'both.example.org')
      .execute()
    expect(rows).toEqual([{ verified_at: expect.any(Date) }])
  })

  it('ends a claim that was missed with its next check', async () => {
    const view = await added('missed.example.org')
    await globexAdds('missed.example.org')
    await db
      .updateTable('domains')
      .set({ verified_at: new Date() })
      .where('ownership_token', '=', tokenOf(view))
      .execute()
    await sql`update domains set next_check_at = now() where name = 'missed.example.org'`.execute(
      db,
    )
    await due()
    expect(
      await db
        .selectFrom('domains')
        .select('id')
        .where('name', '=', 'missed.example.org')
        .execute(),
    ).toHaveLength(1)
    expect(await supersededMails('missed.example.org')).toContain('owner@globex.test')
  })

  it('does not keep other workplaces from members and hosts with addresses on it', async () => {
    expect(await globexAdds('guests.example.org')).toMatchObject({ status: 201 })
    await db.updateTable('tenants').set({ seats: 0 }).execute()
    await db.updateTable('plan_grants').set({ seats: 0 }).execute()
    const token = await testApp.token('owner@acme.test')
    const invited = (email: string) => invite(testApp, 'acme', { email }, token)
    expect(await invited('visitor@guests.example.org')).toMatchObject({ body: { code: null } })
    const proven = await db
      .updateTable('domains')
      .set({ verified_at: new Date() })
      .where('name', '=', 'guests.example.org')
      .execute()
    expect(proven).toHaveLength(1)
    // Only people of the domain read the mail with the link.
    expect(await invited('late@guests.example.org')).toMatchObject({ body: { code: null } })
    const members = db
      .selectFrom('users')
      .select('id')
      .where('email', 'like', '%@guests.example.org')
    expect(await members.execute()).toEqual([])
  })

  it('can be one below a domain that another workplace proved: its own record decides', async () => {
    const view = await added('parent.example.org')
    publish(view)
    await recheck('parent.example.org')
    expect(await globexAdds('branch.parent.example.org')).toMatchObject({
      status: 201,
      body: { verified: false },
    })
  })
})

describe('a domain that cannot be claimed', () => {
  it.each(['gmail.com', 'outlook.de', 'gmx.net', 'icloud.com'])(
    'is that of a public mail provider: %s',
    async (domain) => {
      const rejected = {
        status: 400,
        body: {
          code: 'invalid_input',
          issues: [{ message: expect.stringContaining('public mail provider') }],
        },
      }
      expect(await call('POST', path, { domain })).toMatchObject(rejected)
      expect(
        await call('PATCH', '/tenants/acme', { domains: ['acme.tenants.local', domain] }),
      ).toMatchObject(rejected)
      const token = await testApp.token('newcomer@example.test')
      expect(
        await testApp.request('POST', '/tenants', {
          token,
          body: { name: 'Provider', domains: [domain] },
        }),
      ).toMatchObject(rejected)
      expect(await rowOf(domain)).toBeUndefined()
    },
  )

  it('is an eleventh one without proof', async () => {
    for (let n = 1; n <= 10; n++)
      expect((await call('POST', path, { domain: `claim-${n}.example.org` })).status).toBe(201)
    const rejected = {
      status: 400,
      body: { issues: [{ message: expect.stringContaining('At most 10 domains') }] },
    }
    expect(await call('POST', path, { domain: 'claim-11.example.org' })).toMatchObject(rejected)
    await db
      .updateTable('domains')
      .set({ verified_at: new Date() })
      .where('name', '=', 'claim-1.example.org')
      .execute()
    expect((await call('POST', path, { domain: 'claim-11.example.org' })).status).toBe(201)
  })
})

describe('a claim that is proved while it lapses', () => {
  it('stays: what the check saw before the proof does not end it', async () => {
    const view = await added('late-proof.example.org')
    await age(view.name, 30)
    const { id } = await db
      .selectFrom('domains')
      .select('id')
      .where('name', '=', view.name)
      .executeTakeFirstOrThrow()
    const seen = await findDomainById(db, id)
    if (!seen) throw new Error('the domain is not there')
    publish(view)
    expect(await recheck(view.name)).toMatchObject({ verified: true })
    await endLapsedClaim(testApp.app.services, {
      ...seen,
      verdicts: seen.verdicts.map((verdict) => ({ ...verdict, verdict: 'missing' as const })),
    })
    expect(await rowOf(view.name)).toMatchObject({ verified_at: expect.any(Date) })
    expect(mailNames()).toContain(view.name)
    expect(await lapseMails(view.name)).toEqual([])
  })
})
