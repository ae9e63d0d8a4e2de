import { expect, it } from 'vitest'
import { isPublicMailProvider } from '../../src/mail/mail-providers.ts'

it.each([
  ['gmail.com', true],
  ['web.de', true],
  ['zohomail.com', true],
  ['icloud.com', true],
  ['sina.com', true],
  ['acme.example', false],
  ['mail.gmail.com', false],
  ['com', false],
  ['', false],
])('takes %j for a public provider of mailboxes: %s', (domain, isPublic) => {
  expect(isPublicMailProvider(domain)).toBe(isPublic)
})
