import type { DomainView } from '@atrium/core/mail/domains'
import { findDomainById } from '@atrium/db/mail/domains'
import { userIdOf } from '@atrium/testing/records'
import { describe, expect, it } from 'vitest'
import { checkDomain } from '../src/mail/domains/check.ts'
import { only, openDomains, domainsPath as path, waitingNameOf } from './domains-test-app.ts'

const { testApp, call, added, recheck, publish, rowOf } = await openDomains()

describe('removing a domain', () => {
  /** The domain in the mail server, under whichever name. */
  const mailDomain = async (view: DomainView) => {
    const { mail } = testApp.app.services.systems
    return (await mail?.findDomain(view.name)) ?? mail?.findDomain(waitingNameOf(view))
  }

  it('removes it with its keys, here and in the mail server, and it can be added again', async () => {
    const view = await added('gone.example.org')
    await recheck(view.name)
    expect(await mailDomain(view)).toBeDefined()
    expect((await call('DELETE', `${path}/${view.name}`)).status).toBe(204)
    expect(await mailDomain(view)).toBeUndefined()
    expect((await call('GET', `${path}/${view.name}`)).body.code).toBe('not_found')
    expect((await call('DELETE', `${path}/${view.name}`)).body.code).toBe('not_found')
    const again = await added(view.name)
    expect(only(again, 'ownership')[0]?.value).not.toBe(only(view, 'ownership')[0]?.value)
  })

  it('is rejected while mailboxes, aliases or lists use it, with their number', async () => {
    const view = await added('used.example.org')
    publish(view)
    await recheck(view.name)
    const { mail } = testApp.app.services.systems
    const domainId = (await mailDomain(view))?.id ?? ''
    const account = await mail?.createAccount({
      localPart: 'anna',
      domainId,
      displayName: 'Anna',
      password: 'Long-Enough-Passw0rd',
    })
    const list = await mail?.createList({
      localPart: 'team',
      domainId,
      name: 'Team',
      recipients: ['anna@used.example.org'],
    })
    const { status, body } = await call('DELETE', `${path}/${view.name}`)
    expect({ status, code: body.code, issues: body.issues }).toEqual({
      status: 409,
      code: 'domain_in_use',
      issues: [
        { path: 'accounts', message: '1 mailbox' },
        { path: 'lists', message: '1 distribution list' },
      ],
    })
    expect(body.detail).toContain('anna@used.example.org')
    expect((await call('GET', `${path}/${view.name}`)).body.usage).toEqual({
      accounts: 1,
      aliases: 0,
      lists: 1,
    })
    await mail?.removeList(list?.id ?? '')
    await mail?.removeAccount(account?.id ?? '')
    expect((await call('DELETE', `${path}/${view.name}`)).status).toBe(204)
  })

  it('is rejected while a member’s mailbox is on it, also when the mail server lost it', async () => {
    const view = await added('members.example.org')
    const { db } = testApp.database
    const id = await userIdOf(db, 'member@acme.test')
    await db
      .updateTable('memberships')
      .set({ mailbox_address: 'someone@members.example.org' })
      .where('user_id', '=', id)
      .execute()
    const { body } = await call('DELETE', `${path}/${view.name}`)
    expect(body).toMatchObject({
      code: 'domain_in_use',
      issues: [{ path: 'accounts', message: '1 mailbox' }],
    })
    await db
      .updateTable('memberships')
      .set({ mailbox_address: null })
      .where('user_id', '=', id)
      .execute()
    expect((await call('DELETE', `${path}/${view.name}`)).status).toBe(204)
  })

  it.each(['error', 'timeout', 'garbage'] as const)(
    'removes nothing while the mail server cannot tell (%s), and finishes when repeated',
    async (mode) => {
      const view = await added(`stays-${mode}.example.org`)
      testApp.sandbox.fault({ system: 'mail', mode })
      const { status, body } = await call('DELETE', `${path}/${view.name}`)
      testApp.sandbox.clearFaults()
      expect({ status, code: body.code, detail: body.detail }).toEqual({
        status: 502,
        code: 'upstream_failed',
        detail: expect.stringContaining('mail server'),
      })
      expect(await rowOf(view.name)).toBeDefined()
      await expect
        .poll(async () => (await call('DELETE', `${path}/${view.name}`)).status, {
          timeout: 20_000,
          interval: 500,
        })
        .toBe(204)
      expect(await mailDomain(view)).toBeUndefined()
    },
    40_000,
  )

  it('finishes when the answer of the mail server was lost after it removed the domain', async () => {
    const view = await added('lost-answer.example.org')
    testApp.sandbox.fault({
      system: 'mail',
      mode: 'reset',
      match: 'x:DkimSignature/set',
      after: true,
    })
    const first = await call('DELETE', `${path}/${view.name}`)
    testApp.sandbox.clearFaults()
    expect([204, 502]).toContain(first.status)
    if (first.status === 502)
      expect((await call('DELETE', `${path}/${view.name}`)).status).toBe(204)
    expect(await rowOf(view.name)).toBeUndefined()
    expect(await mailDomain(view)).toBeUndefined()
  }, 30_000)

  it('leaves nothing in the mail server when a check was under way', async () => {
    const view = await added('overtaken.example.org')
    const { db } = testApp.database
    const { id } = (await rowOf(view.name)) ?? { id: '' }
    const stale = await findDomainById(db, id)
    if (!stale) throw new Error('no row')
    expect((await call('DELETE', `${path}/${view.name}`)).status).toBe(204)
    expect(
      await checkDomain(testApp.app.services, stale, 'schedule', { record: async () => {} }),
    ).toBe('removed')
    expect(await mailDomain(view)).toBeUndefined()
  })

  it('keeps the last one', async () => {
    const token = await testApp.token('owner@globex.test')
    const { body: listed } = await testApp.request('GET', '/tenants/globex/domains', { token })
    for (const { name, primary } of listed.items as DomainView[]) {
      if (!primary) await testApp.request('DELETE', `/tenants/globex/domains/${name}`, { token })
    }
    const { body } = await testApp.request(
      'DELETE',
      '/tenants/globex/domains/globex.tenants.local',
      { token },
    )
    expect(body).toMatchObject({
      code: 'primary_domain',
      detail: 'A tenant needs at least one domain.',
    })
  })
})

