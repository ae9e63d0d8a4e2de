import { setTimeout as delay } from 'node:timers/promises'
import { createMigratedDatabase } from '@atrium/db/server/provision-database'
import { type ApiProcess, startApi } from '@atrium/testing/api-process'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import type { Member, PatroniCluster } from './patroni-cluster.ts'
import type { Check } from './shared-state.ts'
import { type AcknowledgedWrite, missingOf, startWriters } from './writers.ts'

/** Writes that are acknowledged before each kill. */
const writesBefore = 60
/** The goal where Patroni notices a dead PostgreSQL within `loop_wait`, and starts it again. */
const ofServerSeconds = 15
/** The goal where the lock of a dead machine ends within `ttl`, and a standby is promoted. */
const ofMachineSeconds = 40

interface Loaded {
  cluster: PatroniCluster
  testApp: TestApp
  apis: readonly ApiProcess[]
}

interface Outcome {
  acknowledged: AcknowledgedWrite[]
  missing: Set<string>
  /** Milliseconds from each kill to the acknowledgement of a write that was sent after it. */
  away: number[]
  /** Statuses of the responses, and what went wrong otherwise. */
  statuses: Set<number>
  unanswered: string[]
  /** Leaders that were killed, and those that followed them. */
  leaders: [Member, Member][]
}

/**
 * Kills leaders of a Patroni cluster under writes through two processes of the API: `kills` times
 * the whole server, and as often its PostgreSQL alone.
 */
export async function checkPatroni(cluster: PatroniCluster, kills: number): Promise<Check[]> {
  const accounts = await createMigratedDatabase(cluster.adminUrl, 'atrium')
  await using testApp = await startTestApp({
    accounts,
    manyChanges: true,
    provisioned: false,
    sandbox: { identity: { accessTokenSeconds: 4 * 3600 } },
  })
  await using first = await startApi(testApp)
  await using second = await startApi(testApp)
  const loaded = { cluster, testApp, apis: [first, second] }
  const ofMachine = await killLeaders(loaded, kills, true)
  const ofServer = await killLeaders(loaded, kills, false)
  return [
    {
      what: 'the examples are valid for `patroni --validate-config` and `haproxy -c`',
      measured: cluster.invalid.join('\n') || `${cluster.members.length} members, one proxy`,
      holds: cluster.invalid.length === 0,
    },
    written(`leader killed ${kills} times, Patroni and PostgreSQL`, ofMachine, ofMachineSeconds),
    written(`PostgreSQL of the leader killed ${kills} times`, ofServer, ofServerSeconds),
    checkReturn(cluster, ofMachine),
    await checkCopies(cluster, [...ofServer.acknowledged, ...ofMachine.acknowledged]),
    await checkWork(loaded, ofServer),
  ]
}

async function killLeaders(loaded: Loaded, kills: number, whole: boolean): Promise<Outcome> {
  const outcome: Outcome = {
    acknowledged: [],
    missing: new Set(),
    away: [],
    statuses: new Set(),
    unanswered: [],
    leaders: [],
  }
  for (let i = 0; i < kills; i++) {
    await killLeader(loaded, whole, outcome)
    const back = seconds(outcome.away.at(-1) ?? 0)
    const killed = whole ? 'leader' : 'PostgreSQL'
    const lost = `${outcome.missing.size} of ${outcome.acknowledged.length} writes lost`
    process.stderr.write(
      `  ${killed} killed, ${i + 1} of ${kills}: back after ${back} s, ${lost}\n`,
    )
  }
  return outcome
}

async function killLeader(loaded: Loaded, whole: boolean, outcome: Outcome): Promise<void> {
  const { cluster, testApp, apis } = loaded
  const leader = await again(() => cluster.leader(), 5)
  const token = await testApp.token('newcomer@example.test')
  const urls = apis.map(({ url }) => url)
  const writers = startWriters(urls, token, { count: 4, retryMs: 200 })
  let killed = Number.POSITIVE_INFINITY
  const afterwards = () => writers.acknowledged.find(({ began }) => began > killed)
  try {
    await until(() => writers.acknowledged.length >= writesBefore, 'no writes before the kill')
    await cluster.kill(leader, whole)
    killed = performance.now()
    await until(() => afterwards() !== undefined, 'no write after the kill')
  } finally {
    await writers.stop()
  }
  outcome.away.push((afterwards()?.at ?? Number.POSITIVE_INFINITY) - killed)
  outcome.acknowledged.push(...writers.acknowledged)
  for (const status of writers.answers.keys()) outcome.statuses.add(status)
  outcome.unanswered.push(...writers.unanswered)
  if (whole) cluster.start(leader)
  await cluster.untilHealthy()
  outcome.leaders.push([leader, await again(() => cluster.leader(), 5)])
  // A connection may take longer than its limit on a machine that is this busy.
  const missing = await again(() => missingOf(testApp, outcome.acknowledged), 5)
  for (const slug of missing) outcome.missing.add(slug)
}

