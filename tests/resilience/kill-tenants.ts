import { accept, invite } from '@atrium/testing/invitations'
import type { MembersTestApp } from '@atrium/testing/members-test-app'
import { settleTenant } from '@atrium/testing/suspension-test-app'
import {
  accounts,
  aliasCounts,
  type Member,
  memberSettled,
  memberState,
  newMember,
  newTenant,
  ok,
  tenantState,
} from './kill-states.ts'
import type { Write } from './kills.ts'

/** What is done to a tenant, and to the rights of its people. */
export function tenantWrites(testApp: MembersTestApp): readonly Write<never>[] {
  return [
    lifecycle(testApp, 'tenant suspend', ['POST', '/suspend']),
    lifecycle(testApp, 'tenant resume', ['POST', '/resume'], ['POST', '/suspend']),
    lifecycle(testApp, 'tenant delete', ['DELETE', '']),
    lifecycle(testApp, 'tenant restore', ['POST', '/restore'], ['DELETE', '']),
    securityPolicy(testApp),
    ownershipTransfer(testApp),
    memberUpdate(testApp),
    memberEmail(testApp),
    memberResume(testApp),
    memberMailbox(testApp),
    memberAlias(testApp),
  ] as unknown as readonly Write<never>[]
}

/** A member with mailbox and files, and the space of the tenant, as they have to follow. */
function lifecycle(
  testApp: MembersTestApp,
  name: string,
  [method, path]: [string, string],
  before?: [string, string],
): Write<Member> {
  const settled = async ({ slug }: Member) =>
    (await memberSettled(testApp, slug)) && (await spaceSettled(testApp, slug))
  return {
    name,
    lapses: true,
    async prepare() {
      const member = await newMember(testApp)
      if (before) {
        const [first, at] = before
        const body = first === 'POST' ? { body: {} } : {}
        await ok(
          testApp.request(first, `/tenants/${member.slug}${at}`, {
            token: testApp.as.operator,
            ...body,
          }),
        )
        await settleTenant(testApp, member.slug)
      }
      return member
    },
    call: (send, { slug }) =>
      send(
        method,
        `/tenants/${slug}${path}`,
        testApp.as.operator,
        ...(method === 'POST' ? [{}] : []),
      ),
    state: async ({ slug }) => {
      const { drives } = testApp.sandbox.state().files.records as {
        drives: { driveAlias: string; trashed: boolean }[]
      }
      return {
        ...(await memberState(testApp, slug)),
        tenant: await tenantState(testApp, slug),
        spaces: drives
          .filter(({ driveAlias }) => driveAlias === `project/${slug}`)
          .map(({ trashed }) => trashed),
      }
    },
    settled,
  }
}

async function spaceSettled({ database }: MembersTestApp, slug: string): Promise<boolean> {
  const rows = await database.db
    .selectFrom('provisioning_steps as s')
    .innerJoin('tenants as t', 't.id', 's.tenant_id')
    .select(['s.state', 't.status', 't.provisioning_run as run'])
    .where('t.slug', '=', slug)
    .execute()
  return rows.every(
    ({ state, status, run }) => run === null && state !== 'pending' && status !== 'pending',
  )
}

function securityPolicy(testApp: MembersTestApp): Write<string> {
  return {
    name: 'security policy change',
    prepare: () => newTenant(testApp),
    call: (send, slug) =>
      send('PATCH', `/tenants/${slug}/security-policy`, testApp.as.outsider, {
        mfaMode: 'off',
        sessionIdleMinutes: 30,
        sessionAbsoluteMinutes: 600,
      }),
    state: (slug) =>
      testApp.database.db
        .selectFrom('security_policies as p')
        .innerJoin('tenants as t', 't.id', 'p.tenant_id')
        .select([
          'p.mfa_mode',
          'p.enforced',
          'p.session_idle_minutes',
          'p.session_absolute_minutes',
          'p.allowed_countries',
          'p.ip_allowlist',
        ])
        .where('t.slug', '=', slug)
        .execute(),
    settled: async () => true,
  }
}

function ownershipTransfer(testApp: MembersTestApp): Write<Member> {
  return {
    name: 'ownership transfer',
    prepare: () => newMember(testApp),
    call: (send, { slug, id }) =>
      send('POST', `/tenants/${slug}/transfer-ownership`, testApp.as.outsider, { userId: id }),
    state: async ({ slug, id }) => {
      const rows = await testApp.database.db
        .selectFrom('memberships as m')
        .innerJoin('tenants as t', 't.id', 'm.tenant_id')
        .select(['m.user_id as id', 'm.role', 'm.status'])
        .where('t.slug', '=', slug)
        .execute()
      return rows
        .map(
          ({ id: of, role, status }) => `${of === id ? 'member' : 'first owner'} ${role} ${status}`,
        )
        .sort()
    },
    settled: ({ slug }) => memberSettled(testApp, slug),
  }
}

