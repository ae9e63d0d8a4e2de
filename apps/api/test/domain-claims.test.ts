import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { checkDueDomains } from '../src/domains/jobs.ts'
import { only, openDomains, domainsPath as path, waitingNameOf } from './domains-house.ts'
import { addDomain } from './mailboxes.ts'

const { house, call, added, recheck, publish, rowOf, auditOf } = await openDomains()
const { db } = house.database

/** Names of the domains in the mail server. */
const mailNames = () => (house.sandbox.state().mail.records as { Domain: { name: string }[] }).Domain.map(({ name }) => name)
/** Makes the claim that old, and its next check due. */
const age = (name: string, days: number) =>
  sql`update domains set created_at = now() - make_interval(days => ${days}), next_check_at = now() where name = ${name}`.execute(db)
const due = () => checkDueDomains(house.app.house)
const lapseMails = async (name: string) =>
  (await db.selectFrom('outbox').select(['recipient', 'values']).where('template', '=', 'domain.lapsed').execute())
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
    expect(await rowOf(view.name)).toMatchObject({ mail_domain_id: null, mail_pending_id: expect.any(String) })
  })

  it('takes mail from the proof on, with the keys that were published', async () => {
    const view = await added('proven.example.org')
    const before = await rowOf(view.name)
    publish(view)
    const checked = await recheck(view.name)
    expect(checked).toMatchObject({ verified: true, state: 'verified', mailError: null })
    expect(only(checked, 'dkim')).toMatchObject(only(view, 'dkim').map(({ name, value }) => ({ name, value })))
    expect(mailNames()).toContain('proven.example.org')
    expect(mailNames()).not.toContain(waitingNameOf(view))
    expect(await rowOf(view.name)).toMatchObject({ mail_domain_id: before?.mail_pending_id, mail_pending_id: null })
    const { status } = await call('POST', '/tenants/acme/users', { email: 'first@proven.example.org', name: 'First' })
    expect(status).toBe(201)
    await db.updateTable('memberships').set({ mailbox_address: null }).where('mailbox_address', 'like', '%@proven.example.org').execute()
  })

  it('is proven here while the mail server fails, and follows there with the next check', async () => {
    const view = await added('slow-rename.example.org')
    publish(view)
    house.sandbox.fault({ system: 'mail', match: 'x:Domain/set', mode: 'error', status: 503 })
    expect(await recheck(view.name)).toMatchObject({ verified: true, state: 'degraded', mailError: expect.stringContaining('mail server') })
    expect(mailNames()).not.toContain(view.name)
    house.sandbox.clearFaults()
    await expect.poll(async () => (await recheck(view.name)).state, { timeout: 20_000 }).toBe('verified')
    expect(mailNames()).toContain(view.name)
  }, 30_000)

  it('is put in place by a reconcile too, once it is proven', async () => {
    const view = await added('reconciled.example.org')
    await db.updateTable('domains').set({ verified_at: new Date() }).where('name', '=', view.name).execute()
    expect((await call('POST', '/tenants/acme/reconcile')).status).toBe(200)
    expect(mailNames()).toContain(view.name)
    expect(mailNames()).not.toContain(waitingNameOf(view))
  })
})

describe('a claim that nobody proves', () => {
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
    const token = await house.token('owner@globex.test')
    const again = await house.request('POST', '/tenants/globex/domains', { token, body: { domain: view.name } })
    expect(again.status).toBe(201)
    await house.request('DELETE', `/tenants/globex/domains/${view.name}`, { token })
  })

  it('stays while DNS cannot be asked', async () => {
    const view = await added('dns-down.example.org')
    await age(view.name, 30)
    house.sandbox.fault({ system: 'dns', mode: 'servfail' })
    await due()
    expect(await rowOf(view.name)).toBeDefined()
    house.sandbox.clearFaults()
    await age(view.name, 30)
    await due()
    expect(await rowOf(view.name)).toBeUndefined()
  })

  it('stays here until the mail server has let it go', async () => {
    const view = await added('stuck.example.org')
    await recheck(view.name)
    await age(view.name, 30)
    house.sandbox.fault({ system: 'mail', match: 'x:Domain/set', mode: 'error', status: 503 })
    await due()
    expect(await rowOf(view.name)).toBeDefined()
    expect(await lapseMails(view.name)).toEqual([])
    house.sandbox.clearFaults()
    await new Promise((done) => setTimeout(done, 300))
    await age(view.name, 30)
    await due()
    expect(await rowOf(view.name)).toBeUndefined()
  })

  it('never ends one that was proven, however it looks today', async () => {
    const view = await added('once.example.org')
    publish(view)
    expect((await recheck(view.name)).verified).toBe(true)
    house.sandbox.dns.zones.put(view.name, [])
    await age(view.name, 400)
    await due()
    expect(await rowOf(view.name)).toMatchObject({ state: 'failing' })
  })

  it('on the primary domain leaves the tenant with its own below the platform', async () => {
    const token = await house.token('newcomer@example.test')
    const domain = 'wishful.example.com'
    expect((await house.request('POST', '/tenants', { token, body: { name: 'Wishful', domains: [domain] } })).status).toBe(201)
    await age(domain, 20)
    await due()
    const { body } = await house.request('GET', '/tenants/wishful', { token })
    expect(body).toMatchObject({ domains: ['wishful.tenants.local'], primaryDomain: 'wishful.tenants.local' })
  })

  it('of a deleted tenant ends as well, and nobody is told', async () => {
    const token = await house.token('newcomer@example.test')
    const domain = 'left-behind.example.com'
    await house.request('POST', '/tenants', { token, body: { name: 'Left', slug: 'left', domains: ['left.tenants.local', domain] } })
    await house.request('DELETE', '/tenants/left', { token })
    await age(domain, 20)
    await due()
    expect(await rowOf(domain)).toBeUndefined()
    expect(await lapseMails(domain)).toEqual([])
  })

  it('with something on it stays, because that would lose it', async () => {
    await addDomain(house, { slug: 'acme', name: 'inherited.example.org', verified: false })
    const { id } = await db.selectFrom('users').select('id').where('email', '=', 'member@acme.test').executeTakeFirstOrThrow()
    await db.updateTable('memberships').set({ mailbox_address: 'someone@inherited.example.org' }).where('user_id', '=', id).execute()
    await age('inherited.example.org', 60)
    await due()
    expect(await rowOf('inherited.example.org')).toBeDefined()
    await db.updateTable('memberships').set({ mailbox_address: null }).where('user_id', '=', id).execute()
    expect((await call('DELETE', `${path}/inherited.example.org`)).status).toBe(204)
  })
})
