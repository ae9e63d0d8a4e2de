import { accept } from '../../apps/api/test/invitations.ts'
import type { MembersHouse } from '../../apps/api/test/members-house.ts'
import { accounts, aliasCounts, type Member, memberSettled, memberState, newMember, newTenant, ok, tenantState } from './kill-states.ts'
import type { Write } from './kills.ts'

/** What is done to a tenant, and to the rights of its people. */
export function tenantWrites(house: MembersHouse): readonly Write<never>[] {
  return [
    lifecycle(house, 'tenant suspend', ['POST', '/suspend']),
    lifecycle(house, 'tenant resume', ['POST', '/resume'], '/suspend'),
    lifecycle(house, 'tenant delete', ['DELETE', '']),
    securityPolicy(house),
    ownershipTransfer(house),
    memberUpdate(house),
    memberEmail(house),
    memberResume(house),
    memberMailbox(house),
    memberAlias(house),
  ] as unknown as readonly Write<never>[]
}

function lifecycle(house: MembersHouse, name: string, [method, path]: [string, string], before?: string): Write<string> {
  return {
    name,
    async prepare() {
      const slug = await newTenant(house)
      if (before) await ok(house.request('POST', `/tenants/${slug}${before}`, { token: house.as.operator, body: {} }))
      return slug
    },
    call: (send, slug) => send(method, `/tenants/${slug}${path}`, house.as.operator, ...(method === 'POST' ? [{}] : [])),
    state: (slug) => tenantState(house, slug),
    settled: async () => true,
  }
}

function securityPolicy(house: MembersHouse): Write<string> {
  return {
    name: 'security policy change',
    prepare: () => newTenant(house),
    call: (send, slug) =>
      send('PATCH', `/tenants/${slug}/security-policy`, house.as.stranger, {
        ...{ mfaMode: 'required', sessionIdleMinutes: 30, allowedCountries: ['DE', 'FR'], ipAllowlist: ['192.0.2.0/24'] },
      }),
    state: (slug) =>
      house.database.db
        .selectFrom('security_policies as p')
        .innerJoin('tenants as t', 't.id', 'p.tenant_id')
        .select(['p.mfa_mode', 'p.session_idle_minutes', 'p.session_absolute_minutes', 'p.allowed_countries', 'p.ip_allowlist'])
        .where('t.slug', '=', slug)
        .execute(),
    settled: async () => true,
  }
}

function ownershipTransfer(house: MembersHouse): Write<Member> {
  return {
    name: 'ownership transfer',
    prepare: () => newMember(house),
    call: (send, { slug, id }) => send('POST', `/tenants/${slug}/transfer-ownership`, house.as.stranger, { userId: id }),
    state: async ({ slug, id }) => {
      const rows = await house.database.db
        .selectFrom('memberships as m')
        .innerJoin('tenants as t', 't.id', 'm.tenant_id')
        .select(['m.user_id as id', 'm.role', 'm.status'])
        .where('t.slug', '=', slug)
        .execute()
      return rows.map(({ id: of, role, status }) => `${of === id ? 'member' : 'first owner'} ${role} ${status}`).sort()
    },
    settled: ({ slug }) => memberSettled(house, slug),
  }
}

function memberUpdate(house: MembersHouse): Write<Member> {
  return {
    name: 'member change of role and name',
    lapses: true,
    prepare: () => newMember(house),
    call: (send, { slug, id }) => send('PATCH', `/tenants/${slug}/users/${id}`, house.as.stranger, { role: 'admin', name: 'Changed' }),
    state: async ({ slug }) => ({ ...(await memberState(house, slug)), names: namesOf(house, `person@${slug}.tenants.local`) }),
    settled: ({ slug }) => memberSettled(house, slug),
  }
}

/** What the mail server and the identity provider call somebody. */
function namesOf(house: MembersHouse, email: string): (string | null)[] {
  const { mail, identity } = house.sandbox.state()
  const { users } = identity.records as { users: { email: string; name: string }[] }
  const { Account } = mail.records as { Account: { emailAddress: string; description: string | null }[] }
  const mailboxes = Account.filter((account) => account.emailAddress === email)
  return [
    ...users.filter((user) => user.email === email).map(({ name }) => (name === 'Changed' ? name : '*')),
    ...mailboxes.map(({ description }) => (description === 'Changed' ? description : '*')),
  ]
}

function memberEmail(house: MembersHouse): Write<Member> {
  return {
    name: 'member change of address',
    lapses: true,
    prepare: () => newMember(house),
    call: (send, { slug, id }) => send('PUT', `/tenants/${slug}/users/${id}/email`, house.as.stranger, { email: 'moved' }),
    state: async ({ slug }) => [await memberState(house, slug), await memberState(house, slug, 'moved')],
    settled: async ({ slug }) => (await memberSettled(house, slug)) && (await memberSettled(house, slug, 'moved')),
  }
}

function memberResume(house: MembersHouse): Write<Member> {
  return {
    name: 'member resume',
    lapses: true,
    async prepare() {
      const member = await newMember(house)
      await ok(house.request('POST', `/tenants/${member.slug}/users/${member.id}/suspend`, { token: house.as.stranger, body: {} }))
      return member
    },
    call: (send, { slug, id }) => send('POST', `/tenants/${slug}/users/${id}/resume`, house.as.stranger, {}),
    state: ({ slug }) => memberState(house, slug),
    settled: ({ slug }) => memberSettled(house, slug),
  }
}

/** For somebody who has an address elsewhere. */
function memberMailbox(house: MembersHouse): Write<Member> {
  return {
    name: 'member mailbox create',
    lapses: true,
    async prepare() {
      const slug = await newTenant(house)
      const body = { email: `${slug}@people.example`, name: 'Elsewhere' }
      const { member } = await ok(house.request('POST', `/tenants/${slug}/users`, { token: house.as.stranger, body }))
      await ok(accept(house, body.email))
      return { slug, id: member.id }
    },
    call: (send, { slug, id }) => send('POST', `/tenants/${slug}/users/${id}/mailbox`, house.as.stranger, { address: 'person' }),
    async state({ slug, id }) {
      const rows = await house.database.db
        .selectFrom('memberships')
        .select(['status', 'mailbox_address as address', 'mail_state as state', 'mail_account_id as account'])
        .where('user_id', '=', id)
        .execute()
      const address = `person@${slug}.tenants.local`
      const placed = rows.map(({ account, address: own, ...row }) => ({ ...row, own: own === address, placed: account !== null }))
      return { rows: placed, there: accounts(house).filter((account) => account.emailAddress === address).length }
    },
    settled: ({ slug }) => memberSettled(house, slug, undefined, `${slug}@people.example`),
  }
}

function memberAlias(house: MembersHouse): Write<Member> {
  return {
    name: 'member alias add',
    lapses: true,
    prepare: () => newMember(house),
    call: (send, { slug, id }) =>
      send('POST', `/tenants/${slug}/users/${id}/aliases`, house.as.stranger, { address: `also@${slug}.tenants.local` }),
    state: async ({ slug }) => ({
      ...(await memberState(house, slug)),
      aliases: aliasCounts(house, slug),
    }),
    settled: ({ slug }) => memberSettled(house, slug),
  }
}
