import { describe, expect, it } from 'vitest'
import { isEnrolled } from '../../src/upstream-cache/mfa.ts'

describe('isEnrolled', () => {
  it.each([
    [{ totp: 1 }, true],
    [{ webauthn: 2, static: 1 }, true],
    [{ something_new: 1 }, true],
    [{ static: 10 }, false],
    [{ totp: 0 }, false],
    [{}, false],
  ])('%j: %s', (factors, enrolled) => expect(isEnrolled(factors)).toBe(enrolled))
})
