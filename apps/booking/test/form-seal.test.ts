import { describe, expect, it } from 'vitest'
import { sealFault, sealForm } from '../src/form-seal.ts'

const secret = 'a-secret-of-thirty-two-characters'
const made = Date.parse('2026-11-22T10:00:00Z')
const seal = sealForm(secret, '/acme/anna/intro', made)

describe('the signed time of a form', () => {
  it('is good from two seconds to a day after it was made, for its own page', () => {
    expect(sealFault(secret, '/acme/anna/intro', seal, made + 1_999)).toBe('too_fast')
    expect(sealFault(secret, '/acme/anna/intro', seal, made + 2_000)).toBeUndefined()
    expect(sealFault(secret, '/acme/anna/intro', seal, made + 86_400_000)).toBeUndefined()
    expect(sealFault(secret, '/acme/anna/intro', seal, made + 86_400_001)).toBe('too_old')
    expect(sealFault(secret, '/acme/adam/intro', seal, made + 5_000)).toBe('forged')
  })

  it.each(['', '.', 'abc', `${seal}x`, seal.replace(/^./, 'z'), `${made.toString(36)}.`, '٣.x'])(
    'cannot be made up: %j',
    (forged) => {
      expect(sealFault(secret, '/acme/anna/intro', forged, made + 5_000)).toBe('forged')
    },
  )

  it('is worth nothing under another secret', () => {
    expect(sealFault(`${secret}!`, '/acme/anna/intro', seal, made + 5_000)).toBe('forged')
  })
})
