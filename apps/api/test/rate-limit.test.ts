import { AppError } from '@atrium/core/errors'
import { expect, it } from 'vitest'
import { createRateLimit } from '../src/rate-limit.ts'

it('gives each caller its share of a minute, and says how long to wait for the next', () => {
  let now = new Date('2026-11-21T12:00:42.500Z')
  const limit = createRateLimit({ perMinute: 2, clock: { now: () => now } })
  const refusal = (caller: string) => {
    try {
      limit.take(caller)
    } catch (error) {
      return error instanceof AppError ? { code: error.code, retryAfterSeconds: error.retryAfterSeconds } : error
    }
  }
  expect([refusal('anna'), refusal('anna')]).toEqual([undefined, undefined])
  expect(refusal('anna')).toEqual({ code: 'rate_limited', retryAfterSeconds: 18 })
  expect(refusal('adam')).toBeUndefined()
  now = new Date('2026-11-21T12:00:59.999Z')
  expect(refusal('anna')).toEqual({ code: 'rate_limited', retryAfterSeconds: 1 })
  now = new Date('2026-11-21T12:01:00Z')
  expect(refusal('anna')).toBeUndefined()
})
