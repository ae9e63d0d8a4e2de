import { mailOf } from '@atrium/testing/mailboxes'
import type { MembersTestApp } from '@atrium/testing/members-test-app'
import {
  aliasCounts,
  type Member,
  memberSettled,
  memberState,
  newMember,
  newTenant,
  ok,
} from './kill-states.ts'
import type { Write } from './kills.ts'

/** What is taken away from a tenant that keeps on, and the calendars of its hosts. */
export function removalWrites(testApp: MembersTestApp): readonly Write<never>[] {
  return [
    aliasRemove(testApp, 'alias remove', ({ slug }) => `/tenants/${slug}/aliases/${aliasOf(slug)}`),
    aliasRemove(
      testApp,
      'member alias remove',
      ({ slug, id }) => `/tenants/${slug}/users/${id}/aliases/${aliasOf(slug)}`,
    ),
    list(testApp, 'list change', ['PATCH', { name: 'Changed', recipients: ['else@example.org'] }]),
    list(testApp, 'list remove', ['DELETE']),
    ssoRemove(testApp),
    calendarConnect(testApp),
    calendarRemove(testApp, 'calendar disconnect', '/mail-credential'),
    calendarRemove(testApp, 'host remove', ''),
  ] as unknown as readonly Write<never>[]
}

const aliasOf = (slug: string) => `also@${slug}.tenants.local`
const listOf = (slug: string) => `list@${slug}.tenants.local`

async function newList(
  testApp: MembersTestApp,
  slug: string,
  recipients: string[],
): Promise<string> {
  const body = { address: listOf(slug), name: 'List', recipients }
  return (
    await ok(
      testApp.request('POST', `/tenants/${slug}/lists`, { token: testApp.as.outsider, body }),
    )
  ).id
}

async function listState(testApp: MembersTestApp, slug: string) {
  const { db } = testApp.database
  const rows = await db
    .selectFrom('mail_lists')
    .select(['id', 'state', 'name'])
    .where('address', '=', listOf(slug))
    .execute()
  const ids = rows.map(({ id }) => id)
  const recipients =
    ids.length === 0
      ? []
      : await db
          .selectFrom('mail_list_recipients')
          .select('address')
          .where('list_id', 'in', ids)
          .orderBy('address')
          .execute()
  const there = (testApp.sandbox.state().mail.records as { MailingList: ListRecord[] }).MailingList
  return {
    rows: rows.map(({ id: _, ...row }) => row),
    recipients: recipients.map(({ address }) => address.replaceAll(slug, '*')),
    there: there
      .filter(({ emailAddress }) => emailAddress === listOf(slug))
      .map(
        ({ description, recipients: to }) =>
          `${description}: ${Object.keys(to).sort().join(' ').replaceAll(slug, '*')}`,
      ),
  }
}

interface ListRecord {
  emailAddress: string
  description: string | null
  recipients: Record<string, unknown>
}

async function listSettled(testApp: MembersTestApp, slug: string): Promise<boolean> {
  const rows = await testApp.database.db
    .selectFrom('mail_lists')
    .select('state')
    .where('address', '=', listOf(slug))
    .execute()
  return rows.every(({ state }) => state === 'ok' || state === 'error')
}

/** The alias is in a distribution list too, which has to lose it. */
function aliasRemove(
  testApp: MembersTestApp,
  name: string,
  path: (member: Member) => string,
): Write<Member> {
  return {
    name,
    lapses: true,
    async prepare() {
      const member = await newMember(testApp)
      const body = { userId: member.id, address: aliasOf(member.slug) }
      await ok(
        testApp.request('POST', `/tenants/${member.slug}/aliases`, {
          token: testApp.as.outsider,
          body,
        }),
      )
      await newList(testApp, member.slug, [aliasOf(member.slug), 'somebody@example.org'])
      return member
    },
    call: (send, member) => send('DELETE', path(member), testApp.as.outsider),
    state: async ({ slug }) => ({
      ...(await memberState(testApp, slug)),
      aliases: aliasCounts(testApp, slug),
      list: await listState(testApp, slug),
    }),
    // Gone at the mail server, still in the list: the same call takes it out there too.
    mayRest: (state) => (state as { aliases: number[] }).aliases.join() === '0',
    settled: async ({ slug }) =>
      (await memberSettled(testApp, slug)) && (await listSettled(testApp, slug)),
  }
}

function list(
  testApp: MembersTestApp,
  name: string,
  [method, body]: [string, object?],
): Write<{ slug: string; id: string }> {
  return {
    name,
    lapses: true,
    async prepare() {
      const slug = await newTenant(testApp)
      return { slug, id: await newList(testApp, slug, ['somebody@example.org']) }
    },
    call: (send, { slug, id }) =>
      send(method, `/tenants/${slug}/lists/${id}`, testApp.as.outsider, body),
    state: ({ slug }) => listState(testApp, slug),
    settled: ({ slug }) => listSettled(testApp, slug),
  }
}

