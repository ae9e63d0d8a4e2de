import { auditOf, setTenantStatus } from '@atrium/testing/mailboxes'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: TestApp
let admin: string
let member: string
let newcomer: string

beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false })
  admin = await testApp.token('admin@acme.test')
  member = await testApp.token('member@acme.test')
  newcomer = await testApp.token('newcomer@example.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const path = '/tenants/acme/billing-info'
const empty = { company: null, vatNumber: null, country: null, email: null }
const read = async () => (await testApp.request('GET', path, { token: member })).body
const change = (body: object) => testApp.request('PATCH', path, { token: admin, body })
const create = (billingInfo: object) =>
  testApp.request('POST', '/tenants', { token: newcomer, body: { name: 'Billed', billingInfo } })
beforeEach(() => change(empty))

describe('billing info', () => {
  it('is changed field by field, null removing one', async () => {
    expect(await read()).toMatchObject({ billingInfo: empty, vatStatus: 'none', warnings: [] })
    const response = await change({
      company: ' Acme GmbH ',
      country: 'de',
      vatNumber: 'de 136.695 976',
      email: 'Bills@Acme.test',
    })
    const whole = {
      company: 'Acme GmbH',
      country: 'DE',
      vatNumber: 'DE136695976',
      email: 'bills@acme.test',
    }
    expect(response).toMatchObject({
      status: 200,
      body: { billingInfo: whole, vatStatus: 'unverified', warnings: [] },
    })
    expect(await read()).toEqual(response.body)
    expect(
      (await testApp.request('GET', '/tenants/acme', { token: member })).body.billingInfo,
    ).toEqual(whole)
    expect((await change({ email: null })).body.billingInfo).toEqual({ ...whole, email: null })
    expect((await change({ vatNumber: null })).body).toMatchObject({
      billingInfo: { vatNumber: null },
      vatStatus: 'none',
    })
  })

  it('works over tRPC', async () => {
    const { billingInfo } = testApp.trpc(admin)
    const saved = await billingInfo.update.mutate({ slug: 'acme', company: 'Wire' })
    expect(await billingInfo.get.query({ slug: 'acme' })).toEqual(saved)
  })

  it('is recorded with what changed, and not when nothing did', async () => {
    await change({ company: 'Acme GmbH', country: 'DE' })
    const entries = await auditOf(testApp, 'billing_info.updated')
    expect(entries[0]).toMatchObject({
      actor_email: 'admin@acme.test',
      tenant_slug: 'acme',
      resource_name: 'Acme Engineering',
    })
    expect(entries[0]?.metadata).toMatchObject({
      changes: { company: [null, 'Acme GmbH'], country: [null, 'DE'] },
      vatStatus: 'none',
    })
    await change({ company: 'Acme GmbH' })
    expect(await auditOf(testApp, 'billing_info.updated')).toHaveLength(entries.length)
  })

  it('can be changed while the tenant is suspended, for the suspension may be about a bill, and not once it is deleted', async () => {
    await setTenantStatus(testApp, 'acme', 'suspended')
    try {
      expect(await change({ company: 'Still Acme' })).toMatchObject({ status: 200 })
      await setTenantStatus(testApp, 'acme', 'deleted')
      expect(await change({ company: 'Gone' })).toMatchObject({
        status: 409,
        body: { code: 'tenant_deleted' },
      })
    } finally {
      await setTenantStatus(testApp, 'acme', 'active')
    }
    expect((await read()).billingInfo.company).toBe('Still Acme')
  })

  it.each([
    [{ country: 'Germany' }, 'country', /two-letter/],
    [{ country: 'UK' }, 'country', /Write GB/],
    [{ country: 'XX' }, 'country', /ISO 3166-1/],
    [{ email: 'bills' }, 'email', /e-mail/],
    [{ company: '' }, 'company', /empty/],
    [{ company: 'A\u202ecme' }, 'company', /invisible/],
    [{ plan: 'free', company: 'Acme' }, 'plan', /unknown/],
    [{}, '', /at least one/],
  ])('%j is refused with the reason', async (body, field, message) => {
    const response = await change(body)
    expect(response).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', issues: [{ path: field }] },
    })
    expect(response.body.issues[0].message).toMatch(message)
  })
})

describe('a VAT number', () => {
  it('of the wrong form is rejected, also against the country that is stored, and nothing is saved', async () => {
    const rejected = {
      status: 400,
      body: { code: 'invalid_input', issues: [{ path: 'vatNumber' }] },
    }
    expect(await change({ vatNumber: 'DE12', company: 'Not saved' })).toMatchObject(rejected)
    expect(await change({ vatNumber: '136695976' })).toMatchObject(rejected)
    expect(await read()).toMatchObject({ billingInfo: empty })
    await change({ country: 'GR' })
    expect(await change({ vatNumber: 'GR094259216' })).toMatchObject(rejected)
    expect((await change({ vatNumber: '094259216' })).body.billingInfo.vatNumber).toBe(
      'EL094259216',
    )
  })

  it('with wrong check digits, or of another country, is saved with a warning that stays', async () => {
    const response = await change({ vatNumber: 'DE123456789', country: 'FR' })
    expect(response).toMatchObject({
      status: 200,
      body: {
        billingInfo: { vatNumber: 'DE123456789' },
        vatStatus: 'checksum_invalid',
        warnings: [
          { code: 'vat_checksum_invalid', path: 'vatNumber' },
          { code: 'vat_country_mismatch', path: 'vatNumber' },
        ],
      },
    })
    expect(await read()).toEqual(response.body)
    const moved = await change({ vatNumber: 'XI434031494', country: 'GB' })
    expect(moved.body).toMatchObject({ vatStatus: 'unverified', warnings: [] })
  })

  it('that was let in under older rules does not keep the rest from being changed', async () => {
    await testApp.database.db
      .updateTable('tenants')
      .set({ billing_vat_number: 'OLD-1' })
      .where('slug', '=', 'acme')
      .execute()
    expect(await change({ company: 'Acme AG' })).toMatchObject({
      status: 200,
      body: { billingInfo: { vatNumber: 'OLD-1' } },
    })
    expect((await read()).vatStatus).toBe('format_invalid')
  })

  it('is checked in the same way when a tenant is created', async () => {
    expect(await create({ vatNumber: 'DE12' })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'billingInfo.vatNumber' }] },
    })
    expect(await create({ country: 'UK' })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'billingInfo.country' }] },
    })
    const made = await create({ country: 'de', vatNumber: '136 695 976' })
    expect(made).toMatchObject({
      status: 201,
      body: { billingInfo: { country: 'DE', vatNumber: 'DE136695976' } },
    })
  })
})
