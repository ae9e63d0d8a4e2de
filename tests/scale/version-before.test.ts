import { type RestRoute, restRoutes } from '@atrium/api/http/rest'
import { migrationNames } from '@atrium/db/schema/migrate'
import { newestMigration } from '@atrium/db/schema/newest-migration'
import { startApi } from '@atrium/testing/api-process'
import { restRequest } from '@atrium/testing/calls'
import { type CarriedOut, carriedOut, type Place } from '@atrium/testing/carried-out'
import { personClaims } from '@atrium/testing/issuer'
import { matrix } from '@atrium/testing/matrix/all'
import type { Caller } from '@atrium/testing/matrix/rows'
import { openLocations, type Places } from '@atrium/testing/matrix/world'
import { inFull, recordMeasurement } from '@atrium/testing/measurements'
import { expect, it } from 'vitest'
import { openBalancer } from './balancer.ts'
import { send, type Told } from './cluster.ts'
import {
  buildVersion,
  migrationsOf,
  type VersionBefore,
  versionsBefore,
} from './earlier-version.ts'
import { type SteadyLoad, startLoad } from './load.ts'

// As in a rolling deploy: migrated first, then one process after the other is replaced. Until the
// last one is, versions run side by side.

const history = await versionsBefore(migrationNames, 3)
const versions = 'missing' in history ? [] : history

it('finds the versions before the newest migrations in the history, or says why there is none', async () => {
  if ('missing' in history) {
    await recordMeasurement({
      target: 'R11',
      what: 'the program of the version before',
      measured: `not measured: ${history.missing}`,
      reached: false,
    })
    expect(history.missing).not.toBe('')
    return
  }
  expect(history[0]?.migrations).toContain(newestMigration)
  for (const { commit, migrations } of history) {
    const known = await migrationsOf(commit)
    expect(known.length).toBeGreaterThan(0)
    for (const name of migrations) expect(known).not.toContain(name)
  }
})

if (inFull)
  it.each(versions.map((version) => ({ ...version, named: version.migrations.join(', ') })))(
    'the program from before $named works on the newest schema, beside the present one',
    (version) => standSideBySide(version),
  )

const fourHours = 4 * 3600
/**
 * Events that one of the versions describes with other details than today. An entry goes when the
 * history holds no version from before it among the three.
 */
const describedOtherwise = [
  'member.created',
  'member.email_changed',
  'member.left',
  'member.removed',
  'member.resumed',
  'member.suspended',
] as const

async function standSideBySide({ commit, migrations }: VersionBefore): Promise<void> {
  await using earlier = await buildVersion(commit)
  // Three programs share what the mail server allows one account at a time; requests that take no
  // time stay below it.
  await using places = await openLocations({
    sandbox: { mail: { workMs: 0 } },
    ownEvents: describedOtherwise,
  })
  await using balancer = await openBalancer()
  await using before = await startApi(places.testApp, {}, earlier.entry)
  await using now = await startApi(places.testApp)
  for (const { url } of [before, now]) {
    balancer.add(url)
    await balancer.untilReady(url)
  }
  const load = await startLoad(
    {
      send: (method, path, options = {}) => send(`${balancer.url}${path}`, method, options),
      testApp: {
        token: (email) =>
          places.issuer.sign({
            ...personClaims(email),
            exp: Math.floor(Date.now() / 1000) + fourHours,
          }),
      },
      balancer,
    },
    { readers: 2, pauseMs: 100, createEveryMs: 1_000 },
  )
  const calls = await callEverything(places, before.url, now.url).finally(() => load.stop())
  const unsettled = await untilProvisioned(places, load)
  const replays = await repeatAtBoth(places, load, [before.url, now.url])

  const failed = [...calls.failed, ...load.failed, ...balancer.broken, ...replays, ...unsettled]
  const requests = calls.requests + load.reads + load.created.size
  await recordMeasurement({
    target: 'R11',
    what: `the program from before ${migrations.join(', ')} on schema ${newestMigration}, beside the present one`,
    measured:
      `${commit.slice(0, 7)} with schema ${earlier.schema}: ${calls.procedures} procedures, ${failed.length} failed of ${requests} requests, ` +
      `${calls.written} writes of either read back by both, ${calls.different.length} not alike; ${load.created.size} tenants made and provisioned`,
    reached: failed.length === 0 && calls.different.length === 0,
  })
  expect(calls.procedures).toBeGreaterThan(80)
  expect(calls.written).toBeGreaterThan(calls.procedures / 2)
  expect(balancer.answered.get(before.url)).toBeGreaterThan(100)
  expect(balancer.answered.get(now.url)).toBeGreaterThan(100)
  expect({ failed, different: calls.different }).toEqual({ failed: [], different: [] })
}

