import type { MembersTestApp } from '@atrium/testing/members-test-app'
import { identityRecords } from '@atrium/testing/outside'
import {
  aliasCounts,
  domainState,
  hasFollowed,
  type Member,
  memberSettled,
  memberState,
  newMember,
  newName,
  newTenant,
  ok,
  orphanedDomains,
  passSyncTasks,
  payingTenant,
  subscriptionSettled,
  subscriptionState,
  tenantSettled,
  tenantState,
} from './kill-states.ts'
import type { Write } from './kills.ts'

/**
 * The writes that reach upstream systems, each as one line of the table that the test goes through.
 */
export function writesOf(testApp: MembersTestApp): readonly Write<never>[] {
  return [
    tenantCreate(testApp),
    tenantChange(testApp),
    tenantReconcile(testApp),
    memberCreate(testApp),
    memberAct(testApp, 'member suspend', '/suspend'),
    memberSignOut(testApp, 'member reset password', '/reset-password'),
    memberSignOut(testApp, 'member force logout', '/force-logout'),
    memberRemove(testApp),
    memberImport(testApp),
    domainAdd(testApp),
    domainRemove(testApp),
    aliasAdd(testApp),
    listCreate(testApp),
    ssoCreate(testApp),
    operatorInvite(testApp),
    subscriptionStart(testApp),
    seatChange(testApp),
  ] as unknown as readonly Write<never>[]
}

export function tenantCreate(testApp: MembersTestApp): Write<string> {
  return {
    name: 'tenant create',
    prepare: async () => newName('made'),
    call: (send, slug) =>
      send('POST', '/tenants', testApp.as.operator, {
        name: slug,
        slug,
        ownerEmail: ownerOf(slug),
      }),
    state: (slug) => tenantState(testApp, slug),
    settled: (slug) => tenantSettled(testApp, slug),
  }
}

const ownerOf = (slug: string) => `${slug}@people.example`

function tenantChange(testApp: MembersTestApp): Write<string> {
  return {
    name: 'tenant update (plan, name, a further domain)',
    prepare: () => newTenant(testApp),
    call: (send, slug) =>
      send('PATCH', `/tenants/${slug}`, testApp.as.operator, {
        name: `Renamed ${slug}`,
        plan: 'business',
        domains: [`${slug}.tenants.local`, `${slug}-more.example.org`],
      }),
    state: (slug) => tenantState(testApp, slug),
    settled: (slug) => tenantSettled(testApp, slug),
  }
}

function tenantReconcile(testApp: MembersTestApp): Write<string> {
  return {
    name: 'tenant reconcile',
    prepare: () => newTenant(testApp),
    call: (send, slug) => send('POST', `/tenants/${slug}/reconcile`, testApp.as.operator, {}),
    state: (slug) => tenantState(testApp, slug),
    settled: (slug) => tenantSettled(testApp, slug),
  }
}

export function memberCreate(testApp: MembersTestApp): Write<string> {
  return {
    name: 'member create',
    prepare: () => newTenant(testApp),
    call: (send, slug) =>
      send('POST', `/tenants/${slug}/users`, testApp.as.outsider, {
        email: 'person',
        name: `Person of ${slug}`,
        phone: '+49 30 1234',
      }),
    state: (slug) => memberState(testApp, slug),
    settled: (slug) => memberSettled(testApp, slug),
  }
}

function memberAct(testApp: MembersTestApp, name: string, path: string): Write<Member> {
  return {
    name,
    prepare: () => newMember(testApp),
    call: (send, { id, slug }) =>
      send('POST', `/tenants/${slug}/users/${id}${path}`, testApp.as.outsider, {}),
    state: ({ slug }) => memberState(testApp, slug),
    settled: ({ slug }) => memberSettled(testApp, slug),
  }
}

/** The identity is inactive for a moment, and has to be active again whatever happens. */
function memberSignOut(testApp: MembersTestApp, name: string, path: string): Write<Member> {
  return {
    ...memberAct(testApp, name, path),
    settled: async ({ slug, id }) =>
      (await memberSettled(testApp, slug)) && (await hasFollowed(testApp, id)),
    passLeases: () => passSyncTasks(testApp),
  }
}

