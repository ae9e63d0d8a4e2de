import type { DomainView, RecordVerdict } from '@atrium/core/mail/domains'
import { tenantIdOf } from '@atrium/testing/records'
import { describe, expect, it } from 'vitest'
import {
  only,
  openDomains,
  domainsPath as path,
  verdicts,
  waitingNameOf,
} from './domains-test-app.ts'

const { testApp, owner, member, call, withKeys, added, recheck, publish, rowOf, auditOf } =
  await openDomains()

describe('adding a domain', () => {
  it('returns what to publish, keys a moment later, and verifies the published zone', async () => {
    const view = await added('first.example.org')
    expect(view).toMatchObject({
      primary: false,
      verified: false,
      state: 'unchecked',
      managed: false,
      mailError: null,
      usage: { accounts: 0, aliases: 0, lists: 0 },
    })
    expect(view.records.map((one) => one.purpose)).toEqual(
      expect.arrayContaining(['ownership', 'mx', 'spf', 'dkim', 'dmarc', 'other']),
    )
    expect(only(view, 'dkim')).toHaveLength(2)
    expect(only(view, 'dmarc')).toMatchObject([
      {
        name: '_dmarc.first.example.org',
        value: 'v=DMARC1; p=none; rua=mailto:postmaster@first.example.org',
      },
    ])
    expect(only(view, 'ownership')[0]?.value).toMatch(/^atrium-verification=[0-9a-f]{32}$/)
    expect(view.zone).toContain('_dmarc.first.example.org. IN TXT "v=DMARC1; p=none')

    const before = await recheck('first.example.org')
    expect(before.state).toBe('pending')
    expect(new Set(Object.values(verdicts(before)))).toEqual(new Set(['missing']))
    expect(only(before, 'ownership')[0]?.reason).toContain('Is it registered')

    // What a person copies from the page and pastes at the DNS provider.
    const pasted = await fetch(`${testApp.sandbox.controlUrl}/dns/first.example.org`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ zone: view.zone }),
    })
    expect(pasted.status).toBe(200)
    const after = await recheck('first.example.org')
    expect(verdicts(after)).toEqual({
      ownership: 'ok',
      mx: 'ok',
      spf: 'ok',
      dkim: 'ok',
      dmarc: 'ok',
    })
    expect(after).toMatchObject({ state: 'verified', verified: true })
    expect(after.records.filter((one) => one.verdict !== 'ok')).toEqual([])
    expect((await auditOf('first.example.org')).map((one) => one.action)).toEqual([
      'domain.added',
      'domain.rechecked',
      'domain.verified',
      'domain.rechecked',
    ])
  })
})

