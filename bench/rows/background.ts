import { join } from 'node:path'
import { createJobs, type Jobs } from '@atrium/api/platform/jobs'
import { createLogger } from '@atrium/api/platform/log'
import { createMetrics } from '@atrium/api/platform/metrics'
import { seedDemo } from '@atrium/db/demo/demo'
import { type Database, openDatabase } from '@atrium/db/platform/connect'
import { createMigratedDatabase, dropDatabase } from '@atrium/db/server/provision-database'
import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import { insertTestTenant, userIdOf } from '@atrium/testing/records'
import { ask, cores, startProcess } from '../measure/process.ts'
import { type Contender, runRounds } from '../measure/slots.ts'
import { median } from '../measure/statistics.ts'
import type { Session } from '../session.ts'
import { measureDeliveries } from './deliveries.ts'
import { sandboxEnvironment, startProduct } from './product.ts'
import type { RowResult } from './result.ts'

const creationsPerRound = 5
// Many: a bare engine looks for work twice a second, which must not decide how long a backlog
// takes.
const jobsPerSlot = 5_000
const bench = join(import.meta.dirname, '..')

/**
 * P14: how soon provisioning starts after a tenant was created, and how fast the job engine clears
 * a backlog.
 */
export async function measureBackground(session: Session): Promise<RowResult[]> {
  const sandbox = await startSandbox()
  const name = 'atrium_background'
  const accounts = await createMigratedDatabase(session.adminUrl, name)
  const database = openDatabase({
    url: accounts.appUrl,
    applicationName: 'bench',
    onError: () => {},
  })
  try {
    await seedDemo(database.db, 'tenants.local')
    return [
      ...(await measureFirstStep(session, { sandbox, database, url: accounts.appUrl })),
      await measureDrain(session, accounts.appUrl),
      await measureOutbox(session, accounts.appUrl),
      await measureDeliveries(session, accounts.appUrl),
    ]
  } finally {
    await database.close()
    await sandbox.close()
    await dropDatabase(session.adminUrl, name)
  }
}

interface Workplace {
  sandbox: Sandbox
  database: Database
  url: string
}

/**
 * By the clock of the database: `created_at` is when the creating transaction began, `started_at`
 * when a step was marked as started, so the time includes the transaction itself. Once as a request
 * does it, once as the job engine does it for another process.
 */
async function measureFirstStep(session: Session, workplace: Workplace): Promise<RowResult[]> {
  const product = await startProduct(session, {
    DATABASE_URL: workplace.url,
    ...sandboxEnvironment(workplace.sandbox),
    LIMITS: 'workplaces_person_day=1000000',
  })
  const log = createLogger('silent')
  const jobs = createJobs({
    databaseUrl: workplace.url,
    database: workplace.database,
    log,
    metrics: createMetrics(),
  })
  try {
    await jobs.startSending()
    const token = await workplace.sandbox.token('newcomer@example.test', 'portal')
    const { measured, failures } = await runRounds(
      [
        delayContender('request', workplace.database, (slug) =>
          createOverRest(product.url, token, slug),
        ),
        delayContender('engine', workplace.database, (slug) =>
          createForEngine(workplace.database, jobs, slug),
        ),
      ],
      session,
    )
    const row = (id: string, what: string, name: string): RowResult => ({
      row: id,
      what,
      peer: 'clock',
      unit: 'ms',
      direction: 'at most',
      reach: 80,
      beyond: 30,
      values: failures.has(name)
        ? []
        : (measured.get(name) ?? []).map((figures) => figures.p50Ms ?? Number.NaN),
      note: failures.get(name) ?? `median of ${creationsPerRound} creations per round`,
    })
    return [
      row('P14a', 'created → first step, in the request', 'request'),
      row('P14b', 'created → first step, by the job engine', 'engine'),
    ]
  } finally {
    await jobs.stop()
    await product.process.stop()
  }
}

let serial = 0

function delayContender(
  name: string,
  database: Database,
  create: (slug: string) => Promise<void>,
): Contender {
  return {
    name,
    async measure() {
      const delays: number[] = []
      for (let i = 0; i < creationsPerRound; i++) {
        const slug = `bench-created-${++serial}`
        await create(slug)
        delays.push(await firstStepDelay(database, slug))
      }
      const ms = median(delays)
      return { callsPerSecond: 1000 / ms, p50Ms: ms }
    },
  }
}

