import { ensureCustomer } from '@atrium/api/billing/invoices/customer'
import { fileUser, type MembersTestApp } from '@atrium/testing/members-test-app'
import { identityApi, identityRecords, outsideObjects } from '@atrium/testing/outside'
import { tenantIdOf } from '@atrium/testing/records'

let made = 0
/** A name that nothing else in the workplace has. */
export function newName(kind: string): string {
  made += 1
  return `${kind}-${process.pid}-${made}`
}

/** The same for two targets whose names differ. */
function without(name: string, state: unknown): unknown {
  return JSON.parse(JSON.stringify(state ?? null).replaceAll(name, '*'))
}

/** A person known to the identity provider who has been here. */
export async function newPerson(testApp: MembersTestApp, email: string): Promise<void> {
  const made = await identityApi(testApp, 'POST', '/core/users/', {
    username: email,
    email,
    name: email,
    is_active: true,
  })
  await testApp.database.db
    .insertInto('users')
    .values({ idp_subject_id: made.uid, email, name: email })
    .execute()
}

export async function ok(response: ReturnType<MembersTestApp['request']>) {
  const { status, body } = await response
  if (status >= 300)
    throw new Error(`the test data could not be created: ${status} ${JSON.stringify(body)}`)
  return body
}

export async function newTenant(testApp: MembersTestApp): Promise<string> {
  const slug = newName('tenant')
  const body = await ok(
    testApp.request('POST', '/tenants', { token: testApp.as.outsider, body: { name: slug, slug } }),
  )
  if (body.status !== 'active')
    throw new Error(`${slug} is ${body.status}: ${JSON.stringify(body.provisioningErrors)}`)
  return slug
}

export interface Member {
  slug: string
  id: string
}

export async function newMember(testApp: MembersTestApp): Promise<Member> {
  const slug = await newTenant(testApp)
  const body = { email: 'person', name: `Person of ${slug}` }
  const { member } = await ok(
    testApp.request('POST', `/tenants/${slug}/users`, { token: testApp.as.outsider, body }),
  )
  return { slug, id: member.id }
}

export async function payingTenant(
  testApp: MembersTestApp,
): Promise<{ slug: string; customer: string }> {
  const slug = await newTenant(testApp)
  const { payments } = testApp.app.services.systems
  const id = await tenantIdOf(testApp.database.db, slug)
  if (!payments) throw new Error('this test app has a payment processor')
  const customer = await ensureCustomer(testApp.app.services, payments, id)
  testApp.sandbox.payments.act({ action: 'attach_card', customer, card: 'pm_card_visa' })
  return { slug, customer }
}

export async function tenantState(testApp: MembersTestApp, slug: string): Promise<unknown> {
  const { db } = testApp.database
  const rows = await db
    .selectFrom('tenants')
    .select(['id', 'name', 'status', 'plan'])
    .where('slug', '=', slug)
    .execute()
  const steps = await db
    .selectFrom('provisioning_steps as s')
    .innerJoin('tenants as t', 't.id', 's.tenant_id')
    .select(['s.step', 's.state', 's.error'])
    .where('t.slug', '=', slug)
    .orderBy('s.step')
    .execute()
  const domains = await db
    .selectFrom('domains as d')
    .innerJoin('tenants as t', 't.id', 'd.tenant_id')
    .select(['d.name', 'd.mail_domain_id as there', 'd.mail_pending_id as waits'])
    .where('t.slug', '=', slug)
    .orderBy('d.name')
    .execute()
  const names = domains.map(({ name }) => name)
  const tenants = rows.map(({ id: _, ...row }) => row)
  const placed = domains.map(({ name, there, waits }) => ({
    name,
    there: there !== null,
    waits: waits !== null,
  }))
  return without(slug, {
    tenants,
    steps,
    domains: placed,
    outside: outsideObjects(testApp, slug, names),
  })
}

export async function tenantSettled(testApp: MembersTestApp, slug: string): Promise<boolean> {
  const rows = await testApp.database.db
    .selectFrom('tenants as t')
    .innerJoin('provisioning_steps as s', 's.tenant_id', 't.id')
    .select([
      't.status',
      't.provisioning_run as run',
      't.provisioning_lease_until as lease',
      's.state',
      's.error',
    ])
    .where('t.slug', '=', slug)
    .execute()
  const ended = rows.every(
    (row) =>
      row.state === 'ok' ||
      row.state === 'skipped' ||
      (row.state === 'error' && row.error !== null),
  )
  const whole = rows.every((row) => row.state === 'ok' || row.state === 'skipped')
  return ended && rows.every((row) => isFree(row) && (!whole || row.status === 'active'))
}

/** No worker holds it, or its holder has not renewed it for the length of a lease. */
function isFree({ run, lease }: { run: string | null; lease: Date | null }): boolean {
  return run === null || (lease !== null && lease.getTime() < Date.now())
}

interface AccountRecord {
  emailAddress: string
  aliases: Record<string, unknown>
}

export function accounts(testApp: MembersTestApp): AccountRecord[] {
  return (testApp.sandbox.state().mail.records as { Account: AccountRecord[] }).Account
}

/** How many further addresses each account of the member has. */
export function aliasCounts(testApp: MembersTestApp, slug: string): number[] {
  return accounts(testApp)
    .filter((account) => account.emailAddress === `person@${slug}.tenants.local`)
    .map((account) => Object.values(account.aliases).length)
}

