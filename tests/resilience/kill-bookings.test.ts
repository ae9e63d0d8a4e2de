import { type BookingsTestApp, startBookingsTestApp } from '@atrium/testing/bookings-test-app'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bookingWrites, repeatedMails } from './booking-writes.ts'
import { atRandom, everyPoint, type Kill, killEverywhere, rehearse, spread } from './kills.ts'

let testApp: BookingsTestApp
beforeAll(async () => {
  testApp = await startBookingsTestApp({ manyChanges: true, mailer: true })
})
afterAll(async () => {
  await testApp?.[Symbol.asyncDispose]()
})

/**
 * Claims of one host that overlap: the database rejects them, and a kill must find no way round.
 */
async function doubleBookings(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from booking_hosts a join booking_hosts b
      on a.host_id = b.host_id and a.booking_id < b.booking_id and a.active and b.active
      and tstzrange(a.claim_start, a.claim_end) && tstzrange(b.claim_start, b.claim_end)`.execute(
    testApp.database.db,
  )
  return rows[0]?.count ?? Number.NaN
}

it('a process that is killed while a booking is made, moved, cancelled or decided loses nothing and doubles nothing', async () => {
  const writes = bookingWrites(testApp).slice(0, rounds(2, 6))
  const lives = { env: testApp.env }
  const each: { name: string; awaits: number; kills: Kill[] }[] = []
  for (const write of writes) {
    const rehearsal = await rehearse(lives, write)
    const length = rehearsal.crossings.length
    const points = [
      ...spread(everyPoint(rehearsal.crossings), rounds(4, 30)),
      ...atRandom(length, rounds(0, 5)),
    ]
    each.push({
      name: write.name,
      awaits: length,
      kills: await killEverywhere(lives, write, rehearsal, points),
    })
  }
  const kills = each.flatMap((one) => one.kills)
  const faults = each.flatMap(({ name, kills: own }) =>
    own.flatMap(({ point, faults: found }) =>
      found.map((fault) => `${name}, killed ${point}: ${fault}`),
    ),
  )
  const doubled = await doubleBookings()
  const there = kills.filter(({ side }) => side === 'before' || side === 'after').length
  const slowest = Math.max(...kills.map(({ settledMs }) => settledMs)) / 1000
  await recordMeasurement({
    target: 'R2',
    what: `killed while a booking is: ${each.map(({ name, awaits, kills: own }) => `${name} (${awaits} awaits, ${own.length} kills)`).join(', ')}`,
    measured: `${kills.length} kills, ${there} of them exactly at an await, ${faults.length} faults (lost, half done, doubled, orphaned event, mail under a second Message-ID), ${doubled} double bookings, ${repeatedMails(testApp)} mails repeated under their Message-ID; settled ≤ ${slowest.toFixed(1)} s after the next start, leases of the dead process cut short`,
    reached: faults.length === 0 && doubled === 0 && there > 0,
  })
  expect(each.every(({ awaits }) => awaits > 10)).toBe(true)
  expect(there).toBeGreaterThan(kills.length / 2)
  expect(faults).toEqual([])
  expect(doubled).toBe(0)
})
