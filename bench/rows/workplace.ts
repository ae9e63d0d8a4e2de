import { randomBytes } from 'node:crypto'
import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { seedDemo } from '@atrium/db/demo/demo'
import { type Database, openDatabase } from '@atrium/db/platform/connect'
import { createMigratedDatabase, dropDatabase } from '@atrium/db/server/provision-database'
import { authentik } from '@atrium/integrations/identity/authentik'
import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import { userIdOf } from '@atrium/testing/records'
import { sql } from 'kysely'
import pg from 'pg'
import { createHttpLoad, runRounds } from '../measure/slots.ts'
import { median } from '../measure/statistics.ts'
import type { Session } from '../session.ts'
import { type Server, sandboxEnvironment, startProduct } from './product.ts'
import type { RowResult } from './result.ts'

const delayMs = 20
const outside = ['identity', 'mail', 'files'] as const
const largeTenant = 10_000
const smallTenant = 50
const factorMembers = 2_000
const importRows = 1_000
const createdPerRound = 3
const createdAtOnce = 50
const createdPerBurst = 500

interface Workplace {
  sandbox: Sandbox
  database: Database
  product: Server
  /** Of the owner of `acme`. */
  token: string
  /** Brings the planner's statistics up to date, which the account of the API may not. */
  analyze(): Promise<void>
}

/**
 * M1 to M4 and M7: what a tenant admin waits for, against the upstream systems' own delays or
 * against a smaller tenant.
 */
export async function measureWorkplace(
  session: Session,
  requested: ReadonlySet<string>,
): Promise<RowResult[]> {
  const sandbox = await startSandbox({ identity: { accessTokenSeconds: 7200 } })
  const name = 'atrium_workplace'
  const accounts = await createMigratedDatabase(session.adminUrl, name)
  const database = openDatabase({
    url: accounts.appUrl,
    applicationName: 'bench',
    onError: () => {},
  })
  let product: Server | undefined
  try {
    await seedDemo(database.db, 'tenants.local')
    product = await startProduct(session, {
      DATABASE_URL: accounts.appUrl,
      ...sandboxEnvironment(sandbox),
    })
    const token = await sandbox.token('owner@acme.test', 'portal')
    const workplace: Workplace = {
      sandbox,
      database,
      product,
      token,
      analyze: () => analyze(session.adminUrl.replace(/postgres$/, name)),
    }
    await sql`update tenants set seats = 0 where slug = 'acme'`.execute(database.db)
    await sql`update plan_grants set seats = 0`.execute(database.db)
    await untilActive(workplace)
    const rows: RowResult[] = []
    if (requested.has('M1'))
      rows.push(await attempt(rowM1, () => measureCreate(session, workplace)))
    if (requested.has('M2')) rows.push(await attempt(rowM2, () => measureList(session, workplace)))
    if (requested.has('M3')) rows.push(...(await measureFactors(workplace)))
    if (requested.has('M4')) rows.push(await attempt(rowM4, () => measureImport(workplace)))
    if (requested.has('M7')) rows.push(...(await measureBursts(session, workplace)))
    return rows
  } finally {
    await product?.process.stop()
    await database.close()
    await sandbox.close()
    await dropDatabase(session.adminUrl, name)
  }
}

