import { randomBytes } from 'node:crypto'
import { personElsewhere } from '@atrium/testing/address-claims'
import { invite } from '@atrium/testing/invitations'
import type { MembersTestApp } from '@atrium/testing/members-test-app'
import { proveDomain } from '@atrium/testing/test-app'
import { amongMembers, inHouse } from './reach.ts'

const unique = () => randomBytes(4).toString('hex')
const own = () => `${unique()}@acme.tenants.local`

const addMember = (testApp: MembersTestApp, fields: object = {}) =>
  testApp.call('POST', '/users', { email: own(), ...fields })
const elsewhere = () => ({ alternativeEmail: `${unique()}@elsewhere.example` })

/** Invites somebody to Globex; returns the id of the invitation and the token of the owner. */
async function inviteOne(testApp: MembersTestApp): Promise<{ id: string; token: string }> {
  const token = await testApp.token('owner@globex.test')
  const { body } = await invite(testApp, 'globex', { email: `${unique()}@outside.example` }, token)
  if (!body.invitation) throw new Error(`nobody was invited: ${body.code}`)
  return { id: body.invitation.id, token }
}
const inviteAgain = (testApp: MembersTestApp, { id, token }: { id: string; token: string }) =>
  testApp.request('POST', `/tenants/globex/invitations/${id}/resend`, { token, body: {} })

/** Limits of one workplace, each with the call that reaches it. */
export const byTenants = {
  members_day: amongMembers((testApp) => () => addMember(testApp), { status: 201, headers: false }),
  invitations_day: amongMembers(
    async (testApp) => {
      await proveDomain(testApp, 'acme', 'acme.example')
      return () => addMember(testApp, elsewhere())
    },
    { status: 201, headers: false },
  ),
  invitations_unproven_day: amongMembers((testApp) => () => addMember(testApp, elsewhere()), {
    status: 201,
    headers: false,
  }),
  address_claims_day: amongMembers(
    async (testApp) => {
      const tenant = { tenantId: testApp.acmeId }
      const people = [0, 1, 2, 3].map(() => personElsewhere(testApp, tenant))
      const found = await Promise.all(people)
      return (n) => {
        const { domain, email } = found[n % found.length] ?? { domain: '', email: '' }
        return testApp.call('POST', `/domains/${domain}/address-claims`, { email })
      }
    },
    { status: 201 },
  ),
  invitation_repeats_day: amongMembers(
    async (testApp) => {
      const invited = [await inviteOne(testApp), await inviteOne(testApp), await inviteOne(testApp)]
      return (n) => inviteAgain(testApp, invited[n % invited.length] ?? { id: '', token: '' })
    },
    { headers: false, slug: 'globex' },
  ),
  // The invitation itself is the first of the three.
  invitations_recipient_day: amongMembers(
    async (testApp) => {
      const invited = await inviteOne(testApp)
      return () => inviteAgain(testApp, invited)
    },
    { most: 3, lets: 2, headers: false, slug: 'globex' },
  ),
  password_links_recipient_day: amongMembers(async (testApp) => {
    const { member } = await testApp.newMember()
    const linkTo = 'second@elsewhere.example'
    return () => testApp.call('POST', `/users/${member.id}/reset-password`, { linkTo })
  }),
  imports_day: amongMembers(
    (testApp) => () =>
      testApp.call('POST', '/user-imports', { csv: `email\n${own()}\n`, dryRun: false }),
  ),
  password_resets_day: amongMembers(async (testApp) => {
    const id = await testApp.idOf('member@acme.test')
    return () => testApp.call('POST', `/users/${id}/reset-password`, {})
  }),
  // The name below the platform's domain is the first of the three.
  domains: amongMembers(
    (testApp) => () => testApp.call('POST', '/domains', { domain: `${unique()}.example.org` }),
    {
      most: 3,
      lets: 2,
      status: 201,
    },
  ),
  lists: amongMembers(
    (testApp) => () =>
      testApp.call('POST', '/lists', {
        address: own(),
        name: 'All',
        recipients: ['member@acme.test'],
      }),
    {
      status: 201,
    },
  ),
  service_tokens: inHouse(
    async (testApp) => {
      const token = await testApp.token('owner@acme.test')
      return (n) =>
        testApp.request('POST', '/tenants/acme/service-tokens', {
          token,
          body: { name: `Program ${n}`, scopes: ['members:read'], expiresInDays: 30 },
        })
    },
    { status: 201 },
  ),
  webhook_endpoints: inHouse(
    async (testApp) => {
      const token = await testApp.token('owner@acme.test')
      return (n) =>
        testApp.request('POST', '/tenants/acme/webhook-endpoints', {
          token,
          body: { url: `https://hooks.example.test/${n}` },
        })
    },
    { status: 201 },
  ),
  sso_apps: amongMembers(
    (testApp) => () =>
      testApp.call('POST', '/sso-apps', {
        name: `App ${unique()}`,
        redirectUris: ['https://wiki.example.test/callback'],
      }),
    { status: 201 },
  ),
}