describe('adding a domain, rejected or half done', () => {
  it.each([
    ['co.uk', 'can be owned'],
    ['example', 'can be owned'],
    ['user@acme.example', 'can be owned'],
    ['https://acme.org/x', 'can be owned'],
    ['192.0.2.1', 'can be owned'],
    ['xn--a.org', 'can be owned'],
    ['a b.org', 'can be owned'],
    ['', 'can be owned'],
    ['other.tenants.local', 'belongs to the platform'],
    ['tenants.local', 'belongs to the platform'],
    ['xacme.tenants.local', 'belongs to the platform'],
  ])('refuses %j with a reason at the field', async (domain, message) => {
    const { status, body } = await call('POST', path, { domain })
    expect({ status, code: body.code, issues: body.issues }).toEqual({
      status: 400,
      code: 'invalid_input',
      issues: [{ path: 'domain', message: expect.stringContaining(message) }],
    })
  })

  it('rejects fields that do not exist', async () => {
    expect(
      (await call('POST', path, { domain: 'extra.example.org', verified: true })).body.code,
    ).toBe('invalid_input')
    expect(await rowOf('extra.example.org')).toBeUndefined()
  })

  it('takes a name as people write it, and finds it by either spelling', async () => {
    expect((await call('POST', path, { domain: 'BÜCHER.example.org.' })).body).toMatchObject({
      name: 'xn--bcher-kva.example.org',
      unicodeName: 'bücher.example.org',
    })
    expect(
      (await call('GET', `${path}/${encodeURIComponent('bücher.example.org')}`)).body.name,
    ).toBe('xn--bcher-kva.example.org')
    expect((await call('POST', path, { domain: 'xn--bcher-kva.example.org' })).status).toBe(409)
  })

  it('rejects a domain that the tenant has already, whoever asks first', async () => {
    const responses = await Promise.all([
      call('POST', path, { domain: 'race.example.org' }),
      call('POST', path, { domain: 'Race.example.org.' }),
    ])
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409])
    const rejected = responses.find(({ status }) => status === 409)
    expect(rejected?.body).toMatchObject({ code: 'already_exists', issues: [{ path: 'domain' }] })
  })

  it('rejects one more than twenty, by both ways to add one', async () => {
    const { db } = testApp.database
    const id = await tenantIdOf(db, 'globex')
    await db
      .insertInto('domains')
      .values(
        Array.from({ length: 25 }, (_, n) => ({ tenant_id: id, name: `full-${n}.example.org` })),
      )
      .execute()
    const token = await testApp.token('owner@globex.test')
    const rejected = { status: 409, body: { code: 'limit_reached', limit: 'domains' } }
    const add = await testApp.request('POST', '/tenants/globex/domains', {
      token,
      body: { domain: 'one-more.example.org' },
    })
    expect(add).toMatchObject(rejected)
    const names = await db
      .selectFrom('domains')
      .select('name')
      .where('tenant_id', '=', id)
      .orderBy('is_primary', 'desc')
      .execute()
    const domains = [...names.map(({ name }) => name), 'one-more.example.org']
    expect(
      await testApp.request('PATCH', '/tenants/globex', { token, body: { domains } }),
    ).toMatchObject(rejected)
    await db.deleteFrom('domains').where('name', 'like', 'full-%').execute()
  })

  it.each(['timeout', 'error', 'reset', 'garbage', 'shape'] as const)(
    'keeps the domain when the mail server fails (%s), tells it, and finishes with the next check',
    async (mode) => {
      const name = `${mode}.example.com`
      testApp.sandbox.fault({ system: 'mail', mode })
      const { status, body } = await call('POST', path, { domain: name })
      testApp.sandbox.clearFaults()
      expect({ status, body }).toMatchObject({
        status: 201,
        body: { state: 'unchecked', mailError: expect.stringContaining('mail server') },
      })
      expect(body.records.map((one: RecordVerdict) => one.purpose)).toEqual(['ownership'])
      expect((await rowOf(name))?.mail_domain_id).toBeNull()
      await expect.poll(async () => (await recheck(name)).mailError, { timeout: 15_000 }).toBeNull()
      expect(only(await withKeys(name), 'mx')).toHaveLength(1)
    },
    30_000,
  )

  it('reports when the domain in the mail server belongs to another owner', async () => {
    const { mail } = testApp.app.services.systems
    await mail?.ensureDomain({ name: 'foreign.example.com', description: 'Another installation' })
    const view = await added('foreign.example.com')
    publish(view)
    expect(await recheck(view.name)).toMatchObject({
      verified: true,
      state: 'degraded',
      mailError: expect.stringContaining('conflict'),
    })
  })

  it('has the domain that a reconcile finished', async () => {
    testApp.sandbox.fault({ system: 'mail', mode: 'error' })
    await call('POST', path, { domain: 'reconciled.example.com' })
    testApp.sandbox.clearFaults()
    await expect
      .poll(async () => (await call('POST', '/tenants/acme/reconcile')).body.results?.mail?.state, {
        timeout: 20_000,
        interval: 500,
      })
      .toMatch(/ok|error/)
    expect(await call('GET', `${path}/reconciled.example.com`)).toMatchObject({ status: 200 })
  }, 30_000)
})