async function createOverRest(url: string, token: string, slug: string): Promise<void> {
  const response = await fetch(`${url}/tenants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: slug, slug }),
  })
  const tenant = (await response.json()) as { status?: string }
  if (response.status !== 201 || tenant.status !== 'active')
    throw new Error(`POST /tenants answered ${response.status}: ${JSON.stringify(tenant)}`)
}

async function createForEngine({ db }: Database, jobs: Jobs, slug: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const ownerId = await userIdOf(trx, 'owner@globex.test')
    const tenant = await insertTestTenant(trx, { slug, seats: 0, ownerId })
    await jobs.enqueueProvisioning(tenant.id, 0, trx)
  })
}

async function firstStepDelay({ db }: Database, slug: string): Promise<number> {
  for (let i = 0; i < 400; i++) {
    const first = await db
      .selectFrom('provisioning_steps as s')
      .innerJoin('tenants as t', 't.id', 's.tenant_id')
      .select(['s.started_at', 't.created_at'])
      .where('t.slug', '=', slug)
      .where('s.started_at', 'is not', null)
      .orderBy('s.started_at')
      .executeTakeFirst()
    const ms = first?.started_at
      ? first.started_at.getTime() - first.created_at.getTime()
      : undefined
    if (ms !== undefined) return ms
    await new Promise((done) => setTimeout(done, 25))
  }
  throw new Error(`no step of ${slug} started within ten seconds`)
}

/** Jobs per second of one contender against those of the bare engine, measured twice around it. */
async function measureAgainstBare(
  session: Session,
  own: ReturnType<typeof startProcess>,
  bare: ReturnType<typeof startProcess>,
  row: Pick<RowResult, 'row' | 'what' | 'reach' | 'beyond' | 'note'>,
): Promise<RowResult> {
  try {
    const contender = (name: string, process: typeof own): Contender => ({
      name,
      async measure() {
        const { ms } = await ask<{ ms: number }>(process.child, { jobs: jobsPerSlot })
        return { callsPerSecond: (jobsPerSlot * 1000) / ms }
      },
    })
    const contenders = [
      contender('pg-boss', bare),
      contender('pg-boss again', bare),
      contender('ours', own),
    ]
    for (const { measure } of contenders) await measure()
    const { measured, failures } = await runRounds(contenders, session)
    const rate = (name: string) =>
      (measured.get(name) ?? []).map((figures) => figures.callsPerSecond)
    const [first, second, ours] = [rate('pg-boss'), rate('pg-boss again'), rate('ours')]
    const failure = [...failures].map(([name, reason]) => `${name}: ${reason}`).join('; ')
    return {
      ...row,
      peer: 'bare pg-boss, batch 100',
      unit: 'x',
      direction: 'at least',
      values: failure
        ? []
        : ours.map(
            (value, i) => (2 * value) / ((first[i] ?? Number.NaN) + (second[i] ?? Number.NaN)),
          ),
      nullTest: first.map((value, i) => value / (second[i] ?? Number.NaN)),
      note: failure || (row.note ?? ''),
      figures: {
        'pg-boss': { callsPerSecond: median(first) },
        ours: { callsPerSecond: median(ours) },
      },
    }
  } finally {
    await Promise.all([own.stop(), bare.stop()])
  }
}

function drainWorker(databaseUrl: string, mode: 'product' | 'bare') {
  return startProcess({
    file: join(bench, 'servers/drain.ts'),
    core: cores.server,
    env: { DATABASE_URL: databaseUrl, DRAIN_MODE: mode },
  })
}

function measureDrain(session: Session, databaseUrl: string): Promise<RowResult> {
  return measureAgainstBare(
    session,
    drainWorker(databaseUrl, 'product'),
    drainWorker(databaseUrl, 'bare'),
    {
      row: 'P14c',
      what: 'backlog of wake-ups, jobs/s',
      reach: 0.8,
      beyond: 0.95,
      note: `${jobsPerSlot} jobs at once, empty handlers: the queue of provisioning wake-ups`,
    },
  )
}

/**
 * A mail is claimed, rendered and its outcome saved, each on its own; the bare engine does nothing
 * with a job.
 */
function measureOutbox(session: Session, databaseUrl: string): Promise<RowResult> {
  const own = startProcess({
    file: join(bench, 'servers/outbox.ts'),
    core: cores.server,
    env: { DATABASE_URL: databaseUrl },
  })
  return measureAgainstBare(session, own, drainWorker(databaseUrl, 'bare'), {
    row: 'P14d',
    what: 'backlog of mails, mails/s',
    reach: 0.8,
    beyond: 0.95,
    note: `${jobsPerSlot} queued mails, branded and rendered, into a mail server that takes them at once; the peer's handlers are empty`,
  })
}
