import { describe, expect, it } from 'vitest'
import { chooseRequestId } from '../../src/platform/request-id.ts'

describe('the id of a request', () => {
  it.each(['12345678', 'a.b_c:d@e-F', 'x'.repeat(128)])('is that of the caller: %s', (id) => {
    expect(chooseRequestId(id)).toBe(id)
  })

  it.each([
    undefined,
    '',
    '1234567',
    'x'.repeat(129),
    '1234567 8',
    '12345678\n',
    '1234567ä',
    '<script>',
  ])('is a new one where the caller names %j', (id) => {
    expect(chooseRequestId(id)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })
})