function ssoRemove(testApp: MembersTestApp): Write<{ slug: string; id: string }> {
  return {
    name: 'SSO application remove',
    lapses: true,
    async prepare() {
      const slug = await newTenant(testApp)
      const body = { name: `App of ${slug}`, redirectUris: ['https://app.example.test/callback'] }
      return {
        slug,
        id: (
          await ok(
            testApp.request('POST', `/tenants/${slug}/sso-apps`, {
              token: testApp.as.outsider,
              body,
            }),
          )
        ).id,
      }
    },
    call: (send, { slug, id }) =>
      send('DELETE', `/tenants/${slug}/sso-apps/${id}`, testApp.as.outsider),
    async state({ slug }) {
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
    async settled({ slug }) {
      const rows = await testApp.database.db
        .selectFrom('sso_apps')
        .select('state')
        .where('name', '=', `App of ${slug}`)
        .execute()
      return rows.every(({ state }) => state === 'active')
    },
    // What is being removed is taken for abandoned after three minutes.
    async passLeases() {
      const long = new Date(Date.now() - 600_000)
      await testApp.database.db
        .updateTable('sso_apps')
        .set({ changed_at: long })
        .where('state', '=', 'removing')
        .execute()
    },
  }
}

interface Host extends Member {
  hostId: string
}

async function newHost(testApp: MembersTestApp): Promise<Host> {
  const member = await newMember(testApp)
  const body = { userId: member.id, zone: 'UTC' }
  const path = `/api/v1/tenants/${member.slug}/hosts`
  return {
    ...member,
    hostId: (await ok(testApp.request('POST', path, { token: testApp.as.operator, body }))).id,
  }
}

const credentialPath = ({ slug, hostId }: Host) =>
  `/api/v1/tenants/${slug}/hosts/${hostId}/mail-credential`

/** The host, its credential, and the app passwords that the mail server has for the mailbox. */
async function hostState(testApp: MembersTestApp, { slug, hostId }: Host) {
  const { db } = testApp.database
  const host = await db
    .selectFrom('hosts')
    .select(['removed_at', 'calendar_id'])
    .where('id', '=', hostId)
    .executeTakeFirst()
  const credentials = await db
    .selectFrom('mail_credentials')
    .select('source')
    .where('host_id', '=', hostId)
    .execute()
  const removals = await db
    .selectFrom('app_password_removals')
    .select('id')
    .where('host_id', '=', hostId)
    .execute()
  const accountId = (await mailOf(testApp).findAccount(`person@${slug}.tenants.local`))?.id
  const passwords =
    accountId === undefined ? [] : await mailOf(testApp).listAppPasswords({ accountId })
  return {
    removed: host?.removed_at !== null,
    calendar: host?.calendar_id !== null,
    credentials,
    removals: removals.length,
    passwords: passwords.length,
  }
}

async function hostSettled(testApp: MembersTestApp, host: Host): Promise<boolean> {
  return (await hostState(testApp, host)).removals === 0
}

/**
 * A mint that was heard of no more is taken back after two minutes, and so is what a dead process
 * was taking back.
 */
async function passRemovals(testApp: MembersTestApp): Promise<void> {
  await testApp.database.db
    .updateTable('app_password_removals')
    .set({ next_at: new Date(Date.now() - 1_000) })
    .execute()
}

function calendarConnect(testApp: MembersTestApp): Write<Host> {
  return {
    name: 'calendar connect',
    lapses: true,
    prepare: () => newHost(testApp),
    call: (send, host) => send('PUT', credentialPath(host), testApp.as.operator, { mode: 'mint' }),
    state: (host) => hostState(testApp, host),
    settled: (host) => hostSettled(testApp, host),
    passLeases: () => passRemovals(testApp),
  }
}

function calendarRemove(testApp: MembersTestApp, name: string, path: string): Write<Host> {
  return {
    name,
    lapses: true,
    async prepare() {
      const host = await newHost(testApp)
      await ok(
        testApp.request('PUT', credentialPath(host), {
          token: testApp.as.operator,
          body: { mode: 'mint' },
        }),
      )
      return host
    },
    call: (send, { slug, hostId }) =>
      send('DELETE', `/api/v1/tenants/${slug}/hosts/${hostId}${path}`, testApp.as.operator),
    state: (host) => hostState(testApp, host),
    settled: (host) => hostSettled(testApp, host),
    passLeases: () => passRemovals(testApp),
  }
}