/** The product finds the seeded tenant undone when it starts, and provisions it by itself. */
async function untilActive(workplace: Workplace): Promise<void> {
  for (let i = 0; i < 300; i++) {
    const { status } = await call(workplace, 'GET', '/tenants/acme')
    if (status === 'active') return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error('the tenant acme was not provisioned in half a minute')
}

async function analyze(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('vacuum analyze').finally(() => client.end())
}

type Bars = Omit<RowResult, 'values' | 'nullTest' | 'note' | 'figures'>

const inSequence = 'the same outside calls one after the other'
const rowM1: Bars = {
  row: 'M1',
  what: 'member created',
  peer: inSequence,
  unit: 'x',
  direction: 'at most',
  reach: 1.3,
  beyond: 1.1,
}
const rowM2: Bars = {
  row: 'M2',
  what: `first page of ${largeTenant} members, requests/s`,
  peer: `the same of ${smallTenant} members`,
  unit: 'x',
  direction: 'at least',
  reach: 0.8,
  beyond: 0.95,
}
const rowM3: Bars = {
  row: 'M3a',
  what: `MFA of ${factorMembers}: first answer`,
  peer: inSequence,
  unit: 'x',
  direction: 'at most',
  reach: 0.1,
  beyond: 0.02,
}
const rowM3b: Bars = {
  ...rowM3,
  row: 'M3b',
  what: `MFA of ${factorMembers}: all known`,
  reach: 0.4,
  beyond: 0.3,
}
const rowM3c: Bars = {
  ...rowM3,
  row: 'M3c',
  what: 'MFA asked again: outside calls per member',
  peer: 'the first time',
  reach: 0.01,
  beyond: 0,
}
const rowM4: Bars = {
  row: 'M4',
  what: `import of ${importRows} rows`,
  peer: 'the same members created one by one',
  unit: 'x',
  direction: 'at most',
  reach: 1,
  beyond: 0.5,
}
const rowM7: Bars = {
  row: 'M7a',
  what: `members created, ${createdAtOnce} at once`,
  peer: 'the clock',
  unit: 'per second',
  direction: 'at least',
  reach: 100,
  beyond: 150,
}
const rowM7b: Bars = {
  ...rowM7,
  row: 'M7b',
  what: 'the same: p99',
  unit: 'ms',
  direction: 'at most',
  reach: 600,
  beyond: 400,
}
const rowM7c: Bars = {
  ...rowM7b,
  row: 'M7c',
  what: 'the same: CPU of the API per member',
  reach: 6,
  beyond: 4,
}

async function attempt(
  bars: Bars,
  measure: () => Promise<Omit<RowResult, keyof Bars>>,
): Promise<RowResult> {
  try {
    return { ...bars, ...(await measure()) }
  } catch (error) {
    return { ...bars, values: [], note: error instanceof Error ? error.message : String(error) }
  }
}

async function call({ product, token }: Workplace, method: string, path: string, body?: object) {
  const response = await fetch(`${product.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const answer = (await response.json()) as Record<string, unknown>
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status} ${String(answer.code)}`)
  return answer
}

function slow({ sandbox }: Workplace, systems: readonly (typeof outside)[number][]): void {
  for (const system of systems) sandbox.fault({ system, mode: 'latency', delayMs })
}

/** Calls that began after the instant; the sandbox keeps the last 500 of each system. */
function callsSince({ sandbox }: Workplace, instant: string): number {
  const state = sandbox.state()
  return outside.reduce(
    (sum, system) => sum + state[system].calls.filter(({ at }) => at >= instant).length,
    0,
  )
}

const freshAddress = () => `m${randomBytes(6).toString('hex')}`

async function measureCreate(
  session: Session,
  workplace: Workplace,
): Promise<Omit<RowResult, keyof Bars>> {
  const values: number[] = []
  let calls = 0
  slow(workplace, outside)
  for (let round = 0; round < session.rounds; round++) {
    const times: number[] = []
    for (let i = 0; i < createdPerRound; i++) {
      const since = new Date().toISOString()
      const began = performance.now()
      const { member } = (await call(workplace, 'POST', '/tenants/acme/users', {
        email: freshAddress(),
      })) as { member: { status: string } }
      const ms = performance.now() - began
      if (member.status !== 'active') throw new Error(`the member is ${member.status}`)
      calls = callsSince(workplace, since)
      times.push(ms / (calls * delayMs))
    }
    values.push(median(times))
  }
  workplace.sandbox.clearFaults()
  return { values, note: `${calls} outside calls of ${delayMs} ms each` }
}

/**
 * Creations against upstream systems that respond immediately. The API has a core to itself where
 * there is `taskset`; load, sandbox and database share the others, so on two cores they limit the
 * rate.
 */
async function measureBursts(session: Session, workplace: Workplace): Promise<RowResult[]> {
  const bars = [rowM7, rowM7b, rowM7c]
  try {
    const rounds: { rate: number; p99: number; cpu: number }[] = []
    await createMany(workplace, createdPerBurst / 5)
    for (let round = 1; round <= session.rounds; round++) {
      session.onRound(round)
      await session.gate.pass()
      const before = await workplace.product.process.usage()
      const began = performance.now()
      const times = await createMany(workplace, createdPerBurst)
      const seconds = (performance.now() - began) / 1000
      const after = await workplace.product.process.usage()
      rounds.push({
        rate: createdPerBurst / seconds,
        p99: times.toSorted((a, b) => a - b)[Math.ceil(0.99 * times.length) - 1] ?? Number.NaN,
        cpu: (after.cpuMicros - before.cpuMicros) / 1000 / createdPerBurst,
      })
    }
    const note = `${createdPerBurst} members a round; load, sandbox and database share the cores that the API is not on`
    return bars.map((bar, i) => ({
      ...bar,
      values: rounds.map(({ rate, p99, cpu }) => [rate, p99, cpu][i] ?? Number.NaN),
      note,
    }))
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error)
    return bars.map((bar) => ({ ...bar, values: [], note }))
  }
}

