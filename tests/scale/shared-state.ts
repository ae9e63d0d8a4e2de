import { median } from '@atrium/bench/measure/statistics'
import { outsideObjects } from '@atrium/testing/outside'
import { insertTestTenant, userIdOf } from '@atrium/testing/records'
import type { ScaledProcess, ScaledTestApp } from './cluster.ts'

/**
 * One thing that was tried. `holds` is null where it could not be tried: then there is no number
 * either.
 */
export interface Check {
  what: string
  measured: string
  holds: boolean | null
}

/** What must be the same through every process, and what must be spread over them. */
export async function checkSharedState(scaled: ScaledTestApp): Promise<Check[]> {
  return oneAtATime(
    [checkJobs, checkFlags, checkLimits, checkKeys, checkStreams].map(
      (check) => () => check(scaled),
    ),
  )
}

/**
 * Runs one check after the other and reports each on standard error immediately, because all of
 * them take minutes; one that throws is a failure with its reason, and the next are still run.
 */
export async function oneAtATime(checks: readonly (() => Promise<Check>)[]): Promise<Check[]> {
  const told: Check[] = []
  for (const check of checks) {
    const one = await check().catch((error: unknown) => ({
      what: 'a check that broke off',
      holds: false,
      measured: error instanceof Error ? error.message : String(error),
    }))
    process.stderr.write(`  ${one.what}: ${one.measured}\n`)
    told.push(one)
  }
  return told
}

/**
 * Work that only the job engine knows of: tenants as a process leaves them that dies after its
 * transaction.
 */
async function checkJobs({ testApp, processes }: ScaledTestApp): Promise<Check> {
  const count = 40
  const { db } = testApp.database
  const ownerId = await userIdOf(db, 'owner@globex.test')
  const ids: string[] = []
  const slugs = Array.from({ length: count }, (_, n) => `spread-${n}`)
  // Each wake-up in a transaction of its own, as they come in life; a fetch takes up to twenty at
  // once.
  for (const slug of slugs) {
    await db.transaction().execute(async (trx) => {
      const tenant = await insertTestTenant(trx, { slug, seats: 0, ownerId })
      ids.push(tenant.id)
      await testApp.app.services.jobs.enqueueProvisioning(tenant.id, 0, trx)
    })
  }
  const unfinished = () =>
    db
      .selectFrom('tenants')
      .select('id')
      .where('id', 'in', ids)
      .where('status', '<>', 'active')
      .execute()
  await until(async () => (await unfinished()).length === 0, 120_000)
  const steps = await Promise.all(
    processes.map(async (process) => sumOf(await process.metrics(), 'provisioning_steps_total')),
  )
  const doubled = slugs.filter((slug) => {
    const { groups, spaces } = outsideObjects(testApp, slug)
    return groups !== 1 || spaces !== 1
  })
  return {
    what: 'jobs are spread, nothing is made twice outside',
    measured: `${count} tenants, steps per process ${steps.join(', ')}, ${doubled.length} tenants doubled outside`,
    holds: steps.every((number) => number > 0) && doubled.length === 0,
  }
}

/**
 * How long a change of a flag through one process takes until another one knows: without the
 * notification up to five seconds.
 */
async function checkFlags(scaled: ScaledTestApp): Promise<Check> {
  const [first, ...others] = scaled.processes
  const operator = await scaled.testApp.token('operator@atrium.test')
  const member = await scaled.testApp.token('member@acme.test')
  const key = 'seen_everywhere'
  let told = await scaled.send('POST', '/flags', { token: operator, body: { key }, ...at(first) })
  if (told.status !== 201)
    throw new Error(`POST /flags answered ${told.status} ${JSON.stringify(told.body)}`)
  const valueAt = async (to: ScaledProcess) => {
    const answer = await scaled.send('POST', '/flags/evaluate', {
      token: member,
      body: { tenantSlug: 'acme' },
      to,
    })
    return answer.body[key] as boolean | undefined
  }
  const times: number[] = []
  for (let round = 0; round < 10; round++) {
    const state = round % 2 === 0 ? 'on' : 'off'
    for (const other of others) await valueAt(other)
    told = await scaled.send('PATCH', `/flags/${key}`, {
      token: operator,
      body: { state, version: told.body.version, note: 'seen by all' },
      ...at(first),
    })
    if (told.status !== 200)
      throw new Error(`PATCH /flags answered ${told.status} ${JSON.stringify(told.body)}`)
    const began = performance.now()
    await Promise.all(
      others.map((other) =>
        until(async () => (await valueAt(other)) === (state === 'on'), 10_000, 1),
      ),
    )
    times.push(performance.now() - began)
  }
  return {
    what: 'a flag changed through one process is known to the others by NOTIFY',
    measured: `${times.length} changes, median ${median(times).toFixed(0)} ms after the answer, slowest ${Math.max(...times).toFixed(0)} ms`,
    holds: median(times) < 1_000,
  }
}