export async function memberState(
  testApp: MembersTestApp,
  slug: string,
  name = 'person',
): Promise<object> {
  const email = `${name}@${slug}.tenants.local`
  const members = await testApp.database.db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select([
      'm.status',
      'm.role',
      'm.identity_state as identity',
      'm.mail_state as mail',
      'm.files_state as files',
      'm.mail_frozen as frozen',
    ])
    .where('u.email', '=', email)
    .execute()
  const users = identityRecords(testApp).users.filter((user) => user.email === email)
  return {
    members,
    users: users.map((user) => ({ active: user.is_active, groups: user.groups.length })),
    mailboxes: accounts(testApp).filter((account) => account.emailAddress === email).length,
    fileAccount: await fileAccountOf(testApp, email),
  }
}

async function fileAccountOf(testApp: MembersTestApp, email: string): Promise<string> {
  const account = await fileUser(testApp, email)
  return account ? (account.accountEnabled === false ? 'closed' : 'open') : 'none'
}

export async function memberSettled(
  testApp: MembersTestApp,
  slug: string,
  name = 'person',
  email = `${name}@${slug}.tenants.local`,
): Promise<boolean> {
  const rows = await testApp.database.db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select([
      'm.status',
      'm.run',
      'm.lease_until as lease',
      'm.identity_state',
      'm.mail_state',
      'm.files_state',
    ])
    .where('u.email', '=', email)
    .execute()
  return rows.every((row) => {
    const states = [row.identity_state, row.mail_state, row.files_state]
    return (
      isFree(row) &&
      !states.includes('pending') &&
      row.status !== 'provisioning' &&
      row.status !== 'removing'
    )
  })
}

export async function domainState(testApp: MembersTestApp, domain: string): Promise<unknown> {
  const rows = await testApp.database.db
    .selectFrom('domains')
    .select([
      'name',
      'state',
      'mail_error as error',
      'ownership_token as token',
      'mail_pending_id as waits',
    ])
    .where('name', '=', domain)
    .execute()
  const mail = testApp.sandbox.state().mail.records as { Domain: { name: string }[] }
  const waiting = rows.map((row) => `unproven-${row.token}.tenants.local`)
  const there = mail.Domain.filter(({ name }) => name === domain || waiting.includes(name)).length
  // Whether DNS was looked at yet is the clock's to say.
  const stateOf = (state: string) => (state === 'pending' ? 'unchecked' : state)
  const shown = rows.map(({ token: __, waits, state, ...row }) => ({
    ...row,
    state: stateOf(state),
    waits: waits !== null,
  }))
  return without(domain, { rows: shown, there, orphans: await orphanedDomains(testApp) })
}

/**
 * Domains of the mail server that no record of ours knows, under their own name or the one under
 * which they wait for their proof; the mail server's own one left out.
 */
export async function orphanedDomains(testApp: MembersTestApp): Promise<string[]> {
  const { Domain } = testApp.sandbox.state().mail.records as { Domain: { name: string }[] }
  const rows = await testApp.database.db
    .selectFrom('domains')
    .select(['name', 'ownership_token as token'])
    .execute()
  const known = new Set(
    rows.flatMap(({ name, token }) => [name, `unproven-${token}.tenants.local`]),
  )
  return Domain.map(({ name }) => name).filter(
    (name) => /\.(tenants\.local|example\.org)$/.test(name) && !known.has(name),
  )
}

export async function subscriptionState(
  testApp: MembersTestApp,
  { slug, customer }: { slug: string; customer: string },
): Promise<unknown> {
  const { db } = testApp.database
  const rows = await db
    .selectFrom('subscriptions as s')
    .innerJoin('tenants as t', 't.id', 's.tenant_id')
    .select(['s.plan', 's.seats', 's.status', 't.plan as tenantPlan', 't.seats as tenantSeats'])
    .where('t.slug', '=', slug)
    .execute()
  const { payments } = testApp.app.services.systems
  const there = (await payments?.listSubscriptions(customer)) ?? []
  const { customers, invoices } = testApp.sandbox.state().payments.records as {
    customers: Owned[]
    invoices: Owned[]
  }
  return {
    rows,
    there: there.map(({ status, seats }) => ({ status, seats })),
    customers: customers.filter(
      (one) => one.id === customer || JSON.stringify(one.metadata ?? {}).includes(slug),
    ).length,
    invoices: invoices.filter((one) => one.customer === customer).map((one) => one.status),
  }
}

interface Owned {
  id: string
  customer?: string
  status?: string
  metadata?: Record<string, string>
}

/** What the payment processor has and what we have are the same, or nothing is there. */
export async function subscriptionSettled(
  testApp: MembersTestApp,
  target: { slug: string; customer: string },
): Promise<boolean> {
  await testApp.webhooks.deliver()
  const { rows, there } = (await subscriptionState(testApp, target)) as {
    rows: { seats: number }[]
    there: { seats: number }[]
  }
  return (
    JSON.stringify(rows.map((row) => row.seats)) === JSON.stringify(there.map((one) => one.seats))
  )
}

/** Whether the identity provider matches our record, or no task is recorded. */
export async function hasFollowed(testApp: MembersTestApp, userId: string): Promise<boolean> {
  const due = await testApp.database.db
    .selectFrom('identity_dues')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return due === undefined
}

/** What a dead process was about to do is left alone for a while. */
export async function passSyncTasks(testApp: MembersTestApp): Promise<void> {
  await testApp.database.db
    .updateTable('identity_dues')
    .set({ next_at: new Date(Date.now() - 1_000) })
    .execute()
}