function memberUpdate(testApp: MembersTestApp): Write<Member> {
  return {
    name: 'member change of role and name',
    lapses: true,
    prepare: () => newMember(testApp),
    call: (send, { slug, id }) =>
      send('PATCH', `/tenants/${slug}/users/${id}`, testApp.as.outsider, {
        role: 'admin',
        name: 'Changed',
      }),
    state: async ({ slug }) => ({
      ...(await memberState(testApp, slug)),
      names: namesOf(testApp, `person@${slug}.tenants.local`),
    }),
    settled: ({ slug }) => memberSettled(testApp, slug),
  }
}

/** The person's name in the mail server and the identity provider. */
function namesOf(testApp: MembersTestApp, email: string): (string | null)[] {
  const { mail, identity } = testApp.sandbox.state()
  const { users } = identity.records as { users: { email: string; name: string }[] }
  const { Account } = mail.records as {
    Account: { emailAddress: string; description: string | null }[]
  }
  const mailboxes = Account.filter((account) => account.emailAddress === email)
  return [
    ...users
      .filter((user) => user.email === email)
      .map(({ name }) => (name === 'Changed' ? name : '*')),
    ...mailboxes.map(({ description }) => (description === 'Changed' ? description : '*')),
  ]
}

function memberEmail(testApp: MembersTestApp): Write<Member> {
  return {
    name: 'member change of address',
    lapses: true,
    prepare: () => newMember(testApp),
    call: (send, { slug, id }) =>
      send('PUT', `/tenants/${slug}/users/${id}/email`, testApp.as.outsider, { email: 'moved' }),
    state: async ({ slug }) => [
      await memberState(testApp, slug),
      await memberState(testApp, slug, 'moved'),
    ],
    settled: async ({ slug }) =>
      (await memberSettled(testApp, slug)) && (await memberSettled(testApp, slug, 'moved')),
  }
}

function memberResume(testApp: MembersTestApp): Write<Member> {
  return {
    name: 'member resume',
    lapses: true,
    async prepare() {
      const member = await newMember(testApp)
      await ok(
        testApp.request('POST', `/tenants/${member.slug}/users/${member.id}/suspend`, {
          token: testApp.as.outsider,
          body: {},
        }),
      )
      return member
    },
    call: (send, { slug, id }) =>
      send('POST', `/tenants/${slug}/users/${id}/resume`, testApp.as.outsider, {}),
    state: ({ slug }) => memberState(testApp, slug),
    settled: ({ slug }) => memberSettled(testApp, slug),
  }
}

/** For a person with an address elsewhere. */
function memberMailbox(testApp: MembersTestApp): Write<Member> {
  return {
    name: 'member mailbox create',
    lapses: true,
    async prepare() {
      const slug = await newTenant(testApp)
      const body = { email: `${slug}@people.example`, name: 'Elsewhere' }
      await ok(invite(testApp, slug, body, testApp.as.outsider))
      await ok(accept(testApp, body.email))
      return { slug, id: await testApp.idOf(body.email) }
    },
    call: (send, { slug, id }) =>
      send('POST', `/tenants/${slug}/users/${id}/mailbox`, testApp.as.outsider, {
        address: 'person',
      }),
    async state({ slug, id }) {
      const rows = await testApp.database.db
        .selectFrom('memberships')
        .select([
          'status',
          'mailbox_address as address',
          'mail_state as state',
          'mail_account_id as account',
        ])
        .where('user_id', '=', id)
        .execute()
      const address = `person@${slug}.tenants.local`
      const placed = rows.map(({ account, address: own, ...row }) => ({
        ...row,
        own: own === address,
        placed: account !== null,
      }))
      return {
        rows: placed,
        there: accounts(testApp).filter((account) => account.emailAddress === address).length,
      }
    },
    settled: ({ slug }) => memberSettled(testApp, slug, undefined, `${slug}@people.example`),
  }
}

function memberAlias(testApp: MembersTestApp): Write<Member> {
  return {
    name: 'member alias add',
    lapses: true,
    prepare: () => newMember(testApp),
    call: (send, { slug, id }) =>
      send('POST', `/tenants/${slug}/users/${id}/aliases`, testApp.as.outsider, {
        address: `also@${slug}.tenants.local`,
      }),
    state: async ({ slug }) => ({
      ...(await memberState(testApp, slug)),
      aliases: aliasCounts(testApp, slug),
    }),
    settled: ({ slug }) => memberSettled(testApp, slug),
  }
}