type Input = Record<string, unknown>
/** Two responses to one read, until they are equal. */
const mostTries = 20

interface Calls {
  procedures: number
  requests: number
  /** Changes that were carried out, each followed by all reads of its kind through both. */
  written: number
  failed: string[]
  /** Reads with different responses. */
  different: string[]
}

/** A separate tenant with a member, and who that is. */
type Visited = Place & { caller: Caller }

/**
 * Every call that both versions know: each change once through either of them, in a tenant of its
 * own, then what there is to read of it.
 */
async function callEverything(places: Places, before: string, now: string): Promise<Calls> {
  const { paths } = (await send(`${before}/openapi.json`, 'GET', {})).body as {
    paths: Record<string, Record<string, unknown>>
  }
  const known = restRoutes().filter(({ path, method }) => paths[path]?.[method.toLowerCase()])
  const calls: Calls = {
    procedures: known.length,
    requests: 0,
    written: 0,
    failed: [],
    different: [],
  }
  const visit = async (caller: Caller): Promise<Visited> => ({
    ...(await places.build(caller)),
    caller,
  })
  const ask = (
    url: string,
    name: string,
    input: Input,
    token: string | undefined,
  ): Promise<Told> => {
    const { method, path, body } = restRequest(name, input)
    calls.requests++
    return send(`${url}${path}`, method, {
      ...(token === undefined ? {} : { token }),
      ...(body ? { body } : {}),
    })
  }

  async function readBoth(name: string, written: Visited, after: string): Promise<void> {
    const row = matrix[name]?.find(({ expected }) => expected[written.caller] === 'ok')
    if (!row) return
    // What some reads need may be there once in a tenant.
    const here = async (place: Visited) => ({ place, input: await row.input(place) })
    const { place, input } = await here(written).catch(async () =>
      here(await visit(written.caller)),
    )
    // What a job or the load does between two answers is no difference between two programs, nor
    // what one is told of a moment later.
    for (let left = mostTries; ; left--) {
      const [one, other] = [
        await ask(before, name, input, place.token),
        await ask(now, name, input, place.token),
      ]
      // What is gone after the change is rejected, by both in the same words.
      const alike = one.status === other.status
      if (one.status >= 500 || other.status >= 500 || (!alike && left === 1))
        return void calls.failed.push(
          `${name} after ${after}: ${told(one)}, and by the present one ${told(other)}`,
        )
      const known = alike && !neverAlike.has(name)
      const found = known
        ? differenceOf(inPresentWords(name, one.body), inPresentWords(name, other.body), '')
        : undefined
      if (alike && found === undefined) return
      if (left === 1) return void calls.different.push(`${name} after ${after}: ${found}`)
      await new Promise((done) => setTimeout(done, 50))
    }
  }

  /** Somewhere else again where an upstream system had too much to do for what the call needs. */
  async function prepared(call: CarriedOut, tries = 4) {
    for (let left = tries; ; left--) {
      const place = await visit(call.caller)
      try {
        return { place, ...(await call.prepare(place)) }
      } catch (error) {
        if (left <= 1) throw error
      }
    }
  }

  async function change(
    name: string,
    call: CarriedOut,
    by: 'the version before' | 'the present one',
  ): Promise<Visited> {
    const { place, input, token } = await prepared(call)
    const reply = await ask(by === 'the present one' ? now : before, name, input, token)
    if (reply.status < 300) calls.written++
    else calls.failed.push(`${name} by ${by}: ${told(reply)}`)
    return place
  }

  async function callKind(kind: string, routes: readonly RestRoute[]): Promise<void> {
    const reads = routes.filter(({ type }) => type === 'query').map(({ name }) => name)
    const changes = routes
      .filter(({ type }) => type === 'mutation')
      .flatMap(({ name }) => carriedOut(name).map((call) => ({ name, call })))
    for (const { name, call } of changes) {
      for (const by of ['the version before', 'the present one'] as const) {
        const place = await change(name, call, by)
        for (const read of reads) await readBoth(read, place, `${name} by ${by}`)
      }
    }
    const place = await visit(changes.length === 0 ? 'operator' : 'owner')
    for (const read of reads) await readBoth(read, place, `nothing of ${kind}`)
  }

  const kinds = [...Map.groupBy(known, ({ name }) => kindOf(name))]
  const worker = async () => {
    for (let next = kinds.shift(); next; next = kinds.shift()) await callKind(...next)
  }
  await Promise.all(Array.from({ length: 3 }, worker))
  return calls
}