function memberRemove(testApp: MembersTestApp): Write<Member> {
  return {
    name: 'member remove',
    prepare: () => newMember(testApp),
    call: (send, { id, slug }) =>
      send('DELETE', `/tenants/${slug}/users/${id}`, testApp.as.outsider),
    state: ({ slug }) => memberState(testApp, slug),
    settled: ({ slug }) => memberSettled(testApp, slug),
  }
}

function memberImport(testApp: MembersTestApp): Write<string> {
  const people = ['one', 'two', 'three']
  return {
    name: 'member import',
    prepare: () => newTenant(testApp),
    call: (send, slug) =>
      send('POST', `/tenants/${slug}/user-imports`, testApp.as.outsider, {
        dryRun: false,
        csv: ['email,name', ...people.map((person) => `${person},${person} of ${slug}`)].join('\n'),
      }),
    async state(slug) {
      const members = []
      for (const person of people) members.push(await memberState(testApp, slug, person))
      return members
    },
    async settled(slug) {
      const rows = await testApp.database.db
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

function domainAdd(testApp: MembersTestApp): Write<{ slug: string; domain: string }> {
  return {
    name: 'domain add',
    prepare: async () => ({
      slug: await newTenant(testApp),
      domain: `${newName('added')}.example.org`,
    }),
    call: (send, { slug, domain }) =>
      send('POST', `/tenants/${slug}/domains`, testApp.as.operator, { domain }),
    state: ({ domain }) => domainState(testApp, domain),
    settled: async ({ domain }) => {
      const row = await testApp.database.db
        .selectFrom('domains')
        .selectAll()
        .where('name', '=', domain)
        .executeTakeFirst()
      const ended =
        row === undefined ||
        row.mail_pending_id !== null ||
        row.mail_domain_id !== null ||
        row.mail_error !== null
      return ended && (await orphanedDomains(testApp)).length === 0
    },
    // A check claimed by a dead process stays claimed for five minutes.
    async passLeases() {
      const past = new Date(Date.now() - 1_000)
      await testApp.database.db
        .updateTable('domains')
        .set({ next_check_at: past })
        .where('mail_pending_id', 'is', null)
        .execute()
    },
  }
}

function domainRemove(testApp: MembersTestApp): Write<{ slug: string; domain: string }> {
  return {
    name: 'domain remove',
    async prepare() {
      const target = { slug: await newTenant(testApp), domain: `${newName('removed')}.example.org` }
      await ok(
        testApp.request('POST', `/tenants/${target.slug}/domains`, {
          token: testApp.as.operator,
          body: { domain: target.domain },
        }),
      )
      return target
    },
    call: (send, { slug, domain }) =>
      send('DELETE', `/tenants/${slug}/domains/${domain}`, testApp.as.operator),
    state: ({ domain }) => domainState(testApp, domain),
    // What a check made again while the domain was removed is taken away by that check.
    settled: async () => (await orphanedDomains(testApp)).length === 0,
    // The mail server goes first. Gone there alone, the domain is removed by the same call again,
    // or made there again by its next check.
    mayRest: (state) =>
      (state as { rows: unknown[]; there: number }).rows.length === 1 &&
      (state as { there: number }).there === 0,
  }
}

function aliasAdd(testApp: MembersTestApp): Write<Member> {
  return {
    name: 'alias add',
    prepare: () => newMember(testApp),
    call: (send, { id, slug }) =>
      send('POST', `/tenants/${slug}/aliases`, testApp.as.outsider, {
        userId: id,
        address: `also@${slug}.tenants.local`,
      }),
    state: async ({ slug }) => ({
      ...(await memberState(testApp, slug)),
      aliases: aliasCounts(testApp, slug),
    }),
    settled: ({ slug }) => memberSettled(testApp, slug),
  }
}

function listCreate(testApp: MembersTestApp): Write<string> {
  const address = (slug: string) => `list@${slug}.tenants.local`
  return {
    name: 'list create',
    prepare: () => newTenant(testApp),
    call: (send, slug) =>
      send('POST', `/tenants/${slug}/lists`, testApp.as.outsider, {
        address: address(slug),
        name: 'List',
        recipients: ['somebody@example.org'],
      }),
    async state(slug) {
      const rows = await testApp.database.db
        .selectFrom('mail_lists')
        .select(['state', 'error'])
        .where('address', '=', address(slug))
        .execute()
      const { MailingList } = testApp.sandbox.state().mail.records as {
        MailingList: { emailAddress: string }[]
      }
      return {
        rows,
        there: MailingList.filter((list) => list.emailAddress === address(slug)).length,
      }
    },
    async settled(slug) {
      const rows = await testApp.database.db
        .selectFrom('mail_lists')
        .select('state')
        .where('address', '=', address(slug))
        .execute()
      return rows.every((row) => row.state === 'ok' || row.state === 'error')
    },
  }
}

function ssoCreate(testApp: MembersTestApp): Write<string> {
  return {
    name: 'SSO application create',
    prepare: () => newTenant(testApp),
    call: (send, slug) =>
      send('POST', `/tenants/${slug}/sso-apps`, testApp.as.outsider, {
        name: `App of ${slug}`,
        redirectUris: ['https://app.example.test/callback'],
      }),
    async state(slug) {
      const rows = await testApp.database.db
        .selectFrom('sso_apps')
        .select('state')
        .where('name', '=', `App of ${slug}`)
        .execute()
      const { applications } = testApp.sandbox.state().identity.records as {
        applications: { name: string }[]
      }
      return { rows, there: applications.filter((app) => app.name === `App of ${slug}`).length }
    },
    async settled(slug) {
      const rows = await testApp.database.db
        .selectFrom('sso_apps')
        .select('state')
        .where('name', '=', `App of ${slug}`)
        .execute()
      return rows.every((row) => row.state === 'active')
    },
    // What is pending is taken for abandoned after three minutes.
    async passLeases() {
      const long = new Date(Date.now() - 600_000)
      await testApp.database.db
        .updateTable('sso_apps')
        .set({ changed_at: long })
        .where('state', '=', 'pending')
        .execute()
    },
  }
}

function operatorInvite(testApp: MembersTestApp): Write<string> {
  return {
    name: 'operator invite',
    prepare: async () => `${newName('invited')}@example.test`,
    call: (send, email) =>
      send('POST', '/users/invite', testApp.as.operator, { name: 'Invited', email }),
    async state(email) {
      const rows = await testApp.database.db
        .selectFrom('users')
        .select(['platform_admin as administrator', 'deactivated_at as shut'])
        .where('email', '=', email)
        .execute()
      const users = identityRecords(testApp).users.filter((user) => user.email === email)
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

function subscriptionStart(testApp: MembersTestApp): Write<{ slug: string; customer: string }> {
  return {
    name: 'subscription start',
    prepare: () => payingTenant(testApp),
    call: (send, { slug }) =>
      send('POST', `/tenants/${slug}/subscription`, testApp.as.outsider, {
        plan: 'business',
        cycle: 'month',
        currency: 'eur',
        seats: 3,
      }),
    state: (target) => subscriptionState(testApp, target),
    settled: (target) => subscriptionSettled(testApp, target),
  }
}

function seatChange(testApp: MembersTestApp): Write<{ slug: string; customer: string }> {
  const ofTenant = (slug: string) => `/tenants/${slug}/subscription`
  return {
    name: 'seat change',
    async prepare() {
      const target = await payingTenant(testApp)
      const terms = { plan: 'business', cycle: 'month', currency: 'eur', seats: 3 }
      await ok(
        testApp.request('POST', ofTenant(target.slug), { token: testApp.as.outsider, body: terms }),
      )
      return target
    },
    async call(send, { slug }) {
      const preview = await testApp.request('POST', `${ofTenant(slug)}/preview`, {
        token: testApp.as.outsider,
        body: { seats: 5 },
      })
      if (preview.status !== 200) return preview
      return send('POST', `${ofTenant(slug)}/change`, testApp.as.outsider, {
        seats: 5,
        quote: preview.body.quote,
      })
    },
    state: (target) => subscriptionState(testApp, target),
    settled: (target) => subscriptionSettled(testApp, target),
  }
}
