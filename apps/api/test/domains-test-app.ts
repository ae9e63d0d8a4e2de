import type { DomainDetail, DomainView, RecordVerdict } from '@atrium/core/mail/domains'
import { connectIntegrations } from '@atrium/integrations/connect'
import { dnsResolver } from '@atrium/integrations/dns/resolver'
import { startTestApp, type TestApp, type TestResponse } from '@atrium/testing/test-app'
import { afterAll, afterEach, expect } from 'vitest'

/** A record as the sandbox's DNS takes it. */
export interface Published {
  name: string
  type: string
  value: string
}

export const domainsPath = '/tenants/acme/domains'

/**
 * A test app in which failures outside do not take their usual time. Between two tests the tenant's
 * further domains are taken away, because it may have no more than twenty, and faults are switched
 * off.
 */
export async function openDomains() {
  const testApp: TestApp = await startTestApp({
    sandbox: { mail: { dkimDelayMs: 30 } },
    integrations: async (connected, { identity, mail, files, smtp, dns }) => {
      const policy = {
        deadlineMs: 400,
        operationDeadlineMs: 1_500,
        retries: 1,
        circuit: { failures: 10, openMs: 200 },
      }
      const resolver = dnsResolver({
        servers: dns.servers,
        queryMs: 600,
        tries: 1,
        deadlineMs: 1_500,
      })
      const own = await connectIntegrations({
        identity,
        mail,
        files,
        smtp,
        payments: null,
        dns,
        policy,
      })
      return { ...connected, dns: resolver, mail: own.mail }
    },
  })
  const owner = await testApp.token('owner@acme.test')
  const member = await testApp.token('member@acme.test')
  const { db } = testApp.database
  afterEach(async () => {
    testApp.sandbox.clearFaults()
    await db.deleteFrom('domains').where('is_primary', '=', false).execute()
  })
  afterAll(() => testApp[Symbol.asyncDispose]())

  /** A REST call of the owner, or of whoever the token is. */
  const call = (method: string, at: string, body?: unknown, token = owner): Promise<TestResponse> =>
    testApp.request(method, at, { token, ...(body === undefined ? {} : { body }) })

  /** The domain once the mail server has made its keys. */
  async function withKeys(name: string): Promise<DomainDetail> {
    for (let i = 0; i < 100; i++) {
      const { body } = await call('GET', `${domainsPath}/${name}`)
      if (!body.keysPending && body.mailError === null) return body
      await new Promise((done) => setTimeout(done, 50))
    }
    throw new Error(`${name} got no keys`)
  }
  async function added(name: string): Promise<DomainDetail> {
    const { status, body } = await call('POST', domainsPath, { domain: name })
    expect({ status, body }).toMatchObject({ status: 201 })
    return withKeys(name)
  }
  async function recheck(name: string): Promise<DomainView> {
    const { status, body } = await call('POST', `${domainsPath}/${name}/recheck`)
    expect({ status, body }).toMatchObject({ status: 200 })
    return body
  }
  /** Publishes what the domain asks for, after `change`. */
  function publish(view: DomainView, change: (records: Published[]) => void = () => {}): void {
    const records = view.records
      .filter(({ type }) => type !== 'TLSA' && type !== 'CAA')
      .map(({ name, type, value }) => ({ name, type, value }))
    change(records)
    testApp.sandbox.dns.zones.put(view.name, records)
  }
  const rowOf = (name: string) =>
    db.selectFrom('domains').selectAll().where('name', '=', name).executeTakeFirst()
  const auditOf = (name: string) =>
    db
      .selectFrom('audit_events')
      .select(['action', 'actor_type', 'metadata'])
      .where('resource_name', '=', name)
      .orderBy('id')
      .execute()
  return { testApp, owner, member, call, withKeys, added, recheck, publish, rowOf, auditOf }
}

export const only = (view: DomainView, purpose: RecordVerdict['purpose']) =>
  view.records.filter((record) => record.purpose === purpose)

/** The name that an unproven domain has in the mail server. */
export const waitingNameOf = (view: DomainView) => `unproven-${tokenOf(view)}.tenants.local`

/** The code that proves the ownership of the domain. */
export function tokenOf(view: DomainView): string {
  return only(view, 'ownership')[0]?.value.split('=')[1] ?? ''
}

/** The verdict of each required purpose. */
export const verdicts = (view: DomainView) =>
  Object.fromEntries(
    view.records.filter((one) => one.required).map((one) => [one.purpose, one.verdict]),
  )
