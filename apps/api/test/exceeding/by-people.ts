import { randomBytes, randomUUID } from 'node:crypto'
import { claimFor } from '@atrium/testing/address-claims'
import { giveMailbox } from '@atrium/testing/mailboxes'
import { insertServiceToken } from '@atrium/testing/service-tokens'
import type { TestApp, TestResponse } from '@atrium/testing/test-app'
import { newSecret, writeServiceToken } from '../../src/platform/service-token.ts'
import { amongMailboxes, amongMembers, amongPartners, inHouse } from './reach.ts'

const unique = () => randomBytes(4).toString('hex')

/** A response whose body goes on until it is left. The body of a rejection is read. */
async function opened(testApp: TestApp, path: string, token: string): Promise<TestResponse> {
  const response = await testApp.app.fetch(
    new Request(`http://api.test${path}`, { headers: { authorization: `Bearer ${token}` } }),
    {},
  )
  return {
    status: response.status,
    headers: response.headers,
    body: response.ok ? undefined : await response.json(),
  }
}

/**
 * Limits of what one person, mailbox or access token may do, each with the call that reaches it.
 */
export const byPeople = {
  changes_person_minute: inHouse(async (testApp) => {
    const tokens = [await testApp.token('owner@acme.test'), await testApp.token('owner@acme.test')]
    return (n) =>
      testApp.request('PATCH', '/tenants/acme', {
        token: tokens[n % 2],
        body: { name: `Acme ${n}` },
      })
  }),
  changes_token_minute: inHouse(async (testApp) => {
    const token = await testApp.token('owner@acme.test')
    return (n) => testApp.request('PATCH', '/tenants/acme', { token, body: { name: `Acme ${n}` } })
  }),
  service_token_minute: inHouse(async (testApp) => {
    const { token } = await insertServiceToken(testApp, { kind: 'platform' })
    return () => testApp.request('GET', '/service-tokens/current', { token })
  }),
  token_failures_minute: inHouse(
    (testApp) => () =>
      testApp.request('GET', '/service-tokens/current', {
        token: writeServiceToken(randomUUID(), newSecret().secret),
      }),
    { status: 401, headers: false },
  ),
  workplaces_person_day: inHouse(
    async (testApp) => {
      const token = await testApp.token('newcomer@example.test')
      return () =>
        testApp.request('POST', '/tenants', {
          token,
          body: { name: `Made ${unique()}`, respondAsync: true },
        })
    },
    { status: 201 },
  ),
  workplaces_person: inHouse(
    async (testApp) => {
      const token = await testApp.token('newcomer@example.test')
      return () =>
        testApp.request('POST', '/tenants', {
          token,
          body: { name: `Made ${unique()}`, respondAsync: true },
        })
    },
    { status: 201 },
  ),
  workplaces_partner_day: amongPartners(
    async (testApp) => {
      const partner = await testApp.newPartner()
      const { token } = await testApp.newPerson({ partnerId: partner.id, access: 'manager' })
      return () =>
        testApp.call(
          'POST',
          '/tenants',
          { name: `Customer ${unique()}`, respondAsync: true },
          token,
        )
    },
    { status: 201 },
  ),
  transfer_codes_day: inHouse(
    async (testApp) => {
      const token = await testApp.token('owner@acme.test')
      return () => testApp.request('POST', '/tenants/acme/transfer-code', { token })
    },
    { status: 201 },
  ),
  transfer_attempts_hour: amongPartners(
    async (testApp) => {
      const partner = await testApp.newPartner()
      const { token } = await testApp.newPerson({ partnerId: partner.id, access: 'manager' })
      return () =>
        testApp.call('POST', `/partners/${partner.slug}/transfers/preview`, { code: 'no' }, token)
    },
    { status: 404 },
  ),
  staff_invitations_day: amongPartners(
    async (testApp) => {
      const partner = await testApp.newPartner()
      const { token } = await testApp.newPerson({ partnerId: partner.id, access: 'owner' })
      const invite = (email: string) =>
        testApp.call(
          'POST',
          `/partners/${partner.slug}/users`,
          { name: 'Lin', email, access: 'viewer' },
          token,
        )
      return () => invite(`${unique()}@example.test`)
    },
    { status: 201 },
  ),
  address_changes_day: amongMembers(
    async (testApp) => {
      const email = 'member@acme.test'
      const userId = await testApp.idOf(email)
      await claimFor(testApp, { tenantId: testApp.acmeId, userId, email })
      const token = await testApp.token(email)
      return () =>
        testApp.request('POST', '/users/me/address-claim/new-address', {
          token,
          body: { email: `${unique()}@elsewhere.example` },
        })
    },
    { status: 204 },
  ),
  password_resets_hour: amongMembers(async (testApp) => {
    const id = await testApp.idOf('member@acme.test')
    return () => testApp.call('POST', `/users/${id}/reset-password`, {})
  }),
  second_factor_resets_hour: amongMembers(async (testApp) => {
    const id = await testApp.idOf('member@acme.test')
    return () => testApp.call('POST', `/users/${id}/reset-second-factors`, {})
  }),
  aliases: amongMembers(
    async (testApp) => {
      const userId = await testApp.idOf('member@acme.test')
      await giveMailbox(testApp, { slug: 'acme', userId, localPart: 'limited' })
      return () => testApp.call('POST', '/aliases', { userId, address: unique() })
    },
    { status: 201 },
  ),
  previews_minute: inHouse(async (testApp) => {
    const token = await testApp.token('admin@acme.test')
    const draft = { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' }
    const body = { template: 'booking.confirmed', draft }
    return () => testApp.request('POST', '/tenants/acme/branding/preview', { token, body })
  }),
  // A document that does not exist counts too.
  documents_minute: inHouse(
    async (testApp) => {
      const token = await testApp.token('member@acme.test')
      const path = `/tenants/acme/documents/${randomUUID()}`
      return () => testApp.request('GET', path, { token })
    },
    { status: 404 },
  ),
  bookkeeping_exports_hour: inHouse(async (testApp) => {
    const token = await testApp.token('operator@atrium.test', 'operator')
    return () => testApp.request('GET', '/billing/bookkeeping/2026-01/export', { token })
  }),
  streams: inHouse(
    async (testApp) => {
      const token = await testApp.token('member@acme.test')
      return () => opened(testApp, '/tenants/acme/events', token)
    },
    { headers: false },
  ),
  exports: inHouse(
    async (testApp) => {
      const token = await testApp.token('operator@atrium.test')
      return () => opened(testApp, '/audit/export', token)
    },
    { headers: false },
  ),
  mailbox_sign_ins_hour: amongMailboxes(
    async (testApp) => {
      const { member } = testApp.people
      const host = await testApp.newHost(member)
      const guess = (secret: string) =>
        testApp.call('PUT', `/hosts/${host.id}/mail-credential`, {
          mode: 'enter',
          username: member.address,
          secret,
        })
      return (n) => guess(`guess-${n}`)
    },
    { status: 400 },
  ),
  flag_evaluations_minute: inHouse(
    async (testApp) => {
      const token = await testApp.token('member@acme.test')
      return () =>
        testApp.request('POST', '/ofrep/v1/evaluate/flags', {
          token,
          body: { context: { targetingKey: 'acme' } },
        })
    },
    { headers: false },
  ),
}
