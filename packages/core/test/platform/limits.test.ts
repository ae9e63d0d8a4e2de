import { limitUse } from '@atrium/core/platform/limit-use'
import {
  isLimitName,
  isSetPerTenant,
  limitNames,
  limitReached,
  limits,
  limitText,
} from '@atrium/core/platform/limits'
import { describe, expect, it } from 'vitest'
import { writeText } from '../../src/platform/errors.ts'

describe('a limit', () => {
  it('is known by its own name alone', () => {
    expect(limitNames.every(isLimitName)).toBe(true)
    for (const name of ['', 'constructor', 'toString', 'changes'])
      expect(isLimitName(name)).toBe(false)
  })

  it('can be set for a single tenant where it is counted inside one', () => {
    for (const name of limitNames)
      expect(isSetPerTenant(name), name).toBe(
        limits[name].per === 'tenant' || limits[name].inTenant === true,
      )
    expect(isSetPerTenant('changes_person_minute')).toBe(false)
  })

  it.each(limitNames)('%s reads as a sentence with its number, in every language', (name) => {
    for (const language of ['en', 'de'] as const) {
      const sentence = writeText(limitText(name, 4_321), language)
      expect(sentence).toMatch(/4[.,]?321/)
      expect(sentence).not.toMatch(/[{}]|limits\./)
    }
  })

  it('has its standard number unless another one applies', () => {
    expect(writeText(limitText('changes_token_minute'), 'en')).toContain('600')
  })

  it('that is reached says until when, where it ends by the clock', () => {
    const endsAt = new Date('2026-03-01T12:00:59.999Z')
    expect(writeText(limitReached('changes_token_minute', 600, endsAt), 'en')).toContain(
      '2026-03-01T12:00:59Z',
    )
    expect(writeText(limitReached('workplaces_person', 25, null), 'en')).not.toMatch(/\d{4}-\d{2}/)
  })
})

describe('the use of a limit', () => {
  it.each([
    [null, 10, 'free'],
    [0, 10, 'free'],
    [7, 10, 'free'],
    [8, 10, 'near'],
    [9, 10, 'near'],
    [10, 10, 'reached'],
    [11, 10, 'reached'],
    [0, 0, 'reached'],
  ])('of %s of %i is %s', (used, most, use) => {
    expect(limitUse({ used, most })).toBe(use)
  })
})