/** A visitor's allowance of 120 pages a minute, taken through all processes at once. */
async function checkLimits(scaled: ScaledTestApp): Promise<Check> {
  const [most, asked] = [120, 160]
  // All in one window of a minute, which begins again at each full minute.
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 25_000) await new Promise((done) => setTimeout(done, left + 200))
  const responses = await Promise.all(
    Array.from({ length: asked }, async (_, n) => {
      const process = scaled.processes[n % scaled.processes.length]
      return (
        await scaled.send('GET', '/api/v1/pages/nobody', {
          headers: { 'x-forwarded-for': '203.0.113.77' },
          ...at(process),
        })
      ).status
    }),
  )
  const rejected = responses.filter((status) => status === 429).length
  return {
    what: 'limits count over all processes',
    measured: `${asked} at once over ${scaled.processes.length} processes, ${asked - rejected} let through of ${most} allowed`,
    holds: rejected === asked - most,
  }
}

/** One `Idempotency-Key` through all processes at once. */
async function checkKeys(scaled: ScaledTestApp): Promise<Check> {
  const token = await scaled.testApp.token('newcomer@example.test')
  const body = { name: 'Once', slug: 'once-only', respondAsync: true }
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      scaled.send('POST', '/tenants', {
        token,
        body,
        headers: { 'idempotency-key': 'one-for-all' },
        ...at(scaled.processes[n % scaled.processes.length]),
      }),
    ),
  )
  const ids = new Set(responses.map(({ body }) => body.id as string))
  return {
    what: 'one Idempotency-Key at all processes has one effect and one answer',
    measured: `${responses.length} at once, ${ids.size} tenant, ${responses.filter(({ status }) => status === 201).length} answers 201`,
    holds: ids.size === 1 && responses.every(({ status }) => status === 201),
  }
}

/** A stream at one process reports a change through another. */
async function checkStreams(scaled: ScaledTestApp): Promise<Check> {
  const [first, second] = scaled.processes
  const token = await scaled.testApp.token('newcomer@example.test')
  const slug = 'watched-elsewhere'
  scaled.testApp.sandbox.fault({ system: 'files', mode: 'error', times: 1_000 })
  const created = await scaled.send('POST', '/tenants', {
    token,
    body: { name: slug, slug },
    ...at(first),
  })
  scaled.testApp.sandbox.clearFaults()
  const leaving = new AbortController()
  const response = await fetch(`${(second ?? first)?.url}/tenants/${slug}/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal: leaving.signal,
  })
  const reader = response.body?.getReader()
  await reader?.read()
  const began = performance.now()
  const mended = scaled.send('POST', `/tenants/${slug}/reconcile`, { token, ...at(first) })
  const decoder = new TextDecoder()
  let text = ''
  while (!/"status":"active"/.test(text) && performance.now() - began < 20_000)
    text += decoder.decode((await reader?.read())?.value)
  const ms = performance.now() - began
  leaving.abort()
  await mended
  return {
    what: 'a stream at one process tells of what another one does',
    measured: `created ${created.status}, told after ${ms.toFixed(0)} ms`,
    holds: /"status":"active"/.test(text) && ms < 4_000,
  }
}

function at(process: ScaledProcess | undefined): { to?: ScaledProcess } {
  return process ? { to: process } : {}
}

/** The sum of a counter's series in a Prometheus text. */
export function sumOf(text: string, name: string, label = ''): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

export async function until(
  holds: () => Promise<boolean>,
  patienceMs: number,
  pauseMs = 50,
): Promise<void> {
  const end = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() > end)
      throw new Error(`it did not come about within ${patienceMs / 1000} s`)
    await new Promise((done) => setTimeout(done, pauseMs))
  }
}
