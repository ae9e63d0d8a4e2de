import type { MembersHouse } from '../../apps/api/test/members-house.ts'
import { identityRecords } from '../../apps/api/test/outside.ts'
import {
  aliasCounts,
  domainState,
  type Member,
  memberSettled,
  memberState,
  newMember,
  newName,
  newPerson,
  newTenant,
  ok,
  orphanedDomains,
  payingTenant,
  subscriptionSettled,
  subscriptionState,
  tenantSettled,
  tenantState,
} from './kill-states.ts'
import type { Write } from './kills.ts'

/** The writes that reach outside systems, each as one line of the table that the test goes through. */
export function writesOf(house: MembersHouse): readonly Write<never>[] {
  return [
    tenantCreate(house),
    tenantChange(house),
    tenantReconcile(house),
    memberCreate(house),
    memberAct(house, 'member suspend', '/suspend'),
    memberAct(house, 'member reset password', '/reset-password'),
    memberRemove(house),
    memberImport(house),
    domainAdd(house),
    domainRemove(house),
    aliasAdd(house),
    listCreate(house),
    ssoCreate(house),
    operatorInvite(house),
    subscriptionStart(house),
    seatChange(house),
  ] as unknown as readonly Write<never>[]
}

export function tenantCreate(house: MembersHouse): Write<string> {
  return {
    name: 'tenant create',
    // Each with an owner of its own: what is held in one must not keep the next from its point.
    async prepare() {
      const slug = newName('made')
      await newPerson(house, ownerOf(slug))
      // As somebody who proved the address: any other owner would be invited.
      const proved = { proved_email: ownerOf(slug), proved_at: new Date() }
      await house.database.db.updateTable('users').set(proved).where('email', '=', ownerOf(slug)).execute()
      return slug
    },
    call: (send, slug) => send('POST', '/tenants', house.as.operator, { name: slug, slug, ownerEmail: ownerOf(slug) }),
    state: (slug) => tenantState(house, slug),
    settled: (slug) => tenantSettled(house, slug),
  }
}

const ownerOf = (slug: string) => `${slug}@people.example`

function tenantChange(house: MembersHouse): Write<string> {
  return {
    name: 'tenant update (plan, name, a further domain)',
    prepare: () => newTenant(house),
    call: (send, slug) =>
      send('PATCH', `/tenants/${slug}`, house.as.operator, {
        ...{ name: `Renamed ${slug}`, plan: 'business' },
        domains: [`${slug}.tenants.local`, `${slug}-more.example.org`],
      }),
    state: (slug) => tenantState(house, slug),
    settled: (slug) => tenantSettled(house, slug),
  }
}

function tenantReconcile(house: MembersHouse): Write<string> {
  return {
    name: 'tenant reconcile',
    prepare: () => newTenant(house),
    call: (send, slug) => send('POST', `/tenants/${slug}/reconcile`, house.as.operator, {}),
    state: (slug) => tenantState(house, slug),
    settled: (slug) => tenantSettled(house, slug),
  }
}

export function memberCreate(house: MembersHouse): Write<string> {
  return {
    name: 'member create',
    prepare: () => newTenant(house),
    call: (send, slug) =>
      send('POST', `/tenants/${slug}/users`, house.as.stranger, { email: 'person', name: `Person of ${slug}`, phone: '+49 30 1234' }),
    state: (slug) => memberState(house, slug),
    settled: (slug) => memberSettled(house, slug),
  }
}

function memberAct(house: MembersHouse, name: string, path: string): Write<Member> {
  return {
    name,
    prepare: () => newMember(house),
    call: (send, { id, slug }) => send('POST', `/tenants/${slug}/users/${id}${path}`, house.as.stranger, {}),
    state: ({ slug }) => memberState(house, slug),
    settled: ({ slug }) => memberSettled(house, slug),
  }
}

function memberRemove(house: MembersHouse): Write<Member> {
  return {
    name: 'member remove',
    prepare: () => newMember(house),
    call: (send, { id, slug }) => send('DELETE', `/tenants/${slug}/users/${id}`, house.as.stranger),
    state: ({ slug }) => memberState(house, slug),
    settled: ({ slug }) => memberSettled(house, slug),
  }
}

