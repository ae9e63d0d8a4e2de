import type { RecordVerdict } from '@atrium/core/mail/domains'
import { tenantIdOf } from '@atrium/testing/records'
import { startTestApp } from '@atrium/testing/test-app'
import { describe, expect, it } from 'vitest'
import { checkDueDomains } from '../src/mail/domains/jobs.ts'
import { only, openDomains, domainsPath as path, verdicts } from './domains-test-app.ts'

const { testApp, owner, call, withKeys, added, recheck, publish, rowOf, auditOf } =
  await openDomains()

describe('checking', () => {
  it('gives each record its reason, and a state by what matters', async () => {
    const view = await added('reasons.example.org')
    publish(view)
    expect((await recheck(view.name)).state).toBe('verified')
    const at = (
      records: { name: string; type: string; value: string }[],
      type: string,
      name: string,
    ) => {
      const found = records.find((one) => one.type === type && one.name === name)
      if (!found) throw new Error(`no ${type} at ${name}`)
      return found
    }
    publish(view, (records) => {
      at(records, 'MX', view.name).value = '10 mx.elsewhere.org'
      at(records, 'TXT', view.name).value = 'v=spf1 include:_spf.elsewhere.org ~all'
      const dkim = records.findIndex(
        ({ name }) => name.includes('rsa') && name.includes('_domainkey'),
      )
      records.splice(dkim, 1)
      records.push({
        name: `_dmarc.${view.name}.${view.name}`,
        type: 'TXT',
        value: 'v=DMARC1; p=none',
      })
      records.splice(records.indexOf(at(records, 'TXT', `_dmarc.${view.name}`)), 1)
    })
    testApp.sandbox.dns.zones.put('elsewhere.org', [
      { name: '_spf.elsewhere.org', type: 'TXT', value: 'v=spf1 ip4:203.0.113.0/24 -all' },
    ])
    const broken = await recheck(view.name)
    expect(broken).toMatchObject({ state: 'failing', verified: true })
    expect(only(broken, 'mx')[0]).toMatchObject({
      verdict: 'mismatch',
      found: ['10 mx.elsewhere.org'],
      reason: expect.stringContaining('mx.elsewhere.org'),
    })
    expect(only(broken, 'spf')[0]).toMatchObject({
      verdict: 'mismatch',
      reason: expect.stringContaining('Publish: v=spf1 mx include:_spf.elsewhere.org ~all'),
    })
    expect(
      only(broken, 'dkim')
        .map(({ verdict }) => verdict)
        .sort(),
    ).toEqual(['missing', 'ok'])
    expect(only(broken, 'dmarc')[0]).toMatchObject({
      verdict: 'missing',
      reason: expect.stringContaining('Enter _dmarc as the name'),
    })
    const inGerman = async (at: string) =>
      (await testApp.request('GET', at, { token: owner, headers: { 'accept-language': 'de' } }))
        .body
    const reason =
      'E-Mails gehen an mx.elsewhere.org statt an mail.atrium.test. Ersetzen Sie die MX-Einträge, sobald Sie umziehen möchten.'
    expect(only(await inGerman(`${path}/${view.name}`), 'mx')[0]).toMatchObject({ reason })
    const [newest] = (await inGerman(`${path}/${view.name}/checks`)).items
    expect(only(newest, 'mx')[0]).toMatchObject({ reason })
    const actions = await auditOf(view.name)
    expect(actions.at(-1)).toMatchObject({
      action: 'domain.dns_regressed',
      metadata: { state: ['verified', 'failing'] },
    })
    await recheck(view.name)
    expect(
      (await auditOf(view.name)).filter(({ action }) => action === 'domain.dns_regressed'),
    ).toHaveLength(1)

    publish(view)
    expect((await recheck(view.name)).state).toBe('verified')
    const { body } = await call('GET', `${path}/${view.name}/checks?limit=2`)
    expect(
      body.items.map(({ state, previousState, cause }: Record<string, string>) => [
        cause,
        previousState,
        state,
      ]),
    ).toEqual([
      ['manual', 'failing', 'verified'],
      ['manual', 'failing', 'failing'],
    ])
    const next = (await call('GET', `${path}/${view.name}/checks?cursor=${body.nextCursor}`)).body
    expect(
      next.items.map(({ state, regressed }: Record<string, unknown>) => [state, regressed]),
    ).toEqual([
      ['failing', true],
      ['verified', false],
    ])
    expect(next.nextCursor).toBeNull()
  })

  it.each([
    ['servfail', 'SERVFAIL'],
    ['timeout', 'did not respond'],
    ['garbage', /cannot be read|did not respond/],
    ['error', 'REFUSED'],
  ] as const)(
    'is unknown while the resolver fails (%s), and no regression',
    async (mode, reason) => {
      const view = await added(`resolver-${mode}.example.org`)
      publish(view)
      expect((await recheck(view.name)).state).toBe('verified')
      testApp.sandbox.fault({ system: 'dns', mode })
      const unknown = await recheck(view.name)
      testApp.sandbox.clearFaults()
      expect(unknown).toMatchObject({ state: 'unknown', verified: true })
      expect(unknown.records.every((one) => one.verdict === 'unknown')).toBe(true)
      expect(only(unknown, 'mx')[0]?.reason).toMatch(reason)
      expect((await auditOf(view.name)).map(({ action }) => action)).not.toContain(
        'domain.dns_regressed',
      )
      publish(
        view,
        (records) =>
          void records.splice(
            records.findIndex(({ type }) => type === 'MX'),
            1,
          ),
      )
      expect((await recheck(view.name)).state).toBe('failing')
      expect((await auditOf(view.name)).map(({ action }) => action)).toContain(
        'domain.dns_regressed',
      )
    },
    40_000,
  )

  it('never takes an unreachable resolver for a missing proof', async () => {
    const view = await added('unproven.example.org')
    testApp.sandbox.fault({ system: 'dns', mode: 'servfail' })
    const unknown = await recheck(view.name)
    testApp.sandbox.clearFaults()
    expect(unknown).toMatchObject({ state: 'unknown', verified: false })
    expect(unknown.records.map((one) => one.verdict)).not.toContain('missing')
  })

  it('reads truncated and slow responses', async () => {
    const view = await added('slow.example.org')
    publish(view)
    testApp.sandbox.fault({ system: 'dns', mode: 'truncated', match: 'MX' })
    testApp.sandbox.fault({ system: 'dns', mode: 'latency', delayMs: 150 })
    const checked = await recheck(view.name)
    testApp.sandbox.clearFaults()
    expect(checked.state).toBe('verified')
  }, 20_000)

  it('follows an alias to the key', async () => {
    const view = await added('alias.example.org')
    publish(view, (records) => {
      const dkim = records.find(({ name }) => name.includes('_domainkey'))
      if (!dkim) throw new Error('no key')
      const key = dkim.value
      dkim.type = 'CNAME'
      dkim.value = 'key.hoster.example'
      testApp.sandbox.dns.zones.put('hoster.example', [
        { name: 'key.hoster.example', type: 'TXT', value: key },
      ])
    })
    expect((await recheck(view.name)).state).toBe('verified')
  })

  it('checks with what it last knew while the mail server is down', async () => {
    const view = await added('mail-down.example.org')
    publish(view)
    testApp.sandbox.fault({ system: 'mail', mode: 'error' })
    const checked = await recheck(view.name)
    testApp.sandbox.clearFaults()
    expect(checked).toMatchObject({
      verified: true,
      state: 'degraded',
      mailError: expect.stringContaining('mail server'),
    })
    expect(verdicts(checked)).toEqual({
      ownership: 'ok',
      mx: 'ok',
      spf: 'ok',
      dkim: 'ok',
      dmarc: 'ok',
    })
    await expect
      .poll(async () => (await recheck(view.name)).state, { timeout: 20_000, interval: 500 })
      .toBe('verified')
  }, 30_000)

  it('creates a domain again that was deleted in the mail server', async () => {
    const view = await added('vanished.example.org')
    const before = await rowOf(view.name)
    await testApp.app.services.systems.mail?.removeDomain(before?.mail_pending_id ?? '')
    const checked = await recheck(view.name)
    expect(checked.mailError).toBeNull()
    const after = await rowOf(view.name)
    expect(after?.mail_pending_id).toEqual(expect.any(String))
    expect(after?.mail_pending_id).not.toBe(before?.mail_pending_id)
  })

  it('survives bytes in DNS that no database takes', async () => {
    const view = await added('bytes.example.org')
    publish(view, (records) => {
      const dmarc = records.find(({ name }) => name.startsWith('_dmarc'))
      if (dmarc) dmarc.value = 'v=DMARC1; p=\0\u0001 no\u202ene'
    })
    const checked = await recheck(view.name)
    expect(only(checked, 'dmarc')[0]).toMatchObject({ verdict: 'mismatch' })
    expect(JSON.stringify(checked)).not.toMatch(/\\u0000|\u202e/)
  })
})