describe('leaving a domain out of the whole list', () => {
  const mailServer = () => {
    const { mail } = testApp.app.services.systems
    if (!mail) throw new Error('no mail server')
    return mail
  }
  const leaveOut = () => call('PATCH', '/tenants/acme', { domains: ['acme.tenants.local'] })

  it('removes it in the mail server too, so that another tenant begins with nothing of it', async () => {
    const view = await added('left-out.example.org')
    publish(view)
    await recheck(view.name)
    expect(await mailServer().findDomain(view.name)).toBeDefined()
    expect(await leaveOut()).toMatchObject({
      status: 200,
      body: { domains: ['acme.tenants.local'] },
    })
    expect(await mailServer().findDomain(view.name)).toBeUndefined()
    const [entry] = await tenantEntries()
    expect(entry).toMatchObject({
      action: 'tenant.updated',
      metadata: { changes: { domains: [[view.name], []] } },
    })
  })

  it('is rejected while an alias is on it, which the mail server alone knows', async () => {
    const ids: string[] = []
    for (const name of ['alias-home.example.org', 'alias-on.example.org']) {
      publish(await added(name))
      await recheck(name)
      ids.push((await mailServer().findDomain(name))?.id ?? '')
    }
    const [home = '', domainId = ''] = ids
    const account = {
      localPart: 'holder',
      domainId: home,
      displayName: 'Holder',
      password: 'Long-Enough-Passw0rd',
    }
    const { id: accountId } = await mailServer().createAccount(account)
    await mailServer().addAlias({ accountId, localPart: 'sales', domainId })
    const domains = ['acme.tenants.local', 'alias-home.example.org']
    expect(await call('PATCH', '/tenants/acme', { domains, name: 'Not taken' })).toMatchObject({
      status: 409,
      body: {
        code: 'domain_in_use',
        issues: [
          { path: 'domains', message: expect.stringContaining('sales@alias-on.example.org') },
        ],
      },
    })
    expect((await call('GET', '/tenants/acme')).body).toMatchObject({
      name: 'Acme Engineering',
      domains: [...domains, 'alias-on.example.org'],
    })
    await mailServer().removeAccount(accountId)
    expect(await call('PATCH', '/tenants/acme', { domains })).toMatchObject({
      status: 200,
      body: { domains },
    })
    expect(await mailServer().findDomain('alias-on.example.org')).toBeUndefined()
  })

  it('keeps it while the mail server does not let go, with the rest done, and goes on when repeated', async () => {
    const view = await added('clings.example.org')
    testApp.sandbox.fault({ system: 'mail', mode: 'error', match: 'x:Domain/set' })
    const first = await call('PATCH', '/tenants/acme', {
      domains: ['acme.tenants.local'],
      industry: 'Rail',
    })
    testApp.sandbox.clearFaults()
    expect(first).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed', detail: expect.stringContaining(`${view.name} was kept`) },
    })
    expect((await call('GET', '/tenants/acme')).body).toMatchObject({
      industry: 'Rail',
      domains: ['acme.tenants.local', view.name],
    })
    const [entry] = await tenantEntries()
    expect(entry?.metadata).toEqual(
      expect.objectContaining({ changes: { industry: ['Manufacturing', 'Rail'] } }),
    )
    await expect
      .poll(async () => (await leaveOut()).status, { timeout: 20_000, interval: 500 })
      .toBe(200)
    expect(await rowOf(view.name)).toBeUndefined()
  }, 40_000)

  it('is rejected while the tenant is suspended, as every change of its domains', async () => {
    const operator = await testApp.token('operator@atrium.test')
    expect(
      (await testApp.request('POST', '/tenants/acme/suspend', { token: operator })).status,
    ).toBe(200)
    const rejected = { status: 409, body: { code: 'tenant_suspended' } }
    expect(
      await call('PATCH', '/tenants/acme', { domains: ['acme.tenants.local', 'late.example.org'] }),
    ).toMatchObject(rejected)
    expect(await call('POST', path, { domain: 'late.example.org' })).toMatchObject(rejected)
    expect(
      (await testApp.request('POST', '/tenants/acme/resume', { token: operator })).status,
    ).toBe(200)
    expect(await rowOf('late.example.org')).toBeUndefined()
  })

  const tenantEntries = async () =>
    (await call('GET', '/tenants/acme/audit?action=tenant.updated&limit=1')).body.items
})
