import { describe, expect, it } from 'vitest'
import { EndSignIn } from '../../src/account/sessions.ts'

describe('the id of a sign-in to end', () => {
  it.each(['01a1ffa0-915e-7644-aaf6-d11f66e35098', 'a', 'Z9'.repeat(32)])('may be %s', (id) => {
    expect(EndSignIn.parse({ id })).toEqual({ id })
  })

  // It becomes part of an address of the identity provider.
  it.each(['', '../users', 'a/b', 'a?b', 'a%2fb', ' a', 'a\n', 'ä', 'a'.repeat(65)])(
    'may not be %j',
    (id) => {
      expect(EndSignIn.safeParse({ id }).success).toBe(false)
    },
  )
})
