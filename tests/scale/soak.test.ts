import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoadOrder, LoadResult } from '@atrium/bench/measure/generator'
import { ask, cores, residentMiB, startProcess } from '@atrium/bench/measure/process'
import { median } from '@atrium/bench/measure/statistics'
import { createWrkLoad, findWrk } from '@atrium/bench/measure/wrk'
import { inFull, recordMeasurement } from '@atrium/testing/measurements'
import { expect, it } from 'vitest'
import { collectsWhenAsked, keptMemory } from '../kept-memory.ts'
import { type ScaledProcess, type ScaledTestApp, startScaledTestApp } from './cluster.ts'

const target = { seconds: 1_800, requests: 5_000_000 }
const connections = 16
/** How often the process is made to throw away what nothing holds, evenly over the time. */
const collections = 24

/**
 * As long as `SOAK_MINUTES` say; without them, in full, as long as the goal's time and its number
 * of requests take at the pace that is tried.
 */
async function soakSeconds(tryPace: (seconds: number) => Promise<LoadResult>): Promise<number> {
  const { SOAK_MINUTES } = process.env
  if (SOAK_MINUTES !== undefined) return Number(SOAK_MINUTES) * 60
  if (!inFull) return 15
  const { completed, failed, seconds } = await tryPace(30)
  expect(failed).toBe(0)
  // The pace of a machine that is shared falls now and then.
  return Math.max(target.seconds, (target.requests * 1.05 * seconds) / completed)
}

/** What the process holds at a moment. */
interface Sample {
  seconds: number
  rssMiB: number
  /** Open files and sockets. */
  descriptors: number
  /** Of the process at the database. */
  connections: number
  /**
   * 99th percentile of the event loop's delay since the sample before, in milliseconds; the timer's
   * own 10 ms are in it.
   */
  loopDelayMs: number
}

async function sample(
  scaled: ScaledTestApp,
  process: ScaledProcess,
  began: number,
): Promise<Sample> {
  const [rssMiB, descriptors, metrics, [held]] = await Promise.all([
    residentMiB(process.pid),
    readdir(`/proc/${process.pid}/fd`),
    process.metrics(),
    scaled.database.ask<{ count: number }>(
      scaled.database.primary,
      `select count(*)::int as count from pg_stat_activity where application_name in ('atrium-api', 'atrium-jobs')`,
    ),
  ])
  const gauge = (name: string) =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN)
  return {
    seconds: (performance.now() - began) / 1000,
    rssMiB,
    descriptors: descriptors.length,
    connections: held?.count ?? Number.NaN,
    loopDelayMs: gauge('nodejs_eventloop_lag_p99_seconds') * 1000,
  }
}

/** Least squares: MiB per ten minutes, with its standard error. */
function slopeOf(samples: readonly Pick<Sample, 'seconds' | 'rssMiB'>[]): {
  slope: number
  error: number
} {
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(samples.map((one) => one.seconds)), mean(samples.map((one) => one.rssMiB))]
  const squares = samples.reduce((sum, one) => sum + (one.seconds - x) ** 2, 0)
  const perSecond =
    samples.reduce((sum, one) => sum + (one.seconds - x) * (one.rssMiB - y), 0) / squares
  const left = samples.reduce(
    (sum, one) => sum + (one.rssMiB - y - perSecond * (one.seconds - x)) ** 2,
    0,
  )
  return { slope: perSecond * 600, error: Math.sqrt(left / (samples.length - 2) / squares) * 600 }
}

/**
 * Reads over REST and tRPC, of one record, of lists, of the audit log; what most of the traffic of
 * a portal is.
 */
async function readsOf(scaled: ScaledTestApp) {
  const [owner, operator] = await Promise.all([
    scaled.testApp.token('owner@acme.test'),
    scaled.testApp.token('operator@atrium.test'),
  ])
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  const input = encodeURIComponent(JSON.stringify({ json: { slug: 'acme' } }))
  const reads = [
    ...Array.from({ length: 6 }, () => ({
      method: 'GET' as const,
      path: '/tenants/acme',
      ...as(owner),
    })),
    ...Array.from({ length: 6 }, () => ({
      method: 'GET' as const,
      path: `/trpc/tenants.get?input=${input}`,
      ...as(owner),
    })),
    ...['/users/me', '/tenants/acme/domains', '/tenants/acme/aliases'].map((path) => ({
      method: 'GET' as const,
      path,
      ...as(owner),
    })),
    { method: 'GET' as const, path: '/health' },
    { method: 'GET' as const, path: '/tenants?limit=20', ...as(operator) },
  ]
  for (const { path, ...rest } of reads) {
    const response = await fetch(`${scaled.processes[0]?.url}${path}`, rest)
    await response.text()
    expect(response.status, path).toBe(200)
  }
  return reads
}

