import { describe, expect, it } from 'vitest'
import {
  checkText,
  isKnownCheckText,
  mapCheckValues,
  writeCheckText,
} from '../../src/mail/check-text.ts'

describe('the result of a check', () => {
  const fault = checkText('tags.twice', { tag: 'p' })
  const unreadable = checkText('dkim.unreadable', { fault })
  const several = checkText('dkim.several', { count: 2 })

  it('is stored with texts and results as its values', () => {
    expect(several).toEqual({ key: 'dkim.several', values: { count: '2' } })
    expect(unreadable.values).toEqual({ fault })
  })

  it('is written in a language, with the results among its values', () => {
    expect(writeCheckText(unreadable, 'en')).toBe('It cannot be read: The tag p= appears twice.')
    const german = writeCheckText(unreadable, 'de')
    expect(german).toContain(writeCheckText(fault, 'de'))
    expect(german).not.toContain('appears')
  })

  it('is changed in each of its values', () => {
    expect(mapCheckValues(unreadable, (value) => value.toUpperCase())).toEqual(
      checkText('dkim.unreadable', { fault: checkText('tags.twice', { tag: 'P' }) }),
    )
  })

  it('is known unless another version of the program wrote it', () => {
    expect(isKnownCheckText(several)).toBe(true)
    expect(isKnownCheckText(JSON.parse('{"key":"dkim.unheardOf","values":{}}'))).toBe(false)
  })
})
