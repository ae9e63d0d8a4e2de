import { randomPassword } from '@atrium/api/members/one-time-password'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { expect, it } from 'vitest'

const kinds = { upper: /[A-Z]/, lower: /[a-z]/, digit: /[0-9]/, symbol: /[^A-Za-z0-9]/ } as const
const kindNames = Object.keys(kinds) as (keyof typeof kinds)[]
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!#$%&*+-=?@_'
const length = 16

/**
 * Upper quantile of the chi-square distribution for one in a million, by Wilson and Hilferty's
 * approximation.
 */
function unlikely(freedom: number): number {
  const z = 4.7534
  return freedom * (1 - 2 / (9 * freedom) + z * Math.sqrt(2 / (9 * freedom))) ** 3
}

function chiSquare(counts: readonly number[]): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0)
}

it('keep their rules, and tell nothing about themselves', async () => {
  const samples = rounds(5_000, 1_000_000)
  const counts = Array.from(
    { length },
    () => new Map<string, number>([...alphabet].map((character) => [character, 0])),
  )
  const seen = new Set<string>()
  const broken: string[] = []
  for (let n = 0; n < samples; n++) {
    const password = randomPassword()
    seen.add(password)
    if (
      password.length !== length ||
      !kindNames.every((kind) => kinds[kind].test(password)) ||
      [...password].some((character) => !alphabet.includes(character))
    )
      broken.push(password)
    for (let at = 0; at < length; at++) {
      const place = counts[at]
      const character = password[at] ?? ''
      place?.set(character, (place.get(character) ?? 0) + 1)
    }
  }
  // Every character of a kind is as likely as the others of its kind, at each place and over all;
  // each place has each kind as often.
  const tests: { what: string; counts: number[] }[] = []
  for (const kind of kindNames) {
    const members = [...alphabet].filter((character) => kinds[kind].test(character))
    const at = (place: number, character: string) => counts[place]?.get(character) ?? 0
    const places = Array.from({ length }, (_, place) => place)
    tests.push({
      what: `${kind}, all places`,
      counts: members.map((character) =>
        places.reduce((sum, place) => sum + at(place, character), 0),
      ),
    })
    tests.push({
      what: `${kind}, by place`,
      counts: places.map((place) =>
        members.reduce((sum, character) => sum + at(place, character), 0),
      ),
    })
    for (const place of places)
      tests.push({
        what: `${kind} at place ${place + 1}`,
        counts: members.map((character) => at(place, character)),
      })
  }
  const uneven = tests.filter((test) => chiSquare(test.counts) > unlikely(test.counts.length - 1))
  const worst = Math.max(
    ...tests.map((test) => chiSquare(test.counts) / unlikely(test.counts.length - 1)),
  )
  await recordMeasurement({
    target: 'S16',
    what: 'temporary passwords',
    measured: `${samples} samples, ${broken.length} against the rules, ${samples - seen.size} twice; ${tests.length} chi-square tests, ${uneven.length} beyond one in a million (highest at ${(worst * 100).toFixed(0)} % of that bound)`,
    reached: broken.length === 0 && seen.size === samples && uneven.length === 0,
  })
  expect(broken).toEqual([])
  expect(seen.size).toBe(samples)
  expect(uneven.map(({ what }) => what)).toEqual([])
  expect(tests.length).toBeGreaterThan(60)
})