/** Loss decides; the times depend on the machine as well, and are reported beside their goal. */
function written(what: string, outcome: Outcome, goalSeconds: number): Check {
  const { acknowledged, missing, away, statuses, unanswered } = outcome
  const ordered = away.toSorted((a, b) => a - b)
  const [fastest = 0] = ordered
  const median = ordered[Math.floor(ordered.length / 2)] ?? 0
  const reached = away.filter((ms) => ms <= goalSeconds * 1000).length
  const unexpected = [...statuses].filter((status) => status !== 201 && status !== 503)
  return {
    what: `${what}: no acknowledged write is lost, every call gets a response`,
    measured:
      `${acknowledged.length} acknowledged, ${missing.size} lost; written again after ` +
      `${seconds(fastest)} to ${seconds(ordered.at(-1) ?? 0)} s, median ${seconds(median)} s, ` +
      `${reached} of ${away.length} within ${goalSeconds} s; statuses ` +
      `${[...statuses].sort().join(', ')}, ${unanswered.length} without one ${unanswered[0] ?? ''}`,
    holds: missing.size === 0 && unexpected.length === 0 && unanswered.length === 0,
  }
}

/** Every leader that was killed follows the next one; the logs say how it came to that. */
function checkReturn(cluster: PatroniCluster, { leaders }: Outcome): Check {
  const moved = leaders.filter(([before, after]) => before !== after).length
  const log = cluster.members.flatMap((member) => member.log)
  const rewound = log.filter((line) => line.includes('pg_rewind exit code=0')).length
  const copied = log.filter((line) => line.includes('replica has been created')).length
  return {
    what: 'each killed leader follows the next one, by pg_rewind and without a new copy',
    measured:
      `${moved} of ${leaders.length} times another member took over, ${rewound} rewound, ` +
      `${copied} copies (${cluster.members.length - 1} at the start)`,
    holds: moved === leaders.length && rewound > 0 && copied === cluster.members.length - 1,
  }
}

/** All three members have every acknowledged write. */
async function checkCopies(
  cluster: PatroniCluster,
  acknowledged: readonly AcknowledgedWrite[],
): Promise<Check> {
  const counts: number[] = []
  for (const member of cluster.members) {
    const count = async () => {
      const rows = await cluster.ask<{ slug: string }>(
        "select slug from tenants where slug like 'promoted-%'",
        { member, database: 'atrium' },
      )
      const there = new Set(rows.map(({ slug }) => slug))
      return acknowledged.filter(({ slug }) => there.has(slug)).length
    }
    // Two of the members apply what they got a moment later.
    for (let tries = 0; tries < 20 && (await again(count, 5)) < acknowledged.length; tries++)
      await delay(500)
    counts.push(await again(count, 5))
  }
  return {
    what: 'all three members have every acknowledged write',
    measured: `${counts.join(', ')} of ${acknowledged.length}`,
    holds: counts.every((count) => count === acknowledged.length),
  }
}

/** Listening connections and jobs have found the new leader: a tenant of now is set up. */
async function checkWork({ testApp, apis }: Loaded, { acknowledged }: Outcome): Promise<Check> {
  const slug = acknowledged.at(-1)?.slug
  const statusOf = () =>
    testApp.database.db
      .selectFrom('tenants')
      .select('status')
      .where('slug', '=', slug ?? '')
      .executeTakeFirst()
  const began = performance.now()
  let status: string | undefined
  while (status !== 'active' && performance.now() - began < 120_000) {
    await delay(250)
    status = (await again(statusOf, 5))?.status
  }
  const unhandled = apis
    .flatMap(({ log }) => log)
    .filter((line) => line.includes('unhandled promise rejection'))
  return {
    what: 'jobs go on: the last tenant is set up, no process of the API has ended',
    measured:
      `${status} after ${seconds(performance.now() - began)} s, ` +
      `${unhandled.length} unhandled rejections`,
    holds: status === 'active' && unhandled.length === 0,
  }
}

async function until(reached: () => boolean, otherwise: string): Promise<void> {
  const limit = performance.now() + 120_000
  while (!reached()) {
    if (performance.now() > limit) throw new Error(otherwise)
    await delay(5)
  }
}

/** What `act` returns, tried up to `most` times; rejects as the last try did. */
async function again<Result>(act: () => Promise<Result>, most: number): Promise<Result> {
  for (let tries = 1; tries < most; tries++) {
    const done = await act().then(
      (result) => ({ result }),
      () => undefined,
    )
    if (done) return done.result
    await delay(1_000)
  }
  return act()
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)