/** Changes, searches and streams besides, some a second. */
function startWriting(
  scaled: ScaledTestApp,
  process: ScaledProcess,
  tokens: { operator: string; newcomer: string },
) {
  const statuses = new Map<number, number>()
  let stopped = false
  const noted = async (told: Promise<{ status: number }>) => {
    const { status } = await told.catch(() => ({ status: 0 }))
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  async function round(n: number): Promise<void> {
    const { operator, newcomer } = tokens
    const slug = `soak-${randomUUID().slice(0, 13)}`
    await noted(
      scaled.send('PATCH', '/tenants/acme', {
        token: operator,
        body: { industry: `Industry ${n % 7}` },
        to: process,
      }),
    )
    await noted(scaled.send('GET', '/audit?limit=20&q=acme', { token: operator, to: process }))
    await noted(scaled.send('GET', '/reports/mrr', { token: operator, to: process }))
    if (n % 10 === 0)
      await noted(
        scaled.send('POST', '/tenants', {
          token: newcomer,
          body: { name: slug, slug, respondAsync: true },
          to: process,
        }),
      )
    const leaving = new AbortController()
    const stream = await fetch(`${process.url}/tenants/acme/events`, {
      headers: { authorization: `Bearer ${operator}` },
      signal: leaving.signal,
    })
    await stream.body?.getReader().read()
    leaving.abort()
    await noted(Promise.resolve(stream))
  }
  const running = (async () => {
    for (let n = 0; !stopped; n++) {
      await round(n)
      await new Promise((done) => setTimeout(done, 200))
    }
  })()
  return {
    statuses,
    async stop() {
      stopped = true
      await running
    },
  }
}

const isWorrying = (line: string) =>
  line.includes('"level":"fatal"') || line.includes('unhandled promise rejection')

it('load for as long as the goal asks leaves nothing behind', async () => {
  await using scaled = await startScaledTestApp({ processes: 1, env: collectsWhenAsked })
  const [process] = scaled.processes
  if (!process) throw new Error('there is no process to soak')
  const folder = await mkdtemp(join(tmpdir(), 'atrium-soak-'))
  const wrk = findWrk()
  const generator = wrk
    ? undefined
    : startProcess({
        file: join(import.meta.dirname, '../../bench/measure/generator.ts'),
        core: cores.generator,
      })
  const load = wrk
    ? createWrkLoad(wrk, folder)
    : (order: LoadOrder) =>
        generator
          ? ask<LoadResult>(generator.child, order)
          : Promise.reject(new Error('there is no load generator'))
  try {
    const requests = await readsOf(scaled)
    const [operator, newcomer] = await Promise.all([
      scaled.testApp.token('operator@atrium.test'),
      scaled.testApp.token('newcomer@example.test'),
    ])
    const loadFor = (seconds: number) => load({ url: process.url, connections, seconds, requests })
    const seconds = await soakSeconds(loadFor)
    const writing = startWriting(scaled, process, { operator, newcomer })
    const began = performance.now()
    const samples: Sample[] = []
    const worrying: string[] = []
    const sampling = setInterval(
      () => {
        void sample(scaled, process, began).then((one) => samples.push(one))
        // A line for each of millions of requests is more than this process can keep.
        worrying.push(...process.log.splice(0).filter(isWorrying))
      },
      Math.max(1_000, Math.min(15_000, (seconds * 1000) / 20)),
    )
    // What waits to be thrown away moves by tens of MiB; what piles up is what stays when it is
    // gone.
    const kept: Pick<Sample, 'seconds' | 'rssMiB'>[] = []
    const collecting = setInterval(
      () =>
        void keptMemory(process).then((rssMiB) =>
          kept.push({ seconds: (performance.now() - began) / 1000, rssMiB }),
        ),
      (seconds * 1000) / collections,
    )
    const told = await loadFor(seconds)
    clearInterval(sampling)
    clearInterval(collecting)
    await writing.stop()
    // Streams and connections that have been left are noticed a moment later.
    await new Promise((done) => setTimeout(done, 2_000))
    const last = await sample(scaled, process, began)
    const statuses = [...writing.statuses]
    const others = statuses.reduce((sum, [, count]) => sum + count, 0)
    const wrong = statuses.filter(([status]) => status === 0 || status >= 400)

    // The first third fills caches and pools.
    const settled = samples.slice(Math.floor(samples.length / 3))
    const stayed = kept.slice(Math.floor(kept.length / 3))
    const { slope, error } = slopeOf(stayed)
    const memory = settled.map((one) => one.rssMiB)
    const steady = (of: (one: Sample) => number) =>
      Math.max(...settled.map(of)) - Math.min(...settled.map(of))
    const loopDelay = median(settled.map((one) => one.loopDelayMs))
    const clean = told.failed === 0 && wrong.length === 0
    await recordMeasurement({
      target: 'R14',
      what: 'reads, changes, searches, reports and streams on one process',
      measured:
        `${(seconds / 60).toFixed(1)} min, ${told.completed + others} requests, ${told.failed + wrong.length} failed, memory that stays ${slope.toFixed(2)} ± ${error.toFixed(2)} MiB per 10 min ` +
        `(${stayed.map((one) => one.rssMiB.toFixed(0)).join(', ')}), with garbage ${Math.min(...memory).toFixed(0)} to ${Math.max(...memory).toFixed(0)} MiB, descriptors ±${steady((one) => one.descriptors)}, ` +
        `database connections ±${steady((one) => one.connections)}, event loop p99 ${loopDelay.toFixed(1)} ms (median of samples)`,
      // Seconds say nothing about a slope, and a few samples nothing about a percentile.
      reached:
        clean &&
        (!inFull ||
          (seconds >= target.seconds &&
            told.completed + others >= target.requests &&
            slope <= 1 &&
            loopDelay <= 20)),
    })
    expect(told.failed).toBe(0)
    expect(wrong).toEqual([])
    expect(told.completed).toBeGreaterThan(100)
    expect(others).toBeGreaterThan(5)
    expect(settled.length).toBeGreaterThan(3)
    expect(stayed.length).toBeGreaterThan(3)
    // Nothing piles up: what is open at the end is no more than what load needs while it lasts.
    expect(last.descriptors).toBeLessThanOrEqual(Math.max(...samples.map((one) => one.descriptors)))
    expect(last.connections).toBeLessThanOrEqual(8 + 2 + 2 + 3 + 4)
    expect([...worrying, ...process.log.filter(isWorrying)]).toEqual([])
  } finally {
    await generator?.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