/** The milliseconds of each creation. Throws when a member is not active in its response. */
async function createMany(workplace: Workplace, count: number): Promise<number[]> {
  const times: number[] = []
  let left = count
  const createInTurn = async () => {
    while (left-- > 0) {
      const began = performance.now()
      const { member } = (await call(workplace, 'POST', '/tenants/acme/users', {
        email: freshAddress(),
      })) as { member: { status: string } }
      if (member.status !== 'active') throw new Error(`the member is ${member.status}`)
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: createdAtOnce }, createInTurn))
  return times
}

async function measureList(
  session: Session,
  workplace: Workplace,
): Promise<Omit<RowResult, keyof Bars>> {
  const { db } = workplace.database
  const ownerId = await userIdOf(db, 'owner@acme.test')
  for (const [slug, members] of [
    ['bench-large', largeTenant],
    ['bench-small', smallTenant],
  ] as const) {
    await db.transaction().execute(async (trx) => {
      await sql`
        with tenant as (insert into tenants (slug, name, status) values (${slug}, ${slug}, 'active') returning id),
          people as (insert into users (idp_subject_id, email, name)
            select ${slug} || n, ${slug} || n || '@example.test', 'Member ' || n from generate_series(1, ${members}::int - 1) n returning id),
          steps as (insert into provisioning_steps (tenant_id, step, state) select id, unnest(array['identity', 'mail', 'files']), 'ok' from tenant)
        insert into memberships (tenant_id, user_id, role)
          select tenant.id, people.id, 'member' from tenant, people union all select tenant.id, ${ownerId}, 'owner' from tenant`.execute(
        trx,
      )
    })
  }
  await workplace.analyze()
  const load = createHttpLoad({ connections: 8, seconds: 1, folder: session.folder })
  try {
    const contender = (name: string, slug: string) =>
      load.contender({
        name,
        server: workplace.product,
        requests: [
          {
            method: 'GET',
            path: `/tenants/${slug}/users?limit=50`,
            headers: { authorization: `Bearer ${workplace.token}` },
          },
        ],
      })
    const { measured, failures } = await runRounds(
      [
        contender('small', 'bench-small'),
        contender('small again', 'bench-small'),
        contender('large', 'bench-large'),
      ],
      session,
    )
    const failed = [...failures].map(([name, reason]) => `${name}: ${reason}`).join('; ')
    if (failed) throw new Error(failed)
    const rate = (name: string) =>
      (measured.get(name) ?? []).map((figures) => figures.callsPerSecond)
    const [first, second, large] = [rate('small'), rate('small again'), rate('large')]
    return {
      values: large.map(
        (value, i) => (2 * value) / ((first[i] ?? Number.NaN) + (second[i] ?? Number.NaN)),
      ),
      nullTest: first.map((value, i) => value / (second[i] ?? Number.NaN)),
    }
  } finally {
    await load.stop()
  }
}

