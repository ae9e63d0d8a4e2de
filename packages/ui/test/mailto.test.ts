import { expect, it } from 'vitest'
import { mailtoLink } from '../src/mailto.ts'

it('escapes what would add headers or recipients to a mail', () => {
  expect(mailtoLink('vera@example.org')).toBe('mailto:vera@example.org')
  expect(mailtoLink('x?cc=a&bcc=b#c%0d@example.org')).toBe(
    'mailto:x%3Fcc%3Da%26bcc%3Db%23c%250d@example.org',
  )
})
