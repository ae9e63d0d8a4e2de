import type { MembersTestApp } from '@atrium/testing/members-test-app'
import { tenantIdOf } from '@atrium/testing/records'
import { type Member, memberSettled, memberState, newMember, newTenant, ok } from './kill-states.ts'
import type { Write } from './kills.ts'

/** What directories write over SCIM, where one request changes several things. */
export function directoryWrites(testApp: MembersTestApp): readonly Write<never>[] {
  return [
    userCreate(testApp),
    userChange(testApp),
    userLeaves(testApp),
    groupCreate(testApp),
    groupChange(testApp),
    adminsChange(testApp),
  ] as unknown as readonly Write<never>[]
}

const scimOf = (slug: string) => `/tenants/${slug}/scim/v2`
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })

/** The member under the first address and under the one that it may get. */
async function userState(testApp: MembersTestApp, slug: string) {
  const rows = await testApp.database.db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .innerJoin('tenants as t', 't.id', 'm.tenant_id')
    .select(['u.name', 'u.phone', 'm.scim_external_id as externalId', 'm.status'])
    .where('t.slug', '=', slug)
    .where('m.role', '=', 'member')
    .execute()
  return {
    rows: rows.map(({ name, ...row }) => ({ ...row, name: name.replaceAll(slug, '*') })),
    first: await memberState(testApp, slug),
    moved: await memberState(testApp, slug, 'moved'),
  }
}

const settled =
  (testApp: MembersTestApp) =>
  async ({ slug }: { slug: string }) =>
    (await memberSettled(testApp, slug)) && (await memberSettled(testApp, slug, 'moved'))

function userCreate(testApp: MembersTestApp): Write<{ slug: string }> {
  return {
    name: 'directory user create',
    prepare: async () => ({ slug: await newTenant(testApp) }),
    call: (send, { slug }) =>
      send('POST', `${scimOf(slug)}/Users`, testApp.as.outsider, {
        userName: `person@${slug}.tenants.local`,
        externalId: 'of-the-directory',
        displayName: 'Person',
      }),
    state: ({ slug }) => userState(testApp, slug),
    settled: settled(testApp),
  }
}

/** Ends a suspension and changes address, name, phone number and external id. */
function userChange(testApp: MembersTestApp): Write<Member> {
  return {
    name: 'directory user change',
    async prepare() {
      const member = await newMember(testApp)
      const path = `/tenants/${member.slug}/users/${member.id}/suspend`
      await ok(testApp.request('POST', path, { token: testApp.as.outsider, body: {} }))
      return member
    },
    call: (send, { slug, id }) =>
      send('PATCH', `${scimOf(slug)}/Users/${id}`, testApp.as.outsider, {
        Operations: [
          replace('active', true),
          replace('userName', `moved@${slug}.tenants.local`),
          replace('displayName', 'Changed'),
          replace('externalId', 'changed'),
          replace('phoneNumbers[type eq "work"].value', '+49 30 99'),
        ],
      }),
    state: ({ slug }) => userState(testApp, slug),
    settled: settled(testApp),
  }
}

/** Gives another address and suspends, in two transactions. */
function userLeaves(testApp: MembersTestApp): Write<Member> {
  return {
    name: 'directory user address and suspension',
    prepare: () => newMember(testApp),
    call: (send, { slug, id }) =>
      send('PATCH', `${scimOf(slug)}/Users/${id}`, testApp.as.outsider, {
        Operations: [replace('userName', `moved@${slug}.tenants.local`), replace('active', false)],
      }),
    state: ({ slug }) => userState(testApp, slug),
    settled: settled(testApp),
    // The address is first: until the same request comes again, the member is not suspended.
    mayRest: (state) =>
      (state as Awaited<ReturnType<typeof userState>>).rows.every(
        ({ status }) => status === 'active',
      ),
  }
}

interface ListRecord {
  emailAddress: string
  description: string | null
  recipients: Record<string, boolean>
}

async function groupState(testApp: MembersTestApp, slug: string) {
  const rows = await testApp.database.db
    .selectFrom('mail_lists as l')
    .innerJoin('tenants as t', 't.id', 'l.tenant_id')
    .leftJoin('mail_list_recipients as r', 'r.list_id', 'l.id')
    .select(['l.name', 'l.state', 'l.scim_external_id as externalId', 'r.address'])
    .where('t.slug', '=', slug)
    .orderBy('l.address')
    .execute()
  const { MailingList } = testApp.sandbox.state().mail.records as { MailingList: ListRecord[] }
  return {
    rows: rows.map(({ address, ...row }) => ({
      ...row,
      address: address?.replaceAll(slug, '*'),
    })),
    there: MailingList.filter(({ emailAddress }) =>
      emailAddress.endsWith(`@${slug}.tenants.local`),
    ).map(({ description, recipients }) => ({
      description,
      recipients: Object.keys(recipients).map((address) => address.replaceAll(slug, '*')),
    })),
  }
}

const groupSettled =
  (testApp: MembersTestApp) =>
  async ({ slug }: { slug: string }) =>
    (await groupState(testApp, slug)).rows.every(({ state }) => state === 'ok' || state === 'error')

function groupCreate(testApp: MembersTestApp): Write<Member> {
  return {
    name: 'directory group create',
    prepare: () => newMember(testApp),
    call: (send, { slug, id }) =>
      send('POST', `${scimOf(slug)}/Groups`, testApp.as.outsider, {
        displayName: 'Team',
        externalId: 'of-the-directory',
        members: [{ value: id }],
      }),
    state: ({ slug }) => groupState(testApp, slug),
    settled: groupSettled(testApp),
  }
}

function groupChange(testApp: MembersTestApp): Write<Member & { group: string }> {
  return {
    name: 'directory group change',
    lapses: true,
    async prepare() {
      const member = await newMember(testApp)
      const { id: group } = await ok(
        testApp.request('POST', `${scimOf(member.slug)}/Groups`, {
          token: testApp.as.outsider,
          body: { displayName: 'Team' },
        }),
      )
      return { ...member, group }
    },
    call: (send, { slug, id, group }) =>
      send('PATCH', `${scimOf(slug)}/Groups/${group}`, testApp.as.outsider, {
        Operations: [
          replace('displayName', 'Changed'),
          replace('externalId', 'changed'),
          { op: 'add', path: 'members', value: [{ value: id }] },
        ],
      }),
    state: ({ slug }) => groupState(testApp, slug),
    settled: groupSettled(testApp),
  }
}

/** One member gets the role that another one loses. */
function adminsChange(testApp: MembersTestApp): Write<Member & { tenantId: string }> {
  return {
    name: 'directory admins change',
    async prepare() {
      const member = await newMember(testApp)
      const { slug } = member
      const token = testApp.as.outsider
      const body = { email: 'second', name: 'Second', role: 'admin' }
      await ok(testApp.request('POST', `/tenants/${slug}/users`, { token, body }))
      const tenantId = await tenantIdOf(testApp.database.db, slug)
      return { ...member, tenantId }
    },
    call: (send, { slug, id, tenantId }) =>
      send('PUT', `${scimOf(slug)}/Groups/${tenantId}`, testApp.as.outsider, {
        displayName: 'Administrators',
        members: [{ value: id }],
      }),
    state: ({ slug }) =>
      testApp.database.db
        .selectFrom('memberships as m')
        .innerJoin('tenants as t', 't.id', 'm.tenant_id')
        .select('m.role')
        .where('t.slug', '=', slug)
        .orderBy('m.user_id')
        .execute(),
    settled: async () => true,
  }
}