/** People who are in the identity provider too, so that each can be asked about. */
async function addPeople(workplace: Workplace, slug: string, count: number): Promise<void> {
  const { db } = workplace.database
  const provider = authentik({
    baseUrl: workplace.sandbox.identityUrl,
    token: demoServiceCredentials.identityToken,
  })
  const people: { subject: string; id: string; email: string }[] = []
  for (let i = 0; i < count; i += 20) {
    const block = Array.from(
      { length: Math.min(20, count - i) },
      (_, k) => `factor${i + k}@example.test`,
    )
    const made = await Promise.all(
      block.map((email) => provider.createUser({ email, name: email, groupIds: [] })),
    )
    people.push(...made.map(({ subject, id, email }) => ({ subject, id, email })))
  }
  await sql`
    with people as (insert into users (idp_subject_id, idp_user_id, email, name)
      select subject, id, email, email from jsonb_to_recordset(${JSON.stringify(people)}::jsonb) as p(subject text, id text, email text) returning id)
    insert into memberships (tenant_id, user_id, role)
      select t.id, people.id, 'member' from people, tenants t where t.slug = ${slug}`.execute(db)
}

async function measureFactors(workplace: Workplace): Promise<RowResult[]> {
  const bars = [rowM3, rowM3b, rowM3c]
  try {
    await addPeople(workplace, 'acme', factorMembers)
    slow(workplace, ['identity'])
    const sequence = factorMembers * delayMs
    const began = performance.now()
    let answer = await call(workplace, 'GET', '/tenants/acme/mfa-status?limit=1')
    const first = performance.now() - began
    while (answer.refreshing === true) {
      if (performance.now() - began > 3 * sequence)
        throw new Error('the second factors were not read in three times the time of one by one')
      await new Promise((done) => setTimeout(done, 100))
      answer = await call(workplace, 'GET', '/tenants/acme/mfa-status?limit=1')
    }
    const whole = performance.now() - began
    const { unknown } = answer.summary as { unknown: number }
    const since = new Date().toISOString()
    await call(workplace, 'GET', '/tenants/acme/mfa-status?limit=200')
    const again = callsSince(workplace, since)
    const note = `${delayMs} ms per outside call, first answer after ${Math.round(first)} ms, ${unknown} unknown in the end`
    return bars.map((bar, i) => ({
      ...bar,
      values: [[first / sequence, whole / sequence, again / factorMembers][i] ?? Number.NaN],
      note,
    }))
  } catch (error) {
    return bars.map((bar) => ({
      ...bar,
      values: [],
      note: error instanceof Error ? error.message : String(error),
    }))
  } finally {
    workplace.sandbox.clearFaults()
  }
}

async function measureImport(workplace: Workplace): Promise<Omit<RowResult, keyof Bars>> {
  const one: number[] = []
  for (let i = 0; i < 20; i++) {
    const began = performance.now()
    await call(workplace, 'POST', '/tenants/acme/users', { email: freshAddress() })
    one.push(performance.now() - began)
  }
  const csv = [
    'email,name',
    ...Array.from({ length: importRows }, (_, i) => `${freshAddress()},Import ${i}`),
  ].join('\n')
  const began = performance.now()
  const { id } = await call(workplace, 'POST', '/tenants/acme/user-imports', { csv, dryRun: false })
  for (;;) {
    const view = await call(workplace, 'GET', `/tenants/acme/user-imports/${String(id)}?rows=none`)
    const counts = view.counts as Record<string, number>
    if (view.state === 'done') {
      const ms = performance.now() - began
      if (counts.created !== importRows)
        throw new Error(`the import ended with ${JSON.stringify(counts)}`)
      return {
        values: [ms / (importRows * median(one))],
        note: `${Math.round((importRows * 1000) / ms)} rows per second`,
      }
    }
    if (performance.now() - began > 600_000)
      throw new Error(`the import was not done in ten minutes: ${JSON.stringify(counts)}`)
    await new Promise((done) => setTimeout(done, 250))
  }
}