describe('the DMARC policy', () => {
  it('is stored, shown, told to the mail server, and checked again', async () => {
    const view = await added('dmarc.example.org')
    publish(view)
    await recheck(view.name)
    const { status, body } = await call('PUT', `${path}/${view.name}/dmarc`, {
      policy: 'quarantine',
      rua: 'Reports@dmarc.example.org',
      pct: 25,
    })
    expect({ status, dmarc: body.dmarc }).toEqual({
      status: 200,
      dmarc: { policy: 'quarantine', rua: 'reports@dmarc.example.org', pct: 25 },
    })
    expect(only(body, 'dmarc')[0]).toMatchObject({
      value: 'v=DMARC1; p=quarantine; pct=25; rua=mailto:reports@dmarc.example.org',
      verdict: 'unchecked',
    })
    expect(testApp.sandbox.mail.zone(view.name)).toContain('rua=mailto:reports@dmarc.example.org')
    expect(only(await recheck(view.name), 'dmarc')[0]).toMatchObject({
      verdict: 'mismatch',
      reason: expect.stringContaining('weaker than p=quarantine'),
    })
    const without = (
      await call('PUT', `${path}/${view.name}/dmarc`, { policy: 'quarantine', rua: null })
    ).body
    expect(without.dmarc).toEqual({ policy: 'quarantine', rua: null, pct: 100 })
    expect(testApp.sandbox.mail.zone(view.name)).not.toContain('_dmarc')
    expect(only(without, 'dmarc')[0]?.value).toBe('v=DMARC1; p=quarantine')
    const entries = await auditOf(view.name)
    expect(entries.filter(({ action }) => action === 'domain.dmarc_set')).toHaveLength(2)
    await call('PUT', `${path}/${view.name}/dmarc`, { policy: 'quarantine', rua: null })
    expect(
      (await auditOf(view.name)).filter(({ action }) => action === 'domain.dmarc_set'),
    ).toHaveLength(2)
  })

  it.each([
    [{ policy: 'monitor' }, 'policy'],
    [{ policy: 'none', pct: 101 }, 'pct'],
    [{ policy: 'none', pct: 1.5 }, 'pct'],
    [{ policy: 'none', rua: 'mailto:x@y.example' }, 'rua'],
    [{ policy: 'none', rua: 'a@b.example; ruf=mailto:c@d.example' }, 'rua'],
    [{}, 'policy'],
  ])('refuses %j', async (input, field) => {
    const { status, body } = await call('PUT', `${path}/acme.tenants.local/dmarc`, input)
    expect({ status, paths: body.issues?.map((issue: { path: string }) => issue.path) }).toEqual({
      status: 400,
      paths: [field],
    })
  })

  it('is kept when the mail server fails, and sent to it by the next check', async () => {
    const view = await added('dmarc-down.example.org')
    testApp.sandbox.fault({ system: 'mail', mode: 'error' })
    const { status, body } = await call('PUT', `${path}/${view.name}/dmarc`, {
      policy: 'reject',
      rua: 'late@dmarc-down.example.org',
    })
    testApp.sandbox.clearFaults()
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { dmarc: { policy: 'reject' }, mailError: expect.stringContaining('mail server') },
    })
    await expect
      .poll(async () => (await recheck(view.name)).mailError, { timeout: 20_000, interval: 500 })
      .toBeNull()
    expect(testApp.sandbox.mail.zone(waitingNameOf(view))).toContain(
      'rua=mailto:late@dmarc-down.example.org',
    )
  }, 30_000)
})