function memberImport(house: MembersHouse): Write<string> {
  const people = ['one', 'two', 'three']
  return {
    name: 'member import',
    prepare: () => newTenant(house),
    call: (send, slug) =>
      send('POST', `/tenants/${slug}/user-imports`, house.as.stranger, {
        dryRun: false,
        csv: ['email,name', ...people.map((person) => `${person},${person} of ${slug}`)].join('\n'),
      }),
    async state(slug) {
      const members = []
      for (const person of people) members.push(await memberState(house, slug, person))
      return members
    },
    async settled(slug) {
      const rows = await house.database.db
        .selectFrom('member_import_rows as r')
        .innerJoin('member_imports as i', 'i.id', 'r.import_id')
        .innerJoin('tenants as t', 't.id', 'i.tenant_id')
        .select(['r.state', 'i.finished_at as finished'])
        .where('t.slug', '=', slug)
        .execute()
      return rows.every((row) => row.finished !== null && !['ready', 'running'].includes(row.state))
    },
  }
}

function domainAdd(house: MembersHouse): Write<{ slug: string; domain: string }> {
  return {
    name: 'domain add',
    prepare: async () => ({ slug: await newTenant(house), domain: `${newName('added')}.example.org` }),
    call: (send, { slug, domain }) => send('POST', `/tenants/${slug}/domains`, house.as.operator, { domain }),
    state: ({ domain }) => domainState(house, domain),
    settled: async ({ domain }) => {
      const row = await house.database.db.selectFrom('domains').selectAll().where('name', '=', domain).executeTakeFirst()
      const ended = row === undefined || row.mail_pending_id !== null || row.mail_domain_id !== null || row.mail_error !== null
      return ended && (await orphanedDomains(house)).length === 0
    },
    // A check that a dead process has taken is nobody else's for five minutes.
    async passLeases() {
      const past = new Date(Date.now() - 1_000)
      await house.database.db.updateTable('domains').set({ next_check_at: past }).where('mail_pending_id', 'is', null).execute()
    },
  }
}

function domainRemove(house: MembersHouse): Write<{ slug: string; domain: string }> {
  return {
    name: 'domain remove',
    async prepare() {
      const target = { slug: await newTenant(house), domain: `${newName('removed')}.example.org` }
      await ok(house.request('POST', `/tenants/${target.slug}/domains`, { token: house.as.operator, body: { domain: target.domain } }))
      return target
    },
    call: (send, { slug, domain }) => send('DELETE', `/tenants/${slug}/domains/${domain}`, house.as.operator),
    state: ({ domain }) => domainState(house, domain),
    // What a check made anew while the domain was removed is taken away by that check.
    settled: async () => (await orphanedDomains(house)).length === 0,
    // The mail server goes first. Gone there alone, the domain is removed by the same call again, or made there anew by its next check.
    mayRest: (state) => (state as { rows: unknown[]; there: number }).rows.length === 1 && (state as { there: number }).there === 0,
  }
}

function aliasAdd(house: MembersHouse): Write<Member> {
  return {
    name: 'alias add',
    prepare: () => newMember(house),
    call: (send, { id, slug }) =>
      send('POST', `/tenants/${slug}/aliases`, house.as.stranger, { userId: id, address: `also@${slug}.tenants.local` }),
    state: async ({ slug }) => ({
      ...(await memberState(house, slug)),
      aliases: aliasCounts(house, slug),
    }),
    settled: ({ slug }) => memberSettled(house, slug),
  }
}

function listCreate(house: MembersHouse): Write<string> {
  const address = (slug: string) => `list@${slug}.tenants.local`
  return {
    name: 'list create',
    prepare: () => newTenant(house),
    call: (send, slug) =>
      send('POST', `/tenants/${slug}/lists`, house.as.stranger, {
        address: address(slug),
        name: 'List',
        recipients: ['somebody@example.org'],
      }),
    async state(slug) {
      const rows = await house.database.db
        .selectFrom('mail_lists')
        .select(['state', 'error'])
        .where('address', '=', address(slug))
        .execute()
      const { MailingList } = house.sandbox.state().mail.records as { MailingList: { emailAddress: string }[] }
      return { rows, there: MailingList.filter((list) => list.emailAddress === address(slug)).length }
    },
    async settled(slug) {
      const rows = await house.database.db.selectFrom('mail_lists').select('state').where('address', '=', address(slug)).execute()
      return rows.every((row) => row.state === 'ok' || row.state === 'error')
    },
  }
}

