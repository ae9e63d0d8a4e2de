import { describe, expect, it } from 'vitest'
import { isOn } from '../src/flags/use-flags.ts'

describe('a feature', () => {
  it('is on where its flag says so', () => {
    const flags = { data: { new_page: true, old_page: false }, isError: false }
    expect([
      isOn(flags, 'new_page'),
      isOn(flags, 'old_page'),
      isOn(flags, 'unheard_of'),
      isOn(flags, 'toString'),
    ]).toEqual([...[true, false, false, false]])
  })

  it('is off while its flag is not known, and when it could not be read again', () => {
    expect(isOn({ data: undefined, isError: false }, 'new_page')).toBe(false)
    expect(isOn({ data: { new_page: true }, isError: true }, 'new_page')).toBe(false)
  })
})
