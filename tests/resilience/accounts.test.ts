import { expect, it } from 'vitest'
import { readBooks } from './accounts/books.ts'
import { differencesOf } from './accounts/checker.ts'
import { startSimulatedService } from './accounts/service.ts'
import { playYear } from './accounts/year.ts'

const [first = 1, last = first] = (process.env.SEED ?? '1').split('-').map(Number)
it.each(Array.from({ length: last - first + 1 }, (_, n) => first + n))('plays %s', async (seed) => {
  const t0 = performance.now()
  await using service = await startSimulatedService(new Date('2026-01-01T00:00:00Z'))
  const t1 = performance.now()
  const played = await playYear(service, {
    seed,
    customers: Number(process.env.CUSTOMERS ?? 12),
    days: 365,
  })
  const t2 = performance.now()
  const books = await readBooks(service, played)
  const t3 = performance.now()
  const found = differencesOf(books)
  const t4 = performance.now()
  console.log(seed, [t1 - t0, t2 - t1, t3 - t2, t4 - t3].map(Math.round), played.events.length)
  if (process.env.OUTCOMES)
    console.log(
      [...played.outcomes]
        .sort()
        .map(([a, b]) => `${b} ${a}`)
        .join('\n'),
    )
  console.log(found.length, found.slice(0, 40).join('\n'))
  expect(found.length).toBe(0)
})