function ssoCreate(house: MembersHouse): Write<string> {
  return {
    name: 'SSO application create',
    prepare: () => newTenant(house),
    call: (send, slug) =>
      send('POST', `/tenants/${slug}/sso-apps`, house.as.stranger, {
        name: `App of ${slug}`,
        redirectUris: ['https://app.example.test/callback'],
      }),
    async state(slug) {
      const rows = await house.database.db.selectFrom('sso_apps').select('state').where('name', '=', `App of ${slug}`).execute()
      const { applications } = house.sandbox.state().identity.records as { applications: { name: string }[] }
      return { rows, there: applications.filter((app) => app.name === `App of ${slug}`).length }
    },
    async settled(slug) {
      const rows = await house.database.db.selectFrom('sso_apps').select('state').where('name', '=', `App of ${slug}`).execute()
      return rows.every((row) => row.state === 'active')
    },
    // What is pending is taken for abandoned after three minutes.
    async passLeases() {
      const long = new Date(Date.now() - 600_000)
      await house.database.db.updateTable('sso_apps').set({ changed_at: long }).where('state', '=', 'pending').execute()
    },
  }
}

function operatorInvite(house: MembersHouse): Write<string> {
  return {
    name: 'operator invite',
    prepare: async () => `${newName('invited')}@example.test`,
    call: (send, email) => send('POST', '/users/invite', house.as.operator, { name: 'Invited', email }),
    async state(email) {
      const rows = await house.database.db
        .selectFrom('users')
        .select(['platform_admin as administrator', 'deactivated_at as shut'])
        .where('email', '=', email)
        .execute()
      const users = identityRecords(house).users.filter((user) => user.email === email)
      return {
        rows: rows.map(({ administrator, shut }) => ({ administrator, shut: shut !== null })),
        users: users.map((user) => ({ active: user.is_active, groups: user.groups.length })),
      }
    },
    // Shut, until the same call lets the person in.
    mayRest(state) {
      const { rows, users } = state as { rows: { shut: boolean }[]; users: { active: boolean }[] }
      return rows.length > 0 ? rows.every(({ shut }) => shut) : users.every(({ active }) => !active)
    },
    settled: async () => true,
  }
}

function subscriptionStart(house: MembersHouse): Write<{ slug: string; customer: string }> {
  return {
    name: 'subscription start',
    prepare: () => payingTenant(house),
    call: (send, { slug }) =>
      send('POST', `/tenants/${slug}/subscription`, house.as.stranger, { plan: 'business', cycle: 'month', currency: 'eur', seats: 3 }),
    state: (target) => subscriptionState(house, target),
    settled: (target) => subscriptionSettled(house, target),
  }
}

function seatChange(house: MembersHouse): Write<{ slug: string; customer: string }> {
  const ofTenant = (slug: string) => `/tenants/${slug}/subscription`
  return {
    name: 'seat change',
    async prepare() {
      const target = await payingTenant(house)
      const terms = { plan: 'business', cycle: 'month', currency: 'eur', seats: 3 }
      await ok(house.request('POST', ofTenant(target.slug), { token: house.as.stranger, body: terms }))
      return target
    },
    async call(send, { slug }) {
      const preview = await house.request('POST', `${ofTenant(slug)}/preview`, { token: house.as.stranger, body: { seats: 5 } })
      if (preview.status !== 200) return preview
      return send('POST', `${ofTenant(slug)}/change`, house.as.stranger, { seats: 5, quote: preview.body.quote })
    },
    state: (target) => subscriptionState(house, target),
    settled: (target) => subscriptionSettled(house, target),
  }
}
