import { describe, expect, it } from 'vitest'
import { RemoveAlias } from '../../src/mail/aliases.ts'
import {
  localPartFault,
  ownAddress,
  ownedAddress,
  recipientAddress,
  splitAddress,
} from '../../src/mail/mail-addresses.ts'

const messageOf = (schema: typeof ownAddress | typeof recipientAddress, text: string) =>
  schema.safeParse(text).error?.issues[0]?.message

describe('an address that a tenant wants', () => {
  it.each([
    ['sales', 'sales'],
    [' Sales ', 'sales'],
    ['first.last-1_x', 'first.last-1_x'],
    ['SALES@Acme.Test', 'sales@acme.test'],
    ['info@bücher.example.com', 'info@xn--bcher-kva.example.com'],
  ])('reads %j as %s', (text, address) => expect(ownAddress.parse(text)).toBe(address))

  it.each([
    ['', /empty/],
    ['@acme.test', /empty/],
    ['bücher', /accents/],
    // A Cyrillic а.
    ['s\u0430les', /accents/],
    // Fullwidth letters and a Kelvin sign, which lower-cases to an ASCII k.
    ['\uff53ales', /accents/],
    ['sales\u200b', /accents/],
    ['sales+tag', /plus/],
    ['.sales', /dot/],
    ['sales.', /dot/],
    ['sa..les', /dot/],
    ['sa les', /accents/],
    ['"sales"', /accents/],
    ['a@b@acme.test', /accents/],
    ["o'hara", /accents/],
    ['x'.repeat(65), /64/],
    ['sales@', /domain/],
    ['sales@co.uk', /domain/],
    ['sales@127.0.0.1', /domain/],
    ['sales@acme.test/x', /domain/],
  ])('refuses %j with the reason', (text, reason) =>
    expect(messageOf(ownAddress, text)).toMatch(reason),
  )

  it('rejects a character that becomes another one in lower case', () => {
    expect(localPartFault('\u212aelvin')).toMatch(/accents/)
    expect(ownAddress.safeParse('\u212aelvin').success).toBe(false)
    expect(ownAddress.safeParse('\u0130nfo').success).toBe(false)
  })

  it('uses the primary domain when it names none', () => {
    const domains = [
      { name: 'acme.example', primary: false },
      { name: 'acme.test', primary: true },
    ]
    expect(ownedAddress('sales', domains)).toMatchObject({
      address: 'sales@acme.test',
      localPart: 'sales',
    })
    expect(ownedAddress('sales@acme.example', domains)).toMatchObject({
      address: 'sales@acme.example',
    })
    expect(ownedAddress('sales@sub.acme.test', domains)).toBe('foreign')
    expect(ownedAddress('sales', [])).toBe('foreign')
    const [first] = domains
    expect(ownedAddress('sales', first ? [first] : [])).toMatchObject({
      address: 'sales@acme.example',
    })
  })

  it('is removed in any case', () => {
    expect(RemoveAlias.parse({ slug: 'acme', address: ' Sales@Acme.Test' }).address).toBe(
      'sales@acme.test',
    )
  })
})

describe('a recipient', () => {
  it.each([
    ['Anna@Elsewhere.Example', 'anna@elsewhere.example'],
    ["o'hara+list@example.com", "o'hara+list@example.com"],
    ['info@Bücher.example.com', 'info@xn--bcher-kva.example.com'],
  ])('reads %j as %s', (text, address) => expect(recipientAddress.parse(text)).toBe(address))

  it.each([
    ['anna', /not an e-mail/],
    ['änna@example.com', /accents/],
    ['\u0430nna@example.com', /accents/],
    ['\u212aim@example.com', /accents/],
    ['anna@localhost', /not an e-mail/],
    ['anna@example.com, eve@example.com', /not an e-mail/],
    ['Anna <anna@example.com>', /not an e-mail/],
    ['anna\r\n@example.com', /./],
  ])('refuses %j with the reason', (text, reason) =>
    expect(messageOf(recipientAddress, text)).toMatch(reason),
  )
})

it('splits an address at its last @', () => {
  expect(splitAddress('a@b@acme.test')).toEqual({ localPart: 'a@b', domain: 'acme.test' })
})
