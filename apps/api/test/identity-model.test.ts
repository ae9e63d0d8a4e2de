import { randomBytes } from 'node:crypto'
import { settleDueAddressClaims } from '@atrium/api/address-claims/settle'
import { drainOutbox } from '@atrium/api/outbox/drain'
import { passwordMatches } from '@atrium/sandbox/identity/passwords'
import { heldAccount, storedIdentities } from '@atrium/testing/held-accounts'
import { follow, invite } from '@atrium/testing/invitations'
import { caughtMails } from '@atrium/testing/mails'
import { inFull, recordMeasurement, rounds } from '@atrium/testing/measurements'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { identityApi } from '@atrium/testing/outside'
import { proveDomain, type TestResponse } from '@atrium/testing/test-app'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'

/**
 * Random histories of two tenants, a partner, an operator and an attacker. Acme is honest, and so
 * are the victims, who follow every link that they are mailed. The attacker owns Globex, knows
 * every password that an answer to Globex shows, every identity that it made at the provider, and
 * reads the mail of an own address.
 */
let testApp: MembersTestApp
let north: string
/** Identities that were there before the first history. */
let seeded: ReadonlySet<string>
beforeAll(async () => {
  testApp = await startMembersTestApp({
    mailer: true,
    manyChanges: true,
    sandbox: { identity: { accessTokenSeconds: 36_000 } },
  })
  const partner = await testApp.database.db
    .selectFrom('partners')
    .select('id')
    .where('slug', '=', 'north')
    .executeTakeFirstOrThrow()
  north = partner.id
  seeded = identitiesNow()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const identitiesNow = () => new Set(storedIdentities(testApp).map(({ uid }) => uid))

type Slug = 'acme' | 'globex'
type Who = 0 | 1 | 2

/** What happened, as far as the invariants need it. */
interface History {
  /** Two victims and the attacker; the first victim is on a domain that Acme may prove. */
  addresses: readonly [string, string, string]
  domain: string
  proven: boolean
  /** Passwords and access tokens that the attacker has. */
  passwords: Set<string>
  tokens: Set<string>
  /** Passwords of before the victim of an address took it over by a link. */
  knownBefore: Map<string, Set<string>>
  /** Records that a victim holds: the link was followed, or the tenant of the domain gave it. */
  held: Map<string, string>
  /** Identities of histories before, whose people have no part in this one. */
  former: ReadonlySet<string>
  /** How often each mailed token opened something. */
  opened: Map<string, number>
  /** Answers, to see that histories do something. */
  answers: Map<string, number>
}

const { as } = { as: () => testApp.as }
const call = (slug: Slug, method: string, path: string, body?: object): Promise<TestResponse> =>
  testApp.request(method, `/tenants/${slug}${path}`, {
    token: slug === 'acme' ? as().admin : as().outsider,
    ...(body && { body }),
  })

/** An address on a domain of the tenant becomes a member at once; anybody else is invited. */
async function add(slug: Slug, person: { email: string; role: string }): Promise<TestResponse> {
  const answer = await call(slug, 'POST', '/users', person)
  if (answer.body?.code !== 'invitation_required') return answer
  return invite(testApp, slug, person, slug === 'acme' ? as().admin : as().outsider)
}

async function begin(): Promise<History> {
  const mark = randomBytes(4).toString('hex')
  const domain = `${mark}.example.org`
  // Both have room for two more.
  for (const slug of ['acme', 'globex']) {
    const { count } = await testApp.database.db
      .selectFrom('memberships as m')
      .innerJoin('tenants as t', 't.id', 'm.tenant_id')
      .select((row) => row.fn.countAll<number>().as('count'))
      .where('t.slug', '=', slug)
      .where('m.status', '<>', 'removing')
      .executeTakeFirstOrThrow()
    await testApp.database.db
      .updateTable('tenants')
      .set({ seats: Number(count) + 2, seat_mode: 'fixed' })
      .where('slug', '=', slug)
      .execute()
  }
  return {
    addresses: [`ann@${domain}`, `bea-${mark}@elsewhere.example`, `mal-${mark}@attacker.example`],
    domain,
    proven: false,
    passwords: new Set(),
    tokens: new Set(),
    knownBefore: new Map(),
    held: new Map(),
    former: identitiesNow().difference(seeded),
    opened: new Map(),
    answers: new Map(),
  }
}

const recordsOf = (email: string) =>
  testApp.database.db
    .selectFrom('users')
    .select(['id', 'idp_subject_id as subject'])
    .where('email', '=', email)
    .where('removed_at', 'is', null)
    .orderBy('id')
    .execute()

/** Whose the address is after its link was followed. */
const holderOf = (email: string) =>
  testApp.database.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .where('proved_email', '=', email)
    .where('removed_at', 'is', null)
    .executeTakeFirst()

/** Tokens of links of all kinds in the mails of an address, oldest first. */
async function linksOf(address: string): Promise<{ path: string; token: string }[]> {
  await drainOutbox(testApp.app.services)
  return caughtMails(testApp)
    .filter(({ envelope }) => envelope.to.includes(address))
    .flatMap(({ text }) => {
      const [, kind, token] = /\/(invitation|claim)\/([\w-]{43})/.exec(text ?? '') ?? []
      if (kind === undefined || token === undefined) return []
      return [{ path: kind === 'claim' ? '/address-claims/move' : '/invitations/accept', token }]
    })
}

function note(history: History, what: string, { status }: { status: number }): void {
  const key = `${what} ${status}`
  history.answers.set(key, (history.answers.get(key) ?? 0) + 1)
}

/** Follows a mailed link; whoever reads the mail of the address holds the record afterwards. */
async function followLink(
  history: History,
  who: Who,
  { path, token }: { path: string; token: string },
): Promise<void> {
  const email = history.addresses[who]
  const accepts = path === '/invitations/accept'
  // The tenant of the domain may read the mail: only the link of its claim takes the account.
  const guarded = accepts && history.proven && who === 0
  const elsewhere = guarded ? await heldElsewhere('acme', email) : []
  const answer = accepts
    ? await follow(testApp, token)
    : await testApp.request('POST', path, { token, body: {} })
  note(history, `follow ${path}`, answer)
  if (guarded)
    expect(
      (await heldElsewhere('acme', email)).filter((one) => elsewhere.includes(one)),
      `${email} was taken over by an invitation`,
    ).toEqual(elsewhere)
  if (answer.status !== 200) return
  history.opened.set(token, (history.opened.get(token) ?? 0) + 1)
  if (who === 2) {
    if (answer.body.tempPassword) history.passwords.add(answer.body.tempPassword)
    return
  }
  history.knownBefore.set(email, new Set(history.passwords))
  const record = await holderOf(email)
  if (record) history.held.set(email, record.id)
}

async function attackerSignsIn(history: History): Promise<void> {
  for (const user of storedIdentities(testApp)) {
    if (history.former.has(user.uid)) continue
    const mine = [...history.passwords].some((one) => passwordMatches(user.password, one))
    if (!mine || !user.is_active) continue
    const token = await testApp.token(user.email).catch(() => undefined)
    // Two identities may have one address; only a token of this one is the attacker's.
    const subject = token && JSON.parse(atob(token.split('.')[1] ?? '')).sub
    if (token === undefined || subject !== user.uid) continue
    history.tokens.add(token)
    note(history, 'attacker signs in', await testApp.request('GET', '/users/me', { token }))
  }
}

async function expectInvariants(history: History): Promise<void> {
  for (const [email, id] of history.held) {
    const { idp_subject_id: subject } = await testApp.database.db
      .selectFrom('users')
      .select('idp_subject_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const identity = storedIdentities(testApp).find(({ uid }) => uid === subject)
    const known = [...history.passwords, ...(history.knownBefore.get(email) ?? [])]
    expect(
      known.filter((one) => identity !== undefined && passwordMatches(identity.password, one)),
      `somebody else knows the password of ${email}`,
    ).toEqual([])
    for (const token of history.tokens) {
      const me = await testApp.request('GET', '/users/me', { token })
      expect(me.status === 200 ? me.body.id : null, `signed in as ${email}`).not.toBe(id)
    }
  }
  for (const [token, times] of history.opened)
    expect(times, `the link ${token.slice(0, 6)}… opened ${times} times`).toBe(1)
  const crowded = await testApp.database.db
    .selectFrom('tenants as t')
    .innerJoin('memberships as m', 'm.tenant_id', 't.id')
    .select(['t.slug', 't.seats'])
    .where('m.status', '<>', 'removing')
    .where('t.slug', 'in', ['acme', 'globex'])
    .groupBy(['t.id', 't.slug', 't.seats'])
    .having(({ eb, fn, ref }) => eb(fn.countAll(), '>', ref('t.seats')))
    .execute()
  expect(crowded).toEqual([])
}

interface Step {
  name: string
  run(history: History): Promise<void>
}

class Command implements fc.AsyncCommand<object, { history: History }> {
  readonly step: Step
  constructor(step: Step) {
    this.step = step
  }
  check = () => true
  async run(_: object, { history }: { history: History }): Promise<void> {
    await this.step.run(history)
    await expectInvariants(history)
  }
  toString = () => this.step.name
}

const anyone = fc.constantFrom<Who>(0, 1, 2)
const victim = fc.constantFrom<0 | 1>(0, 1)
const tenant = fc.constantFrom<Slug>('acme', 'globex')

/** A password that an answer to Globex shows is the attacker's. */
function learn(history: History, slug: Slug, { body }: TestResponse): void {
  const password: unknown = body?.oneTimePassword
  if (slug === 'globex' && typeof password === 'string') history.passwords.add(password)
}

/**
 * Who has the address and belongs elsewhere than to the tenant, with the identity. On a domain that
 * the tenant proved, only a claim gives it another one.
 */
async function heldElsewhere(slug: Slug, email: string) {
  const rows = await testApp.database.db
    .selectFrom('users as u')
    .leftJoin('tenants as h', 'h.id', 'u.home_tenant_id')
    .select(['u.id', 'u.idp_subject_id as subject', 'u.partner_id as partner', 'h.slug as home'])
    .select(({ selectFrom }) =>
      selectFrom('memberships as m')
        .innerJoin('tenants as t', 't.id', 'm.tenant_id')
        .select((row) => row.fn.countAll<string>().as('count'))
        .whereRef('m.user_id', '=', 'u.id')
        .where('t.slug', '<>', slug)
        .as('memberships'),
    )
    .where('u.email', '=', email)
    .where('u.removed_at', 'is', null)
    .orderBy('u.id')
    .execute()
  return rows
    .filter(
      ({ partner, home, memberships }) =>
        partner !== null || (home !== null && home !== slug) || Number(memberships) > 0,
    )
    .map(({ id, subject }) => `${id} ${subject}`)
}

const adds = (slug: Slug, who: Who, role: string): Step => ({
  name: `${slug} adds ${who} as ${role}`,
  async run(history) {
    const email = history.addresses[who]
    const elsewhere = await heldElsewhere(slug, email)
    const answer = await add(slug, { email, role })
    note(history, `${slug} adds`, answer)
    expect(await heldElsewhere(slug, email), `${email} was taken over without a claim`).toEqual(
      elsewhere,
    )
    learn(history, slug, answer)
    if (answer.status !== 201 || slug !== 'acme' || !answer.body.oneTimePassword) return
    // The tenant of the domain hands the account over to the victim.
    history.held.set(email, answer.body.member.id)
  },
})

const provesDomain: Step = {
  name: 'acme proves the domain',
  async run(history) {
    if (history.proven) return
    await proveDomain(testApp, 'acme', history.domain)
    history.proven = true
  },
}

const hasOlderAccount = (who: 0 | 1): Step => ({
  name: `the attacker has an older account for ${who}`,
  async run(history) {
    const email = history.addresses[who]
    if ((await recordsOf(email)).length > 0) return
    if (storedIdentities(testApp).some((user) => user.email === email)) return
    const { count } = await testApp.database.db
      .selectFrom('memberships as m')
      .innerJoin('tenants as t', 't.id', 'm.tenant_id')
      .select((row) => row.fn.countAll<number>().as('count'))
      .where('t.slug', '=', 'globex')
      .where('m.status', '<>', 'removing')
      .executeTakeFirstOrThrow()
    const { seats } = await testApp.database.db
      .selectFrom('tenants')
      .select('seats')
      .where('slug', '=', 'globex')
      .executeTakeFirstOrThrow()
    if (Number(count) >= seats) return
    const account = await heldAccount(testApp, { email, tenantSlug: 'globex' })
    history.passwords.add(account.password)
    history.tokens.add(account.token)
    note(history, 'older account', { status: 201 })
  },
})

const follows = (who: Who, newest: boolean): Step => ({
  name: `${who} follows the ${newest ? 'newest' : 'first'} link`,
  async run(history) {
    const link = (await linksOf(history.addresses[who])).at(newest ? -1 : 0)
    if (link) await followLink(history, who, link)
  },
})

const claims: Step = {
  name: 'acme claims the address',
  async run(history) {
    const body = { email: history.addresses[0] }
    const path = `/domains/${history.domain}/address-claims`
    note(history, 'acme claims', await call('acme', 'POST', path, body))
  },
}

const steps = [
  fc
    .tuple(tenant, anyone, fc.constantFrom('member', 'admin'))
    .map(([slug, who, role]) => adds(slug, who, role)),
  fc.tuple(tenant, anyone).map(
    ([slug, who]): Step => ({
      name: `${slug} resets the password of ${who}`,
      async run(history) {
        for (const { id } of await recordsOf(history.addresses[who])) {
          const answer = await call(slug, 'POST', `/users/${id}/reset-password`)
          note(history, `${slug} resets`, answer)
          learn(history, slug, answer)
        }
      },
    }),
  ),
  fc.tuple(tenant, anyone).map(
    ([slug, who]): Step => ({
      name: `${slug} removes ${who}`,
      async run(history) {
        for (const { id } of await recordsOf(history.addresses[who]))
          note(history, `${slug} removes`, await call(slug, 'DELETE', `/users/${id}`))
        const left = await recordsOf(history.addresses[who])
        const email = history.addresses[who]
        if (!left.some(({ id }) => id === history.held.get(email))) history.held.delete(email)
      },
    }),
  ),
  victim.map(
    (who): Step => ({
      name: `the attacker gives its own account the address of ${who}`,
      async run(history) {
        for (const { id } of await recordsOf(history.addresses[2]))
          note(
            history,
            'globex renames',
            await call('globex', 'PUT', `/users/${id}/email`, { email: history.addresses[who] }),
          )
      },
    }),
  ),
  victim.map(hasOlderAccount),
  victim.map(
    (who): Step => ({
      name: `the attacker makes an identity with the unverified address of ${who}`,
      async run(history) {
        const password = `Own-${randomBytes(6).toString('hex')}`
        const { pk } = await identityApi(testApp, 'POST', '/core/users/', {
          username: `mal-${randomBytes(5).toString('hex')}`,
          email: history.addresses[who],
          name: 'Mallory',
          is_active: true,
        })
        await identityApi(testApp, 'POST', `/core/users/${pk}/set_password/`, { password })
        history.passwords.add(password)
        await attackerSignsIn(history)
      },
    }),
  ),
  fc.constant<Step>({ name: 'the attacker signs in wherever it can', run: attackerSignsIn }),
  fc.tuple(anyone, fc.boolean()).map(([who, newest]) => follows(who, newest)),
  victim.map(
    (who): Step => ({
      name: `${who} follows the newest link three times at once`,
      async run(history) {
        const link = (await linksOf(history.addresses[who])).at(-1)
        if (link) await Promise.all([1, 2, 3].map(() => followLink(history, who, link)))
      },
    }),
  ),
  fc.constant(provesDomain),
  fc.constant(claims),
  fc.constant<Step>({
    name: 'the time of claims is over',
    async run(history) {
      await testApp.database.db
        .updateTable('address_claims')
        .set({ next_at: new Date(0) })
        .execute()
      await settleDueAddressClaims(testApp.app.services)
      const email = history.addresses[0]
      const left = await recordsOf(email)
      if (!left.some(({ id }) => id === history.held.get(email))) history.held.delete(email)
    },
  }),
  anyone.map(
    (who): Step => ({
      name: `the partner invites ${who}`,
      async run(history) {
        const body = { name: 'Staff', email: history.addresses[who], access: 'viewer' }
        const token = as().operator
        note(
          history,
          'partner invites',
          await testApp.request('POST', '/partners/north/users', { token, body }),
        )
      },
    }),
  ),
  anyone.map(
    (who): Step => ({
      name: `a careless operator makes whoever has the address of ${who} partner staff`,
      async run(history) {
        for (const { id } of await recordsOf(history.addresses[who])) {
          const body = { partnerId: north }
          const path = `/users/${id}`
          note(
            history,
            'operator assigns',
            await testApp.request('PATCH', path, { token: as().operator, body }),
          )
        }
      },
    }),
  ),
]

/**
 * Histories that random ones of a few steps seldom hit, each of which once took over an account.
 */
const known: Record<string, Step[]> = {
  'an older account on a domain that is proved later': [
    hasOlderAccount(0),
    provesDomain,
    adds('acme', 0, 'admin'),
    claims,
    adds('acme', 0, 'member'),
    follows(0, true),
  ],
  'an invitation of before the domain was proved': [
    hasOlderAccount(0),
    adds('acme', 0, 'member'),
    provesDomain,
    follows(0, true),
    claims,
    follows(0, true),
  ],
}

it.each(Object.entries(known))('nobody is taken over: %s', async (_, history) => {
  const real = { history: await begin() }
  await fc.asyncModelRun(
    () => ({ model: {}, real }),
    history.map((step) => new Command(step)),
  )
  expect(real.history.answers.get('older account 201')).toBe(1)
  expect(real.history.held.size).toBe(1)
})

it('nobody signs in as somebody else, whatever happened before', async () => {
  const runs = rounds(4, 400)
  const answers = new Map<string, number>()
  let commands = 0
  const outcome = await fc.check(
    fc.asyncProperty(
      fc.commands(
        steps.map((step) => step.map((one) => new Command(one))),
        { maxCommands: rounds(14, 40), size: 'max' },
      ),
      async (cmds) => {
        const history = await begin()
        await fc.asyncModelRun(() => ({ model: {}, real: { history } }), cmds)
        commands += [...cmds].length
        for (const [answer, times] of history.answers)
          answers.set(answer, (answers.get(answer) ?? 0) + times)
      },
    ),
    { numRuns: runs, ...(process.env.MODEL_SEED && { seed: Number(process.env.MODEL_SEED) }) },
  )
  const told = [...answers].toSorted(([, one], [, other]) => other - one)
  await recordMeasurement({
    target: 'S27',
    what: 'random histories',
    measured: `${outcome.numRuns} histories, ${commands} steps (seed ${outcome.seed}); ${told
      .slice(0, 16)
      .map(([answer, times]) => `${times} × ${answer}`)
      .join(', ')}`,
    reached: !outcome.failed && commands > 0,
  })
  expect(outcome.failed ? fc.defaultReportMessage(outcome) : undefined).toBeUndefined()
  // Histories in which everything is rejected show nothing; a few may all be so by chance.
  if (inFull) expect(told.some(([answer]) => answer.endsWith(' 201'))).toBe(true)
}, 7_200_000)
