import { sql } from 'kysely'
import { afterAll, beforeAll } from 'vitest'
import { type MembersHouse, openMembersHouse } from '../../apps/api/test/members-house.ts'
import { rounds } from '../figures.ts'
import { atRandom, everyPoint, type Kill, type KillHouse, type KillPoint, killEverywhere, rehearse, type Write } from './kills.ts'

export type KilledHouse = MembersHouse & KillHouse

/** A house whose processes are killed for hours: tokens last, a sign-in is recent all the time, and the audit log is chained. */
function openKilledHouse(): Promise<KilledHouse> {
  return openMembersHouse({
    manyChanges: true,
    env: { AUDIT_HASH_CHAIN: 'true', RECENT_SIGN_IN_SECONDS: '0' },
    sandbox: { identity: { accessTokenSeconds: 4 * 3600 } },
  })
}

/**
 * Houses for the tests of a file, which it closes after them: systems that each write is killed in side by side, since most of the time goes
 * into waiting for leases to end.
 */
export function killedHouses(): readonly KilledHouse[] {
  const houses: KilledHouse[] = []
  beforeAll(async () => {
    for (let n = 0; n < rounds(1, 3); n++) houses.push(await openKilledHouse())
  })
  afterAll(async () => {
    for (const house of houses) await house[Symbol.asyncDispose]()
  })
  return houses
}

export interface KilledWrite {
  readonly name: string
  readonly awaits: number
  readonly systems: ReadonlySet<string>
  readonly points: readonly KillPoint[]
  readonly kills: readonly Kill[]
}

/** Kills one write at points of its own sequence, which `choose` takes from all of them, and at moments that nobody chose. */
export async function killWrite(
  house: KilledHouse,
  write: Write<never>,
  choose: (points: readonly KillPoint[]) => readonly KillPoint[],
  randomly = 0,
): Promise<KilledWrite> {
  const rehearsal = await rehearse(house, write)
  const points = [...choose(everyPoint(rehearsal.crossings)), ...atRandom(rehearsal.crossings.length, randomly)]
  const kills = await killEverywhere(house, write, rehearsal, points)
  const systems = new Set(rehearsal.crossings.map(({ system }) => system))
  return { name: write.name, awaits: rehearsal.crossings.length, systems, points, kills }
}

export const faultsOf = ({ name, kills }: KilledWrite) =>
  kills.flatMap(({ point, faults }) => faults.map((fault) => `${name}, killed ${point}: ${fault}`))
export const slowestOf = (kills: readonly Kill[]) => Math.max(...kills.map(({ settledMs }) => settledMs)) / 1000
export const heldOf = (kills: readonly Kill[]) => kills.filter(({ side }) => side === 'before' || side === 'after').length

/** What has to hold of a house whatever was killed in it: the chains of its audit log, and payment events that were taken and done once. */
export async function unsoundIn(house: KilledHouse): Promise<{ chained: number; faults: string[] }> {
  const faults: string[] = []
  let chained = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/audit/verify?limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const { status, body } = await house.request('GET', path, { token: house.as.operator })
    if (status !== 200) throw new Error(`the audit log was not verified: ${status} ${JSON.stringify(body)}`)
    chained += body.checked
    faults.push(...body.faults.map((fault: object) => `audit log: ${JSON.stringify(fault)}`))
    cursor = body.nextCursor
  }
  const { rows } = await sql<{ type: string; state: string; count: number }>`
    select type, state, count(*)::int as count from webhook_inbox where state in ('failed', 'parked') group by type, state`.execute(
    house.database.db,
  )
  faults.push(...rows.map(({ type, state, count }) => `${count} payment events ${type} ${state}`))
  return { chained, faults }
}
