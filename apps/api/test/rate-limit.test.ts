import { AppError } from '@atrium/core/platform/errors'
import { expect, it } from 'vitest'
import { createRateLimit, createWindowCounts, mostRemembered } from '../src/platform/rate-limit.ts'

it('gives each caller its share of a minute, and says how long to wait for the next', () => {
  let now = new Date('2026-11-21T12:00:42.500Z')
  const limit = createRateLimit({
    limit: 'flag_evaluations_minute',
    most: 2,
    clock: { now: () => now },
  })
  const rejection = (caller: string) => {
    try {
      limit.take(caller)
    } catch (error) {
      return error instanceof AppError
        ? { code: error.code, retryAfterSeconds: error.retryAfterSeconds }
        : error
    }
  }
  expect([rejection('anna'), rejection('anna')]).toEqual([undefined, undefined])
  expect(rejection('anna')).toEqual({ code: 'rate_limited', retryAfterSeconds: 18 })
  expect(rejection('adam')).toBeUndefined()
  now = new Date('2026-11-21T12:00:59.999Z')
  expect(rejection('anna')).toEqual({ code: 'rate_limited', retryAfterSeconds: 1 })
  now = new Date('2026-11-21T12:01:00Z')
  expect(rejection('anna')).toBeUndefined()
})

it('remembers callers up to a number, and forgets first who came first', () => {
  const counts = createWindowCounts()
  const start = new Date('2026-11-21T12:00:00Z')
  const window = (key: string) => ({ key, start, end: new Date('2026-11-21T12:01:00Z') })
  expect([counts.take([window('anna'), window('adam')]), counts.take([window('anna')])]).toEqual([
    [1, 1],
    [2],
  ])
  expect(counts.countTaken([window('anna'), window('nobody')])).toEqual([2, 0])
  expect(
    counts.countTaken([{ ...window('anna'), start: new Date('2026-11-21T12:01:00Z') }]),
  ).toEqual([0])
  for (let n = 0; n < mostRemembered / 2; n++) counts.take([window(`first ${n}`)])
  expect(counts.countTaken([window('anna'), window('first 7')])).toEqual([2, 1])
  for (let n = 0; n < mostRemembered / 2; n++) counts.take([window(`second ${n}`)])
  expect(counts.countTaken([window('anna'), window('second 7')])).toEqual([0, 1])
})