/** What is called in one sequence. Prices and their migrations change the one catalog. */
function kindOf(name: string): string {
  const kind = name.slice(0, name.lastIndexOf('.'))
  return kind === 'priceMigrations' ? 'prices' : kind
}

const told = ({ status, body }: Told) => `${status} ${JSON.stringify(body).slice(0, 300)}`

/** Of the response itself, or of its time. */
const ofTheResponse = new Set([
  'requestId',
  'at',
  'asOf',
  'computedAt',
  'effectiveAt',
  'lastSeenAt',
])
/** About the process that responds, with an entry of itself, a new session, from now on. */
const neverAlike = new Set([
  'system.get',
  'audit.export',
  'billing.portal',
  'subscriptions.previewStart',
])

/**
 * What is told in other words on purpose since one of the versions that are compared, brought to
 * the words of today; all else of the answer still has to be alike. An entry goes when the history
 * holds no version from before it among the three.
 */
const retold: Readonly<Record<string, (response: unknown) => unknown>> = {
  // What a mail is for, what may stand in it and what it is as long as nobody wrote another: of the
  // program, not of the database.
  'branding.get': (response) => {
    const { templates } = response as { templates?: object[] }
    if (!templates) return response
    const own = templates.map((one) => ({ ...one, description: '', variables: [], standard: {} }))
    return { ...(response as object), templates: own }
  },
  // Negative amounts had an apostrophe before them until 0027, which made them texts for a
  // spreadsheet; exports had no last line until 0031.
  'payouts.exportLedger': (response) =>
    typeof response === 'string'
      ? response.replace(/'(?=-\d)/g, '').replace(/# complete,[\d,]*\r\n$/, '')
      : response,
}
const inPresentWords = (name: string, response: unknown): unknown =>
  retold[name]?.(response) ?? response

/**
 * Where the current response differs from the previous version's in what that one knows; undefined
 * where nowhere.
 */
function differenceOf(before: unknown, now: unknown, path: string): string | undefined {
  if (typeof before === 'object' && before !== null && typeof now === 'object' && now !== null) {
    if (Array.isArray(before) && Array.isArray(now) && before.length !== now.length)
      return `${path}: ${before.length} and ${now.length}`
    for (const [key, value] of Object.entries(before)) {
      if (ofTheResponse.has(key)) continue
      const found = differenceOf(value, Reflect.get(now, key), `${path}.${key}`)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (before === now) return undefined
  const [one, other] = [before, now].map((value) => JSON.stringify(value) ?? 'nothing') as [
    string,
    string,
  ]
  let alike = 0
  while (alike < one.length && one[alike] === other[alike]) alike++
  const from = Math.max(0, alike - 40)
  return `${path}: ${one.slice(from, from + 120)} and ${other.slice(from, from + 120)}`
}

/** Tenants that were acknowledged and are not there, or that neither program's jobs have set up. */
async function untilProvisioned({ testApp }: Places, { created }: SteadyLoad): Promise<string[]> {
  const slugs = [...created.values()].map(({ slug }) => slug)
  const look = () =>
    testApp.database.db
      .selectFrom('tenants')
      .select(['slug', 'status'])
      .where('slug', 'in', slugs)
      .execute()
  let rows = await look()
  for (let i = 0; i < 240 && rows.some(({ status }) => status !== 'active'); i++) {
    await new Promise((done) => setTimeout(done, 250))
    rows = await look()
  }
  const active = new Set(rows.filter(({ status }) => status === 'active').map(({ slug }) => slug))
  return slugs
    .filter((slug) => !active.has(slug))
    .map((slug) => `${slug} was acknowledged and is not set up`)
}

/**
 * Creations repeated under their keys: both versions have to know of what the other has carried
 * out. The version before cannot read answers that the present one encrypted: it says that the
 * answer was not kept.
 */
async function repeatAtBoth(
  { issuer }: Places,
  { created }: SteadyLoad,
  urls: readonly string[],
): Promise<string[]> {
  const token = await issuer.sign(personClaims('newcomer@example.test'))
  const faults: string[] = []
  for (const [key, { slug, id }] of [...created].slice(-20)) {
    for (const url of urls) {
      const body = { name: slug, slug, respondAsync: true }
      const again = await send(`${url}/tenants`, 'POST', {
        token,
        body,
        headers: { 'idempotency-key': key },
      })
      const withheld =
        url === urls[0] && again.status === 409 && again.body.code === 'idempotency_answer_withheld'
      const replayed =
        again.status === 201 &&
        again.body.id === id &&
        again.headers.get('idempotency-replayed') === 'true'
      if (!withheld && !replayed) faults.push(`${slug} repeated: ${told(again)}`)
    }
  }
  return faults
}
