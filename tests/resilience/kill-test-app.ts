import { rounds } from '@atrium/testing/measurements'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll } from 'vitest'
import {
  atRandom,
  everyPoint,
  type Kill,
  type KillPoint,
  type KillTestApp,
  killEverywhere,
  rehearse,
  type Write,
} from './kills.ts'

export type KilledTestApp = MembersTestApp & KillTestApp

/**
 * A test app whose processes are killed for hours: tokens last, a sign-in is recent all the time,
 * and the audit log is chained.
 */
function startKilledTestApp(): Promise<KilledTestApp> {
  return startMembersTestApp({
    manyChanges: true,
    env: { AUDIT_HASH_CHAIN: 'true', RECENT_SIGN_IN_SECONDS: '0' },
    sandbox: { identity: { accessTokenSeconds: 4 * 3600 } },
  })
}

/**
 * Test apps for the tests of a file, which it closes after them: systems that each write is killed
 * in side by side, since most of the time goes into waiting for leases to end.
 */
export function killedTestApps(): readonly KilledTestApp[] {
  const testApps: KilledTestApp[] = []
  beforeAll(async () => {
    for (let n = 0; n < rounds(1, 3); n++) testApps.push(await startKilledTestApp())
  })
  afterAll(async () => {
    for (const testApp of testApps) await testApp[Symbol.asyncDispose]()
  })
  return testApps
}

export interface KilledWrite {
  readonly name: string
  readonly awaits: number
  readonly systems: ReadonlySet<string>
  readonly points: readonly KillPoint[]
  readonly kills: readonly Kill[]
}

/**
 * Kills one write at points of its own sequence, which `choose` selects from all, and at random
 * moments.
 */
export async function killWrite(
  testApp: KilledTestApp,
  write: Write<never>,
  choose: (points: readonly KillPoint[]) => readonly KillPoint[],
  randomly = 0,
): Promise<KilledWrite> {
  const rehearsal = await rehearse(testApp, write)
  const points = [
    ...choose(everyPoint(rehearsal.crossings)),
    ...atRandom(rehearsal.crossings.length, randomly),
  ]
  const kills = await killEverywhere(testApp, write, rehearsal, points)
  const systems = new Set(rehearsal.crossings.map(({ system }) => system))
  return { name: write.name, awaits: rehearsal.crossings.length, systems, points, kills }
}

export const faultsOf = ({ name, kills }: KilledWrite) =>
  kills.flatMap(({ point, faults }) => faults.map((fault) => `${name}, killed ${point}: ${fault}`))
export const slowestOf = (kills: readonly Kill[]) =>
  Math.max(...kills.map(({ settledMs }) => settledMs)) / 1000
export const heldOf = (kills: readonly Kill[]) =>
  kills.filter(({ side }) => side === 'before' || side === 'after').length

/**
 * What has to hold of a test app whatever was killed in it: the chains of its audit log, and
 * payment events that were taken and done once.
 */
export async function unsoundIn(
  testApp: KilledTestApp,
): Promise<{ chained: number; faults: string[] }> {
  const faults: string[] = []
  let chained = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/audit/verify?limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const { status, body } = await testApp.request('GET', path, { token: testApp.as.operator })
    if (status !== 200)
      throw new Error(`the audit log was not verified: ${status} ${JSON.stringify(body)}`)
    chained += body.checked
    faults.push(...body.faults.map((fault: object) => `audit log: ${JSON.stringify(fault)}`))
    cursor = body.nextCursor
  }
  const { rows } = await sql<{ type: string; state: string; count: number }>`
    select type, state, count(*)::int as count from webhook_inbox where state in ('failed', 'parked') group by type, state`.execute(
    testApp.database.db,
  )
  faults.push(...rows.map(({ type, state, count }) => `${count} payment events ${type} ${state}`))
  return { chained, faults }
}