describe('the platform’s own domains', () => {
  it('are verified from the start, ask for no proof, and check against the platform’s zone', async () => {
    const { body } = await call('GET', `${path}/acme.tenants.local`)
    expect(body).toMatchObject({ managed: true, verified: true, primary: true })
    expect(body.records.map((one: RecordVerdict) => one.purpose)).not.toContain('ownership')
    await withKeys('acme.tenants.local')
    const checked = await recheck('acme.tenants.local')
    expect(checked).toMatchObject({ state: 'verified' })
    expect(only(checked, 'dmarc')[0]).toMatchObject({
      verdict: 'ok',
      reason: expect.stringContaining('p=reject is stronger'),
    })
  })
})

describe('checks by themselves', () => {
  const due = (name: string) =>
    testApp.database.db
      .updateTable('domains')
      .set({ next_check_at: new Date(Date.now() - 1_000) })
      .where('name', '=', name)
      .execute()
  const rest = () =>
    testApp.database.db
      .updateTable('domains')
      .set({ next_check_at: new Date(Date.now() + 3_600_000) })
      .execute()

  it('verify a domain whose proof was published, remember only what changed, and see a regression', async () => {
    const view = await added('scheduled.example.org')
    await rest()
    await due(view.name)
    await checkDueDomains(testApp.app.services)
    expect(await rowOf(view.name)).toMatchObject({ state: 'pending', verified_at: null })
    publish(view)
    for (let i = 0; i < 3; i++) {
      await due(view.name)
      await checkDueDomains(testApp.app.services)
    }
    const row = await rowOf(view.name)
    expect(row).toMatchObject({ state: 'verified' })
    expect((row?.next_check_at?.getTime() ?? 0) - Date.now()).toBeGreaterThan(23 * 3_600_000)
    testApp.sandbox.dns.zones.remove(view.name)
    await due(view.name)
    await checkDueDomains(testApp.app.services)
    const { items } = (await call('GET', `${path}/${view.name}/checks`)).body
    expect(
      items.map(({ cause, state, regressed }: Record<string, unknown>) => [
        cause,
        state,
        regressed,
      ]),
    ).toEqual([
      ['schedule', 'failing', true],
      ['schedule', 'verified', false],
      ['schedule', 'pending', false],
    ])
    expect(await auditOf(view.name)).toMatchObject([
      { action: 'domain.added' },
      { action: 'domain.verified', actor_type: 'system' },
      { action: 'domain.dns_regressed', actor_type: 'system' },
    ])
  })

  it('leave alone what is not due, and the domains of suspended tenants', async () => {
    const view = await added('resting.example.org')
    await rest()
    await due(view.name)
    const { db } = testApp.database
    await db
      .updateTable('tenants')
      .set({ status: 'suspended' })
      .where('slug', '=', 'acme')
      .execute()
    await checkDueDomains(testApp.app.services)
    expect((await rowOf(view.name))?.last_checked_at).toBeNull()
    await db.updateTable('tenants').set({ status: 'active' }).where('slug', '=', 'acme').execute()
    await checkDueDomains(testApp.app.services)
    expect((await rowOf(view.name))?.last_checked_at).not.toBeNull()
  })

  it('check each domain once, however many processes look', async () => {
    const names = Array.from({ length: 6 }, (_, n) => `shared-${n}.example.org`)
    const { db } = testApp.database
    const id = await tenantIdOf(db, 'globex')
    await rest()
    await db
      .insertInto('domains')
      .values(
        names.map((name) => ({ tenant_id: id, name, next_check_at: new Date(Date.now() - 1_000) })),
      )
      .execute()
    await Promise.all([1, 2, 3].map(() => checkDueDomains(testApp.app.services)))
    const rows = await db
      .selectFrom('domain_checks as c')
      .innerJoin('domains as d', 'd.id', 'c.domain_id')
      .select(['d.name'])
      .where('d.name', 'in', names)
      .execute()
    expect(rows.map(({ name }) => name).sort()).toEqual(names)
  })

  it('go on with the others when the mail server is down', async () => {
    await rest()
    const { db } = testApp.database
    const id = await tenantIdOf(db, 'globex')
    const names = ['down-0.example.org', 'down-1.example.org']
    await db
      .insertInto('domains')
      .values(
        names.map((name) => ({ tenant_id: id, name, next_check_at: new Date(Date.now() - 1_000) })),
      )
      .execute()
    testApp.sandbox.fault({ system: 'mail', mode: 'error' })
    await checkDueDomains(testApp.app.services)
    for (const name of names) {
      expect(await rowOf(name)).toMatchObject({
        state: 'pending',
        mail_error: expect.stringContaining('mail server'),
      })
    }
  }, 30_000)
})

it('is due through the job engine as well', async () => {
  await using own = await startTestApp({ sandbox: { mail: { dkimDelayMs: 30 } } })
  await own.database.db
    .updateTable('domains')
    .set({ next_check_at: new Date(Date.now() - 1_000) })
    .execute()
  await own.app.start()
  const checked = () =>
    own.database.db
      .selectFrom('domains')
      .select('state')
      .where('last_checked_at', 'is not', null)
      .execute()
  await expect.poll(async () => (await checked()).length, { timeout: 15_000 }).toBe(2)
}, 40_000)