describe('the primary domain', () => {
  it('is changed only to a proven one, and back', async () => {
    const view = await added('primary.example.org')
    expect((await call('PUT', `${path}/${view.name}/primary`)).body.code).toBe(
      'domain_not_verified',
    )
    publish(view)
    await recheck(view.name)
    expect((await call('PUT', `${path}/${view.name}/primary`)).body).toMatchObject({
      primary: true,
    })
    expect((await call('GET', '/tenants/acme')).body.primaryDomain).toBe(view.name)
    expect(
      (await call('GET', path)).body.items.filter((one: DomainView) => one.primary),
    ).toHaveLength(1)
    expect((await call('PUT', `${path}/${view.name}/primary`)).status).toBe(200)
    expect(
      (await auditOf(view.name)).filter(({ action }) => action === 'domain.primary_set'),
    ).toMatchObject([
      { metadata: { changes: { primaryDomain: ['acme.tenants.local', view.name] } } },
    ])
    expect((await call('DELETE', `${path}/${view.name}`)).body.code).toBe('primary_domain')
    await call('PUT', `${path}/acme.tenants.local/primary`)
  })

  it('is not moved to an unproven one by a change of the whole list', async () => {
    const view = await added('unproven-first.example.org')
    const response = await call('PATCH', '/tenants/acme', {
      domains: [view.name, 'acme.tenants.local'],
    })
    expect(response).toMatchObject({
      status: 409,
      body: { code: 'domain_not_verified', issues: [{ path: 'domains' }] },
    })
    const withNew = await call('PATCH', '/tenants/acme', {
      domains: ['brand-new.example.org', 'acme.tenants.local'],
    })
    expect(withNew).toMatchObject({ status: 409, body: { code: 'domain_not_verified' } })
    expect((await call('GET', '/tenants/acme')).body).toMatchObject({
      primaryDomain: 'acme.tenants.local',
    })
    expect(await rowOf('brand-new.example.org')).toBeUndefined()
    expect(
      await call('PATCH', '/tenants/acme', { domains: ['acme.tenants.local', view.name] }),
    ).toMatchObject({ status: 200 })
  })

  it('is a single one under concurrent changes', async () => {
    const names = ['one.example.net', 'two.example.net', 'three.example.net']
    for (const name of names) {
      await added(name)
      await testApp.database.db
        .updateTable('domains')
        .set({ verified_at: new Date() })
        .where('name', '=', name)
        .execute()
    }
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, n) => call('PUT', `${path}/${names[n % 3]}/primary`)),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(
      (await call('GET', path)).body.items.filter((one: DomainView) => one.primary),
    ).toHaveLength(1)
    await call('PUT', `${path}/acme.tenants.local/primary`)
  })
})

describe('who and when', () => {
  it('lets members read and nobody else; domains of other tenants are unknown', async () => {
    expect((await call('GET', path, undefined, member)).status).toBe(200)
    expect((await call('POST', path, { domain: 'x.example.org' }, member)).body.code).toBe(
      'not_admin',
    )
    expect((await call('GET', `${path}/globex.tenants.local`)).body.code).toBe('not_found')
    expect((await call('POST', `${path}/globex.tenants.local/recheck`)).body.code).toBe('not_found')
    expect((await call('GET', `${path}/${encodeURIComponent('no domain at all')}`)).body.code).toBe(
      'not_found',
    )
  })

  it('rejects every change of a suspended and of a deleted tenant', async () => {
    const view = await added('suspended.example.org')
    const calls: [string, string, unknown?][] = [
      ['POST', path, { domain: 'later.example.org' }],
      ['POST', `${path}/${view.name}/recheck`],
      ['PUT', `${path}/${view.name}/dmarc`, { policy: 'none' }],
      ['PUT', `${path}/${view.name}/primary`],
      ['DELETE', `${path}/${view.name}`],
    ]
    const { db } = testApp.database
    for (const [status, code] of [
      ['suspended', 'tenant_suspended'],
      ['deleted', 'tenant_deleted'],
    ] as const) {
      await db
        .updateTable('tenants')
        .set({ status, deleted_at: status === 'deleted' ? new Date() : null })
        .where('slug', '=', 'acme')
        .execute()
      for (const [method, at, body] of calls)
        expect((await call(method, at, body)).body.code, `${method} ${at}`).toBe(code)
      expect((await call('GET', path)).status).toBe(200)
    }
    await db
      .updateTable('tenants')
      .set({ status: 'active', deleted_at: null })
      .where('slug', '=', 'acme')
      .execute()
  })

  it('works the same over tRPC', async () => {
    const client = testApp.trpc(owner)
    const view = await client.domains.add.mutate({ slug: 'acme', domain: 'trpc.example.org' })
    expect(view.name).toBe('trpc.example.org')
    expect((await client.domains.recheck.mutate({ slug: 'acme', domain: view.name })).state).toBe(
      'pending',
    )
    expect(
      (await client.domains.history.query({ slug: 'acme', domain: view.name })).items,
    ).toHaveLength(1)
    await client.domains.remove.mutate({ slug: 'acme', domain: view.name })
    await expect(
      client.domains.get.query({ slug: 'acme', domain: view.name }),
    ).rejects.toMatchObject({ data: { code: 'not_found' } })
  })
})
